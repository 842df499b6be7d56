package proxy

import (
	"io"
	"strings"
	"testing"
)

// TestThreadDeletedWhileItRuns: nothing comes back of a conversation that was deleted while a run of it went on, also not in another of its name.
func TestThreadDeletedWhileItRuns(t *testing.T) {
	t.Parallel()
	a, goOn := heldAgent(t)
	r := below(t, a, "langgraph")
	r.call(t, 200, alice, "POST", "/run/threads", `{"thread_id":"t1"}`, `"thread_id":"t1"`)
	c := r.dial()
	c.ask("POST", "/run/threads/t1/runs/stream", said("one"), alice)
	body := c.response().Body
	buf := make([]byte, 1)
	if _, err := body.Read(buf); err != nil {
		t.Fatal(err)
	}
	_, run, _ := strings.Cut(r.call(t, 200, alice, "GET", "/run/threads/t1/runs", "", `"run_id"`), `"run_id":"`)
	run, _, _ = strings.Cut(run, `"`)
	r.call(t, 200, alice, "GET", "/run/threads/t1/runs/"+run, "", `"status":"running"`)
	r.call(t, 200, alice, "DELETE", "/run/threads/t1", "")
	r.call(t, 404, alice, "GET", "/run/threads/t1/runs", "")
	r.call(t, 200, alice, "POST", "/run/threads", `{"thread_id":"t1"}`, `"thread_id":"t1"`)
	goOn()
	if rest, err := io.ReadAll(body); err != nil || !strings.Contains(string(rest), ", world") {
		t.Errorf("%v behind %s", err, rest)
	}
	r.awaitEnds(1)
	r.call(t, 404, alice, "GET", "/run/threads/t1/runs/"+run, "")
	if runs := r.call(t, 200, alice, "GET", "/run/threads/t1/runs", ""); runs != "[]" {
		t.Errorf("a new conversation of that name has the runs %s", runs)
	}
	if state := r.call(t, 200, alice, "GET", "/run/threads/t1/state", ""); strings.Contains(state, "Hello") {
		t.Errorf("what was said stands in a new conversation of that name: %s", state)
	}
}
