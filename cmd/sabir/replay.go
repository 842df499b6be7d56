package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/cmd/sabir/internal/logsink"
	"github.com/sabir-proxy/sabir/cmd/sabir/internal/replay"
	"github.com/sabir-proxy/sabir/proxy/recording"
)

// replayFlags are the flags of replay as they were given.
type replayFlags struct {
	route   oneRoute
	speed   string
	declare []string
}

func newReplay() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay FILE... --as DIALECT",
		Short: "Serve recorded runs as an agent of any dialect",
		Long: `Replay serves recordings, which sabir record and the page of operators write, to
front ends, so that they need no agent and no model. Clients speak the dialect
of --as, whatever was recorded, and get the answers with the pauses that they
had; --speed 4x makes them four times as fast.

Where there are several recordings, the request decides: the one that was
recorded for the same conversation answers, else one for the same last
question, else they answer in turn. A run that was cut is cut again.

Only this machine can call, unless --listen says otherwise. Web pages can call
if --cors names their origin.`,
		Example: `  sabir replay run.sabir.jsonl --as agui
  sabir replay recordings/*.jsonl --as openai-chat --speed 4x
  sabir replay run.sabir.jsonl --as aisdk --cors http://localhost:3000`,
		Args: cobra.MinimumNArgs(1),
		RunE: work(f.run),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.route.client, "as", "", "`DIALECT` that clients speak; sabir dialects lists them")
	flags.StringVar(&f.speed, "speed", "1x", "`FACTOR` of the pace, such as 4x")
	flags.StringVar(&f.route.listen, "listen", "127.0.0.1:8080", "`ADDRESS` for clients")
	flags.StringVar(&f.route.admin, "admin", "127.0.0.1:0", "`ADDRESS` for operators")
	flags.StringVar(&f.route.path, "path", "", "`PATH` that clients call, if not the usual one")
	flags.StringArrayVar(&f.route.cors, "cors", nil, "`ORIGIN` of web pages that may call; can repeat")
	flags.StringArrayVar(&f.declare, "declare", nil, "`FILE` of a dialect of your own; can repeat")
	_ = cmd.MarkFlagRequired("as")
	_ = cmd.RegisterFlagCompletionFunc("as", completeDialects)
	return cmd
}

func (f *replayFlags) run(cmd *cobra.Command, files []string) error {
	speed, err := parseSpeed(f.speed)
	if err != nil {
		return usageError{err}
	}
	known := new(catalog)
	if problems := known.declareFiles(f.declare); len(problems) > 0 {
		return usageError{errors.Join(problems...)}
	}
	if problems := known.Check(f.route.client, adapters.Client, nil); len(problems) > 0 {
		return usageError{fmt.Errorf("--as: %w", problems[0])}
	}
	agent := &replay.Agent{Speed: speed}
	if agent.Scripts, err = scripts(files, known); err != nil {
		return err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer ln.Close()
	f.route.to, f.route.from = "http://"+ln.Addr().String()+"/run", "native"
	text, err := f.route.parse(known)
	if err != nil {
		return err
	}
	said := logsink.New(cmd.OutOrStdout(), nil) // a terminal that is held must not hold the streams
	defer said.Close(flushTime)
	agent.Log = said
	return serveReplay(cmd, agent, ln, text)
}

// serveReplay runs the agent, and the proxy in front of it.
func serveReplay(cmd *cobra.Command, agent *replay.Agent, ln net.Listener, text []byte) error {
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	// The agent outlives the proxy, so that what is still running is ended by the proxy.
	behind, end := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	var agentErr error
	running.Go(func() { agentErr = agent.Serve(behind, ln); cancel() })
	s := service{path: "flags", text: text, stdout: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr(), welcome: sayReplay(len(agent.Scripts))}
	err := s.serve(ctx)
	end()
	running.Wait()
	return errors.Join(err, agentErr)
}

// scripts reads all recordings, and reports everything that is wrong with them.
func scripts(files []string, known *catalog) (all []*replay.Script, err error) {
	var problems []error
	for _, file := range files {
		run, err := recording.ReadFile(file)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		script, err := replay.NewScript(run, known.Lookup)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		all = append(all, script)
	}
	return all, errors.Join(problems...)
}

const maxSpeed = 1000

// parseSpeed reads a factor such as 4x or 0.5.
func parseSpeed(text string) (float64, error) {
	speed, err := strconv.ParseFloat(strings.TrimSuffix(text, "x"), 64)
	if err != nil || !(speed > 0 && speed <= maxSpeed) {
		return 0, fmt.Errorf("--speed %s: want a factor such as 4x, more than 0 and at most %d", text, maxSpeed)
	}
	return speed, nil
}

// sayReplay says what is served, and what to try.
func sayReplay(n int) func(stdout, log io.Writer, o *opened) {
	return func(stdout, _ io.Writer, o *opened) {
		var b strings.Builder
		fmt.Fprintf(&b, "Replaying %s\n", count(n, "recording"))
		for i := range o.routes {
			fmt.Fprintf(&b, "%s for the front end: %s\n", urlKind(o.routes[i].Path), o.routes[i].URL(o.base))
		}
		fmt.Fprintf(&b, "Try in another terminal:\n\n  %s\n\nEnd with Ctrl-C.\n", strings.Join(o.trials(), "\n  "))
		_, _ = io.WriteString(stdout, b.String())
	}
}
