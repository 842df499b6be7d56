package hub_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

type writer struct{ last *hub.Event }

func (w *writer) text(out *wire.Out, ev *hub.Event) hub.Disposition {
	w.last = ev
	out.Begin("")
	out.End()
	return hub.Native
}

func (w *writer) usage(ev *hub.Event) hub.Disposition {
	w.last = ev
	return hub.Deferred
}

// TestWriters: each kind goes to its method, and the others are dropped.
func TestWriters(t *testing.T) {
	writers := hub.Writers[*writer]{
		hub.TextDelta: (*writer).text,
		hub.Usage:     hub.Silent((*writer).usage),
		hub.ToolArgs:  hub.Always[*writer](hub.Implied),
	}
	for kind, want := range map[hub.Kind]hub.Disposition{
		hub.TextDelta: hub.Native, hub.Usage: hub.Deferred, hub.ToolArgs: hub.Implied, hub.Raw: hub.Dropped,
	} {
		out, ev, w := wire.NewOut(wire.NDJSON), hub.Event{Kind: kind}, &writer{}
		if got := writers.Write(w, out, &ev); got != want {
			t.Errorf("%s is %s, want %s", kind, got, want)
		}
		if (out.Records == 1) != (kind == hub.TextDelta) {
			t.Errorf("%s writes %d records", kind, out.Records)
		}
		if own := kind == hub.TextDelta || kind == hub.Usage; (w.last == &ev) != own {
			t.Errorf("%s reaches a method: %t, want %t", kind, !own, own)
		}
	}
}
