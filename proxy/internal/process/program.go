package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// program finds the file to run, and checks the rest of the specification.
func (s *Spec) program() (string, error) {
	switch {
	case len(s.Command) == 0 || s.Command[0] == "":
		return "", errors.New("no command to start")
	case s.MaxLine <= 0:
		return "", errors.New("no limit for lines of stdout")
	}
	if err := checkDir(s.Dir); err != nil {
		return "", err
	}
	name := s.Command[0]
	if !strings.ContainsRune(name, filepath.Separator) {
		return s.lookUp(name)
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(s.Dir, name) // as the child itself would understand it
	}
	return name, checkProgram(name)
}

func checkDir(dir string) error {
	if dir == "" {
		return errors.New("no working directory to start in")
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("cannot use the working directory: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("cannot use the working directory: %s is no directory", dir)
	}
	return nil
}

func checkProgram(file string) error {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return fmt.Errorf("cannot find the program: %w", err)
	case info.IsDir():
		return fmt.Errorf("cannot start %s: it is a directory", file)
	case info.Mode()&0o111 == 0:
		return fmt.Errorf("cannot start %s: it is not executable", file)
	}
	return nil
}

// lookUp finds a program in PATH. Relative directories there are left out: they would mean one of Sabir's.
func (s *Spec) lookUp(name string) (string, error) {
	path, ok := s.variable("PATH")
	if !ok {
		return "", fmt.Errorf("cannot find the program %s: its environment has no PATH", name)
	}
	var first error
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		file := filepath.Join(dir, name)
		err := checkProgram(file)
		if err == nil {
			return file, nil
		}
		if first == nil && !errors.Is(err, fs.ErrNotExist) {
			first = err
		}
	}
	if first != nil {
		return "", first
	}
	return "", fmt.Errorf("cannot find the program %s in PATH %q", name, path)
}

// variable returns the last value of a variable: that is the one which counts.
func (s *Spec) variable(name string) (value string, ok bool) {
	for _, entry := range s.Env {
		if v, found := strings.CutPrefix(entry, name+"="); found {
			value, ok = v, true
		}
	}
	return value, ok
}

// environment adds the marker, and drops the one of a Sabir that this one is a descendant of.
func (s *Spec) environment(id string) []string {
	env := make([]string, 0, len(s.Env)+1)
	for _, entry := range s.Env {
		if !strings.HasPrefix(entry, marker+"=") {
			env = append(env, entry)
		}
	}
	return append(env, marker+"="+id)
}

// startError says what the system's error means: it speaks of the program also where another file is missing.
func startError(program string, err error) error {
	if errors.Is(err, fs.ErrNotExist) && checkProgram(program) == nil {
		return fmt.Errorf("cannot start %s: its interpreter is missing: %w", program, err)
	}
	if errors.Is(err, syscall.ENOEXEC) {
		return fmt.Errorf("cannot start %s: it is neither a program of this machine nor a script: %w", program, err)
	}
	return fmt.Errorf("cannot start %s: %w", program, err)
}
