package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/cmd/sabir/internal/replay"
	"github.com/sabir-proxy/sabir/proxy"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/recording"
)

// What a recording can become besides a stream of a dialect.
const (
	toFixture = "fixture"
	toAgent   = "agent"
	toClient  = "client"
)

func newConvert() *cobra.Command {
	var to string
	var declare []string
	cmd := &cobra.Command{
		Use:   "convert FILE --to WHAT",
		Short: "Make a stream or a fixture of a recording",
		Long: `Convert reads a recording and writes to standard output what --to says:

  DIALECT   the run as a stream of that dialect; sabir dialects lists them
  agent     what the agent sent, which sabir translate reads
  client    what was written for the client, as it was
  fixture   a test of the agent's dialect, for testdata/ of this repository:
            what it sent, and the events that it is decoded to`,
		Example: `  sabir convert run.sabir.jsonl --to openai-chat
  sabir convert run.sabir.jsonl --to fixture > mine.txtar`,
		Args: cobra.ExactArgs(1),
		RunE: work(func(cmd *cobra.Command, args []string) error {
			known := new(catalog)
			if problems := known.declareFiles(declare); len(problems) > 0 {
				return usageError{errors.Join(problems...)}
			}
			if !slices.Contains([]string{toFixture, toAgent, toClient}, to) {
				if problems := known.Check(to, adapters.Client, nil); len(problems) > 0 {
					return usageError{fmt.Errorf("--to: %w; fixture, agent and client can stand here, too", problems[0])}
				}
			}
			run, err := recording.ReadFile(args[0])
			if err != nil {
				return err
			}
			return convert(cmd, run, to, known)
		}),
	}
	cmd.Flags().StringVar(&to, "to", "", "`WHAT` to write: a dialect, fixture, agent or client")
	cmd.Flags().StringArrayVar(&declare, "declare", nil, "`FILE` of a dialect of your own; can repeat")
	_ = cmd.MarkFlagRequired("to")
	_ = cmd.RegisterFlagCompletionFunc("to", completeDialects)
	return cmd
}

func convert(cmd *cobra.Command, run *recording.Run, to string, known *catalog) error {
	out := cmd.OutOrStdout()
	if to == toClient {
		return writeClient(out, run)
	}
	if err := run.Replayable(); err != nil {
		return err
	}
	switch to {
	case toAgent:
		_, err := out.Write(run.Wire())
		return err
	case toFixture:
		return writeFixture(cmd, run, known)
	}
	target, _ := known.Lookup(to) // it was checked
	c, err := replay.Pipeline(run, target, known.Lookup)
	if err != nil {
		return err
	}
	framing := wire.Auto
	if target.Framing == wire.WebSocket {
		framing = wire.NDJSON
	}
	t, err := proxy.Translate(cmd.Context(), bytes.NewReader(run.Wire()), out, c, framing, engine.Observer{})
	if err != nil {
		return fmt.Errorf("cannot write: %w", err)
	}
	return verdict(cmd.Context(), &t, c.From.Name, false)
}

// writeClient writes what the client got, if all of it is there.
func writeClient(out io.Writer, run *recording.Run) error {
	if run.Shared {
		return fmt.Errorf("%s: its clients read a log of the run, so that it does not have what each of them got; name a dialect", run.File)
	}
	for i := range run.Lines {
		if l := &run.Lines[i]; l.Type == recording.TypeOut && len(l.Shape) > 0 {
			return fmt.Errorf("%s: has no content of what was written for the client, as it was left out", run.File)
		}
	}
	_, err := out.Write(run.Written())
	return err
}

// writeFixture writes a test of the agent's dialect.
func writeFixture(cmd *cobra.Command, run *recording.Run, known *catalog) error {
	c, err := replay.Pipeline(run, &native.Dialect, known.Lookup)
	if err != nil {
		return err
	}
	var events []byte
	o := engine.Observer{Decoded: func(ev *hub.Event) { events = append(native.Append(events, ev), '\n') }}
	if _, err := proxy.Translate(cmd.Context(), bytes.NewReader(run.Wire()), io.Discard, c, wire.NDJSON, o); err != nil {
		return err
	}
	a := txtar.Archive{Comment: fmt.Appendf(nil, "Say here what this run shows.\n\nOrigin: recorded from %s, which speaks %s, on %s.\n", run.Upstream, run.From, run.Began.Format("2006-01-02"))}
	if options := optionLines(run.Options); len(options) > 0 {
		a.Files = append(a.Files, txtar.File{Name: "options", Data: options})
	}
	a.Files = append(a.Files, txtar.File{Name: "wire", Data: run.Wire()}, txtar.File{Name: "events", Data: events})
	_, err = cmd.OutOrStdout().Write(txtar.Format(&a))
	return err
}

func optionLines(options map[string]any) (text []byte) {
	for _, name := range slices.Sorted(maps.Keys(options)) {
		text = fmt.Appendf(text, "%s=%v\n", name, options[name])
	}
	return text
}
