package adaptertest

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// testEncode compares what the dialect's own encoder writes with the wire, or with the section again.
func (f *fixture) testEncode(t *testing.T) {
	if f.dialect.NewEncoder == nil {
		return
	}
	t.Run("encode", func(t *testing.T) {
		if f.section("again") == nil && !*update {
			f.testWireAgain(t)
			return
		}
		if *update && f.wireComesBack(t) {
			f.setSection("again", nil)
			return
		}
		f.expect(t, "again", string(f.encode(t, textFraming(f.dialect.Framing))))
	})
	t.Run("encode overwritten", func(t *testing.T) {
		framing := textFraming(f.dialect.Framing)
		enc := f.dialect.NewEncoder(f.options)
		want := string(f.encodeWith(t, enc, framing, false))
		enc.Reset()
		if got := string(f.encodeWith(t, enc, framing, false)); got != want {
			t.Errorf("after Reset, the encoder writes other records\n%s", diff(want, got))
		}
		enc.Reset()
		if got := string(f.encodeWith(t, enc, framing, true)); got != want {
			t.Errorf("with events overwritten after Encode, it writes other records\n%s", diff(want, got))
		}
	})
}

// textFraming is f where it can stand in a fixture, and one that can elsewhere.
func textFraming(f wire.Framing) wire.Framing {
	switch f {
	case wire.SSE, wire.Concat:
		return f
	case wire.AmazonEventStream:
		return wire.SSE // which has names as well
	}
	return wire.NDJSON
}

// encode writes the normalized events with the dialect's own encoder.
func (f *fixture) encode(t testing.TB, framing wire.Framing) []byte {
	t.Helper()
	return f.encodeWith(t, f.dialect.NewEncoder(f.options), framing, false)
}

func (f *fixture) encodeWith(t testing.TB, enc hub.Encoder, framing wire.Framing, overwrite bool) []byte {
	t.Helper()
	decoded, cause := f.decoded(t)
	p := newPipe(f.dialect.Caps.Has(hub.CapReplace), f.endGrace).encodeWith(enc, framing).linear(f.dialect)
	p.overwrite = overwrite
	for i := range decoded {
		p.push(decoded[i : i+1])
	}
	p.flush(cause)
	out := p.out.Buf
	if n := len(out); n > 0 && out[n-1] != '\n' {
		out = append(out, '\n') // sections of a fixture end so
	}
	return out
}

// wireComesBack reports whether the encoder gives the records of the wire.
func (f *fixture) wireComesBack(t *testing.T) bool {
	t.Helper()
	if !f.hasWire {
		return false
	}
	want := decode(newSource(f), f.wire)
	got := f.encodedRecords(t, want.framing)
	return compareRecords(want.records, got) == ""
}

func (f *fixture) testWireAgain(t *testing.T) {
	t.Helper()
	if !f.hasWire {
		t.Errorf("%s: a fixture without a wire needs a section again (write it with -update)", f.path)
		return
	}
	want := decode(newSource(f), f.wire)
	if fault := compareRecords(want.records, f.encodedRecords(t, want.framing)); fault != "" {
		t.Errorf("%s: the wire does not come back; if that is right, write a section again with -update\n%s", f.path, fault)
	}
}

func (f *fixture) encodedRecords(t *testing.T, framing wire.Framing) []wire.Record {
	t.Helper()
	framing = textFraming(framing)
	records, err := splitAll(f.encode(t, framing), framing)
	if err != nil {
		t.Fatalf("%s: the encoder writes records that cannot be split: %v", f.path, err)
	}
	return records
}
