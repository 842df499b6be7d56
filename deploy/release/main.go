// Command release builds what is published of a version: for each platform an archive with one static binary, the licence and the README,
// beside it the list of what is linked into the binary (CycloneDX), an image of those for Linux, and SHA256SUMS over all of them.
//
//	go run ./deploy/release -version v1.2.3 -out dist
//	go run ./deploy/release -verify dist
//
// The same commit, version and Go give the same bytes, on any machine and in any folder. Nothing of the checkout but its files goes in:
// paths are trimmed, the state of Git is left out, and times in archives are those of the commit.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// published are the platforms of a release.
const published = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

// options are the flags.
type options struct {
	version, out, platforms, cyclonedx, verify string
}

func main() {
	var o options
	flag.StringVar(&o.version, "version", "", "the version that the binaries print and the archives are named by")
	flag.StringVar(&o.out, "out", "dist", "the folder for what is made; it must be empty or not exist")
	flag.StringVar(&o.platforms, "platforms", published, "GOOS/GOARCH, separated by commas")
	flag.StringVar(&o.cyclonedx, "cyclonedx", "bin/tools/cyclonedx-gomod", "the program that lists what is linked")
	flag.StringVar(&o.verify, "verify", "", "make nothing; check the release in this folder")
	flag.Parse()
	if err := run(os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, o options) error {
	if o.verify != "" {
		return verify(out, o.verify)
	}
	if o.version == "" || strings.ContainsAny(o.version, "/\\ _") {
		return fmt.Errorf("-version %q: want a version such as v1.2.3", o.version)
	}
	made, err := commitTime()
	if err != nil {
		return err
	}
	if err := emptyFolder(o.out); err != nil {
		return err
	}
	inImage := map[platform][]byte{}
	for _, pair := range strings.Split(o.platforms, ",") {
		p, err := parsePlatform(pair)
		if err != nil {
			return err
		}
		binary, err := release(o, p, made)
		if err != nil {
			return fmt.Errorf("%s: %w", pair, err)
		}
		fmt.Fprintln(out, filepath.Join(o.out, p.archive(o.version)))
		if p.system == "linux" {
			inImage[p] = binary
		}
	}
	if len(inImage) > 0 {
		if err := writeImage(o, made, inImage); err != nil {
			return fmt.Errorf("image: %w", err)
		}
		fmt.Fprintln(out, filepath.Join(o.out, imageName(o.version)))
	}
	return writeSums(o.out)
}

// commitTime is the time of the commit: SOURCE_DATE_EPOCH if it is set, as where the sources came without Git.
func commitTime() (time.Time, error) {
	stamp := os.Getenv("SOURCE_DATE_EPOCH")
	if stamp == "" {
		text, err := exec.Command("git", "log", "-1", "--format=%ct").Output()
		if err != nil {
			return time.Time{}, fmt.Errorf("when the commit was made: %w; set SOURCE_DATE_EPOCH where there is no Git", err)
		}
		stamp = strings.TrimSpace(string(text))
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("when the commit was made: %w", err)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// emptyFolder makes the folder. What an earlier version left there would be summed and published with this one.
func emptyFolder(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	files, err := os.ReadDir(folder)
	if err == nil && len(files) > 0 {
		err = fmt.Errorf("%s is not empty", folder)
	}
	return err
}

// platform is what a binary is built for.
type platform struct{ system, arch string }

func parsePlatform(pair string) (platform, error) {
	system, arch, is := strings.Cut(pair, "/")
	if !is || system == "" || arch == "" {
		return platform{}, fmt.Errorf("-platforms: %q is not GOOS/GOARCH", pair)
	}
	return platform{system, arch}, nil
}

func (p platform) binary() string {
	if p.system == "windows" {
		return "sabir.exe"
	}
	return "sabir"
}

// stem begins the names of what is made for the platform.
func (p platform) stem(version string) string {
	return "sabir_" + version + "_" + p.system + "_" + p.arch
}

func (p platform) archive(version string) string {
	if p.system == "windows" {
		return p.stem(version) + ".zip"
	}
	return p.stem(version) + ".tar.gz"
}

// environ is the environment of builds. Settings that change the bytes do not come from the machine that builds.
func (p platform) environ() []string {
	return append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.system, "GOARCH="+p.arch, "GOFLAGS=", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0",
		"GOWORK=off")
}

// release makes what is published for a platform, and returns the binary.
func release(o options, p platform, made time.Time) ([]byte, error) {
	work, err := os.MkdirTemp("", "sabir-release")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	binary := filepath.Join(work, p.binary())
	link := "-s -w -X main.version=" + o.version
	if err := p.command("go", "build", "-tags=grpcnotrace", "-trimpath", "-buildvcs=false", "-ldflags", link, "-o", binary, "./cmd/sabir"); err != nil {
		return nil, err
	}
	bom := filepath.Join(o.out, p.stem(o.version)+bomSuffix)
	// Without a serial number and a time, which would differ each time, and with the modules that the build has brought here.
	list := []string{"bin", "-json", "-licenses", "-std", "-noserial", "-notimestamp", "-version", o.version, "-output", bom, binary}
	if err := p.command(o.cyclonedx, list...); err != nil {
		return nil, err
	}
	if err := pack(filepath.Join(o.out, p.archive(o.version)), p.stem(o.version), made, []string{binary, "LICENSE", "README.md"}); err != nil {
		return nil, err
	}
	return os.ReadFile(binary)
}

// command runs a program for the platform. What it says is shown only if it fails.
func (p platform) command(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Env = p.environ()
	if name != "go" {
		cmd.Env = append(cmd.Env, "GOPROXY=off")
	}
	if said, err := cmd.CombinedOutput(); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%w; make release installs it", err)
		}
		return fmt.Errorf("%s %s: %w\n%s", name, args[0], err, said)
	}
	return nil
}

// here is the platform of this machine.
var here = platform{runtime.GOOS, runtime.GOARCH}
