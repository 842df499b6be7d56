package proxy

import (
	"fmt"
	"strings"
	"testing"
)

// TestEvictedAtTheStore: what a replica deletes from the store for want of room is counted.
func TestEvictedAtTheStore(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	top := storeYAML(redisAddress(t), prefixedAnew(t)) + "threads: {max: 2}\n"
	r := start(t, strings.Replace(simple(a.url(), top, "", "client: langgraph\nmethods: [GET, POST]\nrequests: {mode: translate}"), "path: /run", "path: /run/*", 1))
	for i := range 5 {
		r.call(t, 200, alice, "POST", fmt.Sprintf("/run/threads/t%d/runs/wait", i), said("one"))
	}
	await(t, "the others to be counted", func() bool { return r.metric("sabir_threads_evicted_total") == 3 })
	if n, bytes := r.metric("sabir_threads"), r.metric("sabir_threads_bytes"); n != 0 || bytes != 0 {
		t.Errorf("%v conversations, %v bytes are remembered here", n, bytes)
	}
}

// TestRoomOfOneClient: a client that begins many conversations loses its own, in memory and in a store that replicas share.
func TestRoomOfOneClient(t *testing.T) {
	t.Parallel()
	for _, store := range []string{"", storeYAML(redisAddress(t), prefixedAnew(t))} {
		a := newAgent(t, streaming(smallRun))
		r := start(t, strings.Replace(simple(a.url(), store+"threads: {per_client: 2}\n", "",
			"client: langgraph\nmethods: [GET, POST]\nrequests: {mode: translate}"), "path: /run", "path: /run/*", 1))
		r.call(t, 200, bob, "POST", "/run/threads/t0/runs/wait", said("one"))
		for i := range 4 {
			r.call(t, 200, alice, "POST", fmt.Sprintf("/run/threads/t%d/runs/wait", i), said("one"))
		}
		for i, want := range []int{404, 404, 200, 200} {
			r.call(t, want, alice, "GET", fmt.Sprintf("/run/threads/t%d/state", i), "")
		}
		r.call(t, 200, bob, "GET", "/run/threads/t0/state", "")
	}
}
