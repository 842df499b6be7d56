package main

import (
	"bytes"
	"debug/buildinfo"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

var made = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func write(t *testing.T, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// fails wants an error that has the text.
func fails(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("the error is %v, want one with %q", err, text)
	}
}

// An archive has the bytes of its files and the time of the commit, and nothing of when and where it is made.
func TestPack(t *testing.T) {
	for _, p := range []platform{{"linux", "amd64"}, {"windows", "amd64"}} {
		var archives [2][]byte
		for i := range archives {
			folder := t.TempDir()
			files := []string{write(t, folder, p.binary(), "the program"), write(t, folder, "LICENSE", "the licence")}
			now := time.Now().Add(time.Duration(i) * time.Hour)
			if err := os.Chtimes(files[0], now, now); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(folder, p.archive("v1"))
			if err := pack(path, p.stem("v1"), made, files); err != nil {
				t.Fatal(err)
			}
			archives[i], _ = os.ReadFile(path)
			got, err := unpack(path)
			if err != nil || len(got) != 2 || string(got[p.stem("v1")+"/"+p.binary()]) != "the program" {
				t.Errorf("%v: unpacked %q, %v", p, got, err)
			}
		}
		if !bytes.Equal(archives[0], archives[1]) {
			t.Errorf("%v: two archives of the same files differ", p)
		}
	}
}

func TestSums(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "a", "one")
	write(t, folder, "b", "two")
	if err := writeSums(folder); err != nil {
		t.Fatal(err)
	}
	names, err := checkSums(folder)
	if err != nil || strings.Join(names, " ") != "a b" {
		t.Fatalf("the sums are of %v, %v", names, err)
	}
	check := func(want string) {
		t.Helper()
		_, err := checkSums(folder)
		fails(t, err, want)
	}
	write(t, folder, "a", "One")
	check("a: the sum is ")
	write(t, folder, "a", "one")
	write(t, folder, "c", "three")
	check("3 files besides SHA256SUMS, which sums 2")
	os.Remove(filepath.Join(folder, "b"))
	check("b: no such file")
	write(t, folder, sumsFile, "abc ../a\n")
	check("is not a sum and a name")
}

func TestComponents(t *testing.T) {
	linked := []*debug.Module{{Path: "example.org/a", Version: "v1.0.0"}, {Path: "example.org/b", Version: "v2.0.0"}}
	check := func(components, want string) {
		t.Helper()
		err := checkComponents(write(t, t.TempDir(), "x"+bomSuffix, `{"bomFormat":"CycloneDX","metadata":{"component":{"version":"v1"}},"components":[`+components+`]}`), "v1", linked)
		if want == "" && err != nil {
			t.Error(err)
		}
		if want != "" {
			fails(t, err, want)
		}
	}
	const a, b = `{"name":"example.org/a","version":"v1.0.0"}`, `{"name":"example.org/b","version":"v2.0.0"}`
	check(a+","+b, "")
	check(a+`,{"name":"std","version":"go1.26"},`+b, "")
	check(a, `example.org/b@v2.0.0 is linked; x.cdx.json has version "" of it`)
	check(a+","+strings.Replace(b, "v2.0.0", "v2.0.1", 1), `has version "v2.0.1" of it`)
	check(a+","+b+`,{"name":"example.org/c","version":"v3.0.0"}`, "names what is not linked: [example.org/c]")
	fails(t, checkComponents(write(t, t.TempDir(), "x", `{"bomFormat":"CycloneDX"}`), "v1", linked), `is of version ""`)
	fails(t, checkComponents(write(t, t.TempDir(), "x", `{"spdxVersion":"SPDX-2.3"}`), "v1", linked), `has the format ""`)
}

// The test binary is one that must not be published: its paths are not trimmed.
func TestBuild(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]string{"GOOS": "linux", "GOARCH": "arm64", "CGO_ENABLED": "0", "-trimpath": "true"}
	info.Settings = nil
	for key, value := range settings {
		info.Settings = append(info.Settings, debug.BuildSetting{Key: key, Value: value})
	}
	if err := checkBuild(info, platform{"linux", "arm64"}); err != nil {
		t.Error(err)
	}
	fails(t, checkBuild(info, platform{"linux", "amd64"}), "GOARCH=arm64, want amd64")
	info.Settings = append(info.Settings, debug.BuildSetting{Key: "vcs.modified", Value: "true"})
	fails(t, checkBuild(info, platform{"linux", "arm64"}), "vcs.modified=true")
	fails(t, checkBuild(&debug.BuildInfo{}, here), "built with ")
}

func TestNames(t *testing.T) {
	for _, name := range []string{"sabir_v1.2.3_linux_arm64.tar.gz", "sabir_v1.2.3-4-gabc_windows_amd64.zip"} {
		if version, p, err := parseArchive(name); err != nil || p.archive(version) != name {
			t.Errorf("%s is read as %q for %v: %v", name, version, p, err)
		}
	}
	for _, name := range []string{"sabir_v1_linux_arm64.zip", "sabir_v1_windows_amd64.tar.gz", "sabir_v1_linux.tar.gz", "other_v1_linux_arm64.tar.gz"} {
		if _, _, err := parseArchive(name); err == nil {
			t.Errorf("%s is taken for an archive", name)
		}
	}
}

func TestOptions(t *testing.T) {
	used := t.TempDir()
	write(t, used, "old", "")
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	fails(t, run(io.Discard, options{out: used}), "-version")
	fails(t, run(io.Discard, options{out: used, version: "a/b"}), "-version")
	fails(t, run(io.Discard, options{out: used, version: "v1"}), "is not empty")
	fails(t, run(io.Discard, options{out: t.TempDir(), version: "v1", platforms: "linux"}), "is not GOOS/GOARCH")
	fails(t, run(io.Discard, options{out: t.TempDir(), version: "v1", platforms: "linux/none"}), "linux/none: go build: ")
	t.Setenv("SOURCE_DATE_EPOCH", "yesterday")
	fails(t, run(io.Discard, options{out: t.TempDir(), version: "v1"}), "when the commit was made")
	write(t, used, sumsFile, "")
	os.Remove(filepath.Join(used, "old"))
	fails(t, run(io.Discard, options{verify: used}), "has no archive")
}
