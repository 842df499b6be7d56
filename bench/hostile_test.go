package bench_test

import (
	"encoding/json"
	"errors"
	"maps"
	"runtime"
	"slices"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/bench"
)

// hostileThings is how many things the smaller of two hostile inputs has.
const hostileThings = 100

// mostGrowth is by how much more the memory may grow than the input: lists that grow by a quarter are copied more often than those that double.
// What grows with the square grows [bench.HostileTimes] times more.
const mostGrowth = 3

// allocated is how many bytes something allocates.
func allocated(do func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// checkGrowth compares what two inputs need, of which the second is [bench.HostileTimes] times as large.
func checkGrowth(t *testing.T, name string, less, more int) {
	t.Helper()
	if more > mostGrowth*bench.HostileTimes*(less+4096) {
		t.Errorf("%s: needs %d bytes, and %d for %d times as much", name, less, more, bench.HostileTimes)
	}
}

// TestHostileRequests: what is written, and what is needed for that, is bounded by what was sent, and grows with it.
func TestHostileRequests(t *testing.T) {
	for _, kind := range slices.Sorted(maps.Keys(bench.Hostile)) {
		for _, pair := range bench.HostilePairs() {
			name := kind + ", " + pair[0].Name + " to " + pair[1].Name
			less := translateHostile(t, name, kind, pair, hostileThings)
			more := translateHostile(t, name, kind, pair, bench.HostileTimes*hostileThings)
			checkGrowth(t, name, less, more)
		}
	}
}

// translateHostile returns how many bytes it needs to translate a request.
func translateHostile(t *testing.T, name, kind string, pair [2]*hub.Dialect, n int) (used int) {
	t.Helper()
	var refused *hub.Error
	body, err := bench.HostileRequest(kind, pair[0], n)
	if errors.As(err, &refused) {
		return 0 // the dialect has no form for it
	}
	if err != nil || !json.Valid(body) {
		t.Fatalf("%s: this is no JSON (%v): %.200s", name, err, body)
	}
	var out []byte
	used = allocated(func() { out, err = bench.Translate(pair[0], pair[1], body) })
	if err != nil && !errors.As(err, &refused) {
		t.Errorf("%s: %v", name, err)
	}
	if most := 64*len(body) + 4096; len(out) > most {
		t.Errorf("%s: %d bytes became %d", name, len(body), len(out))
	}
	if used > 300*len(body)+4096 {
		t.Errorf("%s: %d bytes needed %d", name, len(body), used)
	}
	return used
}

// TestHostileRuns: what is needed to translate a run, and to keep it as a conversation, grows with it.
func TestHostileRuns(t *testing.T) {
	for _, kind := range bench.HostileRunKinds() {
		for _, pair := range bench.HostileRunPairs() {
			name := kind + ", " + pair[0].Name + " to " + pair[1].Name
			less := passHostile(t, name, kind, pair, hostileThings)
			checkGrowth(t, name, less, passHostile(t, name, kind, pair, bench.HostileTimes*hostileThings))
		}
	}
}

// passHostile returns how many bytes a run needs.
func passHostile(t *testing.T, name, kind string, pair [2]*hub.Dialect, n int) (used int) {
	t.Helper()
	do, err := bench.HostileWork(pair[0], pair[1], kind, n)
	if err != nil {
		t.Fatal(err)
	}
	used = allocated(func() { err = do() })
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return used
}
