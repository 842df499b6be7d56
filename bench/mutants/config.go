package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"

	"go.yaml.in/yaml/v3"
)

// config is mutants.yaml.
type config struct {
	// Packages are what is tried if nothing else is said: folder, and whose tests judge what its own let through.
	Packages map[string]struct {
		Then []string
	}
	Equivalent []entry
}

// entry is a change, or several with one reason, that cannot be observed.
type entry struct {
	File, Func string
	Code       string   // the line, without indentation
	Changes    []string // as they are printed
	Why        string
}

func readConfig(path string) (*config, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c := &config{}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(c); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, e := range c.Equivalent {
		if e.File == "" || e.Code == "" || len(e.Changes) == 0 || e.Why == "" {
			return nil, fmt.Errorf("%s: %s %q wants file, code, changes and why", path, e.File, e.Code)
		}
	}
	return c, nil
}

func (c *config) folders() []string { return slices.Sorted(maps.Keys(c.Packages)) }

// judged lists the folders that the tests of folder judge, and one more.
func (c *config) judged(folder, more string) []string {
	list := []string{more}
	for name, p := range c.Packages {
		if name == folder || slices.Contains(p.Then, folder) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// explains returns why a change is equivalent, "" if there is no reason.
func (c *config) explains(m mutant) string {
	for _, e := range c.Equivalent {
		if e.fits(m) {
			return e.Why
		}
	}
	return ""
}

func (e entry) fits(m mutant) bool {
	return e.File == m.file && (e.Func == "" || e.Func == m.fn) && e.Code == m.code && slices.Contains(e.Changes, m.change)
}

// stale lists the entries for files of a folder that fit none of its mutants.
func (c *config) stale(folder string, all []mutant) (faults []string) {
	for _, e := range c.Equivalent {
		if dir(e.File) != folder {
			continue
		}
		for _, change := range e.Changes {
			one := e
			one.Changes = []string{change}
			if !slices.ContainsFunc(all, one.fits) {
				faults = append(faults, fmt.Sprintf("%s: %s: there is no %q in %q", configFile, e.File, change, e.Code))
			}
		}
	}
	return faults
}
