package main

import (
	"archive/tar"
	"bytes"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// verifyImage checks an image as a runtime would read it: each platform has the binary of its archive, certificates, and the settings. It
// returns the platforms.
func verifyImage(folder, name string) (platforms []string, err error) {
	version := strings.TrimSuffix(strings.TrimPrefix(name, "sabir_"), imageSuffix)
	work, err := os.MkdirTemp("", "sabir-image")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	index, err := openImage(filepath.Join(folder, name), work)
	if err != nil {
		return nil, err
	}
	manifests, err := index.IndexManifest()
	if err != nil {
		return nil, err
	}
	for _, m := range manifests.Manifests {
		if m.Platform == nil {
			return nil, errors.New("an image names no platform")
		}
		p := platform{m.Platform.OS, m.Platform.Architecture}
		img, err := index.Image(m.Digest)
		if err != nil {
			return nil, err
		}
		if err := checkImage(img, folder, version, p); err != nil {
			return nil, fmt.Errorf("%s/%s: %w", p.system, p.arch, err)
		}
		platforms = append(platforms, p.system+"/"+p.arch)
	}
	return platforms, nil
}

// openImage unpacks an image, and returns the list of its platforms.
func openImage(path, work string) (v1.ImageIndex, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	files, err := untar(f)
	if err != nil {
		return nil, err
	}
	for name, data := range files {
		at := filepath.Join(work, filepath.FromSlash(name))
		if !filepath.IsLocal(name) {
			return nil, fmt.Errorf("%q leads elsewhere", name)
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, data, 0o644)); err != nil {
			return nil, err
		}
	}
	named, err := layout.ImageIndexFromPath(work)
	if err != nil {
		return nil, err
	}
	list, err := named.IndexManifest()
	if err != nil {
		return nil, err
	}
	if len(list.Manifests) != 1 {
		return nil, fmt.Errorf("it holds %d images, want one", len(list.Manifests))
	}
	return named.ImageIndex(list.Manifests[0].Digest)
}

func checkImage(img v1.Image, folder, version string, p platform) error {
	config, err := img.ConfigFile()
	if err != nil {
		return err
	}
	if config.OS != p.system || config.Architecture != p.arch || !reflect.DeepEqual(config.Config, imageSettings()) {
		return fmt.Errorf("it is for %s/%s with %+v", config.OS, config.Architecture, config.Config)
	}
	root := mutate.Extract(img)
	defer root.Close()
	files, err := untar(root)
	if err != nil {
		return err
	}
	archived, err := unpack(filepath.Join(folder, p.archive(version)))
	if err != nil {
		return err
	}
	if !bytes.Equal(files[imageProgram], archived[p.stem(version)+"/"+p.binary()]) {
		return errors.New("the binary is not that of its archive")
	}
	if !x509.NewCertPool().AppendCertsFromPEM(files[imageRoots]) || len(files[imageConfig]) == 0 || len(files) != 3 {
		return fmt.Errorf("it lacks certificates or configuration, or has more: %d files", len(files))
	}
	return nil
}

// untar reads the files of an archive. What has more than 512 MiB is none of ours.
func untar(r io.Reader) (map[string][]byte, error) {
	files := map[string][]byte{}
	for t := tar.NewReader(io.LimitReader(r, 512<<20)); ; {
		h, err := t.Next()
		if err == io.EOF {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if files[h.Name], err = io.ReadAll(t); err != nil {
			return nil, err
		}
	}
}
