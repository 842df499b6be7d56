package proxy

import (
	"io"
	"strings"
	"testing"
)

// said is the body of a run that says something in a thread.
func said(text string) string {
	return `{"assistant_id":"helper","input":{"messages":[{"type":"human","id":"u-` + text + `","content":"` + text + `"}]},"stream_mode":["messages-tuple"],"if_not_exists":"create"}`
}

// TestLangGraphRuns: the runs of a thread can be listed, asked for and waited for; what is not offered is refused.
func TestLangGraphRuns(t *testing.T) {
	t.Parallel()
	agent := newAgent(t, streaming(smallRun))
	r := below(t, agent, "langgraph")
	get := func(path string, want ...string) string {
		t.Helper()
		return r.call(t, 200, alice, "GET", "/run"+path, "", want...)
	}
	stream := r.call(t, 200, alice, "POST", "/run/threads/t1/runs/stream", said("one"), "Hello")
	_, id, _ := strings.Cut(stream, `"run_id":"`)
	id, _, _ = strings.Cut(id, `"`)
	one := []string{`"run_id":"` + id + `"`, `"thread_id":"t1"`, `"assistant_id":"helper"`, `"status":"success"`}
	get("/threads/t1/runs", one...)
	get("/threads/t1/runs/"+id, one...)
	if got := get("/threads/t1/runs?status=error"); got != "[]" {
		t.Errorf("runs that failed: %s", got)
	}
	get("/threads/t1/runs/"+id+"/join", `{"messages":[{"type":"human","id":"u-one","content":"one"},{"type":"ai",`, `"content":"Hello, world"}]}`)
	get("/threads/t1/runs/"+id+"/stream", "event: end\ndata: {\"run_id\":\""+id+`","status":"success"}`)
	r.call(t, 409, alice, "POST", "/run/threads/t1/runs/"+id+"/cancel", "", `"code":"run_ended"`)
	r.call(t, 200, alice, "POST", "/run/threads/t1/runs/wait", said("two"), `{"messages":[{"type":"human","id":"u-one","content":"one"},`, `"content":"two"},{"type":"ai",`)
	r.call(t, 200, alice, "POST", "/run/runs/wait", said("alone"), `{"messages":[{"type":"human","id":"u-alone","content":"alone"},{"type":"ai",`)
	if got := get("/threads/t1/runs"); strings.Count(got, `"run_id"`) != 2 {
		t.Errorf("runs: %s", got)
	}
	if got := get("/threads/t1/runs?limit=1&offset=1", one...); strings.Count(got, `"run_id"`) != 1 {
		t.Errorf("runs: %s", got)
	}
	r.call(t, 404, alice, "GET", "/run/threads/t1/runs/none", "", `"code":"run_unknown"`)
	r.call(t, 404, alice, "GET", "/run/threads/none/runs", "")
	r.call(t, 404, alice, "GET", "/run/threads/none/runs/"+id, "")
	r.call(t, 400, alice, "POST", "/run/threads/t1/state", `{"values":{}}`, `"code":"unsupported"`)
	r.call(t, 400, alice, "POST", "/run/threads/t1/runs", said("later"), `"code":"unsupported"`)
}

// TestLangGraphAssistants: there is one, by the name of the agent, and the server says that it is there.
func TestLangGraphAssistants(t *testing.T) {
	t.Parallel()
	agent := newAgent(t, streaming(smallRun))
	r := below(t, agent, "langgraph")
	const one = `{"assistant_id":"helper","graph_id":"helper","name":"helper","description":"It helps.",`
	r.call(t, 200, alice, "POST", "/run/assistants/search", `{"limit":10}`, "["+one)
	r.call(t, 200, alice, "GET", "/run/assistants/helper", "", one)
	r.call(t, 200, alice, "GET", "/run/assistants/agent", "", one)
	r.call(t, 404, alice, "GET", "/run/assistants/other", "")
	r.call(t, 200, alice, "GET", "/run/ok", "", `{"ok":true}`)
	r.call(t, 200, alice, "GET", "/run/info", "", `"version":`)
}

// TestLangGraphSearch: threads are found by what their client notes on them, and are their principal's alone.
func TestLangGraphSearch(t *testing.T) {
	t.Parallel()
	agent := newAgent(t, streaming(smallRun))
	r := below(t, agent, "langgraph")
	r.call(t, 200, alice, "POST", "/run/threads", `{"thread_id":"t1","metadata":{"user":"a","kind":1}}`, `"metadata":{"user":"a","kind":1}`)
	r.call(t, 200, alice, "POST", "/run/threads", `{"thread_id":"t2"}`, `"metadata":{}`)
	r.call(t, 200, bob, "POST", "/run/threads", `{"thread_id":"t3","metadata":{"user":"a"}}`)
	r.call(t, 200, alice, "PATCH", "/run/threads/t1", `{"metadata":{"kind":2}}`, `"metadata":{"user":"a","kind":2}`)
	r.call(t, 404, alice, "PATCH", "/run/threads/t3", `{"metadata":{"kind":2}}`)
	r.call(t, 400, alice, "PATCH", "/run/threads/t1", `[`)
	search := func(body, want string) {
		t.Helper()
		got := ""
		for _, name := range []string{"t1", "t2", "t3"} {
			if strings.Contains(r.call(t, 200, alice, "POST", "/run/threads/search", body), `"thread_id":"`+name+`"`) {
				got += name
			}
		}
		if got != want {
			t.Errorf("%s finds %s, want %s", body, got, want)
		}
	}
	search(`{}`, "t1t2")
	search(`{"metadata":{"user":"a"}}`, "t1")
	search(`{"metadata":{"user":"b"}}`, "")
	search(`{"ids":["t2","t3"]}`, "t2")
	search(`{"status":"busy"}`, "")
	search(`{"limit":0}`, "")
	search(`{"offset":2}`, "")
}

