package proxy

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestMultiplexInAFullServer: a request for whose run there is no room is refused and counted once, and the next one finds the room that is free.
func TestMultiplexInAFullServer(t *testing.T) {
	t.Parallel()
	a, goOn, _, _ := chatAgent(t)
	r := chatting(t, a, "limits: {streams: 2}\n", "resume: {grace: 1m}")
	c := r.dialWS("/run")
	c.say(sends("one", "chat-1", "wait")) // a run, and who reads it
	c.half(1)
	c.say(sends("two", "chat-2", "hi"))
	if got := c.answers("two")["two"]; !strings.HasPrefix(got, "|errorToo many streams") {
		t.Errorf("one too many is answered by %q", got)
	}
	if n := r.metric("sabir_limited_total", "scope=all"); n != 1 {
		t.Errorf("%v are counted", n)
	}
	close(goOn)
	if got := c.rest("one")["one"]; got != ", world|end" {
		t.Errorf("the first is answered by %q", got)
	}
	r.awaitEnds(1)
	await(t, "room", func() bool { return r.open.Load() == 0 })
	c.say(sends("two", "chat-2", "hi"))
	c.holds(map[string]string{"two": "Hello, world|end"})
}

// TestMultiplexEndsEarly: a client that ends its request before the run of it is there ends that run.
func TestMultiplexEndsEarly(t *testing.T) {
	t.Parallel()
	r := chatting(t, newAgent(t, streaming(smallRun)), "", "resume: {grace: 1m}")
	for _, early := range []bool{true, false} {
		run := r.kept.shared.Begin(&shared{canceler: new(canceler)}, 1000, false)
		q := &multiplexRequest{of: &multiplexer{session: &session{server: r.Server}}}
		if early {
			q.stop()
		}
		q.reads(run)
		if !early {
			q.stop()
		}
		if f := run.About.canceler.Failure(); f == nil || f.Code != hub.CodeCancelled {
			t.Errorf("early %t: it ends with %v", early, f)
		}
		r.kept.shared.End(run, nil, 0)
	}
}
