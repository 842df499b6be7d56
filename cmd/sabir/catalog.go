package main

import (
	"errors"
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

// Check adds to a name that nothing goes by the one that is spelt nearly the same.
func (c *catalog) Check(name, side string, options map[string]any) []error {
	problems := c.Catalog.Check(name, side, options)
	var unknown *adapters.UnknownError
	if len(problems) == 1 && errors.As(problems[0], &unknown) {
		return []error{unknown.Suggest(config.Nearest(name, unknown.Known))}
	}
	return problems
}

// declareFiles adds the dialects that files describe. The name of each is that of its file, without folder and ending.
func (c *catalog) declareFiles(paths []string) (problems []error) {
	for _, path := range paths {
		description, err := config.ReadDialect(path)
		if err != nil {
			problems = append(problems, fmt.Errorf("--declare: %w", err))
			continue
		}
		for _, p := range c.Declare(declaredName(path), description.Doc) {
			problems = append(problems, errors.New(description.Problem(p).String()))
		}
	}
	return problems
}

// declaredName is the name of the dialect in a file.
func declaredName(path string) string {
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}

var _ config.Declarer = (*catalog)(nil)
