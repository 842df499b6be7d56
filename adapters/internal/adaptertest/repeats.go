package adaptertest

import (
	"bytes"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// odd are texts that a decoder could be tempted to look into.
var odd = []string{"x", `{\"a\":`, "}", "<think>", "</think>", `\u00e9\n`, "[DONE]", "[output:1]", "data: ", `\\`, "☃", `\ud83c`, `\udf0d`}

// testRepeats holds a dialect to its promise (see [hub.Dialect.Repeats]): with the records of the fixture, each delta of
// which is followed by others that differ in their text alone, the wrapped decoder says what the bare one says.
func (f *fixture) testRepeats(t testing.TB) {
	if len(f.dialect.Repeats) == 0 {
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
	}
	f.compareRepeats(t, all)
}

// compareRepeats decodes records with and without the wrapper. Each is overwritten after use.
func (f *fixture) compareRepeats(t testing.TB, records []wire.Record) {
	t.Helper()
	bare, wrapped := f.dialect.NewDecoder(f.options), hub.Repeats(f.dialect.NewDecoder(f.options), f.dialect.Repeats)
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
