package proxy

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/proxy/internal/redistest"
)

// TestWriteAhead: with write: ahead, the store has whatever a client has got.
func TestWriteAhead(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	address := redisAddress(t)
	store := redistest.Client(address)
	defer store.Close()
	r := replicaOf(t, a, "agui", "grace: 1m, write: ahead", storeYAML(address, prefixed(t)+", lease: 1m")) // the run waits for the store for that long
	_, resp, run, had := openAt(t, r)
	entries, err := store.XRange(t.Context(), keyPrefix(t)+"run:"+run, "-", "+").Result()
	if err != nil {
		t.Fatal(err)
	}
	said := ""
	for _, e := range entries {
		said += e.Values["d"].(string)
	}
	if !strings.Contains(had, "Hello") || !strings.Contains(said, "Hello") {
		t.Errorf("the client has\n%s\nand the store\n%s", had, said)
	}
	close(goOn)
	if got := rest(t, resp); !strings.Contains(got, "RUN_FINISHED") {
		t.Errorf("the rest is %s", got)
	}
}

// TestWriteAheadWhileStoreIsAway: a run goes on without its store when that has not answered for the lease.
func TestWriteAheadWhileStoreIsAway(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	line := newCable(t, redisAddress(t))
	r := replica(t, a, "agui", "grace: 1m, write: ahead", line.Addr().String())
	_, resp, _, _ := openAt(t, r)
	line.set(true)
	close(goOn)
	if got := rest(t, resp); !strings.Contains(got, "RUN_FINISHED") {
		t.Errorf("the rest is %s", got)
	}
	if n := r.metric("sabir_resume_store_events_total", "event=lost"); n != 1 {
		t.Errorf("%v runs are lost", n)
	}
}
