package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/cmd/sabir/internal/term"
	"github.com/sabir-proxy/sabir/config"
)

func newInit() *cobra.Command {
	var o oneRoute
	var path string
	var force bool
	cmd := &cobra.Command{
		Use:   "init [--client DIALECT] [-o FILE] [--to URL | -- PROGRAM]",
		Short: "Write a configuration for one agent and one front end",
		Long: `Init writes a configuration with comments, which serve serves and check accepts.
On a terminal it asks for what the flags do not say: where the agent is, and
what the front end speaks.

What the agent speaks is found out as the command proxy does it, by asking it
"Hello" once, unless --from says it. Of an agent that is a program, its name
tells, where it is known; help of proxy says more of such agents.

An existing file stays as it is, unless --force is given.`,
		Example: `  sabir init
  sabir init --to http://127.0.0.1:9000/ --from agui --client openai-chat
  sabir init --to http://127.0.0.1:9000/ --client aisdk -o chat.yaml --force
  sabir init --client aisdk -- claude`,
		Args: o.takeProgram,
		RunE: work(func(cmd *cobra.Command, _ []string) error {
			if err := mayWrite(path, force); err != nil {
				return err
			}
			if (o.to == "" && o.command == nil || o.client == "") && term.IsTerminal(cmd.InOrStdin()) {
				if err := o.ask(cmd.Context(), cmd.InOrStdin(), cmd.ErrOrStderr()); err != nil {
					return err
				}
			}
			text, err := o.make(cmd)
			if err == nil && len(o.declare) > 0 {
				text, err = o.seenFrom(filepath.Dir(path))
			}
			if err != nil {
				return err
			}
			if err := writeNew(path, text, force); err != nil {
				return err
			}
			name := programName(os.Args[0])
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is written. Next:\n\n  %s serve --config %[1]s\n", path, name)
			return err
		}),
	}
	o.flags(cmd.Flags(), "127.0.0.1:9090")
	cmd.Flags().StringVarP(&path, "output", "o", defaultConfig, "`FILE` to write")
	cmd.Flags().BoolVar(&force, "force", false, "write over a file that is there")
	completeRoute(cmd)
	return cmd
}

// seenFrom is the configuration for a folder, from which the files of dialects are seen.
func (o *oneRoute) seenFrom(dir string) ([]byte, error) {
	there := *o
	there.declare = nil
	for _, file := range o.declare {
		file, err := filepath.Abs(file)
		if err != nil {
			return nil, err
		}
		if base, err := filepath.Abs(dir); err == nil {
			if near, err := filepath.Rel(base, file); err == nil {
				file = near
			}
		}
		there.declare = append(there.declare, filepath.ToSlash(file))
	}
	known := new(catalog)
	known.declareFiles(o.declare) // they were fine
	return there.yaml(known), nil
}

// interview asks for what flags do not say.
type interview struct {
	lines *bufio.Scanner
	w     io.Writer
	known *catalog
}

// ask asks for where the agent is and what the front end speaks; and for what the agent speaks, if it cannot be found out.
func (o *oneRoute) ask(ctx context.Context, stdin io.Reader, w io.Writer) error {
	in, done, _ := input(stdin, nil) // of which a signal takes the rest away
	defer done()
	defer context.AfterFunc(ctx, done)()
	iv := interview{bufio.NewScanner(in), w, new(catalog)}
	if problems := iv.known.declareFiles(o.declare); len(problems) > 0 {
		return usageError{errors.Join(problems...)}
	}
	if o.to == "" && o.command == nil {
		if err := iv.question("Where is your agent? (the URL where a run is asked for, or a program)", "http://127.0.0.1:9000/", &o.to, iv.isAgent); err != nil {
			return err
		}
		if isProgram(o.to) {
			o.to, o.command = "", strings.Fields(o.to)
		}
	}
	if o.client == "" {
		iv.list()
		if err := iv.question("What does your front end speak?", "agui", &o.client, iv.is(adapters.Client)); err != nil {
			return err
		}
	}
	if o.from != "" {
		return nil
	}
	if o.command != nil {
		return o.askProgram(&iv)
	}
	fmt.Fprintln(w)
	var err error
	if o.from, err = findOut(ctx, o, iv.known, w); err == nil || ctx.Err() != nil {
		return err
	}
	fmt.Fprintf(w, "%s\n\n", err)
	return iv.question("What does your agent speak?", "", &o.from, iv.is(adapters.Upstream))
}

// isAgent checks what an agent is reached by: a URL, unless it has no scheme.
func (iv *interview) isAgent(text string) error {
	if isProgram(text) {
		return nil
	}
	return iv.isURL(text)
}

func (iv *interview) isURL(text string) error {
	var u config.URL
	if err := u.UnmarshalText([]byte(text)); err != nil {
		return fmt.Errorf("It %w", err) //nolint:staticcheck // it is a sentence
	}
	return nil
}

// is checks the name of a dialect for a side.
func (iv *interview) is(side string) func(string) error {
	return func(text string) error { return errors.Join(iv.known.Check(text, side, nil)...) }
}

// list lists what front ends can speak.
func (iv *interview) list() {
	fmt.Fprint(iv.w, "\nA front end can speak:\n\n")
	for _, d := range iv.known.All() {
		if adapters.Serves(d, adapters.Client) {
			fmt.Fprintf(iv.w, "  %-20s%s\n", d.Name, d.Title)
		}
	}
	fmt.Fprintln(iv.w)
}

// question asks until there is an answer that check accepts. No answer is the usual one, if there is one.
func (iv *interview) question(text, usual string, answer *string, check func(string) error) error {
	if usual != "" {
		text += " [" + usual + "]"
	}
	for {
		fmt.Fprint(iv.w, text+" ")
		if !iv.lines.Scan() {
			fmt.Fprintln(iv.w)
			return errors.New("interrupted; nothing is written")
		}
		if *answer = strings.TrimSpace(iv.lines.Text()); *answer == "" {
			*answer = usual
		}
		err := check(*answer)
		if err == nil {
			return nil
		}
		fmt.Fprintln(iv.w, err)
	}
}

// mayWrite reports a file that is there, before anything is asked.
func mayWrite(path string, force bool) error {
	if _, err := os.Lstat(path); err == nil && !force {
		return fmt.Errorf("%s is there already; --force writes over it, -o FILE writes another", path)
	}
	return nil
}

// writeNew writes a file. Without force none is written over, also none that has come in between.
func writeNew(path string, text []byte, force bool) error {
	how := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if force {
		how = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	file, err := os.OpenFile(path, how, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}
