package engine_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// joins are how many places of a log a late client of each dialect comes at.
const joins = 3

// TestSnapshot holds what a late client gets, for every recorded stream and every dialect of a client: records that can be read, nothing
// that the encoder claims is missing, and behind any record the rest of them when it comes back.
func TestSnapshot(t *testing.T) {
	eachLog(t, func(t *testing.T, s *adaptertest.Stream, log []byte) {
		for _, at := range joinsOf(log) {
			late := slices.Concat(engine.Snapshot(log[:at]), log[at:])
			testSnapshotFold(t, s, log, late, at)
			for _, to := range adapters.All() {
				if to.NewEncoder != nil {
					testSnapshotFor(t, s, to, late, at)
				}
			}
		}
	})
}

// joinsOf are some ends of lines, the last one among them.
func joinsOf(log []byte) (all []int) {
	lines := slices.Collect(bytes.Lines(log))
	at := 0
	for i, line := range lines {
		if at += len(line); i%(1+len(lines)/joins) == len(lines)/joins/2 || i == len(lines)-1 {
			all = append(all, at)
		}
	}
	return all
}

func testSnapshotFold(t *testing.T, s *adaptertest.Stream, log, late []byte, at int) {
	t.Helper()
	want, got := conversation.Fold(nil, sequenced(t, log)), conversation.Fold(nil, sequenced(t, late))
	if a, b := show(want), show(got); a != b {
		t.Errorf("%s, who comes behind %d bytes: folded to\n%s\nand not to\n%s", s.Name, at, b, a)
	}
}

func show(ms []hub.Message) string {
	return adaptertest.Lines(conversation.Unfold(nil, ms))
}

// sequenced are the normalized events of a log.
func sequenced(t *testing.T, log []byte) (all []hub.Event) {
	t.Helper()
	dec, seq := native.Dialect.NewDecoder(native.Dialect.Defaults()), sequencer.New(sequencer.Config{Replace: true})
	take := func(evs []hub.Event) {
		for i := range evs {
			all = append(all, evs[i].Clone())
		}
	}
	for line := range bytes.Lines(log) {
		evs, err := dec.Decode(nil, wire.Record{Data: bytes.TrimSpace(line)})
		if err != nil {
			t.Fatal(err)
		}
		take(seq.Push(nil, evs, 0))
	}
	take(seq.Flush(nil, nil))
	return all
}

func testSnapshotFor(t *testing.T, s *adaptertest.Stream, to *hub.Dialect, late []byte, at int) {
	t.Helper()
	whole := view(to, late, 0)
	for _, skip := range cuts(whole.Records)[:min(2, whole.Records)] {
		if err := checkRest(to, whole.Buf, view(to, late, int64(skip)).Buf, skip); err != nil {
			t.Fatalf("%s to %s, who comes behind %d bytes: %v", s.Name, to.Name, at, err)
		}
	}
	if to.NewDecoder == nil {
		return
	}
	read := adaptertest.Stream{Dialect: &native.Dialect, Loose: sequenced(t, late)}
	x := read.Translate(to, to.Defaults())
	for _, problem := range slices.Concat(x.Problems, x.Meaning.Compare(&x.Read)) {
		t.Errorf("%s to %s, who comes behind %d bytes: %s", s.Name, to.Name, at, problem)
	}
}
