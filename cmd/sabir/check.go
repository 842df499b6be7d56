package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sabir-proxy/sabir/config"
)

// defaultConfig is where a configuration is looked for.
const defaultConfig = "sabir.yaml"

func newCheck() *cobra.Command {
	var path string
	var schema bool
	var f upstreamFlags
	cmd := &cobra.Command{
		Use:   "check [--config FILE] [--upstream URL|NAME | --schema]",
		Short: "Check a configuration, or a server against its dialect",
		Long: `Check reads a configuration as serve does, and reports everything that is wrong
with it, one problem a line:

  FILE:LINE:COLUMN: PATH: PROBLEM

References to environment variables are resolved, and the certificates and keys
that the file names are read. Nothing is connected to. The exit status is 0 if
the file is fine and 1 if not. Warnings, on standard error, do not change it.

The JSON Schema is for editors; it knows structure, but not names and dialects.

With --upstream it asks a server instead, once, at a URL or as the file
describes the upstream of that name: "Hello" in the form of its dialect, or of
its request or request_dialect in the file, or --data. It starts a run, which
may cost. The answer is held against the rules of the dialect, and a report in
Markdown says what was asked, what came, and which rules were broken where. The
exit status is 1 if one was.`,
		Example: `  sabir check --config sabir.yaml
  sabir check --schema > sabir.schema.json
  sabir check --upstream http://127.0.0.1:9000/ --from agui > report.md`,
		Args: takeConfig,
		RunE: work(func(cmd *cobra.Command, _ []string) error {
			if schema {
				_, err := cmd.OutOrStdout().Write(config.Schema())
				return err
			}
			if f.upstream != "" {
				return checkUpstream(cmd.Context(), path, &f, cmd.OutOrStdout(), cmd.ErrOrStderr())
			}
			return check(path, cmd.OutOrStdout(), cmd.ErrOrStderr())
		}),
	}
	cmd.Flags().StringVarP(&path, "config", "c", defaultConfig, "configuration `FILE`")
	cmd.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of configurations instead")
	f.flags(cmd.Flags())
	cmd.MarkFlagsMutuallyExclusive("config", "schema")
	cmd.MarkFlagsMutuallyExclusive("upstream", "schema")
	return cmd
}

func (f *upstreamFlags) flags(flags *pflag.FlagSet) {
	flags.StringVar(&f.upstream, "upstream", "", "`URL` of a server to check, or its name in the file")
	flags.StringVar(&f.model, "model", "", "`MODEL` that the server is asked for")
	flags.StringVar(&f.from, "from", "", "`DIALECT` of the server; by default found by asking")
	flags.StringVarP(&f.data, "data", "d", "", "body of the request, `TEXT` or @FILE")
	flags.StringArrayVarP(&f.request.Header, "header", "H", nil, "header `FIELD` of the request, NAME: VALUE; can repeat")
	flags.StringArrayVar(&f.declare, "declare", nil, "`FILE` of a dialect of your own; can repeat")
	flags.DurationVar(&f.timeout, "timeout", time.Minute, "`TIME` to read the answer")
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
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; %s init writes one, or name yours with --config", err, programName(os.Args[0]))
	}
	return cfg, err
}
