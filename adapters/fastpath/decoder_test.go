package fastpath_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/fastpath"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// dialect is the native one, in which some members may vary.
func dialect(varying ...string) *hub.Dialect {
	return &hub.Dialect{TemplateKinds: []hub.Kind{hub.TextDelta, hub.ToolArgs, hub.ToolOutput}, Varying: varying}
}

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
		dec, bare := fastpath.NewTemplateDecoder(inner, dialect()), native.Dialect.NewDecoder(hub.Options{})
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
	f("a record too long to be remembered", 3, delta("a"), strings.Replace(delta("a"), `"l"`, `"`+strings.Repeat("l", 3<<10)+`"`, 1), delta("b"))
	f("a record without data", 3, delta("a"), delta("b"), "", delta("c"))
	f("arguments", 1, `{"kind":"tool.args","id":"t","text":"{"}`, `{"kind":"tool.args","id":"t","text":"}"}`)
}

// TestRepeatsVarying also takes records for the one before that differ in what is promised to mean nothing.
func TestRepeatsVarying(t *testing.T) {
	f := func(name string, parsed int, records ...string) {
		t.Helper()
		inner := &counting{Decoder: native.Dialect.NewDecoder(hub.Options{})}
		dec, bare := fastpath.NewTemplateDecoder(inner, dialect("n", "at.n", "uuid", "at.in.uuid")), native.Dialect.NewDecoder(hub.Options{})
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
	in := func(before, text, after string) string {
		return `{` + before + `"kind":"text.delta","id":"p","text":"` + text + `"` + after + `}`
	}
	number := func(n, text string) string { return in(`"n":`+n+`,`, text, ``) }
	last := func(n, text string) string { return in(``, text, `,"n":`+n) }
	uuid := func(id, text string) string { return in(`"uuid":"`+id+`",`, text, ``) }
	f("a number before the text", 1, number("0", "a"), number("7", "b"), number("999999999999999", "c"))
	f("a number behind it", 1, last("9", "a"), last("10", "b"), last("0", `"\u0041`[1:]))
	f("a string", 1, uuid("a-b", "a"), uuid("", "b"), uuid("~ {}:,", "c"))
	f("holes on both sides", 1, in(`"n":1,"uuid": "x",`, "a", `,"n":2 , "uuid":"y"`), in(`"n":12,"uuid": "",`, "b", `,"n":0 , "uuid":"yy"`))
	f("a number that is another text", 3, number("1", "a"), number("01", "b"), number("1", "c"))
	f("numbers that are not whole", 2, number("1", "a"), number("-1", "b"), number("1.5", "c"), number("1e5", "d"), number("7", "e"))
	f("fractions behind the text", 2, last("1", "a"), last("1.5", "b"), last("-5", "c"), last("1E+5", "d"), last("0.25", "e"))
	f("what is no number though it looks like one", 7, number("1.5", "a"), number("1.", "b"), number("1.5", "c"), number("01.5", "d"), number("1.5", "e"),
		last("-", "f"), last("1.5e", "g"))
	f("a long fraction", 2, last("0.5", "a"), last("0."+strings.Repeat("3", 40), "b"))
	f("a number that is long", 2, last("1", "a"), last("1234567890123456", "b"))
	f("no number", 2, number("1", "a"), number(`"1"`, "b"))
	f("an empty number", 3, number("1", "a"), number("", "b"), last("", "c"))
	f("a string that ends too early", 2, uuid("a", "a"), uuid(`b","text":"`, "b"))
	f("an escape", 3, uuid("a", "a"), uuid(`\"`, "b"), uuid(`\`, "c"))
	f("what is not ASCII", 3, uuid("a", "a"), uuid("☃", "b"), uuid("\xff", "c"))
	f("a member further down", 2, in(`"x":{"n":1},`, "a", ``), in(`"x":{"n":2},`, "b", ``))
	deep := func(head, n, id, text string) string {
		return in(head+`"at":{"n":`+n+`,"in":{"n":1,"uuid":"`+id+`"}},`, text, `,"in":{"uuid":"x"}`)
	}
	f("a path", 1, deep("", "1", "a", "a"), deep("", "23", "bc", "b"), deep("", "4", "", "c"))
	f("a path behind a name", 1, deep(`"n":1,`, "1", "a", "a"), deep(`"n":2,`, "23", "bc", "b"))
	f("a path to what is no number", 2, deep("", "1", "a", "a"), deep("", "[1]", "a", "b"))
	f("another path", 2, in(`"in":{"uuid":"a"},`, "a", ``), in(`"in":{"uuid":"b"},`, "b", ``))
	f("a path behind the text", 1, in(``, "a", `,"at":{"n":1}`), in(``, "b", `,"at":{"n":20}`))
	f("more holes than are kept", 2, in(strings.Repeat(`"n":1,`, 8), "a", `,"n":1`), in(strings.Repeat(`"n":1,`, 8), "b", `,"n":2`))
	f("a long string", 2, uuid("a", "a"), uuid(strings.Repeat("x", 300), "b"))
}

// TestRepeatsParallel remembers a record of each part that is open, as many as there is room for, until something else comes.
func TestRepeatsParallel(t *testing.T) {
	f := func(name string, parsed int, parts ...string) {
		t.Helper()
		inner := &counting{Decoder: native.Dialect.NewDecoder(hub.Options{})}
		d := dialect("n")
		d.Parallel = true
		dec, bare := fastpath.NewTemplateDecoder(inner, d), native.Dialect.NewDecoder(hub.Options{})
		for i, part := range parts {
			data := fmt.Sprintf(`{"kind":"tool.args","id":%q,"text":"%d","n":%d}`, part, i, i)
			if part == "" {
				data = `{"kind":"step.start","id":"s"}`
			}
			got, gotErr := dec.Decode(nil, wire.Record{Data: []byte(data)})
			want, wantErr := bare.Decode(nil, wire.Record{Data: []byte(data)})
			if g, w := adaptertest.Lines(got), adaptertest.Lines(want); g != w || gotErr != nil || wantErr != nil {
				t.Errorf("%s: %s gives %s (%v), want %s (%v)", name, data, g, gotErr, w, wantErr)
			}
		}
		if inner.n != parsed {
			t.Errorf("%s: %d records were parsed, want %d", name, inner.n, parsed)
		}
	}
	turns := func(n int) (parts []string) {
		for i := range 4 * n {
			parts = append(parts, strconv.Itoa(i%n))
		}
		return parts
	}
	f("two by turns", 2, turns(2)...)
	f("two in an odd order", 2, "a", "a", "b", "b", "a", "b", "b", "a")
	f("something between", 5, "a", "b", "", "a", "b", "a")
	f("as many as there is room for", 8, turns(8)...)
	f("more than there is room for", 36, turns(9)...)
	f("one that is left takes no room of others", 3, "a", "b", "c", "a", "b", "c")
}

// TestRepeatsValues takes records for one before whose objects and lists differ where they may, if these are JSON and no deeper.
func TestRepeatsValues(t *testing.T) {
	f := func(name string, parsed int, values ...string) {
		t.Helper()
		inner := &counting{Decoder: native.Dialect.NewDecoder(hub.Options{})}
		dec, bare := fastpath.NewTemplateDecoder(inner, dialect("x", "in.x", "m.*")), native.Dialect.NewDecoder(hub.Options{})
		for _, v := range values {
			data := `{"kind":"text.delta","id":"p","text":"a",` + v + `}`
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
	f("objects", 1, `"x":{"a":1}`, `"x":{}`, `"x":{"b":"}","c":null}`)
	f("lists", 1, `"x":[1]`, `"x":[]`, `"x":["]",true]`)
	f("in the elements of a list", 1, `"in":[{"x":1,"y":2},{"x":"a"}]`, `"in":[{"x":12,"y":2},{"x":"bc"}]`)
	f("another kind", 4, `"x":{"a":1}`, `"x":[1]`, `"x":"a"`, `"x":1`)
	f("deeper", 2, `"x":{"a":1}`, `"x":{"a":{}}`, `"x":{"a":{"b":2}}`)
	f("no JSON", 6, `"x":{"a":1}`, `"x":{"a":}`, `"x":{"a":1}`, `"x":{"a":1`, `"x":{"a":1}`, `"x":{"a":1}}`)
	f("no UTF-8", 2, `"x":{"a":1}`, `"x":{"a":"`+"\xff"+`"}`)
	f("a long one", 2, `"x":[1]`, `"x":["`+strings.Repeat("x", 3<<10)+`"]`)
	f("what a star stands for", 1, `"m":{"a":"x","b":1,"c":{"d":1}}`, `"m":{"a":"yz","b":22,"c":{"d":1}}`)
	f("what a star does not stand for", 2, `"m":{"a":"x","c":{"d":1}}`, `"m":{"a":"x","c":{"d":2}}`)
}

// TestRepeatsID takes records for the one before whose ids as server-sent events differ, as they do where there are any.
func TestRepeatsID(t *testing.T) {
	inner := &counting{Decoder: native.Dialect.NewDecoder(hub.Options{})}
	dec := fastpath.NewTemplateDecoder(inner, dialect())
	for _, id := range []string{"1", "2", ""} {
		evs, err := dec.Decode(nil, wire.Record{ID: []byte(id), Data: []byte(`{"kind":"text.delta","id":"p","text":"` + id + `a"}`)})
		if err != nil || len(evs) != 1 || string(evs[0].Text) != id+"a" {
			t.Errorf("record %q gives %s (%v)", id, adaptertest.Lines(evs), err)
		}
	}
	if inner.n != 1 {
		t.Errorf("%d records were parsed, want 1", inner.n)
	}
}

// accounting is a decoder that wants to know every text, and to decode those that it refuses.
type accounting struct {
	counting
	noted  []string
	refuse string
}

func (a *accounting) Tracked() (part any, ok bool) { return nil, true }

func (a *accounting) TrackText(_ any, text, _ []byte) bool {
	if string(text) == a.refuse {
		return false
	}
	a.noted = append(a.noted, string(text))
	return true
}

// TestRepeatsAccount tells a decoder of the texts that it does not decode, and of no others.
func TestRepeatsAccount(t *testing.T) {
	inner := &accounting{counting: counting{Decoder: native.Dialect.NewDecoder(hub.Options{})}, refuse: "no"}
	dec := fastpath.NewTemplateDecoder(inner, dialect())
	for _, text := range []string{"a", "b", `\q`, "", "c", "d", "no", "e", `\ud83c`} {
		evs, err := dec.Decode(nil, wire.Record{Data: []byte(`{"kind":"text.delta","id":"p","text":"` + text + `"}`)})
		if want := text != `\q`; (err == nil) != want || want && text != "" && string(evs[0].Text) != text {
			t.Errorf("%q gives %s, %v", text, adaptertest.Lines(evs), err)
		}
	}
	if got := strings.Join(inner.noted, " "); got != "b d e" || inner.n != 6 {
		t.Errorf("the decoder received %q and decoded %d records", got, inner.n)
	}
}

// TestRepeatsGivesUp stops to remember records of a stream in which none is like the one before.
func TestRepeatsGivesUp(t *testing.T) {
	dec := fastpath.NewTemplateDecoder(native.Dialect.NewDecoder(hub.Options{}), dialect())
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
	dec, dst := fastpath.NewTemplateDecoder(native.Dialect.NewDecoder(hub.Options{}), dialect()), make([]hub.Event, 0, 4)
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
	dec = fastpath.NewTemplateDecoder(native.Dialect.NewDecoder(hub.Options{}), dialect("n"))
	recs = [2]wire.Record{{Data: []byte(`{"kind":"text.delta","id":"p","text":"a","n":1}`)}, {Data: []byte(`{"kind":"text.delta","id":"p","text":"b","n":20}`)}}
	f("alike but for a number", func(i int) wire.Record { return recs[i%2] })
	dec = fastpath.NewTemplateDecoder(native.Dialect.NewDecoder(hub.Options{}), dialect("x.n", "y.n", "at.n"))
	recs = [2]wire.Record{{Data: []byte(`{"kind":"text.delta","id":"p","text":"a","at":{"n":1}}`)}, {Data: []byte(`{"kind":"text.delta","id":"q","text":"b","at":{"n":1}}`)}}
	f("learned again and again, with a path", func(i int) wire.Record { return recs[i%2] })
}
