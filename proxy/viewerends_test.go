package proxy

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// shown is a proxy for clients of AG-UI whose runs others can read; more stands with the route.
func shown(t *testing.T, a *agent, top, resume, more string) *rig {
	t.Helper()
	return start(t, simple(a.url(), top, "", "client: agui\nrequests: {mode: translate}\nresume: {"+resume+"}\n"+more))
}

// untilLine reads a stream up to a line that begins so.
func untilLine(t *testing.T, resp *http.Response, begin string) (rest io.Reader) {
	t.Helper()
	br := bufio.NewReader(resp.Body)
	for !strings.HasPrefix(line(t, br), begin) {
	}
	return br
}

// TestViewersAreKeptAlive: who reads a run gets signs of life while it says nothing, the client that began it as well as others.
func TestViewersAreKeptAlive(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	r := shown(t, a, "", "grace: 1m", "timeouts: {keepalive: 20ms}\nkeepalive_padding: 1\n")
	_, first := r.openRun()
	other := r.dial()
	other.ask("GET", "/run", "", alice, "X-Sabir-Run: "+first.Header.Get(runHeader))
	rests := []io.Reader{untilLine(t, first, ":"), untilLine(t, other.response(), ":")}
	close(goOn)
	for _, rest := range rests {
		if body, err := io.ReadAll(rest); err != nil || !strings.Contains(string(body), "RUN_FINISHED") {
			t.Errorf("%v behind %s", err, body)
		}
	}
}

// TestSlowViewer: a client that is further behind than its run is kept is cut, as one that does not read, and the run goes on to its end.
func TestSlowViewer(t *testing.T) {
	t.Parallel()
	big := `{"kind":"text.delta","id":"p1","text":"` + strings.Repeat("x", 64<<10) + `"}` + "\n"
	begun := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok("Content-Type: application/x-ndjson")
		p.chunk(lineStart + "\n")
		<-begun
		for range 512 { // more than the buffers of the system hold
			p.chunk(big)
		}
		p.finish(lineEnd + "\n")
	})
	r := shown(t, a, "", "grace: 1m, bytes: 256KiB", "")
	_, resp := r.openRun()
	close(begun)
	if end := r.awaitEnds(1); end["ending"] != "done" {
		t.Errorf("the run: %v", end)
	}
	if body, err := io.ReadAll(resp.Body); err == nil || strings.Contains(string(body), "RUN_FINISHED") {
		t.Errorf("the stream of a client that is too far behind looks complete: %d bytes", len(body))
	}
	await(t, "the reader to be logged", func() bool { return r.logs.FilterMessage("run read").Len() == 1 })
	if end := r.logs.FilterMessage("run read").All()[0].ContextMap(); end["ending"] != "client_slow" {
		t.Errorf("the reader: %v", end)
	}
}

// TestViewersBound: who reads a run is a stream of its own. The client for which there is no place gets no run either, and the agent is
// not asked; a reader that is one too many is refused, and the others read on.
func TestViewersBound(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	tooMany := func(resp *http.Response) {
		t.Helper()
		if body, err := io.ReadAll(resp.Body); resp.StatusCode != 503 || resp.Header.Get("X-Sabir-Error") != "too_many_streams" || err != nil {
			t.Errorf("status %d, %v: %s", resp.StatusCode, err, body)
		}
	}
	r := shown(t, a, "limits: {streams: 1}", "grace: 1m", "")
	for range 2 {
		_, resp := r.openRun()
		tooMany(resp)
	}
	if n := r.metric("sabir_resume_runs", "state=live") + r.metric("sabir_streams_open"); n != 0 || a.connections() != 0 {
		t.Errorf("%v runs and streams are left, the agent was asked %d times", n, a.connections())
	}
	r = shown(t, a, "limits: {streams: 2}", "grace: 1m", "")
	_, first := r.openRun()
	other := r.dial()
	other.ask("GET", "/run", "", alice, "X-Sabir-Run: "+first.Header.Get(runHeader))
	tooMany(other.response())
	close(goOn)
	if body := rest(t, first); !strings.Contains(body, "RUN_FINISHED") {
		t.Errorf("the first client has %s", body)
	}
}

// TestMultiplexBound: the same on a connection with several requests, each of which is refused for itself.
func TestMultiplexBound(t *testing.T) {
	t.Parallel()
	a, _, _, _ := chatAgent(t)
	r := chatting(t, a, "limits: {streams: 1}", "resume: {grace: 1m}")
	c := r.dialWS("/run")
	for _, name := range []string{"one", "two"} {
		c.say(sends(name, "chat-1", "hi"))
		if got := c.answers(name)[name]; !strings.Contains(got, "|error") && !strings.Contains(got, "too many") {
			t.Errorf("%s is answered by %s", name, got)
		}
	}
	await(t, "nothing to be left", func() bool {
		return r.metric("sabir_resume_runs", "state=live") == 0 && r.noStreams()
	})
	if a.connections() != 0 {
		t.Error("the agent was asked")
	}
}

// TestNoSignsOfLifeWithoutReaders: a run that has no client gets none: they are of those who read it.
func TestNoSignsOfLifeWithoutReaders(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	r := shown(t, a, "", "grace: 1m", "timeouts: {keepalive: 10ms}\n")
	c, resp := r.openRun()
	firstHalf(t, resp)
	c.reset()
	await(t, "the client to be gone", func() bool { return r.logs.FilterMessage("run read").Len() == 1 })
	before := r.metric("sabir_keepalives_total")
	time.Sleep(100 * time.Millisecond)
	if n := r.metric("sabir_keepalives_total"); n != before {
		t.Errorf("%v signs of life for no client", n-before)
	}
	close(goOn)
	r.awaitEnds(1)
}
