package adaptertest

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Allocs asserts that text deltas cost no allocation once a stream is under way: split, decoded, sequenced, and encoded
// by the dialect's own encoder and by native. The deltas come from the fixture whose name begins with deltas, or from
// the one that has most of them.
func Allocs(t *testing.T, d *hub.Dialect) {
	if raceEnabled {
		t.Log("the race detector allocates: nothing to count")
		return
	}
	f, before, deltas := findDeltas(t, d)
	for _, target := range []*hub.Dialect{nil, d, &native.Dialect} {
		if target != nil && target.NewEncoder == nil {
			continue
		}
		run := newSteady(t, f, target)
		run.records = before
		run.turn()
		run.records = deltas
		run.turn() // buffers grow to their size, parts are opened
		run.turn()
		if n := testing.AllocsPerRun(20, run.turn); n > 0 {
			t.Errorf("%s: the text deltas of the fixture cost %.0f allocations", run.name, n)
		}
	}
}

// findDeltas returns a fixture, its records that are text deltas and nothing else, and those before them, framed.
func findDeltas(t *testing.T, d *hub.Dialect) (best *fixture, before, deltas []byte) {
	t.Helper()
	var most span
	var all []wire.Record
	for _, f := range load(t, d) {
		if !f.hasWire {
			continue
		}
		records, run := textDeltas(f)
		named := strings.HasPrefix(f.name, "deltas")
		if run.len() > most.len() || named && run.len() > 0 {
			best, all, most = f, records, run
		}
		if named && run.len() > 0 {
			break
		}
	}
	if best == nil {
		t.Fatalf("%s has no fixture with text deltas", d.Name)
	}
	framing := framingOf(best)
	return best, frame(all[:most.lo], framing), frame(all[most.lo:most.hi], framing)
}

type span struct{ lo, hi int }

func (s span) len() int { return s.hi - s.lo }

// framingOf is how the fixture's wire is framed.
func framingOf(f *fixture) wire.Framing {
	src := newSource(f)
	return textFraming(decode(src, f.wire).framing)
}

func frame(records []wire.Record, framing wire.Framing) []byte {
	out := wire.NewOut(framing)
	for _, rec := range records {
		out.Record(rec)
	}
	return out.Buf
}

// textDeltas returns all records of a fixture, and the longest run of them that decode to text deltas and nothing else.
func textDeltas(f *fixture) (records []wire.Record, longest span) {
	var run span
	src := newSource(f)
	src.record = func(rec wire.Record) { records = append(records, copyRecord(rec)) }
	src.sink = func(evs []hub.Event) {
		if n := len(records); !onlyDeltas(evs) || run.hi != n-1 {
			run = span{n, n}
			return
		}
		run.hi++
		if run.len() > longest.len() {
			longest = run
		}
	}
	src.run(f.wire)
	return records, longest
}

func onlyDeltas(evs []hub.Event) bool {
	for i := range evs {
		if evs[i].Kind != hub.TextDelta || evs[i].Op != hub.Append {
			return false
		}
	}
	return len(evs) > 0
}

// steady is a stream in the middle of a long text.
type steady struct {
	name    string
	t       *testing.T
	split   wire.Splitter
	dec     hub.Decoder
	seq     *sequencer.Sequencer
	enc     hub.Encoder
	out     *wire.Out
	records []byte

	decoded, normalized []hub.Event
}

func newSteady(t *testing.T, f *fixture, target *hub.Dialect) *steady {
	t.Helper()
	s := &steady{
		name: f.name + " decoded", t: t, split: wire.NewSplitter(framingOf(f), 0), dec: f.dialect.NewDecoder(f.options),
		seq: sequencer.New(sequencer.Config{}), out: wire.NewOut(wire.SSE),
	}
	if target != nil {
		options := target.Defaults()
		if target == f.dialect {
			options = f.options
		}
		s.name, s.enc = f.name+" to "+target.Name, target.NewEncoder(options)
	}
	return s
}

// turn passes all records once.
func (s *steady) turn() {
	s.out.Reset()
	for buf := s.records; len(buf) > 0; {
		rec, n, err := s.split.Split(buf, false)
		if n == 0 || err != nil {
			s.t.Fatalf("%s: cannot split: %v", s.name, err)
		}
		buf = buf[n:]
		if rec.Data != nil {
			s.pass(rec)
		}
	}
}

func (s *steady) pass(rec wire.Record) {
	var err error
	if s.decoded, err = s.dec.Decode(s.decoded[:0], rec); err != nil {
		s.t.Fatalf("%s: %v", s.name, err)
	}
	s.normalized = s.seq.Push(s.normalized[:0], s.decoded, 0)
	for i := range s.normalized {
		if s.enc != nil {
			s.enc.Encode(s.out, &s.normalized[i])
		}
	}
}
