package demo

import (
	"context"
	"io"
	"time"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/cmd/sabir/internal/term"
	"github.com/sabir-proxy/sabir/proxy"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// Once translates one of the demo's runs by the pump that serves clients, as fast as it can, and shows it side by side:
// what the agent sent, what Sabir understood, what a client receives. The output is always the same for the same
// arguments. program is what the user types to start this program.
func Once(ctx context.Context, w io.Writer, name string, style term.Style, program string) error {
	all, err := scenarios()
	if err != nil {
		return err
	}
	s, err := find(all, name)
	if err != nil {
		return err
	}
	c, err := pipeline()
	if err != nil {
		return err
	}
	t := newTable(w, style, program)
	if t.end = "end"; s.cut {
		t.end = "connection broken"
	}
	t.head(s, c.From, c.To)
	// One object a line is the form that the table reads; how records are framed makes no difference to what they say.
	done, err := proxy.Translate(ctx, &replay{ctx: ctx, s: s}, io.Discard, c, wire.NDJSON, t.observer())
	if err != nil {
		return err
	}
	t.foot(&done)
	return t.err
}

// pipeline is the translation that is shown.
func pipeline() (c engine.Config, err error) {
	if c.From, err = adapters.Lookup(dialect); err != nil {
		return c, err
	}
	if c.To, err = adapters.Lookup(usualClient); err != nil {
		return c, err
	}
	c.FromOptions, _ = c.From.ParseOptions(options)
	c.ToOptions = c.To.Defaults()
	// Nothing runs out of time here, however slow the machine is.
	c.EndGrace, c.Bounds.Age = time.Hour, time.Hour
	return c, nil
}
