package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// eventsPath is where the events of a conversation are read.
const eventsPath = "/run/threads/t1/stream/events"

// knowing is a proxy for clients of LangGraph that knows the thread t1, in which nothing was said.
func knowing(t *testing.T, a *agent, top, route string) *rig {
	t.Helper()
	r := start(t, strings.Replace(simple(a.url(), top, "", "client: langgraph\nrequests: {mode: translate}\n"+route), "path: /run", "path: /run/*", 1))
	r.call(t, 200, alice, "POST", "/run/threads", `{"thread_id":"t1"}`)
	return r
}

// TestCommandsForwarded: where requests pass as they came, there are no turns of Sabir's own to begin or to read.
func TestCommandsForwarded(t *testing.T) {
	t.Parallel()
	agent := newAgent(t, streaming(smallRun))
	r := start(t, strings.Replace(simple(agent.url(), "", "", "client: langgraph\nrequests: {mode: pass}\n"), "path: /run", "path: /run/*", 1))
	r.call(t, 400, alice, "POST", "/run/threads/t1/commands", commandOf("run.start", said("one")), `{"type":"error","id":7,"error":"unsupported"`)
	r.call(t, 400, alice, "POST", eventsPath, everyEvent, `"code":"unsupported"`)
	if n := agent.connections(); n != 0 {
		t.Errorf("the agent was asked %d times", n)
	}
}

// TestEventsKeepAlive: who reads a conversation in which nothing is said gets a sign of life in each pause, and none where there are to be none.
func TestEventsKeepAlive(t *testing.T) {
	t.Parallel()
	const pause = 300 * time.Millisecond
	r := knowing(t, newAgent(t, streaming(smallRun)), "", fmt.Sprintf("timeouts: {keepalive: %s}\n", pause))
	resp := r.events(t, alice, "t1", everyEvent)
	br := bufio.NewReader(resp.Body)
	begun := time.Now()
	const signs = 4 // the first comes with the header
	for range signs {
		if got := line(t, br) + line(t, br); got != "" {
			t.Fatalf("a sign of life is %q", got)
		}
	}
	if took := time.Since(begun); took < (signs-2)*pause {
		t.Errorf("%d signs of life came within %s", signs, took)
	}
	for _, c := range []struct {
		keepalive time.Duration
		replicas  *replicas
		want      time.Duration
	}{{time.Second, nil, time.Second}, {0, nil, maxWait}, {time.Hour, new(replicas), remoteLook}, {0, new(replicas), remoteLook}} {
		if got := (&Server{replicas: c.replicas}).pause(c.keepalive); got != c.want {
			t.Errorf("keepalive %s, replicas %t: a reader waits for %s", c.keepalive, c.replicas != nil, got)
		}
	}
}

// TestEventsInDrain: the stream of who reads a conversation ends well when the server drains, by either version of HTTP.
func TestEventsInDrain(t *testing.T) {
	t.Parallel()
	r := knowing(t, newAgent(t, streaming(smallRun)), cleartext, "")
	one := r.events(t, alice, "t1", everyEvent)
	two := r.askHTTP2(t.Context(), http2Client(t, nil), "http://"+r.addr+eventsPath, everyEvent, alice)
	defer two.Body.Close()
	r.end()
	for _, resp := range []*http.Response{one, two} {
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != 200 || strings.Trim(string(body), "\n") != "" {
			t.Errorf("%s: status %d, %v behind %q", resp.Proto, resp.StatusCode, err, body)
		}
	}
}

// TestEventsReaderIsOneTooMany: who reads a conversation is a stream as others are.
func TestEventsReaderIsOneTooMany(t *testing.T) {
	t.Parallel()
	r := knowing(t, newAgent(t, streaming(smallRun)), "limits: {streams: 1}\n", "")
	c := r.dial()
	c.ask("POST", eventsPath, everyEvent, alice)
	if resp := c.response(); resp.StatusCode != 200 {
		t.Errorf("the first reader gets %s", resp.Status)
	}
	second := r.dial()
	second.ask("POST", eventsPath, everyEvent, alice)
	if resp, got := second.whole(); resp.StatusCode != 503 || !strings.Contains(got, "too_many_streams") {
		t.Errorf("the second reader gets %s: %s", resp.Status, got)
	}
	if rest, err := io.ReadAll(second.br); err != nil || len(rest) > 0 {
		t.Errorf("behind the refusal comes %q, %v", rest, err)
	}
	c.reset()
	await(t, "the first reader to be gone", r.noStreams)
	await(t, "the place to be free", func() bool {
		c := r.dial()
		defer c.Close()
		c.ask("POST", eventsPath, everyEvent, alice)
		return c.response().StatusCode == 200
	})
}

