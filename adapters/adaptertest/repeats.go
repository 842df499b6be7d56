package adaptertest

import (
	"bytes"
	"slices"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/fastpath"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// odd are texts that a decoder could be tempted to look into.
var odd = []string{"x", `{\"a\":`, "}", "<think>", "</think>", `\u00e9\n`, "[DONE]", "[output:1]", "data: ", `\\`, "☃", `\ud83c`, `\udf0d`}

// testRepeats holds a dialect to its promise (see [hub.Dialect.Repeats]): with the records of the fixture, each delta of
// which is followed by others that differ in their text alone, the wrapped decoder says what the bare one says.
func (f *fixture) testRepeats(t testing.TB) {
	if len(f.dialect.TemplateKinds) == 0 {
		return
	}
	records := decode(newSource(f), f.wire).records
	bare := f.dialect.NewDecoder(f.options)
	var all []wire.Record
	for _, rec := range records {
		all = append(all, rec)
		evs, err := bare.Decode(nil, copyRecord(rec))
		if err != nil || len(evs) != 1 || len(evs[0].Text) == 0 || bytes.Count(rec.Data, evs[0].Text) != 1 {
			continue
		}
		before, after, _ := bytes.Cut(rec.Data, evs[0].Text)
		for _, text := range odd {
			other := copyRecord(rec)
			other.Data = append(append(append([]byte{}, before...), text...), after...)
			all = append(all, other)
		}
		all = f.vary(all, rec)
	}
	f.compareRepeats(t, all)
}

// What may stand in the place of a number or a string that is promised to mean nothing, and what is not covered by it.
var (
	oddNumbers = []string{"0", "7", "1790000000", "999999999999999", "1234567890123456789", "-1", "1.5"}
	oddStrings = []string{`""`, `"x"`, `"2026-11-21T11:29:14.112Z"`, `"0b565adb-fafd-4b8a-8000-00000000000a"`, `"\u0041"`, `"☃"`}
)

// vary appends records that are rec with other values of the members that are promised to vary.
func (f *fixture) vary(all []wire.Record, rec wire.Record) []wire.Record {
	for it := rawjson.Fields(rec.Data); ; {
		key, v, ok := it.Next()
		if !ok {
			return all
		}
		if !slices.Contains(f.dialect.Varying, string(key)) {
			continue
		}
		values := map[byte][]string{'0': oddNumbers, '"': oddStrings}[rawjson.Kind(v)]
		for _, value := range values {
			all = append(all, with(rec, key, v), with(rec, key, []byte(value)))
		}
	}
}

// with returns rec with value in the place of the top member of that name.
func with(rec wire.Record, name, value []byte) wire.Record {
	data := []byte{'{'}
	for it := rawjson.Fields(rec.Data); ; {
		key, v, ok := it.Next()
		if !ok {
			break
		}
		if bytes.Equal(key, name) {
			v = value
		}
		if len(data) > 1 {
			data = append(data, ',')
		}
		data = append(append(rawjson.AppendQuoted(data, key), ':'), v...)
	}
	out := copyRecord(rec)
	out.Data = append(data, '}')
	return out
}

// compareRepeats decodes records with and without the wrapper. Each is overwritten after use.
func (f *fixture) compareRepeats(t testing.TB, records []wire.Record) {
	t.Helper()
	bare, wrapped := f.dialect.NewDecoder(f.options), fastpath.NewTemplateDecoder(f.dialect.NewDecoder(f.options), f.dialect.TemplateKinds, f.dialect.Varying)
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
func (c *counting) TrackText(text []byte) bool {
	account, ok := c.Decoder.(fastpath.TextTracker)
	return !ok || account.TrackText(text)
}

// Repeats holds a dialect to its promise (see [hub.Dialect.Repeats]) for the records of a test: they mean what they mean
// without the memory of the one before, and so many of them are parsed.
func Repeats(t testing.TB, d *hub.Dialect, o hub.Options, name string, parsed int, records ...wire.Record) {
	t.Helper()
	bare, inner := d.NewDecoder(o), &counting{Decoder: d.NewDecoder(o)}
	wrapped := fastpath.NewTemplateDecoder(inner, d.TemplateKinds, d.Varying)
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
	var lines []byte
	for i := range evs {
		lines = append(native.Append(lines, &evs[i]), '\n')
	}
	if err != nil {
		lines = append(lines, err.Error()...)
	}
	Overwrite(own.Data)
	Overwrite(own.Event)
	return string(lines)
}
