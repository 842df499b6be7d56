package adaptertest

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/fastpath"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// odd are texts that a decoder could be tempted to look into.
var odd = []string{"x", `{\"a\":`, "}", "<think>", "</think>", `\u00e9\n`, "[DONE]", "[output:1]", "data: ", `\\`, "☃", `\ud83c`, `\udf0d`}

// testRepeats holds a dialect to its promise (see [hub.Dialect.TemplateKinds]): with the records of the fixture, each delta of
// which is followed by others that differ in their text alone, and in what may vary, and by such of the deltas before it, the wrapped
// decoder says what the bare one says.
func (f *fixture) testRepeats(t testing.TB) {
	if len(f.dialect.TemplateKinds) == 0 {
		return
	}
	records := decode(newSource(f), f.wire).records
	bare := f.dialect.NewDecoder(f.options)
	var all, open []wire.Record
	for _, rec := range records {
		all = append(all, rec)
		evs, err := bare.Decode(nil, copyRecord(rec))
		if err != nil || len(evs) != 1 || len(evs[0].Text) == 0 || bytes.Count(rec.Data, evs[0].Text) != 1 {
			continue
		}
		texts := withTexts(rec, evs[0].Text)
		all = f.vary(append(all, texts...), rec)
		for i, other := range texts { // those of several parts, by turns
			all = append(append(all, other), open...)
			if i%2 == 0 {
				all = append(all, rec)
			}
		}
		open = append(open, texts[0])
		open = open[max(0, len(open)-maxOpen):]
	}
	f.compareRepeats(t, all)
	for _, end := range []string{"\n", "\r\n"} {
		f.compareFramed(t, asEvents(all, end))
	}
}

// maxOpen is how many deltas before one come again behind it.
const maxOpen = 3

// withTexts returns rec with the odd texts in the place of its own.
func withTexts(rec wire.Record, own []byte) (all []wire.Record) {
	before, after, _ := bytes.Cut(rec.Data, own)
	for _, text := range odd {
		all = append(all, withData(rec, before, []byte(text), after))
	}
	return all
}

func withData(rec wire.Record, pieces ...[]byte) wire.Record {
	out := copyRecord(rec)
	out.Data = bytes.Join(pieces, nil)
	return out
}

// oddValues are what may stand in the place of a value of that kind that is promised to mean nothing, and what is not covered by it.
var oddValues = map[byte][]string{
	'0': {"0", "7", "1790000000", "999999999999999", "1234567890123456789", "-1", "1.5", "null"},
	'"': {`""`, `"x"`, `"x"`, `"2026-11-21T11:29:14.112Z"`, `"0b565adb-fafd-4b8a-8000-00000000000a"`, `"\u0041"`, `"☃"`, "null"},
	'{': {`{}`, `{"a":1}`, `{"openai":{"itemId":"m2"}}`, `{"sabir":{"title":"x"}}`, `{"prompt_tokens":7,"promptTokenCount":7}`, `{"prompt_tokens":0,"total_tokens":5}`, `{"a":{"b":{"c":{}}}}`, `{"a":}`, `{"a":"\xff"}`,
		`{"a":1`, `{"a":1}}`, "{\"a\":\n1}", "{\"a\":\r1}", `{"adk_type":"x"}`, "null", "[]", `"x"`},
	'[': {`[]`, `[1]`, `[{"token":"x","logprob":-0.25}]`, `[[[[[]]]]]`, `[1,]`, "[\"\xff\"]", `[1`, `[]]`, "null", "{}"},
}

// vary appends records that are rec with other values of the members that are promised to vary.
func (f *fixture) vary(all []wire.Record, rec wire.Record) []wire.Record {
	paths := append(slices.Clone(f.dialect.Varying), f.dialect.ReadMembers...)
	if f.dialect.UsageMember != "" {
		paths = append(paths, f.dialect.UsageMember)
	}
	for _, path := range paths {
		eachAt(rec.Data, strings.Split(path, "."), func(name, v []byte) {
			member := append(append(rawjson.AppendQuoted(nil, name), ':'), v...)
			before, after, ok := bytes.Cut(rec.Data, member)
			if !ok {
				return
			}
			head := member[:len(member)-len(v)]
			for _, value := range oddValues[rawjson.Kind(v)] {
				all = append(all, rec, withData(rec, before, head, []byte(value), after))
			}
		})
	}
	return all
}

// eachAt calls yield with the members of v at a path, also in the elements of lists.
func eachAt(v rawjson.Value, path []string, yield func(name, v []byte)) {
	for e := range rawjson.Each(v) {
		eachAt(e, path, yield)
	}
	for name, member := range rawjson.EachField(v) {
		switch {
		case path[0] == "*" && rawjson.Kind(member) != '{' && rawjson.Kind(member) != '[':
			yield(name, member)
		case string(name) != path[0]:
		case len(path) == 1:
			yield(name, member)
		default:
			eachAt(member, path[1:], yield)
		}
	}
}

