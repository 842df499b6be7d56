package adaptertest

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Run tests a dialect with the fixtures of its package: see the package comment for what they hold.
//
// Decoding gives the same events whole, cut anywhere, with each record overwritten after use, and again after a Reset.
// Sequenced, they keep the invariants. The dialect's own encoder gives the wire back, byte for byte. Every encoder in
// the registry makes valid records of them in each of its framings; where it can be decoded, with the same meaning, as
// far as its dispositions claim. An end that says how a stream failed may be all that an encoder gets.
func Run(t *testing.T, d *hub.Dialect) {
	testDescription(t, d)
	t.Run("failures", func(t *testing.T) { testFailures(t, d) })
	t.Run("tool ends", func(t *testing.T) { testToolEnds(t, d) })
	fixtures := load(t, d)
	t.Run("leftovers", func(t *testing.T) { testLeftovers(t, fixtures) })
	t.Run("leftovers of the encoder", func(t *testing.T) { testEncoderLeftovers(t, d, fixtures) })
	for _, f := range fixtures {
		t.Run(f.name, func(t *testing.T) {
			if f.hasWire {
				f.testDecode(t)
				f.testRepeats(t)
				f.testTexts(t)
				t.Run("changes", f.testStreamChanges)
			}
			f.testStrict(t)
			f.testEncode(t)
			t.Run("snapshot", f.testSnapshot)
			if *update {
				f.save(t)
			}
			f.testCross(t)
		})
	}
}

// decoded is what came out of one pass of a wire.
type decoded struct {
	lines   string
	errs    string
	cause   error
	records []wire.Record
	framing wire.Framing
}

// decode passes the wire through src in these pieces.
func decode(src *source, pieces ...[]byte) *decoded {
	out := &decoded{}
	var lines []byte
	src.sink = func(evs []hub.Event) {
		for i := range evs {
			lines = append(native.Append(lines, &evs[i]), '\n')
		}
	}
	src.record = func(rec wire.Record) {
		out.records = append(out.records, copyRecord(rec))
	}
	src.run(pieces...)
	out.lines, out.errs, out.cause = string(lines), strings.Join(src.errs, ""), src.cause
	if d, ok := src.split.(wire.Detector); ok {
		out.framing = d.Framing()
	}
	return out
}

func copyRecord(rec wire.Record) wire.Record {
	return wire.Record{Event: append([]byte(nil), rec.Event...), ID: append([]byte(nil), rec.ID...), Data: append([]byte{}, rec.Data...)}
}

// decoded returns the events that the fixture begins with or decodes to, and the cause of the end.
func (f *fixture) decoded(t testing.TB) ([]hub.Event, error) {
	t.Helper()
	if !f.hasWire {
		return f.events(t), nil
	}
	var all []hub.Event
	src := newSource(f)
	src.sink = func(evs []hub.Event) {
		for i := range evs {
			own, _ := CopyEvent(&evs[i])
			all = append(all, own)
		}
	}
	src.run(f.wire)
	return all, src.cause
}

func (f *fixture) testDecode(t *testing.T) {
	src := newSource(f)
	whole := decode(src, f.wire)
	t.Run("decode", func(t *testing.T) {
		f.expect(t, "events", whole.lines)
		f.expect(t, "error", whole.errs)
		f.testValid(t)
	})
	same := func(t *testing.T, how string, got *decoded) bool {
		t.Helper()
		if got.lines != whole.lines || got.errs != whole.errs {
			t.Errorf("%s gives other events or errors than whole\n%s", how, diff(whole.lines+whole.errs, got.lines+got.errs))
			return false
		}
		return true
	}
	t.Run("reset", func(t *testing.T) {
		src.rewind()
		same(t, "decoding again after Reset", decode(src, f.wire))
	})
	t.Run("overwritten", func(t *testing.T) {
		src := newSource(f)
		src.overwrite = true
		same(t, "decoding records that are overwritten after use", decode(src, f.wire))
	})
	t.Run("cut", func(t *testing.T) { f.testCuts(t, same) })
}

// testValid checks that decoded events hold only valid JSON.
func (f *fixture) testValid(t *testing.T) {
	t.Helper()
	src := newSource(f)
	src.sink = func(evs []hub.Event) {
		for i := range evs {
			if err := readable(&evs[i]); err != nil {
				t.Errorf("%s: %v", native.Append(nil, &evs[i]), err)
			}
		}
	}
	src.run(f.wire)
}

// Large wires are cut at fewer places, so that a fixture costs about as much as decoding this many bytes.
const (
	cutAll    = 4 << 10
	cutBudget = 8 << 20
	cutLeast  = 32
)

// cutStep is the distance between cuts in a wire of n bytes. It is odd, so that cuts drift through lines of equal
// length.
func cutStep(n int) int {
	all, budget := cutAll, cutBudget
	if raceEnabled || testing.Short() { // the race detector makes everything cost ten times as much
		all, budget = all/8, budget/8
	}
	if n <= all {
		return 1
	}
	return max(1, n/max(cutLeast, budget/n)) | 1
}

func (f *fixture) testCuts(t *testing.T, same func(*testing.T, string, *decoded) bool) {
	if f.framing == wire.WebSocket {
		return // what is read at once is one record
	}
	src := newSource(f)
	bytewise := make([][]byte, len(f.wire))
	for i := range f.wire {
		bytewise[i] = f.wire[i : i+1]
	}
	if !same(t, "decoding byte by byte", decode(src, bytewise...)) {
		return
	}
	for i := 1; i < len(f.wire); i += cutStep(len(f.wire)) {
		src.rewind()
		got := decode(src, f.wire[:i], f.wire[i:])
		if !same(t, "decoding with a cut before byte "+itoa(i), got) {
			return
		}
	}
}

func (f *fixture) testStrict(t *testing.T) {
	t.Run("normalized", func(t *testing.T) {
		decoded, cause := f.decoded(t)
		p := newPipe(f.dialect.Caps.Has(hub.CapReplace), f.endGrace)
		p.push(decoded)
		p.flush(cause)
		if p.err != nil {
			t.Errorf("the sequenced stream breaks an invariant: %v\n%s", p.err, p.lines)
		}
		if f.section("normalized") != nil {
			f.expect(t, "normalized", string(p.lines))
		}
		if f.hasWire {
			f.testStrictOverwritten(t, string(p.lines))
		}
	})
}

// testStrictOverwritten sequences record by record, with everything overwritten as soon as it may be.
func (f *fixture) testStrictOverwritten(t *testing.T, want string) {
	t.Helper()
	p := newPipe(f.dialect.Caps.Has(hub.CapReplace), f.endGrace)
	p.overwrite = true
	src := newSource(f)
	src.overwrite = true
	src.sink = p.push
	src.run(f.wire)
	p.flush(src.cause)
	if got := string(p.lines); got != want {
		t.Errorf("sequencing record by record, overwritten after use, gives other events\n%s", diff(want, got))
	}
}

func (f *fixture) testCross(t *testing.T) {
	for _, target := range adapters.All() {
		if target.NewEncoder != nil {
			t.Run("to "+target.Name, func(t *testing.T) { f.testTo(t, target) })
		}
	}
	t.Run("writers", f.testWriters)
	if f.hasWire {
		t.Run("copy", func(t *testing.T) { f.testCopy(t) })
		t.Run("observe", func(t *testing.T) { f.testObserve(t) })
		t.Run("keep-alive", func(t *testing.T) { f.testKeepAlive(t) })
	}
}
