package proxy

import (
	"strings"
	"sync"
	"testing"
)

// TestStoreIsAwayForAll: while Redis is away, whatever is asked of conversations, answers and runs is answered by the same failure, and
// never as if there were none.
func TestStoreIsAwayForAll(t *testing.T) {
	t.Parallel()
	for dialect, asks := range map[string][]string{
		"langgraph": {
			`POST /run/threads {"thread_id":"t2"}`, "GET /run/threads/t1 ", "GET /run/threads/t1/state ", "POST /run/threads/t1/history {}",
			`PATCH /run/threads/t1 {"metadata":{"a":"b"}}`, "DELETE /run/threads/t1 ", "POST /run/threads/search {}", "GET /run/threads/t1/runs ",
			"GET /run/threads/t1/runs/r1 ", "GET /run/threads/t1/runs/r1/join ", "POST /run/threads/t1/runs/r1/cancel ",
			"POST /run/threads/t1/runs/wait " + said("two"),
			`POST /run/threads/t1/commands {"id":1,"method":"run.start","params":{"assistant_id":"agent","input":{"messages":[{"type":"human","content":"hi"}]}}}`,
			`POST /run/threads/t1/stream/events {"channels":["values"]}`,
		},
		"openai-responses": {
			"GET /run/responses/a1 ", "DELETE /run/responses/a1 ", "POST /run/responses/a1/cancel ", "GET /run/responses/a1/input_items ",
			`POST /run/responses {"model":"m","previous_response_id":"a1","input":"two"}`, "POST /run/conversations {}", "GET /run/conversations/c1 ",
			"DELETE /run/conversations/c1 ", "GET /run/conversations/c1/items ",
			`POST /run/conversations/c1/items {"items":[]}`,
		},
	} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, streaming(smallRun))
			line := newCable(t, redisAddress(t))
			r := sharing(t, a, dialect, newToken(), line.Addr().String())
			line.set(true)
			var all sync.WaitGroup // each waits for Redis
			for _, ask := range asks {
				all.Go(func() {
					method, rest, _ := strings.Cut(ask, " ")
					path, body, _ := strings.Cut(rest, " ")
					r.call(t, 503, alice, method, path, body, "store_unavailable")
				})
			}
			all.Wait()
			if n := r.metric("sabir_requests_rejected_total", "code=store_unavailable"); n != float64(len(asks)) || a.connections() != 0 {
				t.Errorf("%v of %d requests are counted, and the agent was asked %d times", n, len(asks), a.connections())
			}
		})
	}
}
