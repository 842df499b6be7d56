package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// faultFiles are the lists of seeded faults, beside the tables that they confirm.
var faultFiles = []string{"docs/bugs.faults.yml", "docs/requirements.faults.yml"}

// seed is a fault that a test must catch.
type seed struct {
	Row      string // of the table
	File     string
	Old, New string // Old stands in File once
	Test     string // "adapters/anthropic TestRowsRead": must fail
}

func readSeeds(path string) (seeds []seed, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&seeds); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return seeds, nil
}

// trySeeded tries the faults of all lists, or those of some rows.
func trySeeded(ctx context.Context, l *lab, out io.Writer, o options, rows []string) error {
	wrong := 0
	for _, path := range faultFiles {
		seeds, err := readSeeds(path)
		if err != nil {
			return err
		}
		caught, tried := 0, 0
		for _, s := range seeds {
			if len(rows) > 0 && !slices.Contains(rows, s.Row) {
				continue
			}
			tried++
			if err := s.try(ctx, l); err != nil {
				fmt.Fprintf(out, "WRONG   %s: %s: %v\n", path, s.Row, err)
				continue
			}
			caught++
			if o.verbose {
				fmt.Fprintf(out, "caught  %s: %s by %s\n", path, s.Row, s.Test)
			}
		}
		fmt.Fprintf(out, "%s: %d faults, %d caught\n", path, tried, caught)
		wrong += tried - caught
	}
	if wrong > 0 {
		return fmt.Errorf("%d seeded faults are not caught", wrong)
	}
	return ctx.Err()
}

// try puts the fault into the code, and returns why it was not caught.
func (s seed) try(ctx context.Context, l *lab) error {
	changed, err := s.apply()
	if err != nil {
		return err
	}
	folder, test, ok := strings.Cut(s.Test, " ")
	if !ok {
		return fmt.Errorf("test %q: want a folder, a space and a name", s.Test)
	}
	b, err := l.prepare(map[string][]byte{s.File: changed})
	if err != nil {
		return err
	}
	defer b.close()
	o, err := b.test(ctx, folder, pattern(test), 2*time.Minute)
	switch {
	case err != nil:
		return fmt.Errorf("%w\n%s", err, o.output)
	case !bytes.Contains(o.output, []byte("=== RUN")):
		return fmt.Errorf("there is no test %s", s.Test)
	case !o.failed:
		return fmt.Errorf("%s does not fail", s.Test)
	}
	return nil
}

// apply returns the file with the fault.
func (s seed) apply() ([]byte, error) {
	src, err := os.ReadFile(s.File)
	if err != nil {
		return nil, err
	}
	if n := bytes.Count(src, []byte(s.Old)); s.Old == "" || n != 1 {
		return nil, fmt.Errorf("%s has the old text %d times, want once: %q", s.File, n, s.Old)
	}
	return bytes.Replace(src, []byte(s.Old), []byte(s.New), 1), nil
}

// pattern makes "TestX/a" a pattern that fits nothing else.
func pattern(test string) string {
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + p + "$"
	}
	return strings.Join(parts, "/")
}
