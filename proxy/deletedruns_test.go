package proxy

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/proxy/internal/runlog"
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

// TestDeletedIsNotReadAgain: what a client has deleted is not to be had as a run that clients come back to, by none of its names, here or at
// another replica; another run of the name is.
func TestDeletedIsNotReadAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ dialect, ask, body, id, answer, stream string }{
		{"openai-responses", "/run", `{"model":"m","stream":true,"input":"hi"}`, `"id":"resp_`, "/run/responses/resp_ID", "/run/responses/resp_ID?stream=true"},
		{"gemini-interactions", "/run/interactions", `{"model":"m","stream":true,"input":"hi"}`, `"id":"v1_`, "/run/interactions/v1_ID", "/run/interactions/v1_ID?stream=true"},
		{"langgraph", "/run/threads/t1/runs/stream", said("hi"), `"run_id":"`, "/run/threads/t1", "/run/threads/t1/runs/ID/stream"},
	} {
		for _, shared := range []bool{false, true} {
			t.Run(fmt.Sprint(c.dialect, shared), func(t *testing.T) {
				t.Parallel()
				a, client := newAgent(t, streaming(smallRun)), c.dialect+"\nmethods: [GET, POST, DELETE]"
				one := resuming(t, a, client, "grace: 1m")
				two := one
				if shared {
					address := redisAddress(t)
					one, two = replica(t, a, client, "grace: 1m", address), replica(t, a, client, "grace: 1m", address)
				}
				begin := func() (stream, token string) {
					cl := one.dial()
					cl.ask("POST", c.ask, c.body, alice)
					resp, body := cl.whole()
					_, id, _ := strings.Cut(body, c.id)
					id, _, _ = strings.Cut(id, `"`)
					return strings.Replace(c.stream, "ID", id, 1), resp.Header.Get(runHeader)
				}
				if c.dialect == "langgraph" {
					one.call(t, 200, alice, "POST", "/run/threads", `{"thread_id":"t1"}`)
				}
				stream, token := begin()
				if shared {
					two.awaitRun(t, token)
				}
				two.call(t, 200, alice, "GET", stream, "", "world")
				_, id, _ := strings.Cut(strings.TrimSuffix(stream, "?stream=true"), "_")
				two.call(t, 200, alice, "DELETE", strings.Replace(c.answer, "ID", id, 1), "")
				for _, r := range []*rig{one, two} {
					r.call(t, 404, alice, "GET", stream, "")
				}
				two.call(t, 404, alice+"\r\nX-Sabir-Run: "+token, "GET", "/run", "")
				if c.dialect == "langgraph" {
					one.call(t, 200, alice, "POST", "/run/threads", `{"thread_id":"t1"}`)
				}
				again, token := begin()
				if shared {
					two.awaitRun(t, token)
				}
				two.call(t, 200, alice, "GET", again, "", "world")
			})
		}
	}
}

// deletedAtItsEnd is a store of runs in which each is deleted just before it is noted how it has ended.
type deletedAtItsEnd struct {
	runlog.Store
	noted chan bool
}

func (s deletedAtItsEnd) Put(key runlog.Key, run runlog.Run) error {
	if !run.Ended {
		return s.Store.Put(key, run)
	}
	return s.late(s.Store.Put, key, run)
}

func (s deletedAtItsEnd) Replace(key runlog.Key, run runlog.Run) error {
	return s.late(s.Store.Replace, key, run)
}

func (s deletedAtItsEnd) late(note func(runlog.Key, runlog.Run) error, key runlog.Key, run runlog.Run) error {
	defer func() { s.noted <- true }()
	_ = s.Drop(key)
	return note(key, run)
}

// TestRunDeletedAsItEnds: likewise of one that was deleted in the moment in which its run ends, and of a run that waits and is deleted in the
// moment in which it is cancelled.
func TestRunDeletedAsItEnds(t *testing.T) {
	t.Parallel()
	waits := lines(lineStart, `{"kind":"ask","id":"q1","what":"question","title":"Which city?"}`, `{"kind":"run.end","status":"paused"}`)
	r := below(t, newAgent(t, streaming(waits)), "langgraph")
	var id string
	await(t, "a run that waits", func() bool { // a little later than its end is in the log
		if id == "" {
			r.call(t, 200, alice, "POST", "/run/threads/t1/runs/stream", said("weather"), "Which city?")
		}
		runs := r.call(t, 200, alice, "GET", "/run/threads/t1/runs", "")
		_, id, _ = strings.Cut(runs, `"run_id":"`)
		id, _, _ = strings.Cut(id, `"`)
		return strings.Contains(runs, `"status":"interrupted"`)
	})
	late := deletedAtItsEnd{r.kept.runs, make(chan bool, 2)}
	if r.kept.runs = late; r.Reload(r.cfg) != nil {
		t.Fatal("the configuration is refused")
	}
	r.call(t, 404, alice, "POST", "/run/threads/t1/runs/"+id+"/cancel", "", "run_unknown")
	r.call(t, 200, alice, "POST", "/run/threads/t2/runs/stream", said("weather"), "Which city?")
	for range 2 {
		<-late.noted
	}
	for _, thread := range []string{"t1", "t2"} {
		if runs := r.call(t, 200, alice, "GET", "/run/threads/"+thread+"/runs", ""); runs != "[]" {
			t.Errorf("there is again %s", runs)
		}
	}
}
