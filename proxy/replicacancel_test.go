package proxy

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/redistest"
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

// TestCancelSilentReplica: where a replica that may have a run does not answer, who ends it learns that this is not known, and may try again. Whoever
// asks about an answer that has ended gets it all the same.
func TestCancelSilentReplica(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	address := redisAddress(t)
	hangs := func(t *testing.T) {
		t.Helper()
		client := redistest.Client(address)
		sub := client.Subscribe(t.Context(), keyPrefix(t)+"cancel:")
		t.Cleanup(func() { _, _ = sub.Close(), client.Close() })
		if _, err := sub.Receive(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for dialect, cancel := range map[string]string{
		"agui":             `/run/agent/default/stop/t-1 {"runId":"r-1"}`,
		"openai-responses": "/run/responses/resp_1/cancel ",
	} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			r := replica(t, a, dialect, "grace: 1m", address)
			path, body, _ := strings.Cut(cancel, " ")
			r.call(t, 404, alice, "POST", path, body)
			ended := ""
			if dialect == "openai-responses" {
				ended = idIn(t, r.call(t, 200, alice, "POST", "/run/responses", `{"model":"m","background":true,"input":"one"}`))
				await(t, "the answer to end", func() bool {
					return strings.Contains(r.call(t, 200, alice, "GET", "/run/responses/"+ended, ""), "completed")
				})
			}
			hangs(t)
			c := r.dial()
			c.ask("POST", path, body, alice)
			resp, got := c.whole()
			if resp.StatusCode != 503 || resp.Header.Get("Retry-After") != "1" || !strings.Contains(got, "replica_silent") {
				t.Errorf("%d, Retry-After %q: %s", resp.StatusCode, resp.Header.Get("Retry-After"), got)
			}
			if ended != "" {
				r.call(t, 200, alice, "POST", "/run/responses/"+ended+"/cancel", "", "completed")
			}
		})
	}
}

// TestCancelUnanswered: likewise where a run is known to go on, by its name: it is not said to have ended.
func TestCancelUnanswered(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	defer close(goOn)
	address, token := redisAddress(t), newToken()
	line := newCable(t, address)
	one, two := sharing(t, a, "langgraph", token, line.Addr().String()), sharing(t, a, "langgraph", token, address)
	one.call(t, 200, alice, "POST", "/run/threads", `{"thread_id":"t1"}`)
	c := one.dial()
	c.ask("POST", "/run/threads/t1/runs/stream", said("one"), alice)
	_, run, _ := strings.Cut(firstHalf(t, c.response()), `"run_id":"`)
	run, _, _ = strings.Cut(run, `"`)
	line.refuse("answers:")
	two.call(t, 503, alice, "POST", "/run/threads/t1/runs/"+run+"/cancel", "", "replica_silent")
}

// TestCancelOfALongName: no run has a name so long that it would be a burden to all replicas, so that none of them is asked about it.
func TestCancelOfALongName(t *testing.T) {
	t.Parallel()
	address := redisAddress(t)
	r := replica(t, newAgent(t, streaming(smallRun)), "agui", "grace: 1m", address)
	asked := countCancels(t, address)
	stop := func(status int, name string) {
		t.Helper()
		r.call(t, status, alice, "POST", "/run/agent/default/stop/t-1", `{"runId":"`+name+`"}`)
	}
	stop(404, strings.Repeat("r", 1<<20))
	if n := asked(); n != 0 {
		t.Errorf("all replicas were asked %d times", n)
	}
	stop(503, "r") // who counts looks like a replica that does not answer
	if n := asked(); n != 1 {
		t.Errorf("all replicas were asked %d times about a short name", n)
	}
}
