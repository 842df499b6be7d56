package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

func newProxy() *cobra.Command {
	var o oneRoute
	var printOnly bool
	cmd := &cobra.Command{
		Use:   "proxy --client DIALECT [--from DIALECT] {--to URL | -- PROGRAM}",
		Short: "Serve one agent and one front end, without a file",
		Long: `Proxy stands in front of one agent, and serves one front end. It prints the
configuration that the flags stand for, and a line of curl to try; then it does
what serve does with that configuration: its help tells of signals and the log.

The agent is a server, or a program that reads and writes lines. A program that
is known, such as claude, needs no more than its name: what else it has to be
called with is added. It works in the current directory, and sees of the
environment only what the printed configuration names; --env adds to that.

With --inspect operators see each run on a page, with all that is said in it.

Without --from it asks the agent "Hello", before it serves, to find out what it
speaks. That is a run of the agent. The requests have the forms of the likely
dialects, one after the other until one is taken. A URL that ends as that of a
known API, such as /v1/chat/completions, tells without a request. Where no run
is taken, a server that keeps sessions is looked for: LangGraph, Mastra, ADK,
OpenCode.

Only this machine can call, unless --listen says otherwise. Web pages can call
if --cors names their origin. Whatever else the file of serve can say, from TLS
to limits, begins with the output of --print.`,
		Example: `  sabir proxy --to http://127.0.0.1:9000/ --client agui
  sabir proxy --to http://127.0.0.1:9000/ --from agui --client openai-chat
  sabir proxy --to http://127.0.0.1:9000/chat --client aisdk \
    --cors http://localhost:3000
  sabir proxy --to http://127.0.0.1:9000/ --client agui --print > sabir.yaml
  sabir proxy --to http://127.0.0.1:9000/ --client agui --inspect
  sabir proxy --client aisdk -- claude
  sabir proxy --from acp --client agui -- my-agent --stdio
  sabir proxy --to http://127.0.0.1:9000/ --declare mine.yaml --from mine \
    --client aisdk`,
		Args: o.takeProgram,
		RunE: work(func(cmd *cobra.Command, _ []string) error {
			text, err := o.make(cmd)
			if err != nil {
				return err
			}
			if printOnly {
				_, err := cmd.OutOrStdout().Write(text)
				return err
			}
			if err := o.present(); err != nil {
				return err
			}
			s := service{path: "flags", text: text, stdout: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr(), welcome: greet(text)}
			return s.serve(cmd.Context())
		}),
	}
	o.flags(cmd.Flags(), "127.0.0.1:0")
	cmd.Flags().BoolVar(&printOnly, "print", false, "print the configuration, and do not serve")
	completeRoute(cmd)
	return cmd
}

// completeRoute completes what the flags of a route can hold.
func completeRoute(cmd *cobra.Command) {
	for _, name := range []string{"from", "client"} {
		_ = cmd.RegisterFlagCompletionFunc(name, completeDialects)
	}
}

// make is the configuration that the flags stand for. What the agent speaks is found out if they do not say it.
func (o *oneRoute) make(cmd *cobra.Command) ([]byte, error) {
	known := new(catalog)
	if problems := known.declareFiles(o.declare); len(problems) > 0 {
		return nil, usageError{errors.Join(problems...)}
	}
	if err := o.completeProgram(known); err != nil {
		return nil, err
	}
	if err := o.complete(known); err != nil {
		return nil, err
	}
	if o.from == "" {
		var err error
		if o.from, err = findOut(cmd.Context(), o, known, cmd.ErrOrStderr()); err != nil {
			return nil, err
		}
	}
	return o.parse(known)
}

// urlKind says what the URL of a route is to clients.
func urlKind(path string) string {
	if strings.HasSuffix(path, "/*") {
		return "The base URL"
	}
	return "The URL"
}

// greet prints the configuration and what to try.
func greet(text []byte) func(stdout, log io.Writer, o *opened) {
	return func(stdout, _ io.Writer, o *opened) {
		var b strings.Builder
		fmt.Fprintf(&b, "The same as sabir serve with this file:\n\n%s\n", text)
		for i := range o.routes {
			fmt.Fprintf(&b, "%s for the front end: %s\n", urlKind(o.routes[i].Path), o.routes[i].URL(o.base))
		}
		fmt.Fprintf(&b, "Try in another terminal:\n\n  %s\n\n%sEnd with Ctrl-C.\n", strings.Join(o.trials(), "\n  "), o.look())
		_, _ = io.WriteString(stdout, b.String())
	}
}
