package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	sumsFile  = "SHA256SUMS"
	bomSuffix = ".cdx.json"
)

// archive takes files, in the order in which they come.
type archive interface {
	// Add begins a file.
	Add(name string, size int64, executable bool) (io.Writer, error)
	Close() error
}

// pack writes an archive with a folder that holds the files. All that it says of them is their names, contents, and whether they run.
func pack(path, folder string, made time.Time, files []string) error {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer out.Close()
	var a archive = newCompressed(out, made)
	if strings.HasSuffix(path, ".zip") {
		a = &zipped{zip.NewWriter(out), made}
	}
	for i, file := range files {
		if err := add(a, folder, file, i == 0); err != nil {
			return err
		}
	}
	if err := a.Close(); err != nil {
		return err
	}
	return out.Close()
}

func add(a archive, folder, file string, executable bool) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	w, err := a.Add(folder+"/"+filepath.Base(file), int64(len(data)), executable)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

func mode(executable bool) os.FileMode {
	if executable {
		return 0o755
	}
	return 0o644
}

type compressed struct {
	*tar.Writer
	zip  *gzip.Writer
	made time.Time
}

func newCompressed(out io.Writer, made time.Time) *compressed {
	zip := gzip.NewWriter(out) // its header has no time and no name
	return &compressed{tar.NewWriter(zip), zip, made}
}

func (t *compressed) Add(name string, size int64, executable bool) (io.Writer, error) {
	return t, t.WriteHeader(&tar.Header{Name: name, Size: size, Mode: int64(mode(executable)), ModTime: t.made, Format: tar.FormatPAX})
}

func (t *compressed) Close() error {
	if err := t.Writer.Close(); err != nil {
		return err
	}
	return t.zip.Close()
}

type zipped struct {
	*zip.Writer
	made time.Time
}

func (z *zipped) Add(name string, _ int64, executable bool) (io.Writer, error) {
	h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: z.made}
	h.SetMode(mode(executable))
	return z.CreateHeader(h)
}

// writeSums writes the sums of all files in the folder, as sha256sum -c reads them.
func writeSums(folder string) error {
	files, err := os.ReadDir(folder) // sorted by name
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, file := range files {
		sum, err := sumOf(filepath.Join(folder, file.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", sum, file.Name())
	}
	return os.WriteFile(filepath.Join(folder, sumsFile), []byte(b.String()), 0o644)
}

func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
