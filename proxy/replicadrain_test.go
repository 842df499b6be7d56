package proxy

import (
	"io"
	"strings"
	"testing"
)

// TestReplicaDrains: a client of a replica that ends is cut, comes back at another one, and gets everything.
func TestReplicaDrains(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	one, two := twoReplicas(t, a, "1m")
	_, resp, run, had := openAt(t, one)
	one.end()
	if more, err := io.ReadAll(resp.Body); err == nil || len(more) > 0 {
		t.Errorf("%v: the client was not cut, but got %s", err, more)
	}
	c := two.dial()
	c.ask("GET", "/run", "", alice, "Last-Event-ID: "+lastID(had))
	again := c.response()
	close(goOn)
	if got := rest(t, again); !strings.Contains(got, "world") || !strings.Contains(got, "RUN_FINISHED") {
		t.Errorf("at the other replica comes %s", got)
	}
	two.call(t, 200, alice+"\r\nX-Sabir-Run: "+run, "GET", "/run", "", "Hello", "world")
}

// TestReplicaDrainsEarly: a client that gets the first record from a replica that drains already is cut behind it as well.
func TestReplicaDrainsEarly(t *testing.T) {
	t.Parallel()
	asked, begin, goOn := make(chan struct{}), make(chan struct{}), make(chan struct{})
	a := newAgent(t, func(p *peer) {
		p.request()
		close(asked)
		<-begin
		p.ok("Content-Type: application/x-ndjson")
		p.chunk(lines(lineStart, lineHello))
		<-goOn
		p.finish(lines(lineWorld, lineEnd))
	})
	one, two := twoReplicas(t, a, "1m")
	c := one.dial()
	c.ask("POST", resumeClients[0].path, resumeClients[0].body, alice)
	<-asked
	one.end()
	await(t, "the replica to drain", func() bool { return !one.Ready() })
	close(begin)
	resp := c.response()
	had, err := io.ReadAll(resp.Body)
	if err == nil {
		t.Errorf("the client was not cut: %s", had)
	}
	c = two.dial()
	c.ask("GET", "/run", "", alice, "Last-Event-ID: "+lastID(string(had)))
	again := c.response()
	close(goOn)
	if got := rest(t, again); !strings.Contains(got, "world") || !strings.Contains(got, "RUN_FINISHED") {
		t.Errorf("at the other replica comes %s", got)
	}
}
