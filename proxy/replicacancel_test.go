package proxy

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestFailureOfAnotherReplica: a failure has the words that it had there; what cannot be read is no reason to hide it.
func TestFailureOfAnotherReplica(t *testing.T) {
	t.Parallel()
	f := failureOf(hub.CodeAgent, `{"note":"A note.","said":"no","status":418,"retry_after":7,"challenge":["Basic"]}`)
	if f.Code != hub.CodeAgent || f.Note != "A note." || f.Said != "no" || f.Status != 418 || f.RetryAfter != 7 || len(f.Challenge) != 1 || f.Cause != nil {
		t.Errorf("whole: %+v", f)
	}
	if f := failureOf(hub.CodeIdle, ""); f.Code != hub.CodeIdle || f.Note != "" || f.Cause != nil {
		t.Errorf("of an earlier version: %+v", f)
	}
	if f := failureOf(hub.CodeIdle, "{broken"); f.Code != hub.CodeIdle || f.Note != "" || f.Cause == nil {
		t.Errorf("unreadable: %+v", f)
	}
}

// TestCancelElsewhere: a run whose stream is its client's alone is ended at another replica by its name, and only by its principal.
func TestCancelElsewhere(t *testing.T) {
	t.Parallel()
	a, _, gone := gatedAgent(t)
	address, token := redisAddress(t), newToken()
	one, two := sharing(t, a, "langgraph", token, address), sharing(t, a, "langgraph", token, address)
	one.call(t, 200, alice, "POST", "/run/threads", `{"thread_id":"t1"}`)
	c := one.dial()
	c.ask("POST", "/run/threads/t1/runs/stream", said("one"), alice)
	resp := c.response()
	_, run, _ := strings.Cut(firstHalf(t, resp), `"run_id":"`)
	run, _, _ = strings.Cut(run, `"`)
	cancel := "/run/threads/t1/runs/" + run + "/cancel"
	two.call(t, 404, bob, "POST", cancel, "")
	if len(gone) > 0 {
		t.Error("another principal has ended it")
	}
	two.call(t, 200, alice, "POST", cancel, "")
	<-gone
	if end := one.awaitEnds(1); end["ending"] != "cancelled" {
		t.Errorf("%v", end)
	}
	await(t, "the end to be known", func() bool {
		c := two.dial()
		defer c.Close()
		c.ask("POST", cancel, "", alice)
		return c.response().StatusCode == 409
	})
}
