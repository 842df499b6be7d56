package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

// verify checks a release as somebody who downloads it would: the sums, then each archive and its list of components.
func verify(out io.Writer, folder string) error {
	names, err := checkSums(folder)
	if err != nil {
		return err
	}
	checked := 0
	for _, name := range names {
		switch {
		case strings.HasSuffix(name, bomSuffix):
			continue
		case strings.HasSuffix(name, imageSuffix):
			platforms, err := verifyImage(folder, name)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			fmt.Fprintf(out, "%s: for %s, with the binaries of their archives\n", name, strings.Join(platforms, ", "))
			continue
		}
		version, p, err := parseArchive(name)
		if err != nil {
			return err
		}
		modules, err := verifyArchive(folder, name, version, p)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(out, "%s: %d modules linked, each in its %s\n", name, modules, bomSuffix)
		checked++
	}
	if checked == 0 {
		return fmt.Errorf("%s has no archive", folder)
	}
	return nil
}

// checkSums compares the sums and gives the names of the files. A file without a sum is a fault like a sum without its file.
func checkSums(folder string) (names []string, err error) {
	data, err := os.ReadFile(filepath.Join(folder, sumsFile))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		sum, name, is := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !is || name != filepath.Base(name) {
			return nil, fmt.Errorf("%s: %q is not a sum and a name", sumsFile, line)
		}
		got, err := sumOf(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		if got != sum {
			return nil, fmt.Errorf("%s: the sum is %s, want %s", name, got, sum)
		}
		names = append(names, name)
	}
	files, err := os.ReadDir(folder)
	if err == nil && len(files) != len(names)+1 {
		err = fmt.Errorf("%s has %d files besides %s, which sums %d", folder, len(files)-1, sumsFile, len(names))
	}
	return names, err
}

func parseArchive(name string) (version string, p platform, err error) {
	stem := strings.TrimSuffix(strings.TrimSuffix(name, ".zip"), ".tar.gz")
	parts := strings.Split(stem, "_")
	if len(parts) != 4 || parts[0] != "sabir" {
		return "", p, fmt.Errorf("%s is not named sabir_VERSION_GOOS_GOARCH", name)
	}
	p = platform{parts[2], parts[3]}
	if name != p.archive(parts[1]) {
		return "", p, fmt.Errorf("%s: want %s", name, p.archive(parts[1]))
	}
	return parts[1], p, nil
}

// verifyArchive gives the number of modules in the binary.
func verifyArchive(folder, name, version string, p platform) (int, error) {
	files, err := unpack(filepath.Join(folder, name))
	if err != nil {
		return 0, err
	}
	stem := p.stem(version)
	want := []string{stem + "/LICENSE", stem + "/README.md", stem + "/" + p.binary()}
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		return 0, fmt.Errorf("it holds %v, want %v", got, want)
	}
	binary := files[stem+"/"+p.binary()]
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		return 0, err
	}
	if err := errors.Join(checkBuild(info, p), checkStatic(binary, p), checkVersion(binary, version, p)); err != nil {
		return 0, err
	}
	return len(info.Deps), checkComponents(filepath.Join(folder, stem+bomSuffix), version, info.Deps)
}

// unpack reads the files of an archive.
func unpack(path string) (map[string][]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(path, ".zip") {
		return unzip(data)
	}
	zipped, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return untar(zipped)
}

func unzip(data []byte) (map[string][]byte, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		files[f.Name], err = io.ReadAll(io.LimitReader(r, 512<<20))
		r.Close()
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// checkBuild reads what the linker wrote into the binary of how it was built.
func checkBuild(info *debug.BuildInfo, p platform) error {
	is := map[string]string{}
	for _, s := range info.Settings {
		is[s.Key] = s.Value
		if strings.HasPrefix(s.Key, "vcs") {
			return fmt.Errorf("the binary says %s=%s, which depends on the checkout", s.Key, s.Value)
		}
	}
	for key, want := range map[string]string{"GOOS": p.system, "GOARCH": p.arch, "CGO_ENABLED": "0", "-trimpath": "true"} {
		if is[key] != want {
			return fmt.Errorf("the binary was built with %s=%s, want %s", key, is[key], want)
		}
	}
	return nil
}

// checkStatic wants a binary that needs no loader and no library. Those of other systems always name the system's own.
func checkStatic(binary []byte, p platform) error {
	if p.system != "linux" {
		return nil
	}
	f, err := elf.NewFile(bytes.NewReader(binary))
	if err != nil {
		return err
	}
	for _, part := range f.Progs {
		if part.Type == elf.PT_INTERP || part.Type == elf.PT_DYNAMIC {
			return fmt.Errorf("the binary is not static: it has a part %s", part.Type)
		}
	}
	return nil
}

// checkVersion asks the binary for its version, where it runs; elsewhere the text must at least be in it.
func checkVersion(binary []byte, version string, p platform) error {
	if p != here {
		if !bytes.Contains(binary, []byte(version)) {
			return fmt.Errorf("the binary does not have the version %s", version)
		}
		return nil
	}
	folder, err := os.MkdirTemp("", "sabir-release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, p.binary())
	if err := os.WriteFile(path, binary, 0o755); err != nil {
		return err
	}
	said, err := exec.Command(path, "version").Output()
	if err == nil && !strings.HasPrefix(string(said), "sabir "+version+" (") {
		err = fmt.Errorf("sabir version says %q, want %s", said, version)
	}
	return err
}

// checkComponents compares the list of components with what the linker wrote into the binary.
func checkComponents(path, version string, linked []*debug.Module) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var bom struct {
		BOMFormat  string
		Components []struct{ Name, Version string }
		Metadata   struct{ Component struct{ Version string } }
	}
	if err := json.Unmarshal(data, &bom); err != nil {
		return err
	}
	if bom.BOMFormat != "CycloneDX" {
		return fmt.Errorf("%s has the format %q", filepath.Base(path), bom.BOMFormat)
	}
	if got := bom.Metadata.Component.Version; got != version {
		return fmt.Errorf("%s is of version %q, want %s", filepath.Base(path), got, version)
	}
	named := map[string]string{}
	for _, c := range bom.Components {
		named[c.Name] = c.Version
	}
	for _, m := range linked {
		if named[m.Path] != m.Version {
			return fmt.Errorf("%s@%s is linked; %s has version %q of it", m.Path, m.Version, filepath.Base(path), named[m.Path])
		}
		delete(named, m.Path)
	}
	delete(named, "std")
	if len(named) > 0 {
		return fmt.Errorf("%s names what is not linked: %v", filepath.Base(path), slices.Sorted(maps.Keys(named)))
	}
	return nil
}