// compareRepeats decodes records with and without the wrapper. Each is overwritten after use.
func (f *fixture) compareRepeats(t testing.TB, records []wire.Record) {
	t.Helper()
	bare, wrapped := f.dialect.NewDecoder(f.options), fastpath.NewTemplateDecoder(f.dialect.NewDecoder(f.options), f.dialect)
	for i, rec := range records {
		want := decodeOne(bare, rec)
		if got := decodeOne(wrapped, rec); got != want {
			t.Fatalf("record %d is not what it is without the memory of the one before:\n%s\n%s", i+1, showRecord(rec), diff(want, got))
		}
	}
	if want, got := Lines(bare.Finish(nil, nil)), Lines(wrapped.Finish(nil, nil)); got != want {
		t.Fatalf("the end is not what it is without memory of a record:\n%s", diff(want, got))
	}
}

// asEvents returns records as server-sent events whose lines end so, some of them with an id.
func asEvents(records []wire.Record, end string) (stream []byte) {
	for i, rec := range records {
		if i%7 < 5 {
			stream = append(strconv.AppendInt(append(stream, "id: "...), int64(i), 10), end...)
		}
		if rec.Event != nil {
			stream = append(append(append(stream, "event: "...), rec.Event...), end...)
		}
		stream = append(append(append(append(stream, "data: "...), rec.Data...), end...), end...)
	}
	return stream
}

// compareFramed reads a stream with and without that records like one before are split off. Each is overwritten after use.
func (f *fixture) compareFramed(t testing.TB, stream []byte) {
	t.Helper()
	split, again := wire.NewSplitter(wire.SSE, 0), wire.NewSplitter(wire.SSE, 0)
	bare, wrapped := f.dialect.NewDecoder(f.options), fastpath.NewTemplateDecoder(f.dialect.NewDecoder(f.options), f.dialect)
	framed, _ := wrapped.(fastpath.FramedDecoder)
	for buf := bytes.Clone(stream); len(stream) > 0; {
		rec, n, _ := split.Split(stream, true)
		want := ""
		if rec.Data != nil {
			want = decodeOne(bare, rec)
		}
		evs, used := framed.DecodeFramed(nil, buf)
		got := Lines(evs)
		if used == 0 {
			rec, used, _ = again.Split(buf, true)
			if rec.Data != nil {
				evs, err := wrapped.Decode(nil, rec)
				got = linesAnd(evs, err)
				framed.LearnFraming(rec, buf[:used])
			}
		}
		if got != want || used != n {
			t.Fatalf("%q is not what it is when it is split off: %d bytes of %d\n%s", stream[:n], used, n, diff(want, got))
		}
		Overwrite(buf[:n])
		stream, buf = stream[n:], buf[n:]
	}
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

// TrackText implements [fastpath.TextTracker] for a decoder that does.
func (c *counting) TrackText(part any, text, usage []byte) bool {
	account, ok := c.Decoder.(fastpath.TextTracker)
	return !ok || account.TrackText(part, text, usage)
}

// Tracked implements [fastpath.TextTracker].
func (c *counting) Tracked() (part any, ok bool) {
	account, ok := c.Decoder.(fastpath.TextTracker)
	if !ok {
		return nil, true
	}
	return account.Tracked()
}

// Rereads implements [fastpath.MemberReader] for a decoder that does.
func (c *counting) Rereads(ev *hub.Event) bool {
	reader, ok := c.Decoder.(fastpath.MemberReader)
	return ok && reader.Rereads(ev)
}

// ReadMembers implements [fastpath.MemberReader].
func (c *counting) ReadMembers(part any, ev *hub.Event, values [][]byte) bool {
	reader, ok := c.Decoder.(fastpath.MemberReader)
	return !ok || reader.ReadMembers(part, ev, values)
}

// Repeats holds a dialect to its promise (see [hub.Dialect.Repeats]) for the records of a test: they mean what they mean
// without the memory of the one before, and so many of them are parsed.
func Repeats(t testing.TB, d *hub.Dialect, o hub.Options, name string, parsed int, records ...wire.Record) {
	t.Helper()
	bare, inner := d.NewDecoder(o), &counting{Decoder: d.NewDecoder(o)}
	wrapped := fastpath.NewTemplateDecoder(inner, d)
	for _, rec := range records {
		want, got := decodeOne(bare, rec), decodeOne(wrapped, rec)
		if got != want {
			t.Errorf("%s: %s gives %s, want %s", name, rec.Data, got, want)
		}
	}
	if want, got := Lines(bare.Finish(nil, nil)), Lines(wrapped.Finish(nil, nil)); got != want {
		t.Errorf("%s: the end is %s, want %s", name, got, want)
	}
	if inner.n != parsed {
		t.Errorf("%s: %d records were parsed, want %d", name, inner.n, parsed)
	}
}

func decodeOne(dec hub.Decoder, rec wire.Record) string {
	own := copyRecord(rec)
	if rec.Event == nil {
		own.Event = nil
	}
	if rec.ID == nil {
		own.ID = nil
	}
	evs, err := dec.Decode(nil, own)
	lines := linesAnd(evs, err)
	Overwrite(own.Data)
	Overwrite(own.Event)
	return lines
}

// linesAnd returns a line for each event, and the error behind them.
func linesAnd(evs []hub.Event, err error) string {
	var lines []byte
	for i := range evs {
		lines = append(native.Append(lines, &evs[i]), '\n')
	}
	if err != nil {
		lines = append(lines, err.Error()...)
	}
	return string(lines)
}
