package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/config"
)

// catalog is what the configuration and the command line are checked against: the registry, and the dialects that a file
// describes.
type catalog struct{ adapters.Catalog }

// Declare implements config.Declarer.
func (c *catalog) Declare(name string, doc map[string]any) []config.DialectProblem {
	var problems []config.DialectProblem
	for _, p := range c.Catalog.Declare(name, doc) {
		problems = append(problems, config.DialectProblem{Path: p.Path, Msg: p.Msg})
	}
	return problems
}

// declareFiles adds the dialects that files describe. The name of each is that of its file, without folder and ending.
func (c *catalog) declareFiles(paths []string) (problems []error) {
	for _, path := range paths {
		doc, err := config.ReadDialect(path)
		if err != nil {
			problems = append(problems, fmt.Errorf("--declare %s: %w", path, err))
			continue
		}
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		for _, p := range c.Catalog.Declare(name, doc) {
			problems = append(problems, fmt.Errorf("--declare %s: %s", path, p))
		}
	}
	return problems
}

var _ config.Declarer = (*catalog)(nil)
