package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/sabir-proxy/sabir/config"
)

// defaultConfig is where a configuration is looked for.
const defaultConfig = "sabir.yaml"

func newCheck() *cobra.Command {
	var path string
	var schema bool
	cmd := &cobra.Command{
		Use:   "check [--config FILE | --schema]",
		Short: "Check a configuration, or print its JSON Schema",
		Long: `Check reads a configuration as serve does, and reports everything that is wrong
with it, one problem a line:

  FILE:LINE:COLUMN: PATH: PROBLEM

References to environment variables are resolved, and the certificates and keys
that the file names are read. Nothing is connected to. The exit status is 0 if
the file is fine and 1 if not. Warnings, on standard error, do not change it.

The JSON Schema is for editors; it knows structure, but not names and dialects.`,
		Example: `  sabir check --config sabir.yaml
  sabir check --schema > sabir.schema.json`,
		Args: cobra.NoArgs,
		RunE: work(func(cmd *cobra.Command, _ []string) error {
			if schema {
				_, err := cmd.OutOrStdout().Write(config.Schema())
				return err
			}
			return check(path, cmd.OutOrStdout(), cmd.ErrOrStderr())
		}),
	}
	cmd.Flags().StringVarP(&path, "config", "c", defaultConfig, "configuration `FILE`")
	cmd.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of configurations instead")
	cmd.MarkFlagsMutuallyExclusive("config", "schema")
	return cmd
}

func check(path string, stdout, stderr io.Writer) error {
	cfg, err := load(path, new(catalog), stderr)
	if err != nil {
		return err
	}
	for _, warning := range cfg.Warnings() {
		fmt.Fprintf(stderr, "%s: warning: %s\n", path, warning)
	}
	_, err = fmt.Fprintf(stdout, "%s is fine: %s, %s\n", path, count(len(cfg.Upstreams), "upstream"), count(len(cfg.Routes), "route"))
	return err
}

// load reads a configuration. Its problems are printed to stderr, each on a line of its own that begins with its
// place, as editors want it. known learns of the dialects that the configuration declares.
func load(path string, known *catalog, stderr io.Writer) (*config.Config, error) {
	cfg, err := config.Load(path, known, os.LookupEnv)
	var problems config.Problems
	if errors.As(err, &problems) {
		fmt.Fprintln(stderr, problems)
		return nil, errReported
	}
	return cfg, err
}
