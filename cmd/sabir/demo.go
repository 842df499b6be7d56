package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sabir-proxy/sabir/cmd/sabir/internal/demo"
	"github.com/sabir-proxy/sabir/cmd/sabir/internal/logsink"
	"github.com/sabir-proxy/sabir/cmd/sabir/internal/term"
)

func newDemo() *cobra.Command {
	var listen, scenario string
	var speed float64
	var once bool
	cmd := &cobra.Command{
		Use:   "demo [--once]",
		Short: "Show what Sabir does, without an agent of your own",
		Long: `Demo runs an agent server that replays a run at a human pace, and the real
proxy in front of it with a path for every dialect, and tells what to try. The
runs are made by hand after the documented events of an agent; two faults are in
them on purpose, so that there is something to repair.

Only this machine can connect, unless --listen says otherwise. With --listen
127.0.0.1:0 it takes any free port.

With --once it shows one run side by side and ends: what the agent sent, what
Sabir understood, and what a client receives.`,
		Example: `  sabir demo
  sabir demo --once
  sabir demo --once --scenario cut`,
		Args: cobra.NoArgs,
		RunE: work(func(cmd *cobra.Command, _ []string) error {
			out := cmd.OutOrStdout()
			style := term.StyleOf(out)
			if err := demo.Check(scenario, speed); err != nil {
				return usageError{err}
			}
			if once {
				return demo.Once(cmd.Context(), out, scenario, style, programName(os.Args[0]))
			}
			clients, err := listenOn(new(sockets), "--listen", listen)
			if err != nil {
				return err
			}
			live := demo.Live{Clients: clients, Speed: speed, Scenario: scenario, Version: versionName(), Style: style}
			sink := logsink.New(out, nil) // a terminal that is held must not hold the streams
			defer sink.Close(flushTime)
			return live.Serve(cmd.Context(), sink)
		}),
	}
	flags := cmd.Flags()
	flags.BoolVar(&once, "once", false, "show one run side by side, and end")
	flags.StringVar(&listen, "listen", "127.0.0.1:8080", "`ADDRESS` for clients")
	flags.StringVar(&scenario, "scenario", demo.Tour, "the `RUN` to show: "+strings.Join(demo.Names(), ", "))
	flags.Float64Var(&speed, "speed", 1, "`FACTOR` of the pace; 2 is twice as fast")
	_ = cmd.RegisterFlagCompletionFunc("scenario", cobra.FixedCompletions(demo.Names(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// programName is what the user types to start this program: what stands in arg0, unless the go command has built it into
// a folder of its own.
func programName(arg0 string) string {
	dir, name := filepath.Split(filepath.ToSlash(arg0))
	switch {
	case strings.Contains(dir, "/go-build"):
		return "go run ./cmd/sabir"
	case strings.HasSuffix(name, ".test"), name == "":
		return "sabir"
	}
	return arg0
}