// TestEventsOfNothing: a run of which the client wants nothing leaves its stream as it was.
func TestEventsOfNothing(t *testing.T) {
	t.Parallel()
	r := knowing(t, newAgent(t, streaming(smallRun)), "", "timeouts: {keepalive: 200ms}\n")
	resp := r.events(t, alice, "t1", `{"channels":["custom"]}`)
	all := r.events(t, alice, "t1", everyEvent)
	for _, text := range []string{"one", "two"} {
		r.call(t, 200, alice, "POST", "/run/threads/t1/commands", commandOf("run.start", said(text)))
		eventsUntil(t, all, `"event":"completed"`)
	}
	await(t, "both runs to be read by both", func() bool { return r.logs.FilterMessage("run read").Len() >= 4 })
	br := bufio.NewReader(resp.Body)
	for range 4 {
		if got := line(t, br) + line(t, br); got != "" {
			t.Fatalf("the client gets %q", got)
		}
	}
}

// TestEventsReaderLeaves: who leaves in the middle of a run leaves no reader behind, and the run goes on for others.
func TestEventsReaderLeaves(t *testing.T) {
	t.Parallel()
	agent, goOn, _ := gatedAgent(t)
	r := knowing(t, agent, "", "")
	c := r.dial()
	c.ask("POST", eventsPath, everyEvent, alice)
	resp := c.response()
	stays := r.events(t, alice, "t1", everyEvent)
	r.call(t, 200, alice, "POST", "/run/threads/t1/commands", commandOf("run.start", said("one")))
	eventsUntil(t, resp, "Hello")
	c.reset()
	read := r.logs.FilterMessage("run read")
	await(t, "the reader to be gone", func() bool { read = r.logs.FilterMessage("run read"); return read.Len() > 0 })
	if got := read.All()[0].ContextMap()["ending"]; got != "client_gone" {
		t.Errorf("the reader has ended as %v", got)
	}
	close(goOn)
	if got := eventsUntil(t, stays, `"event":"completed"`); !strings.Contains(got, "world") {
		t.Errorf("the other reader gets %s", got)
	}
}

// TestEventsOfShortenedRun: who comes to a run of which a part is gone gets all that it has said, by events that are not those of the first readers.
func TestEventsOfShortenedRun(t *testing.T) {
	t.Parallel()
	pieces := []string{lines(lineStart)}
	for i := range 100 {
		pieces = append(pieces, strings.Repeat(`{"kind":"text.delta","id":"p1","text":"word "}`+"\n", 100))
		if i == 50 {
			pieces = append(pieces, lines(`{"kind":"text.end","id":"p1"}`))
		}
	}
	r := knowing(t, newAgent(t, streaming(append(pieces, lines(`{"kind":"text.delta","id":"p3","text":"last"}`, lineEnd))...)), "", "resume: {grace: 1m, bytes: 192KiB}")
	r.call(t, 200, alice, "POST", "/run/threads/t1/commands", commandOf("run.start", said("one")))
	await(t, "the run to end", func() bool { return r.metric("sabir_resume_runs", "state=finished") == 1 })
	if n := r.metric("sabir_resume_full_total", "did=shortened"); n == 0 {
		t.Fatal("nothing was shortened")
	}
	ids := map[string]bool{}
	for range 2 {
		got := eventsUntil(t, r.events(t, alice, "t1", everyEvent), `"event":"completed"`)
		first := eventNumber.FindString(got)
		if first == "" || ids[first] || !strings.Contains(got, "last") {
			t.Errorf("the events begin with %s, as those of %v, in %d bytes", first, ids, len(got))
		}
		ids[first] = true
	}
}

// TestEventsOfLongRun: who reads the events of a conversation gets all of them, where a client that comes to the run would get a snapshot.
func TestEventsOfLongRun(t *testing.T) {
	t.Parallel()
	const words = 2000
	long := lineStart + "\n" + strings.Repeat(`{"kind":"text.delta","id":"p1","text":"word "}`+"\n", words) + lineEnd + "\n"
	r := knowing(t, newAgent(t, streaming(long)), "", "resume: {grace: 1m}")
	r.call(t, 200, alice, "POST", "/run/threads/t1/commands", commandOf("run.start", said("one")))
	await(t, "the run to end", func() bool { return r.metric("sabir_resume_runs", "state=finished") == 1 })
	got := eventsUntil(t, r.events(t, alice, "t1", `{"channels":["messages"]}`), "message-finish")
	if n := strings.Count(got, `"word "`); n != words {
		t.Errorf("%d of %d words have an event of their own", n, words)
	}
}
