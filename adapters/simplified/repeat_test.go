package simplified_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/simplified"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// counting counts the records that are parsed.
type counting struct {
	hub.Decoder
	hub.Repeater
	n int
}

func (c *counting) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	c.n++
	return c.Decoder.Decode(dst, rec)
}

// TestRepeats: frames that differ in their text alone are parsed once, unless the text may have to do with a tag.

func TestRepeats(t *testing.T) {
	f := func(name string, o hub.Options, parsed int, records ...string) {
		t.Helper()
		d := &simplified.Dialect
		bare, inner := d.NewDecoder(o), d.NewDecoder(o)
		count := &counting{Decoder: inner, Repeater: inner.(hub.Repeater)}
		wrapped := hub.Repeats(count, d.Repeats, d.Varying)
		for _, data := range records {
			want, wantErr := bare.Decode(nil, wire.Record{Data: []byte(data)})
			got, gotErr := wrapped.Decode(nil, wire.Record{Data: []byte(data)})
			if w, g := adaptertest.Lines(want), adaptertest.Lines(got); w != g || (wantErr == nil) != (gotErr == nil) {
				t.Errorf("%s: %s gives %s (%v), want %s (%v)", name, data, g, gotErr, w, wantErr)
			}
		}
		if w, g := adaptertest.Lines(bare.Finish(nil, nil)), adaptertest.Lines(wrapped.Finish(nil, nil)); w != g {
			t.Errorf("%s: the end is %s, want %s", name, g, w)
		}
		if count.n != parsed {
			t.Errorf("%s: %d records were parsed, want %d", name, count.n, parsed)
		}
	}
	usual, careful := options(t), options(t, "orphan_think=8")
	said := func(text string) string { return `{"type":"response","data":"` + text + `","messageId":"m"}` }
	inside := func(agent, text string) string {
		return `{"type":"subagent_data","subagentId":"` + agent + `","data":{"type":"response","data":"` + text + `"}}`
	}
	f("text", usual, 2, said(""), said("a"), said("b > c"), said(`\n`)) // the first frame begins the run
	f("a tag", usual, 7, said(""), said("a"), said("<think>"), said("b"), said("c"), said("</think>"), said("d"), said("e"), said("<think>f</think>"))
	f("half a tag", usual, 5, said(""), said("a"), said("b <thi"), said("nk>"), said("c"), said("d"))
	f("no tag", usual, 5, said(""), said("a"), said(`b \u003c`), said("c"), said("d"))
	f("a sub-agent", usual, 2, inside("s", ""), inside("s", "a"), inside("s", "b"), inside("s", "c"))
	f("two sub-agents", usual, 6, inside("s", ""), inside("r", ""), inside("s", "<think>"), inside("s", "a"), inside("s", "b"), inside("r", "c"), inside("r", "d"), inside("s", "e"))
	tool := `{"type":"tool_call_success","data":{"toolCallId":"t","status":"success"},"messageId":"m"}`
	f("reasoning behind a call", careful, 4, said("<think>a"), tool, said("b"), said("c"), said("d"), said("</think>"))
	f("text that is kept back", careful, 5, said("a"), said("b"), said("cdefghijk"), said("l"), said("m"), said("</think>"), said("n"))
}
