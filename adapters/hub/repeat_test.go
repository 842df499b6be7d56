package hub_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

var deltas = []hub.Kind{hub.TextDelta, hub.ToolArgs, hub.ToolOutput}

// counting counts the records that reach a decoder.
type counting struct {
	hub.Decoder
	n int
}

func (c *counting) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	c.n++
	return c.Decoder.Decode(dst, rec)
}

// TestRepeats parses only records that are not like the one before.
func TestRepeats(t *testing.T) {
	f := func(name string, parsed int, records ...string) {
		t.Helper()
		inner := &counting{Decoder: native.Dialect.NewDecoder(hub.Options{})}
		dec, bare := hub.Repeats(inner, deltas), native.Dialect.NewDecoder(hub.Options{})
		for _, data := range records {
			got, gotErr := dec.Decode(nil, wire.Record{Data: []byte(data)})
			want, wantErr := bare.Decode(nil, wire.Record{Data: []byte(data)})
			if g, w := adaptertest.Lines(got), adaptertest.Lines(want); g != w || (gotErr == nil) != (wantErr == nil) {
				t.Errorf("%s: %s gives %s (%v), want %s (%v)", name, data, g, gotErr, w, wantErr)
			}
		}
		if inner.n != parsed {
			t.Errorf("%s: %d records were parsed, want %d", name, inner.n, parsed)
		}
	}
	delta := func(text string) string { return `{"kind":"text.delta","id":"p","text":"` + text + `","lane":"l"}` }
	f("other texts", 1, delta("a"), delta("bc"), delta(`\"\u00e9☃`), delta("a"))
	f("an empty text is another record", 2, delta("a"), delta(""))
	f("a text that ends too early", 2, delta("a"), delta(`a","msg":"m`))
	f("a text that is none", 4, delta("a"), delta(`\q`), delta("a"), delta("\xff"))
	f("something between", 3, delta("a"), `{"kind":"text.end","id":"p"}`, delta("b"), delta("c"))
	f("another part", 3, delta("a"), strings.Replace(delta("a"), `"p"`, `"q"`, 1), delta("b"))
	f("a delta with more than text", 2, `{"kind":"text.delta","id":"p","text":"a","time":1}`, `{"kind":"text.delta","id":"p","text":"b","time":1}`)
	f("a full text", 2, `{"kind":"text.delta","id":"p","op":"replace","text":"a"}`, `{"kind":"text.delta","id":"p","op":"replace","text":"ab"}`)
	f("arguments", 1, `{"kind":"tool.args","id":"t","text":"{"}`, `{"kind":"tool.args","id":"t","text":"}"}`)
}

// TestRepeatsGivesUp stops to remember records of a stream in which none is like the one before.
func TestRepeatsGivesUp(t *testing.T) {
	dec := hub.Repeats(native.Dialect.NewDecoder(hub.Options{}), deltas)
	for i := range 1000 {
		data := `{"kind":"text.delta","id":"p` + strings.Repeat("x", i%7) + `","text":"a"}`
		if _, err := dec.Decode(nil, wire.Record{Data: []byte(data)}); err != nil {
			t.Fatal(err)
		}
	}
	dec.Reset()
	if _, err := dec.Decode(nil, wire.Record{Data: []byte("{")}); err == nil {
		t.Error("after Reset it reads what is no record")
	}
}

// TestRepeatsAllocs counts what a delta costs.
func TestRepeatsAllocs(t *testing.T) {
	if raceEnabled {
		return // the race detector allocates
	}
	dec, dst := hub.Repeats(native.Dialect.NewDecoder(hub.Options{}), deltas), make([]hub.Event, 0, 4)
	recs := [2]wire.Record{{Data: []byte(`{"kind":"text.delta","id":"p","text":"a"}`)}, {Data: []byte(`{"kind":"text.delta","id":"q","text":"b"}`)}}
	f := func(name string, next func(i int) wire.Record) {
		i := 0
		if n := testing.AllocsPerRun(1000, func() {
			i++
			dst, _ = dec.Decode(dst[:0], next(i))
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	f("alike", func(int) wire.Record { return recs[0] })
	f("not alike", func(i int) wire.Record { return recs[i%2] })
}
