package adaptertest

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/policy"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Stream is what a fixture holds, for tests that look at all dialects.
type Stream struct {
	Name     string // dialect/fixture
	Dialect  *hub.Dialect
	Options  hub.Options
	Framing  wire.Framing // of Wire; Auto where its first bytes tell
	EndGrace time.Duration
	Wire     []byte // nil: the fixture begins with events
	Loose    []hub.Event
	Cause    error // of the end of Wire, nil for a good one
	Records  []wire.Record
	Faults   string // what could not be decoded, an error a line
}

// Streams reads the fixtures of a dialect from a folder. Nothing in them shares memory with anything.
func Streams(t testing.TB, d *hub.Dialect, folder string) []*Stream {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s has no fixtures in %s: %v", d.Name, folder, err)
	}
	all := make([]*Stream, 0, len(paths))
	for _, p := range paths {
		f := loadFile(t, d, p)
		s := &Stream{Name: d.Name + "/" + f.name, Dialect: d, Options: f.options, Framing: f.framing, EndGrace: f.endGrace, Wire: f.wire}
		if f.hasWire {
			src := newSource(f)
			whole := decode(src, f.wire)
			s.Records, s.Faults = whole.records, whole.errs
		}
		s.Loose, s.Cause = f.decoded(t)
		all = append(all, s)
	}
	return all
}

// Sent is a normalized event and what an encoder did with it.
type Sent struct {
	hub.Event
	Disposition hub.Disposition
	Bytes       []byte // what it wrote, framed
}

// Translation is a stream that was written in another dialect, and read back.
type Translation struct {
	Sent    []Sent
	Meaning Meaning       // of Sent, as far as the encoder claims
	Records []wire.Record // what was written

	Loose    []hub.Event            // what the target's own decoder reads
	Strict   []hub.Event            // the same, sequenced
	Read     Meaning                // of Strict
	Repairs  sequencer.RepairCounts // that reading needed
	Problems []string               // invariants that do not hold, records that cannot be read
}

// Translate writes a stream with the encoder of another dialect and these of its options, and reads it back.
func (s *Stream) Translate(target *hub.Dialect, options hub.Options) *Translation {
	x := new(Translation)
	seq := sequencer.New(sequencer.Config{Replace: target.Caps.Has(hub.CapReplace), EndGrace: s.EndGrace, SealCalls: target.Caps.Has(hub.CapSealCalls)})
	enc, out := policy.NewEncoder(target, options, policy.Settings{}), wire.NewOut(target.Framing)
	stages := policy.Stages(target, policy.Settings{}, nil)
	check := Checker{Replace: target.Caps.Has(hub.CapReplace)}
	take := func(normalized []hub.Event) {
		for _, st := range stages {
			normalized = st.Push(nil, normalized, 0)
		}
		for i := range normalized {
			x.problem(check.Event(&normalized[i]))
			own, _ := CopyEvent(&normalized[i])
			before := len(out.Buf)
			disposition := enc.Encode(out, &normalized[i])
			x.Meaning.Event(&own, disposition)
			x.Sent = append(x.Sent, Sent{own, disposition, append([]byte(nil), out.Buf[before:]...)})
		}
	}
	for i := range s.Loose {
		take(seq.Push(nil, s.Loose[i:i+1], 0))
	}
	take(seq.Flush(nil, s.Cause))
	x.problem(check.End())
	enc.Finish(out)
	var err error
	x.Records, err = splitAll(out.Buf, target.Framing)
	x.problem(err)
	x.read(target)
	return x
}

func (x *Translation) problem(err error) {
	if err != nil {
		x.Problems = append(x.Problems, err.Error())
	}
}

// read decodes and sequences what was written.
func (x *Translation) read(target *hub.Dialect) {
	replace := target.Caps.Has(hub.CapReplace)
	dec, seq := policy.NewDecoder(target, target.Defaults()), sequencer.New(sequencer.Config{Replace: replace})
	check := Checker{Replace: replace}
	take := func(decoded []hub.Event) {
		for i := range decoded {
			own, _ := CopyEvent(&decoded[i])
			x.Loose = append(x.Loose, own)
		}
		x.normalized(&check, seq.Push(nil, decoded, 0))
	}
	for _, rec := range x.Records {
		evs, err := dec.Decode(nil, rec)
		x.problem(err)
		take(evs)
	}
	take(dec.Finish(nil, nil))
	x.normalized(&check, seq.Flush(nil, nil))
	x.problem(check.End())
	x.Repairs = seq.Repairs
}

func (x *Translation) normalized(check *Checker, evs []hub.Event) {
	for i := range evs {
		x.problem(check.Event(&evs[i]))
		own, _ := CopyEvent(&evs[i])
		x.Strict = append(x.Strict, own)
		x.Read.Event(&own, hub.Native)
	}
}

// Plain is the text of a string body.
func Plain(body []byte) string { return plain(body) }
