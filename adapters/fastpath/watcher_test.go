package fastpath_test

import (
	"fmt"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/fastpath"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestWatcherGoesOn remembers records however long the stream is, as long as some are like the one before. Where none ever is,
// it tries fewer.
func TestWatcherGoesOn(t *testing.T) {
	f := func(name string, repeats int, most int) {
		t.Helper()
		observed := 0
		d := &hub.Dialect{Name: "watched", Texts: []string{"text"}, Observe: func(wire.Record) hub.Observation {
			observed++
			return hub.ObservedStart
		}}
		w := fastpath.NewWatcher(d, d.Defaults())
		for i := range 100 {
			for j := range repeats {
				record := fmt.Sprintf(`{"part":"p%d","text":"%d"}`, i, j)
				if got := w.Observe(wire.Record{Data: []byte(record)}); got != hub.ObservedStart {
					t.Errorf("%s: %s is %v", name, record, got)
				}
				if j > 0 && most == 100 && !fastpath.MatchesPrevious(w) {
					t.Errorf("%s: %s is not like the one before", name, record)
				}
			}
		}
		if observed > most {
			t.Errorf("%s: %d records were looked at, want %d at most", name, observed, most)
		}
	}
	f("each twice", 2, 100)
	f("none twice", 1, 100)
}
