package bench_test

import (
	"bytes"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/bench"
)

// BenchmarkStage measures each stage alone, per event: split and decode of what a dialect writes, sequence of what was
// decoded from it, encode of the normalized form of the same events. Where the sum is less than what BenchmarkPair shows,
// the rest is what lies between the stages.
func BenchmarkStage(b *testing.B) {
	mixed, err := bench.Mixed(turns)
	if err != nil {
		b.Fatal(err)
	}
	for _, d := range adapters.All() {
		if d.NewDecoder == nil || d.NewEncoder == nil {
			continue
		}
		b.Run(d.Name+"/deltas", func(b *testing.B) { newStages(b, d, bench.Text(deltas)).run(b) })
		b.Run(d.Name+"/mixed", func(b *testing.B) { newStages(b, d, mixed).run(b) })
	}
}

// stages is one stream as it looks before each stage, in memory of its own.
type stages struct {
	dialect *hub.Dialect
	body    []byte
	records []wire.Record
	loose   [][]hub.Event // by record
	strict  []hub.Event
	events  int // decoded events
}

func newStages(t testing.TB, d *hub.Dialect, canonical []hub.Event) *stages {
	t.Helper()
	s := &stages{dialect: d}
	for _, p := range bench.Encode(d, canonical) {
		s.body = append(s.body, p...)
	}
	s.split(func(rec wire.Record) { s.records = append(s.records, rec) })
	dec, seq := d.NewDecoder(d.Defaults()), sequencer.New(sequencer.Config{})
	for _, rec := range s.records {
		evs, err := dec.Decode(nil, rec)
		if err != nil {
			t.Fatalf("%s: record %q: %v", d.Name, rec.Data, err)
		}
		s.loose = append(s.loose, own(t, evs))
		s.events += len(evs)
		s.strict = append(s.strict, own(t, seq.Push(nil, evs, 0))...)
	}
	s.strict = append(s.strict, own(t, seq.Flush(nil, nil))...)
	return s
}

func own(t testing.TB, evs []hub.Event) []hub.Event {
	t.Helper()
	evs, err := bench.Copy(evs)
	if err != nil {
		t.Fatal(err)
	}
	return evs
}

func (s *stages) split(each func(wire.Record)) {
	split := wire.NewSplitter(wire.Auto, 0)
	for rest := s.body; ; {
		rec, n, err := split.Split(rest, true)
		if n == 0 || err != nil {
			return
		}
		if rec.Data != nil {
			each(rec)
		}
		rest = rest[n:]
	}
}

func (s *stages) run(b *testing.B) {
	b.Run("split", func(b *testing.B) { perEvent(b, s.events, func() { s.split(func(wire.Record) {}) }) })
	b.Run("decode", s.decode)
	b.Run("sequence", s.sequence)
	b.Run("encode", s.encode)
}

func (s *stages) decode(b *testing.B) {
	dec := s.dialect.NewDecoder(s.dialect.Defaults())
	var evs []hub.Event
	perEvent(b, s.events, func() {
		dec.Reset()
		for _, rec := range s.records {
			evs, _ = dec.Decode(evs[:0], rec)
		}
	})
}

func (s *stages) sequence(b *testing.B) {
	seq := sequencer.New(sequencer.Config{})
	var evs []hub.Event
	perEvent(b, s.events, func() {
		seq.Reset()
		for _, loose := range s.loose {
			evs = seq.Push(evs[:0], loose, 0)
		}
		evs = seq.Flush(evs[:0], nil)
	})
}

func (s *stages) encode(b *testing.B) {
	enc, out := s.dialect.NewEncoder(s.dialect.Defaults()), wire.NewOut(s.dialect.Framing)
	perEvent(b, s.events, func() {
		enc.Reset()
		for i := range s.strict {
			enc.Encode(out, &s.strict[i])
			if len(out.Buf) > 32<<10 {
				out.Reset()
			}
		}
		enc.Finish(out)
		out.Reset()
	})
}

// BenchmarkInFull decodes the records of streams as servers really write them without what remembers the one before: what a record costs
// that is like none before it.
func BenchmarkInFull(b *testing.B) {
	eachShape(func(d *hub.Dialect, p bench.Part) {
		b.Run(d.Name+"/"+string(p), func(b *testing.B) {
			s := shapeStages(b, d, p)
			s.decode(b)
		})
	})
}

// shapeStages has the records of a shape's deltas, behind those of its head.
func shapeStages(t testing.TB, d *hub.Dialect, p bench.Part) *stages {
	t.Helper()
	script, err := bench.NewLongScript(d, p, deltas)
	if err != nil {
		t.Fatal(err)
	}
	s := &stages{dialect: d, body: script.Bytes(), events: deltas}
	s.split(func(rec wire.Record) {
		rec.Data = bytes.Clone(rec.Data)
		s.records = append(s.records, rec)
	})
	return s
}

// TestInFullAllocatesNothing: a record that is like none before it costs no memory either, but for what grows with a stream.
func TestInFullAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Log("the race detector allocates: nothing to count")
		return
	}
	eachShape(func(d *hub.Dialect, p bench.Part) {
		s := shapeStages(t, d, p)
		dec := d.NewDecoder(d.Defaults())
		var evs []hub.Event
		n := testing.AllocsPerRun(5, func() {
			dec.Reset()
			for _, rec := range s.records {
				evs, _ = dec.Decode(evs[:0], rec)
			}
		})
		if most := 0.1 * deltas; n > most {
			t.Errorf("%s, %s: %.0f allocations for %d deltas", d.Name, p, n, deltas)
		}
	})
}
