package adaptertest

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Options are the options of a dialect with some set, as k=v.
func Options(t testing.TB, d *hub.Dialect, pairs ...string) hub.Options {
	t.Helper()
	raw := map[string]any{}
	for _, p := range pairs {
		key, val, _ := strings.Cut(p, "=")
		raw[key] = val
	}
	o, problems := d.ParseOptions(raw)
	for _, err := range problems {
		t.Fatal(err)
	}
	return o
}

// Data are records that are nothing but data.
func Data(texts ...string) (records []wire.Record) {
	for _, text := range texts {
		records = append(records, wire.Record{Data: []byte(text)})
	}
	return records
}

// Sequenced returns the normalized events of records, decoded with the default options.
func Sequenced(t testing.TB, d *hub.Dialect, records ...string) (normalized []hub.Event) {
	t.Helper()
	dec, seq := d.NewDecoder(d.Defaults()), sequencer.New(sequencer.Config{})
	keep := func(evs []hub.Event) {
		for i := range evs {
			own, _ := CopyEvent(&evs[i])
			normalized = append(normalized, own)
		}
	}
	for _, r := range records {
		decoded, err := dec.Decode(nil, wire.Record{Data: []byte(r)})
		if err != nil {
			t.Fatalf("%s: %v", r, err)
		}
		keep(seq.Push(nil, decoded, 0))
	}
	keep(seq.Push(nil, dec.Finish(nil, nil), 0))
	keep(seq.Flush(nil, nil))
	return normalized
}

// Strict returns the normalized events of a body, in native notation, and those of its end; cause is why it ended, nil for nothing.
// What the decoder refuses is logged and passed over.
func Strict(t testing.TB, d *hub.Dialect, framing wire.Framing, body string, cause error) string {
	t.Helper()
	dec, split := d.NewDecoder(d.Defaults()), wire.NewSplitter(framing, 0)
	seq := sequencer.New(sequencer.Config{})
	var lines strings.Builder
	for buf := []byte(body); ; {
		rec, n, err := split.Split(buf, true)
		if err != nil {
			cause = hub.Fail(hub.CodeReset, err)
		}
		if n == 0 {
			break
		}
		buf = buf[n:]
		if rec.Data == nil {
			continue
		}
		evs, err := dec.Decode(nil, rec)
		if err != nil {
			t.Logf("%s: %v", rec.Data, err)
		}
		lines.WriteString(Lines(seq.Push(nil, evs, 0)))
	}
	evs := seq.Push(nil, dec.Finish(nil, cause), 0)
	lines.WriteString(Lines(seq.Flush(evs, cause)))
	return lines.String()
}

// Kinds are the kinds of events, with the status of those that have one.
func Kinds(evs []hub.Event) string {
	var all []string
	for i := range evs {
		kind := evs[i].Kind.String()
		if st := evs[i].Status; st != hub.StatusNone {
			kind += "=" + st.String()
		}
		all = append(all, kind)
	}
	return strings.Join(all, " ")
}

// Encode hands decoded events in native notation to an encoder, sequenced, up to the end of the stream.
func Encode(t testing.TB, enc hub.Encoder, out *wire.Out, events ...string) {
	t.Helper()
	dec, seq := native.Dialect.NewDecoder(hub.Options{}), sequencer.New(sequencer.Config{})
	for _, line := range events {
		decoded, err := dec.Decode(nil, wire.Record{Data: []byte(line)})
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		for _, ev := range seq.Push(nil, decoded, 0) {
			enc.Encode(out, &ev)
		}
	}
	for _, ev := range seq.Flush(nil, nil) {
		enc.Encode(out, &ev)
	}
	enc.Finish(out)
}

// Records returns what an encoder writes for decoded events in native notation, sequenced: the data of its records.
func Records(t testing.TB, enc hub.Encoder, events ...string) []string {
	t.Helper()
	out := wire.NewOut(wire.NDJSON)
	Encode(t, enc, out, events...)
	return strings.Split(strings.TrimSuffix(string(out.Buf), "\n"), "\n")
}

// DeltaAllocs fails if a delta costs an allocation, decoded or encoded, each on its own; before are the records before it.
// [Allocs] counts texts through the whole chain, but not arguments, which the sequencer collects.
func DeltaAllocs(t *testing.T, d *hub.Dialect, name string, before []string, delta string) {
	t.Helper()
	dec, enc, out := d.NewDecoder(d.Defaults()), d.NewEncoder(d.Defaults()), wire.NewOut(wire.SSE)
	seq := sequencer.New(sequencer.Config{})
	var decoded, normalized []hub.Event
	for _, record := range append(before, delta) {
		var err error
		if decoded, err = dec.Decode(decoded[:0], wire.Record{Data: []byte(record)}); err != nil {
			t.Fatalf("%s: %v", record, err)
		}
		normalized = seq.Push(normalized[:0], decoded, 0)
		for i := range normalized {
			enc.Encode(out, &normalized[i])
		}
	}
	last, data := normalized[len(normalized)-1], []byte(delta)
	NoAllocs(t, name+": decoding a delta", func() { decoded, _ = dec.Decode(decoded[:0], wire.Record{Data: data}) })
	NoAllocs(t, name+": encoding a delta", func() {
		out.Reset()
		enc.Encode(out, &last)
	})
}

// PieceAllocs fails if a piece costs an allocation, decoded, sequenced and encoded, once a stream is under way: buffers have
// grown to their size, and what is collected to its limit. before are the records before it; it is written as one.
func PieceAllocs(t *testing.T, d *hub.Dialect, o hub.Options, name string, before []string, piece string) {
	t.Helper()
	dec, enc, out := d.NewDecoder(o), d.NewEncoder(o), wire.NewOut(wire.SSE)
	seq := sequencer.New(sequencer.Config{Bounds: sequencer.Bounds{Result: 1 << 10, Args: 1 << 10}})
	var decoded, normalized []hub.Event
	pass := func(rec wire.Record) {
		out.Reset()
		var err error
		if decoded, err = dec.Decode(decoded[:0], rec); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		normalized = seq.Push(normalized[:0], decoded, 0)
		for i := range normalized {
			enc.Encode(out, &normalized[i])
		}
	}
	for _, rec := range Data(before...) {
		pass(rec)
	}
	rec := wire.Record{Data: []byte(piece)}
	for range 100 {
		pass(rec)
	}
	if out.Records != 1 {
		t.Fatalf("%s: wrote %d records, want 1: %s", name, out.Records, out.Buf)
	}
	NoAllocs(t, name, func() { pass(rec) })
}

// NoAllocs fails if what f does costs an allocation. The race detector allocates, so nothing is counted under it.
func NoAllocs(t *testing.T, what string, f func()) {
	t.Helper()
	if raceEnabled {
		t.Logf("%s: the race detector allocates, nothing to count", what)
		return
	}
	if n := testing.AllocsPerRun(100, f); n > 0 {
		t.Errorf("%s costs %.0f allocations", what, n)
	}
}
