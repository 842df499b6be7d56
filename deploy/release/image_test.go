package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The same binaries give the same image, which is read as a runtime reads it; a binary that is another than that of its archive is noticed.
func TestImage(t *testing.T) {
	t.Chdir("../..")
	binaries := map[platform][]byte{{"linux", "arm64"}: []byte("for arm"), {"linux", "amd64"}: []byte("the program")}
	var images [2][]byte
	out := t.TempDir()
	for i := range images {
		if err := writeImage(options{version: "v1", out: out}, made, binaries); err != nil {
			t.Fatal(err)
		}
		images[i], _ = os.ReadFile(filepath.Join(out, imageName("v1")))
	}
	if len(images[0]) == 0 || !bytes.Equal(images[0], images[1]) {
		t.Error("two images of the same binaries differ")
	}
	for p, binary := range binaries {
		path := write(t, t.TempDir(), p.binary(), string(binary))
		if err := pack(filepath.Join(out, p.archive("v1")), p.stem("v1"), made, []string{path}); err != nil {
			t.Fatal(err)
		}
	}
	platforms, err := verifyImage(out, imageName("v1"))
	if err != nil || strings.Join(platforms, " ") != "linux/amd64 linux/arm64" {
		t.Errorf("it is for %v, %v", platforms, err)
	}
	binaries[platform{"linux", "arm64"}] = []byte("for Arm")
	if err := writeImage(options{version: "v1", out: out}, made, binaries); err != nil {
		t.Fatal(err)
	}
	_, err = verifyImage(out, imageName("v1"))
	fails(t, err, "linux/arm64: the binary is not that of its archive")
	if err := os.WriteFile(filepath.Join(out, imageName("v1")), images[0][:len(images[0])/2], 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = verifyImage(out, imageName("v1"))
	fails(t, err, "unexpected EOF")
}

// The image of a release is that of the Dockerfile.
func TestImageIsThatOfTheDockerfile(t *testing.T) {
	data, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	_, last, _ := strings.Cut(string(data), "\nFROM scratch\n")
	said := func(word string) string {
		m := regexp.MustCompile(`(?m)^` + word + ` (.*)$`).FindStringSubmatch(last)
		if m == nil {
			t.Fatalf("the Dockerfile has no %s", word)
		}
		return m[1]
	}
	list := func(words []string) string { return `["` + strings.Join(words, `", "`) + `"]` }
	s := imageSettings()
	h := s.Healthcheck
	ports := []string{}
	for port := range s.ExposedPorts {
		ports = append(ports, strings.TrimSuffix(port, "/tcp"))
	}
	slices.Sort(ports)
	for word, is := range map[string]string{
		"USER": s.User, "EXPOSE": strings.Join(ports, " "), "ENTRYPOINT": list(s.Entrypoint), "CMD": list(s.Cmd),
		"HEALTHCHECK": fmt.Sprintf("--interval=%v --timeout=%v --start-period=%v CMD %s", h.Interval, h.Timeout, h.StartPeriod, list(h.Test[1:])),
	} {
		if want := said(word); is != want {
			t.Errorf("%s is %s in the image of a release, %s in the Dockerfile", word, is, want)
		}
	}
	for _, file := range []string{imageProgram, imageRoots, imageConfig} {
		if !regexp.MustCompile(`(?m)^COPY .* /` + regexp.QuoteMeta(strings.TrimSuffix(file, "ca-certificates.crt")) + `$`).MatchString(last) {
			t.Errorf("the Dockerfile has no /%s", file)
		}
	}
}
