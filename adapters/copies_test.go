package adapters_test

import (
	"bytes"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/fastpath"
	"github.com/sabir-proxy/sabir/adapters/hub"
	framing "github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// TestCopies is SX-2, S0-23, S1-42, S2-67 and S3-5 where both sides speak the same: what comes out is what went in, byte for
// byte, with unknown types, unknown members and records that cannot be decoded, however it is cut. A stream ends with its
// terminal record; one that has none gets a failure behind it.
func TestCopies(t *testing.T) {
	for _, d := range founders(t) {
		t.Run(d.Name, func(t *testing.T) {
			unknown := false
			for _, s := range fixturesOf(t, d) {
				if s.Wire != nil {
					checkCopy(t, s)
					unknown = unknown || hasRaw(s)
				}
			}
			if !unknown {
				t.Error("no fixture has a record of an unknown type")
			}
		})
	}
}

func hasRaw(s *adaptertest.Stream) bool {
	for i := range s.Loose {
		if s.Loose[i].Kind == hub.Raw {
			return true
		}
	}
	return false
}

func checkCopy(t *testing.T, s *adaptertest.Stream) {
	t.Helper()
	want := upToEnd(s)
	for _, size := range []int{len(s.Wire) + 1, 1, 7} {
		got, failed := copied(s, size)
		switch rest, same := bytes.CutPrefix(got, want); {
		case !same:
			t.Errorf("%s in pieces of %d bytes: something else comes out\n%s\nwant\n%s", s.Name, size, got, want)
		case failed && len(rest) == 0:
			t.Errorf("%s in pieces of %d bytes: has no end, and gets none", s.Name, size)
		case !failed && len(rest) > 0 && (isComplete(want) || len(bytes.TrimLeft(rest, "\n")) > 0):
			t.Errorf("%s in pieces of %d bytes: something is added: %q", s.Name, size, rest)
		}
	}
}

// isComplete reports whether the last record has its end: fixtures leave out the blank line behind a last event, and the end
// of a last line that the upstream has not sent. Clients get it.
func isComplete(wire []byte) bool {
	return bytes.HasSuffix(wire, []byte("\n\n")) || wire[0] == '{' && bytes.HasSuffix(wire, []byte("\n"))
}

// upToEnd is the wire up to the record that ends the run, or all of it where something may follow that; without a last record
// that is cut.
func upToEnd(s *adaptertest.Stream) []byte {
	split, watch := framing.NewSplitter(s.Framing, 0), fastpath.NewWatcher(s.Dialect, s.Options)
	for at := 0; ; {
		rec, n, err := split.Split(s.Wire[at:], true)
		if n == 0 || err != nil {
			return s.Wire[:at]
		}
		at += n
		if rec.Data != nil && watch.Observe(rec) == hub.ObservedEnd && s.Dialect.EndGrace == 0 {
			return s.Wire[:at]
		}
	}
}

// copied passes the wire in pieces; failed tells that it had no good end.
func copied(s *adaptertest.Stream, size int) (out []byte, failed bool) {
	c := engine.NewCodec(engine.Config{
		From: s.Dialect, To: s.Dialect, FromOptions: s.Options, ToOptions: s.Options, Framing: s.Framing, EndGrace: s.Dialect.EndGrace,
	}, framing.Auto)
	var buf []byte
	for rest := s.Wire; ; {
		n := min(size, len(rest))
		buf, rest = append(buf, rest[:n]...), rest[n:]
		for {
			used, err := c.Feed(buf, len(rest) == 0)
			if err != nil {
				f, _ := err.(*hub.Failure)
				out = append(out, c.Take()...)
				return append(out, finish(c, f)...), true
			}
			out, buf = append(out, c.Take()...), buf[used:]
			if used == 0 {
				break
			}
		}
		if len(rest) == 0 {
			break
		}
	}
	failed = c.Finish(nil) != nil
	return append(out, c.Take()...), failed
}

func finish(c *engine.Codec, f *hub.Failure) []byte {
	_ = c.Finish(f)
	return c.Take()
}
