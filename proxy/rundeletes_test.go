package proxy

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// deletingBeside is a route as of [deleting], and where its conversations are deleted: there, or at another replica.
func deletingBeside(t *testing.T, k *keeper, elsewhere bool, route string) (one, two *rig) {
	t.Helper()
	at := func(more string) *rig {
		return deletingWith(t, k.base()+"/v1", "langgraph", "openai-responses", more, route)
	}
	if !elsewhere {
		one = at("")
		return one, one
	}
	more := storeYAML(redisAddress(t), prefixed(t))
	return at(more), at(more)
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
				one, two := deletingBeside(t, k, elsewhere, route)
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

// TestRunOfADeletedAnswer: an answer that has not ended is cancelled, and its session deleted with it, also where another replica has it.
func TestRunOfADeletedAnswer(t *testing.T) {
	t.Parallel()
	for _, elsewhere := range []bool{false, true} {
		t.Run(fmt.Sprint(elsewhere), func(t *testing.T) {
			t.Parallel()
			k, names := slowToCancel(t), map[string]string{}
			one, two := deletingBeside(t, k, elsewhere, "")
			c := one.dial()
			c.ask("POST", "/run/responses", `{"model":"helper","stream":true,"input":"one"}`, alice)
			resp := c.response()
			_, id, _ := strings.Cut(halfUntil(t, resp, "response.in_progress"), `"id":"`)
			id, _, _ = strings.Cut(id, `"`)
			k.seen(names)
			two.call(t, 200, alice, "DELETE", "/run/responses/"+id, "")
			k.wantCalls(t, names, cancelledFirst...)
			rest(t, resp)
			wantDeletions(t, two, 1, 0)
			two.call(t, 404, alice, "GET", "/run/responses/"+id, "")
		})
	}
}
