package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// Files of an image.
const (
	imageProgram = "sabir"
	imageRoots   = "etc/ssl/certs/ca-certificates.crt"
	imageConfig  = "etc/sabir/sabir.yaml"
)

// imageSettings are those of the Dockerfile: a test holds them to it. The image holds one static binary, the certificates of public
// authorities, and a configuration that the environment completes.
func imageSettings() v1.Config {
	return v1.Config{
		User:         "65534:65534",
		ExposedPorts: map[string]struct{}{"8080/tcp": {}, "9090/tcp": {}},
		Entrypoint:   []string{"/sabir"},
		Cmd:          []string{"serve", "--config", "/etc/sabir/sabir.yaml"},
		Healthcheck: &v1.HealthConfig{
			Test: []string{"CMD", "/sabir", "health"}, Interval: 10 * time.Second, Timeout: 5 * time.Second, StartPeriod: 2 * time.Second,
		},
	}
}

// imageName is the file of the image, for all platforms of Linux that were built.
func imageName(version string) string { return "sabir_" + version + imageSuffix }

const imageSuffix = "_image.tar"

// writeImage writes an image of the binaries, in the layout of OCI, as one archive. Nothing has to run for it, and the same binaries give the
// same bytes.
func writeImage(o options, made time.Time, binaries map[platform][]byte) error {
	config, err := os.ReadFile("deploy/sabir.yaml")
	if err != nil {
		return err
	}
	common := map[string][]byte{imageRoots: roots(), imageConfig: config}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, p := range slices.SortedFunc(maps.Keys(binaries), func(a, b platform) int { return strings.Compare(a.arch, b.arch) }) {
		img, err := imageOf(p, made, []map[string][]byte{common, {imageProgram: binaries[p]}})
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add: img, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: p.system, Architecture: p.arch}},
		})
	}
	named := mutate.AppendManifests(mutate.IndexMediaType(empty.Index, types.OCIImageIndex), mutate.IndexAddendum{
		Add: index, Descriptor: v1.Descriptor{Annotations: map[string]string{
			"org.opencontainers.image.ref.name": o.version, "io.containerd.image.name": "docker.io/library/sabir:" + o.version,
		}},
	})
	folder, err := os.MkdirTemp("", "sabir-image")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if _, err := layout.Write(folder, named); err != nil {
		return err
	}
	return packFolder(filepath.Join(o.out, imageName(o.version)), folder, made)
}

// imageOf is the image for one platform, with a layer for each set of files.
func imageOf(p platform, made time.Time, layers []map[string][]byte) (v1.Image, error) {
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	for _, files := range layers {
		data, err := layerOf(files, made)
		if err != nil {
			return nil, err
		}
		layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }, tarball.WithMediaType(types.OCILayer))
		if err != nil {
			return nil, err
		}
		if img, err = mutate.Append(img, mutate.Addendum{Layer: layer, History: v1.History{Created: v1.Time{Time: made}, CreatedBy: "deploy/release"}}); err != nil {
			return nil, err
		}
	}
	config, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created, config.Config = p.system, p.arch, v1.Time{Time: made}, imageSettings()
	return mutate.ConfigFile(img, config)
}

// roots are the certificates of public authorities, those of a module: they do not depend on the machine that builds.
func roots() (all []byte) {
	for root := range bundle.Roots() {
		if root.Constraint == nil { // what a file cannot say
			all = append(all, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate})...)
		}
	}
	return all
}

// layerOf is an archive of files.
func layerOf(files map[string][]byte, made time.Time) ([]byte, error) {
	var b bytes.Buffer
	t := tar.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		h := &tar.Header{Name: name, Size: int64(len(files[name])), Mode: int64(mode(name == imageProgram)), ModTime: made, Format: tar.FormatPAX}
		if err := t.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := t.Write(files[name]); err != nil {
			return nil, err
		}
	}
	err := t.Close()
	return b.Bytes(), err
}

// packFolder writes the files of a folder into an archive.
func packFolder(path, folder string, made time.Time) error {
	files := map[string][]byte{}
	err := fs.WalkDir(os.DirFS(folder), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[name], err = os.ReadFile(filepath.Join(folder, name))
		}
		return err
	})
	if err != nil {
		return err
	}
	data, err := layerOf(files, made)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
