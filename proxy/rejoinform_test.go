package proxy

import (
	"strings"
	"testing"
)

// TestRejoinedTaskHasFormOfRequest: the stream of a task has the version and the binding of who subscribes to it, whatever those of who has begun it,
// also where the request has no body that says so.
func TestRejoinedTaskHasFormOfRequest(t *testing.T) {
	t.Parallel()
	const v1 = alice + "\r\nA2A-Version: 1.0"
	for _, begins := range []string{"message/stream", "SendStreamingMessage"} {
		a, goOn, _ := gatedAgent(t)
		r := resuming(t, a, "a2a", "grace: 1m")
		c := r.dial()
		c.ask("POST", "/run", strings.Replace(a2aMessage("u1", "", "one"), "SendMessage", begins, 1), alice)
		resp := c.response()
		had := firstHalf(t, resp)
		_, id, _ := strings.Cut(had, `"taskId":"`)
		id, _, _ = strings.Cut(id, `"`)
		close(goOn)
		whole := had + rest(t, resp)
		if old := begins == "message/stream"; strings.Contains(whole, `"final":true`) != old || strings.Contains(whole, "TASK_STATE") == old {
			t.Fatalf("%s: %s", begins, whole)
		}
		for _, f := range []struct{ header, method, path, body, want, not string }{
			{v1, "GET", "/tasks/" + id + ":subscribe", "", `data: {"statusUpdate":{`, `"final"`},
			{v1, "POST", "/tasks/" + id + ":subscribe", "{}", `data: {"statusUpdate":{`, `"final"`},
			{alice, "GET", "/v1/tasks/" + id + ":subscribe", "", `"TASK_STATE_COMPLETED"},"final":true}}`, "jsonrpc"},
			{alice, "POST", "/v1/tasks/" + id + ":subscribe", "{}", `"TASK_STATE_COMPLETED"},"final":true}}`, "jsonrpc"},
			{alice, "POST", "", a2aCall("tasks/resubscribe", `"id":"`+id+`"`), `data: {"jsonrpc":"2.0","id":"n 7","result":{"kind":"status-update"`, "TASK_STATE"},
			{alice, "POST", "", a2aCall("SubscribeToTask", `"id":"`+id+`"`), `data: {"jsonrpc":"2.0","id":"n 7","result":{"statusUpdate":{`, `"final"`},
		} {
			if got := r.call(t, 200, f.header, f.method, "/run"+f.path, f.body, f.want); strings.Contains(got, f.not) {
				t.Errorf("begun by %s, %s %s: %s is in %s", begins, f.method, f.path, f.not, got)
			}
		}
	}
}

// TestRunOfCommandIsRejoined: a run that a command has begun is read by a client of the older protocol, too, whose stream has a form of its own.
func TestRunOfCommandIsRejoined(t *testing.T) {
	t.Parallel()
	r := resuming(t, newAgent(t, streaming(smallRun)), "langgraph", "grace: 1m")
	accepted := r.call(t, 200, alice, "POST", "/run/threads/t1/commands", commandOf("run.start", said("one")))
	_, run, _ := strings.Cut(accepted, `"run_id":"`)
	run, _, _ = strings.Cut(run, `"`)
	got := eventsUntil(t, r.events(t, alice, "t1", everyEvent), `"event":"completed"`) // the run is known then
	if !strings.Contains(got, "world") {
		t.Errorf("by the protocol of the command: %s", got)
	}
	r.call(t, 200, alice, "GET", "/run/threads/t1/runs/"+run+"/stream", "", "event: metadata", `"content":"Hello"`, `"content":", world"`, "event: end")
}