// TestLangGraphSearchIsNoUse: a search lists the thread used last first, however often it is asked, and changes nothing in which one is
// forgotten first.
func TestLangGraphSearchIsNoUse(t *testing.T) {
	t.Parallel()
	agent := newAgent(t, streaming(smallRun))
	r := below(t, agent, "langgraph")
	for _, name := range []string{"t1", "t2", "t3"} {
		r.call(t, 200, alice, "POST", "/run/threads", `{"thread_id":"`+name+`"}`)
	}
	for range 3 {
		got := r.call(t, 200, alice, "POST", "/run/threads/search", "{}")
		last, middle, first := strings.Index(got, `"t3"`), strings.Index(got, `"t2"`), strings.Index(got, `"t1"`)
		if last < 0 || middle < last || first < middle {
			t.Errorf("the order is another: %s", got)
		}
	}
	if got := r.call(t, 200, alice, "POST", "/run/threads/search", `{"limit":1,"offset":1}`); !strings.Contains(got, `"t2"`) || strings.Contains(got, `"t1"`) {
		t.Errorf("one in the middle: %s", got)
	}
}

// TestLangGraphFailure: who waits for a state gets the failure of the agent in its place, and does not ask again.
func TestLangGraphFailure(t *testing.T) {
	t.Parallel()
	agent := newAgent(t, streaming(lines(lineStart, lineHello, `{"kind":"run.end","status":"failed","err":"secret"}`)))
	r := below(t, agent, "langgraph")
	if got := r.call(t, 200, alice, "POST", "/run/threads/t1/runs/wait", said("one"), `{"__error__":{"error":"agent_error","message":"`); strings.Contains(got, "secret") {
		t.Errorf("the agent's words are sent back: %s", got)
	}
	r.call(t, 200, alice, "GET", "/run/threads/t1/runs", "", `"status":"error"`)
}

// TestLangGraphQuestion: a state says what its thread waits for.
func TestLangGraphQuestion(t *testing.T) {
	t.Parallel()
	agent := newAgent(t, streaming(lines(lineStart, `{"kind":"tool.start","id":"c1","name":"drop"}`, `{"kind":"tool.ready","id":"c1","name":"drop","value":{"a":1}}`,
		`{"kind":"ask","id":"q1","ref":"c1","what":"permission","title":"Drop it?"}`, `{"kind":"run.end","status":"paused"}`)))
	r := below(t, agent, "langgraph")
	const ask = `[{"id":"q1","value":{"action_requests":[{"name":"drop","args":{"a":1},"description":"Drop it?"}],`
	r.call(t, 200, alice, "POST", "/run/threads/t1/runs/wait", said("one"), `"__interrupt__":`+ask)
	r.call(t, 200, alice, "GET", "/run/threads/t1/state", "", `"next":["agent"]`, `"interrupts":`+ask)
	r.call(t, 200, alice, "GET", "/run/threads/t1", "", `"status":"interrupted"`, `"interrupts":{"agent":`+ask)
	r.call(t, 200, alice, "GET", "/run/threads/t1/runs", "", `"status":"interrupted"`)
}

// TestLangGraphOfOther: no principal reads, goes on with, joins, ends or forgets the thread of another.
func TestLangGraphOfOther(t *testing.T) {
	t.Parallel()
	agent, gone := endlessAgent(t)
	r := below(t, agent, "langgraph")
	run := r.dial()
	run.ask("POST", "/run/threads/t1/runs/stream", said("one"), alice)
	events := run.response().Body
	first := make([]byte, 200)
	n, err := io.ReadAtLeast(events, first, 60)
	_, id, ok := strings.Cut(string(first[:n]), `"run_id":"`)
	if id, _, _ = strings.Cut(id, `"`); err != nil || !ok {
		t.Fatalf("no run is announced: %v %s", err, first)
	}
	const at = "/run/threads/t1"
	mine := func(status int, method, path, body string, want ...string) {
		t.Helper()
		r.call(t, 404, bob, method, at+path, body)
		r.call(t, status, alice, method, at+path, body, want...)
	}
	mine(200, "GET", "", "", `"status":"busy"`)
	mine(200, "PATCH", "", `{"metadata":{}}`)
	mine(200, "GET", "/state", "")
	mine(200, "POST", "/history", "{}")
	mine(200, "GET", "/runs", "", `"status":"running"`)
	mine(200, "GET", "/runs/"+id, "", `"status":"running"`)
	mine(409, "GET", "/runs/"+id+"/join", "", `"code":"unsupported"`)
	mine(409, "GET", "/runs/"+id+"/stream", "", `"code":"unsupported"`)
	mine(200, "POST", "/runs/"+id+"/cancel", "")
	<-gone
	if _, err := io.ReadAll(events); err != nil {
		t.Fatal(err)
	}
	answer := strings.Replace(said("two"), `,"if_not_exists":"create"`, "", 1)
	r.call(t, 400, bob, "POST", at+"/runs/stream", answer, "history_missing")
	r.call(t, 400, bob, "POST", at+"/runs/wait", answer, "history_missing")
	r.call(t, 400, bob, "POST", at+"/runs/stream", `{"assistant_id":"agent","command":{"resume":{"approved":true}}}`, "history_missing")
	r.call(t, 200, bob, "POST", "/run/threads/search", "{}", "[]")
	mine(200, "DELETE", "", "")
	r.call(t, 404, alice, "GET", at+"/runs/"+id, "")
}
