package declared_test

import (
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestClaims: what an encoder says that it has carried, its own decoder finds again. The events are those of all fixtures
// of all dialects.
func TestClaims(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(here, "../*/testdata/*.txtar"))
	own, _ := filepath.Glob(filepath.Join(here, "testdata/*/*.txtar"))
	if paths = append(paths, own...); err != nil || len(paths) < 100 {
		t.Fatalf("%d fixtures: %v", len(paths), err)
	}
	all := map[string]*hub.Dialect{"agentevent": example(t, "agentevent")}
	for name := range dialects {
		all[name] = load(t, name)
	}
	for name, d := range all {
		t.Run(name, func(t *testing.T) {
			for _, p := range paths {
				if evs := fixtureEvents(t, p); len(evs) > 0 {
					checkClaims(t, d, p, evs)
				}
			}
		})
	}
}

// fixtureEvents returns the decoded events of a fixture.
func fixtureEvents(t *testing.T, path string) []hub.Event {
	t.Helper()
	f, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	evs, err := adaptertest.Events([]byte(section(f, "events")))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return evs
}

func checkClaims(t *testing.T, d *hub.Dialect, path string, decoded []hub.Event) {
	t.Helper()
	var sent, back adaptertest.Meaning
	enc, out := d.NewEncoder(d.Defaults()), wire.NewOut(wire.SSE)
	sequence(d, decoded, func(ev *hub.Event) { sent.Event(ev, enc.Encode(out, ev)) })
	enc.Finish(out)
	var again []hub.Event
	dec, split := d.NewDecoder(d.Defaults()), wire.NewSplitter(wire.SSE, 0)
	for buf := out.Buf; ; {
		rec, n, err := split.Split(buf, true)
		if err != nil || n == 0 {
			break
		}
		buf = buf[n:]
		evs, err := dec.Decode(nil, rec)
		if err != nil {
			t.Errorf("%s: its own decoder does not read %s: %v", path, rec.Data, err)
		}
		again = append(again, ownEvents(evs)...)
	}
	sequence(d, again, func(ev *hub.Event) { back.Event(ev, hub.Native) })
	for _, fault := range sent.Compare(&back) {
		t.Errorf("%s: %s\n%s", path, fault, out.Buf)
	}
}

// sequence makes a stream normalized.
func sequence(d *hub.Dialect, decoded []hub.Event, f func(*hub.Event)) {
	seq := sequencer.New(sequencer.Config{Replace: d.Caps.Has(hub.CapReplace), EndGrace: d.EndGrace})
	for _, normalized := range [][]hub.Event{ownEvents(seq.Push(nil, decoded, 0)), ownEvents(seq.Flush(nil, nil))} {
		for i := range normalized {
			f(&normalized[i])
		}
	}
}
