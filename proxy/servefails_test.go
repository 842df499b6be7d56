package proxy

import (
	"context"
	"net"
	"strings"
	"testing"

	"go.uber.org/zap"
)

// TestServeFails: a server whose listener fails says so, ends what runs, and is not ready any more.
func TestServeFails(t *testing.T) {
	t.Parallel()
	a, _, gone := gatedAgent(t)
	s, err := New(parse(t, simple(a.url(), "", "", "client: twin")), zap.NewNop(), "test")
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(context.Background(), ln) }()
	c := (&rig{Server: s, t: t, addr: ln.Addr().String()}).dial()
	c.ask("POST", "/run", "{}")
	line(t, c.br)
	ln.Close()
	<-ended
	<-gone
	if s.Ready() {
		t.Error("it is ready")
	}
}

// TestRunsThatDoNotBegin: a run that the agent refuses is none of its conversation: its client has no name of it.
func TestRunsThatDoNotBegin(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.answer("503 Service Unavailable", "Content-Length: 0")
		}
	})
	r := knowing(t, a, "", "")
	r.call(t, 503, alice, "POST", "/run/threads/t1/runs/stream", said("one"))
	r.awaitEnds(1)
	if got := r.call(t, 200, alice, "GET", "/run/threads/t1/runs", ""); got != "[]" {
		t.Errorf("its runs are %s", got)
	}
}

// TestShortNameOfAnAnswer: a request that goes on from an answer of which nothing is known reaches no agent, however short the name is.
func TestShortNameOfAnAnswer(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, strings.Replace(simple(a.url(), "threads: {max: 0}", "", "client: openai-responses\nrequests: {mode: translate}"), "dialect: native", "dialect: a2a", 1))
	for _, name := range []string{"x", "resp_x"} {
		r.call(t, 400, alice, "POST", "/run", `{"model":"m","input":"hi","previous_response_id":"`+name+`"}`, "previous_response_not_found")
	}
	if n := a.connections(); n != 0 {
		t.Errorf("the agent has %d connections", n)
	}
}
