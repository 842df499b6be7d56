package proxy

import (
	"io"
	"strings"
	"testing"
	"time"
)

// joinedRun is a run of a LangGraph client's that goes on, and where others wait for its end.
func joinedRun(t *testing.T, resume string) (r *rig, goOn, gone chan struct{}, first *client, join string) {
	t.Helper()
	a, goOn, gone := gatedAgent(t)
	r = resuming(t, a, "langgraph", resume)
	first = r.dial()
	first.ask("POST", "/run/threads/t1/runs/stream", said("hi"), alice)
	resp := first.response()
	firstHalf(t, resp)
	return r, goOn, gone, first, "/run" + resp.Header.Get("Content-Location") + "/join"
}

// TestJoinRun: who joins a run that goes on gets its last state when it has ended, though the client that began it has left.
func TestJoinRun(t *testing.T) {
	t.Parallel()
	r, goOn, _, first, join := joinedRun(t, "grace: 2s") // at another replica the waiting client says three times in it that it is there
	waiting := r.dial()
	waiting.ask("GET", join, "", alice)
	await(t, "the client to wait", func() bool { return r.metric("sabir_streams_open") == 3 })
	first.reset()
	r.call(t, 404, bob, "GET", join, "")
	r.call(t, 404, alice, "GET", strings.Replace(join, "/t1/", "/t2/", 1), "")
	time.Sleep(2500 * time.Millisecond) // longer than the run goes on without a client
	close(goOn)
	resp := waiting.response()
	if got, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != 200 || !strings.HasSuffix(string(got), `"content":"Hello, world"}]}`) {
		t.Errorf("%v, status %d: %s", err, resp.StatusCode, got)
	}
	r.call(t, 200, alice, "GET", join, "", `"content":"Hello, world"}]}`)
	await(t, "no open stream", r.noStreams)
}

// TestJoinRunLeft: one that leaves while it waits does not keep the run.
func TestJoinRunLeft(t *testing.T) {
	t.Parallel()
	r, _, gone, first, join := joinedRun(t, "grace: 100ms, viewers: 2")
	waiting := r.dial()
	waiting.ask("GET", join, "", alice)
	await(t, "the client to wait", func() bool { return r.metric("sabir_streams_open") == 3 })
	r.call(t, 503, alice, "GET", join, "", `"code":"too_many_streams"`)
	first.reset()
	waiting.reset()
	<-gone
	r.awaitEnds(1)
	await(t, "no open stream", r.noStreams)
	r.call(t, 200, alice, "GET", join, "", `"content":"Hello"`)
}

// TestRunWithoutAStream: who joins a run that goes on, and that cannot be read because its answer is one piece, learns that; when it has ended, what came of it.
func TestRunWithoutAStream(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	r := resuming(t, a, "langgraph", "grace: 1m")
	first := r.dial()
	first.ask("POST", "/run/threads/t1/runs/wait", said("hi"), alice)
	await(t, "the run", func() bool { return a.connections() == 1 })
	_, id, _ := strings.Cut(r.call(t, 200, alice, "GET", "/run/threads/t1/runs", ""), `"run_id":"`)
	id, _, _ = strings.Cut(id, `"`)
	join := "/run/threads/t1/runs/" + id + "/join"
	r.call(t, 409, alice, "GET", join, "", `"code":"unsupported"`)
	close(goOn)
	first.whole()
	r.call(t, 200, alice, "GET", join, "", `"content":"Hello, world"}]}`)
}
