package proxy

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/proxy/internal/redistest"
)

// deletingBeside is a route as of [deleting], and where its conversations are deleted: there, or at another replica that has the same Redis server.
func deletingBeside(t *testing.T, k *keeper, address, route string) (one, two *rig) {
	t.Helper()
	at := func(more string) *rig {
		return deletingWith(t, k.base()+"/v1", "langgraph", "openai-responses", more, route)
	}
	if address == "" {
		one = at("")
		return one, one
	}
	more := storeYAML(address, prefixed(t))
	return at(more), at(more)
}

// redisIf is the address of a Redis server, if replicas share one.
func redisIf(t *testing.T, shared bool) string {
	t.Helper()
	if !shared {
		return ""
	}
	return redisAddress(t)
}

// slowToCancel is an agent whose runs do not end by themselves, and that takes its time with a cancel.
func slowToCancel(t *testing.T) *keeper {
	k := newKeeper(t, graphAnswer)
	k.hangs, k.cancelTakes = true, 200*time.Millisecond
	return k
}

// cancelledFirst are the requests of a deletion at such an agent.
var cancelledFirst = []string{"POST /v1/threads/s1/runs/r-1/cancel ", "DELETE /v1/threads/s1 "}

// TestRunOfADeletedConversation: a run that is open is cancelled before its session is deleted, also where another replica has it.
func TestRunOfADeletedConversation(t *testing.T) {
	t.Parallel()
	for _, route := range []string{"", "resume: {grace: 1m}"} {
		for _, elsewhere := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s %v", route, elsewhere), func(t *testing.T) {
				t.Parallel()
				k, names := slowToCancel(t), map[string]string{}
				one, two := deletingBeside(t, k, redisIf(t, elsewhere), route)
				id := idIn(t, one.call(t, 200, alice, "POST", "/run/conversations", `{}`))
				c := one.dial()
				c.ask("POST", "/run/responses", `{"model":"helper","stream":true,"input":"one","conversation":"`+id+`"}`, alice)
				body := c.response().Body
				if _, err := body.Read(make([]byte, 1)); err != nil {
					t.Fatal(err)
				}
				k.seen(names)
				two.call(t, 200, alice, "DELETE", "/run/conversations/"+id, "")
				k.wantCalls(t, names, cancelledFirst...)
				if _, err := io.ReadAll(body); err != nil {
					t.Error(err)
				}
				wantDeletions(t, two, 1, 0)
			})
		}
	}
}

// beginAnswer begins an answer of the Responses API, and returns its id.
func beginAnswer(t *testing.T, r *rig) (resp *http.Response, id string) {
	t.Helper()
	c := r.dial()
	c.ask("POST", "/run/responses", `{"model":"helper","stream":true,"input":"one"}`, alice)
	resp = c.response()
	_, id, _ = strings.Cut(halfUntil(t, resp, "response.in_progress"), `"id":"`)
	id, _, _ = strings.Cut(id, `"`)
	return resp, id
}

// TestRunOfADeletedAnswer: an answer that has not ended is cancelled, and its session deleted with it, also where another replica has it.
func TestRunOfADeletedAnswer(t *testing.T) {
	t.Parallel()
	for _, elsewhere := range []bool{false, true} {
		t.Run(fmt.Sprint(elsewhere), func(t *testing.T) {
			t.Parallel()
			k, names := slowToCancel(t), map[string]string{}
			one, two := deletingBeside(t, k, redisIf(t, elsewhere), "")
			resp, id := beginAnswer(t, one)
			k.seen(names)
			two.call(t, 200, alice, "DELETE", "/run/responses/"+id, "")
			k.wantCalls(t, names, cancelledFirst...)
			rest(t, resp)
			wantDeletions(t, two, 1, 0)
			two.call(t, 404, alice, "GET", "/run/responses/"+id, "")
		})
	}
}

// TestDeletionBehindStop: an answer that was stopped just before is deleted when its run is cancelled at the agent, which may take its time.
func TestDeletionBehindStop(t *testing.T) {
	t.Parallel()
	for _, elsewhere := range []bool{false, true} {
		t.Run(fmt.Sprint(elsewhere), func(t *testing.T) {
			t.Parallel()
			k, names := slowToCancel(t), map[string]string{}
			one, two := deletingBeside(t, k, redisIf(t, elsewhere), "")
			resp, id := beginAnswer(t, one)
			k.seen(names)
			one.call(t, 200, alice, "POST", "/run/responses/"+id+"/cancel", "")
			rest(t, resp)
			two.call(t, 200, alice, "DELETE", "/run/responses/"+id, "")
			k.wantCalls(t, names, cancelledFirst...)
			wantDeletions(t, two, 1, 0)
		})
	}
}

// TestRefusedDeletion: a deletion that is refused has no effect: the run of the answer goes on, and no replica is asked about it.
func TestRefusedDeletion(t *testing.T) {
	t.Parallel()
	for _, elsewhere := range []bool{false, true} {
		t.Run(fmt.Sprint(elsewhere), func(t *testing.T) {
			t.Parallel()
			k, names := slowToCancel(t), map[string]string{}
			address := redisIf(t, elsewhere)
			one, two := deletingBeside(t, k, address, "")
			resp, id := beginAnswer(t, one)
			k.seen(names)
			asked := countCancels(t, address)
			two.call(t, 400, alice, "DELETE", "/run/responses/"+id+"?stream=true", "", "in one piece")
			two.call(t, 404, bob, "DELETE", "/run/responses/"+id, "")
			two.call(t, 404, alice, "DELETE", "/run/responses/resp_unknown", "")
			k.wantCalls(t, names)
			if n := asked(); n != 0 {
				t.Errorf("all replicas were asked %d times", n)
			}
			two.call(t, 200, alice, "DELETE", "/run/responses/"+id, "")
			k.wantCalls(t, names, cancelledFirst...)
			rest(t, resp)
			if n := asked(); elsewhere && n != 1 {
				t.Errorf("all replicas were asked %d times about an answer that there is", n)
			}
		})
	}
}

// countCancels counts how often all replicas of a test are asked to cancel runs.
func countCancels(t *testing.T, address string) (asked func() int) {
	t.Helper()
	if address == "" {
		return func() int { return 0 }
	}
	client := redistest.Client(address)
	sub := client.Subscribe(t.Context(), keyPrefix(t)+"cancel:")
	t.Cleanup(func() { _, _ = sub.Close(), client.Close() })
	if _, err := sub.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	n := 0
	return func() int {
		for {
			if _, err := sub.ReceiveTimeout(t.Context(), 50*time.Millisecond); err != nil {
				return n
			}
			n++
		}
	}
}
