package adaptertest

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Fuzz feeds arbitrary bytes to a dialect. Seeds are the wires of its fixtures. The laws: nothing panics or loops; a cut
// changes nothing; decoded events hold valid JSON, and not more of them than bytes; sequenced, they keep the invariants;
// what the dialect's own encoder makes of them is valid and decodes without error; and what every encoder of the registry
// makes of them is JSON in UTF-8, bounded, and does not end well where the stream was cut.
func Fuzz(f *testing.F, d *hub.Dialect) {
	for _, fix := range load(f, d) {
		if fix.hasWire {
			f.Add(fix.wire, uint16(len(fix.wire)/2))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, cut uint16) {
		fix := &fixture{dialect: d, options: d.Defaults(), endGrace: d.EndGrace, wire: data, hasWire: true}
		fix.fuzzDecode(t, int(cut))
		fix.fuzzEncode(t)
		fix.fuzzWriters(t)
	})
}

// Bounds of what a stream of n bytes may cost.
func maxSplits(n int) int { return 2*n + 8 }
func maxEvents(n int) int { return n + 64 }

func (f *fixture) fuzzDecode(t *testing.T, cut int) {
	src := newSource(f)
	whole := decode(src, f.wire)
	if src.splits > maxSplits(len(f.wire)) {
		t.Fatalf("%d bytes cost %d calls of Split", len(f.wire), src.splits)
	}
	f.testValid(t)
	if len(f.dialect.Texts) > 0 {
		f.compareWatchers(t, whole.records)
	}
	if len(f.dialect.TemplateKinds) > 0 {
		f.compareRepeats(t, whole.records)
	}
	cut = min(cut, len(f.wire))
	src.rewind()
	got := decode(src, f.wire[:cut], f.wire[cut:])
	if got.lines != whole.lines || got.errs != whole.errs {
		t.Fatalf("a cut before byte %d gives other events or errors\n%s", cut, diff(whole.lines+whole.errs, got.lines+got.errs))
	}
}

func (f *fixture) fuzzEncode(t *testing.T) {
	decoded, cause := f.decoded(t)
	if n := len(decoded); n > maxEvents(len(f.wire)) {
		t.Fatalf("%d bytes gave %d events", len(f.wire), n)
	}
	p := newPipe(f.dialect.Caps.Has(hub.CapReplace), f.endGrace)
	if f.dialect.NewEncoder != nil {
		p.encodeWith(f.dialect.NewEncoder(f.options), textFraming(f.dialect.Framing)).linear(f.dialect)
	}
	p.push(decoded)
	p.flush(cause)
	if p.err != nil {
		t.Fatalf("the sequenced stream breaks an invariant: %v\n%s", p.err, p.lines)
	}
	f.fuzzAgain(t, p.out)
}

// fuzzAgain decodes what the encoder wrote.
func (f *fixture) fuzzAgain(t *testing.T, out *wire.Out) {
	records, err := splitAll(out.Buf, textFraming(out.Framing()))
	if err == nil {
		err = checkRecords(f.dialect, records)
	}
	if err != nil {
		t.Fatalf("what is encoded is not valid: %v\n%s", err, out.Buf)
	}
	dec := f.dialect.NewDecoder(f.options)
	var evs []hub.Event
	for i, rec := range records {
		if evs, err = dec.Decode(evs[:0], rec); err != nil {
			t.Fatalf("what is encoded is not decoded: record %d: %v\n%s", i+1, err, showRecord(rec))
		}
		for j := range evs {
			if err := Valid(&evs[j]); err != nil {
				t.Fatalf("what is encoded decodes to an event that is not valid: %v\n%s", err, native.Append(nil, &evs[j]))
			}
		}
	}
}
