package adaptertest

import (
	"bytes"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/fastpath"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// testTexts holds a dialect to its promise (see [hub.Dialect.Texts]): with the records of the fixture, each of which is
// followed by others that differ in one such text alone, in what may vary, and by such of the records before it, the watcher that skips those says what the bare one says.
func (f *fixture) testTexts(t testing.TB) {
	if len(f.dialect.Texts) == 0 {
		return
	}
	var all, open []wire.Record
	for _, rec := range decode(newSource(f), f.wire).records {
		all = append(all, rec)
		for _, name := range f.dialect.Texts {
			_, after, ok := bytes.Cut(rec.Data, []byte(`"`+name+`":"`))
			if !ok {
				continue
			}
			before := rec.Data[:len(rec.Data)-len(after)]
			for _, text := range odd {
				other := copyRecord(rec)
				other.Data = append(append(append([]byte{}, before...), text...), after...)
				all = append(append(all, other), open...)
			}
			all = f.vary(all, rec)
			open = append(open, rec)
			open = open[max(0, len(open)-maxOpen):]
		}
	}
	f.compareWatchers(t, all)
}

// compareWatchers shows records to a watcher that skips what differs in its text alone, and to one that skips nothing.
func (f *fixture) compareWatchers(t testing.TB, records []wire.Record) {
	t.Helper()
	bare := *f.dialect
	bare.Texts = nil
	all, some := fastpath.NewWatcher(&bare, f.options), fastpath.NewWatcher(f.dialect, f.options)
	for i, rec := range records {
		want, own := all.Observe(rec), copyRecord(rec)
		if rec.Event == nil {
			own.Event = nil
		}
		if rec.ID == nil {
			own.ID = nil
		}
		got := some.Observe(own)
		Overwrite(own.Data)
		Overwrite(own.Event)
		if got != want || some.EndsWithBody() != all.EndsWithBody() {
			t.Fatalf("record %d is observed as %d (%t), want %d (%t)\n%s", i+1, got, some.EndsWithBody(), want, all.EndsWithBody(), showRecord(rec))
		}
		if want == hub.ObservedEnd {
			return
		}
	}
}
