//go:build linux

package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// The clock of the day of one process cannot be set from outside, and names are looked up where the system says. So the program is built once
// more with seams for both; all else in it is the same.

//go:embed seams/seams.go.txt
var seamsGo []byte

//go:embed seams/seams_amd64.s.txt
var seamsAssembly []byte

// seamed is the program with seams, made when it is first needed.
func (s *suite) seamed(ctx context.Context) (string, error) {
	binary := filepath.Join(s.dir, "sabir-seams")
	if _, err := os.Stat(binary); err == nil {
		return binary, nil
	}
	overlay, err := s.overlay()
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-ldflags=-checklinkname=0", "-o", binary, "./cmd/sabir")
	cmd.Dir = s.opt.root
	if said, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot build sabir with seams: %w\n%s", err, said)
	}
	return binary, nil
}

// overlay writes the files that are added to the program, and the list of them that the go command reads.
func (s *suite) overlay() (string, error) {
	root, err := filepath.Abs(s.opt.root)
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for name, text := range map[string][]byte{"seams.go": seamsGo, "seams_amd64.s": seamsAssembly} {
		file := filepath.Join(s.dir, name)
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(root, "cmd", "sabir", name)] = file
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(s.dir, "overlay.json")
	return file, os.WriteFile(file, list, 0o600)
}

// seam is a file by which the clock of a process is set.
type seam struct{ file string }

// set sets the clock of the day to what it would be, and so many seconds.
func (c seam) set(seconds int64) error {
	return os.WriteFile(c.file, fmt.Append(nil, seconds), 0o600)
}
