package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/policy"
	"github.com/sabir-proxy/sabir/adapters/recognize"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// translateFlags are the flags of translate as they were given.
type translateFlags struct {
	from, to              string
	framingIn, framingOut string
	options, declare      []string
	policies              []string
	subAgents             string
	shape                 policy.Settings
	tap, stats            bool
	request, whole        bool
	model                 string
}

func newTranslate() *cobra.Command {
	var f translateFlags
	cmd := &cobra.Command{
		Use:   "translate --from DIALECT --to DIALECT [FILE]",
		Short: "Translate a recorded stream",
		Long: `Translate reads a recorded stream from FILE, or from standard input, and writes
it in another dialect to standard output, through the very pump that serves
clients. Input is translated as it arrives.

Records that cannot be decoded are reported on standard error with their place;
the rest is translated. The exit status is 1 if there were any, or if the stream
was cut: what is written then ends with the error that a client would get. A run
that its own agent reports as failed is a good translation, with exit status 0.

Framings are sse, ndjson, concat, length-prefix, content-length and
amazon-eventstream. By default, that of the recording is recognised, and that of
the target is the dialect's.

An option goes to the sides that know it: to the dialect that is read, the one
that is written, or both; from.NAME and to.NAME choose one. The same dialect on
both sides goes through the model here, while serve copies the records.

--tap writes the canonical events to standard error, one JSON object a line.
Where the target cannot carry an event as it is, its member fate says what
became of it: extension, folded or dropped.

--request translates the body of a request instead, from the dialect of the
client to that of the agent, as serve does. What the agent's dialect has no
place for is listed on standard error.

--whole writes the run as one answer, as clients of model APIs get it that ask
for no stream.`,
		Example: `  sabir translate --from evolve --to agui run.ndjson
  curl -N http://127.0.0.1:9000 | sabir translate --from evolve --to native
  sabir translate --from agentevent --to agui --option match=lifo --tap run.sse
  sabir translate --request --from aisdk --to openai-chat chat.json`,
		Args: cobra.MaximumNArgs(1),
		RunE: work(func(cmd *cobra.Command, args []string) error {
			if f.request {
				return translateRequest(cmd, &f, args)
			}
			return translate(cmd, &f, args)
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.from, "from", "", "`DIALECT` of the recording; sabir dialects lists them")
	flags.StringVar(&f.to, "to", "", "`DIALECT` to write")
	flags.StringVar(&f.framingIn, "framing-in", wire.Auto.String(), "`FRAMING` of the recording")
	flags.StringVar(&f.framingOut, "framing", wire.Auto.String(), "`FRAMING` to write")
	flags.StringArrayVarP(&f.options, "option", "o", nil, "option of a dialect, `NAME=VALUE`; can repeat")
	flags.StringArrayVar(&f.declare, "declare", nil, "`FILE` of a dialect of your own; can repeat")
	flags.StringArrayVar(&f.policies, "policy", nil, "what becomes of a class, `NAME=VALUE`; can repeat")
	flags.BoolVar(&f.shape.Correct, "correct", false, "repeat a text that turns out otherwise")
	flags.BoolVar(&f.shape.Extension, "extension", false, "send the canonical stream along")
	flags.StringVar(&f.subAgents, "lanes", "", "show sub-agents by `MODE`: nest, tool, flatten, hide")
	flags.BoolVar(&f.shape.Linear, "linear", false, "one part or call after the other")
	flags.DurationVar(&f.shape.Coalesce, "coalesce", 0, "join deltas that follow within `TIME`")
	flags.BoolVar(&f.tap, "tap", false, "show the canonical events on standard error")
	flags.BoolVar(&f.stats, "stats", false, "show at the end, on standard error, what was done")
	flags.BoolVar(&f.request, "request", false, "translate the body of a request")
	flags.BoolVar(&f.whole, "whole", false, "write the run as one answer")
	flags.StringVar(&f.model, "model", "", "`MODEL` for requests that name none")
	for _, name := range []string{"from", "to"} {
		_ = cmd.MarkFlagRequired(name)
		_ = cmd.RegisterFlagCompletionFunc(name, completeDialects)
	}
	return cmd
}

func completeDialects(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return adapters.Names(), cobra.ShellCompDirectiveNoFileComp
}

func translate(cmd *cobra.Command, f *translateFlags, args []string) error {
	c, framing, err := f.parse()
	if err != nil {
		return usageError{err}
	}
	in, done, err := input(cmd.InOrStdin(), args)
	if err != nil {
		return err
	}
	defer done()
	stderr := cmd.ErrOrStderr()
	begins := beginning{in: in}
	t, err := proxy.Translate(cmd.Context(), &begins, cmd.OutOrStdout(), c, framing, f.observer(stderr))
	if f.stats {
		printStats(stderr, &t)
	}
	if err != nil {
		return fmt.Errorf("cannot write: %w", err)
	}
	if err := recorded(begins.bytes()); err != nil && t.EventsIn == 0 {
		return err
	}
	if err := verdict(cmd.Context(), &t, c.From.Name, f.whole); err != nil || !f.whole || t.Failure == nil {
		return err
	}
	return fmt.Errorf("the run has no answer, it ended as %s", t.Ending)
}

// beginning keeps how a stream begins that is read through it: as much as the header of a recording takes. A translation that was interrupted
// may still read.
type beginning struct {
	in io.Reader

	mu   sync.Mutex
	data []byte
}

const maxBeginning = 4 << 10

func (b *beginning) Read(p []byte) (int, error) {
	n, err := b.in.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.data = append(b.data, p[:min(n, maxBeginning-len(b.data))]...)
	return n, err
}

func (b *beginning) bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.data
}

// Close closes the stream, so that a read that waits ends.
func (b *beginning) Close() error {
	if c, ok := b.in.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// input opens what is to be translated. The function it returns closes it.
func input(stdin io.Reader, args []string) (io.Reader, func(), error) {
	if len(args) == 0 || args[0] == "-" {
		// A read from a terminal cannot be interrupted. One from a pipe can, so the terminal is left to a goroutine.
		r, w := io.Pipe()
		go func() {
			_, err := io.Copy(w, stdin)
			_ = w.CloseWithError(err)
		}()
		return r, func() { _ = r.Close() }, nil
	}
	file, err := os.Open(args[0])
	if err != nil {
		return nil, nil, err
	}
	return file, func() { _ = file.Close() }, nil
}

// parse checks the flags, all of them, and makes the configuration of a translation.
func (f *translateFlags) parse() (c engine.Config, out wire.Framing, err error) {
	var problems []error
	note := func(err error) {
		if err != nil {
			problems = append(problems, err)
		}
	}
	c.Framing, err = fileFraming("framing-in", f.framingIn)
	note(err)
	out, err = fileFraming("framing", f.framingOut)
	note(err)
	problems = append(problems, f.dialects(&c)...)
	problems = append(problems, f.shapes(&c)...)
	if f.whole && len(problems) == 0 && c.To.AppendAnswer == nil {
		has := func(d *hub.Dialect) bool { return d.AppendAnswer != nil }
		note(fmt.Errorf("--whole: %s has no answers in one piece; %s have", c.To.Name, dialectNames(has)))
	}
	if len(problems) > 0 {
		return c, out, errors.Join(problems...)
	}
	if c.Whole = f.whole; c.Whole {
		out = wire.NDJSON
	}
	if out == wire.Auto && c.To.Framing == wire.WebSocket {
		out = wire.NDJSON
	}
	c.EndGrace = c.From.EndGrace
	return c, out, nil
}

// fileFraming parses a framing that a file can have.
func fileFraming(flag, name string) (wire.Framing, error) {
	framing, err := wire.ParseFraming(name)
	switch {
	case err != nil:
		return framing, fmt.Errorf("--%s: %w", flag, err)
	case framing == wire.WebSocket:
		return framing, fmt.Errorf("--%s: files hold no WebSocket messages; use ndjson, with a message a line", flag)
	}
	return framing, nil
}

// dialects finds both dialects and gives each its options.
func (f *translateFlags) dialects(c *engine.Config) []error {
	var known catalog
	if problems := known.declareFiles(f.declare); len(problems) > 0 {
		return problems
	}
	problems := append(known.Check(f.from, adapters.Upstream, nil), known.Check(f.to, adapters.Client, nil)...)
	if len(problems) > 0 {
		return problems
	}
	c.From, _ = known.Lookup(f.from)
	c.To, _ = known.Lookup(f.to)
	from, to := map[string]any{}, map[string]any{}
	for _, option := range f.options {
		name, value, ok := strings.Cut(option, "=")
		if !ok {
			problems = append(problems, fmt.Errorf("--option %s: want NAME=VALUE", option))
			continue
		}
		if err := assign(c, name, value, from, to); err != nil {
			problems = append(problems, err)
		}
	}
	problems = append(problems, known.Check(f.from, adapters.Upstream, from)...)
	problems = append(problems, known.Check(f.to, adapters.Client, to)...)
	c.FromOptions, _ = c.From.ParseOptions(from)
	c.ToOptions, _ = c.To.ParseOptions(to)
	return problems
}

// assign gives an option to the sides that are meant.
func assign(c *engine.Config, name, value string, from, to map[string]any) error {
	if own, ok := strings.CutPrefix(name, "from."); ok {
		from[own] = value
		return nil
	}
	if own, ok := strings.CutPrefix(name, "to."); ok {
		to[own] = value
		return nil
	}
	known := false
	for _, spec := range c.From.Options {
		if spec.Name == name && spec.Decode {
			from[name], known = value, true
		}
	}
	for _, spec := range c.To.Options {
		if spec.Name == name && spec.Encode {
			to[name], known = value, true
		}
	}
	if !known {
		return fmt.Errorf("--option %s: reading %s knows %s; writing %s knows %s", name,
			c.From.Name, optionsOf(c.From, adapters.Upstream), c.To.Name, optionsOf(c.To, adapters.Client))
	}
	return nil
}

// optionsOf lists the options of a dialect on a side.
func optionsOf(d *hub.Dialect, side string) string {
	var names []string
	for _, spec := range d.Options {
		if adapters.Applies(spec, side) {
			names = append(names, spec.Name)
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// observer reports faults and, if wanted, every event.
func (f *translateFlags) observer(stderr io.Writer) engine.Observer {
	o := engine.Observer{Fault: func(err *hub.Error) { fmt.Fprintln(stderr, "sabir:", err) }}
	if f.tap {
		var line []byte
		o.Normalized = func(ev *hub.Event, disposition hub.Disposition) {
			line = appendTap(line[:0], ev, disposition)
			_, _ = stderr.Write(line)
		}
	}
	return o
}

// appendTap appends a canonical event in the native dialect, and its disposition if the target could not carry it as it is.
func appendTap(dst []byte, ev *hub.Event, disposition hub.Disposition) []byte {
	dst = native.Append(dst, ev)
	if disposition >= hub.Extension {
		dst = append(dst[:len(dst)-1], `,"fate":"`...)
		dst = append(dst, disposition.String()...)
		dst = append(dst, `"}`...)
	}
	return append(dst, '\n')
}

// verdict is nil for a stream that was translated wholly and came to an end of its own. whole says that the run was to be one answer.
func verdict(ctx context.Context, t *proxy.Translation, from string, whole bool) error {
	f := t.Failure
	written := fmt.Sprintf("written as %s", t.Ending)
	if whole {
		written = "there is no answer"
	}
	var mismatch *recognize.Mismatch
	switch {
	case ctx.Err() != nil:
		return errors.New("interrupted")
	case f == nil || f.Code == hub.CodeAgent || f.Code == hub.CodeCancelled: // that the run failed is part of what the agent said
		if t.Faults > 0 {
			return fmt.Errorf("%s could not be decoded", count(t.Faults, "record"))
		}
		return nil
	case f.Code == hub.CodeTruncated:
		return fmt.Errorf("the stream was cut: it has no end of its own; %s", written)
	case errors.As(f, &mismatch):
		return errors.New(mismatch.Summary())
	case f.Code == hub.CodeMalformed && t.EventsIn == 0:
		return fmt.Errorf("nothing in it could be understood; is it %s?", from)
	}
	return fmt.Errorf("the stream failed, %s: %w", written, f)
}

// printStats shows what a translation did.
func printStats(w io.Writer, t *proxy.Translation) {
	fmt.Fprintf(w, "%s in, %s decoded, %s written, ending %s\n", count(t.Records, "record"),
		count(t.EventsIn, "event"), count(t.EventsOut, "event"), t.Ending)
	for _, r := range sequencer.Repairs() {
		if n := t.Repairs[r]; n > 0 {
			fmt.Fprintf(w, "  repaired  %-16s %d\n", r, n)
		}
	}
	for _, disposition := range []hub.Disposition{hub.Extension, hub.Folded, hub.Dropped} {
		for _, k := range hub.Kinds() {
			if n := t.Dispositions[k][disposition]; n > 0 {
				fmt.Fprintf(w, "  %-9s %-16s %d\n", disposition, k, n)
			}
		}
	}
}
