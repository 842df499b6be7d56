package proxy

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
)

// TestSessionWhoseEndpointIsGone: a message on a WebSocket is refused where the routes of today have no endpoint for it, and the connection
// goes on.
func TestSessionWhoseEndpointIsGone(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	yaml := strings.Replace(simple(a.url(), "", "", "client: twin\n"), "path: /run", "path: /run/*", 1)
	r := start(t, yaml)
	c := r.dialWS("/run/here")
	ask := func() string {
		c.say("{}")
		return strings.Join(c.run(), "\n")
	}
	if got := ask(); !strings.Contains(got, "Hello") {
		t.Errorf("got %s", got)
	}
	if err := r.Reload(parse(t, strings.Replace(yaml, "client: twin", "client: langgraph\n    requests: {mode: translate}", 1))); err != nil {
		t.Fatal(err)
	}
	if got := ask(); !strings.Contains(got, string(hub.CodeNoEndpoint)) || strings.Contains(got, "Hello") {
		t.Errorf("without the endpoint: %s", got)
	}
	if err := r.Reload(parse(t, yaml)); err != nil {
		t.Fatal(err)
	}
	if got := ask(); !strings.Contains(got, "Hello") {
		t.Errorf("when it is there again: %s", got)
	}
}

// TestSessionsAreCounted: a client that stays is taken in while there is a place, and until the server drains.
func TestSessionsAreCounted(t *testing.T) {
	t.Parallel()
	s := &Server{sessions: map[*clientConn]*route{}}
	s.idle.L = &s.mu
	r := func(most int) *route { return &route{global: &config.Config{Limits: config.Limits{Streams: most}}} }
	code := func(f *hub.Failure) hub.Code {
		if f == nil {
			return ""
		}
		return f.Code
	}
	one, two := new(clientConn), new(clientConn)
	for _, c := range []struct {
		conn *clientConn
		most int
		want hub.Code
	}{{one, 1, ""}, {two, 1, hub.CodeLimit}, {two, 0, ""}} {
		if got := code(s.enter(r(c.most), c.conn)); got != c.want {
			t.Errorf("with a limit of %d: %q, want %q", c.most, got, c.want)
		}
	}
	s.leave(one)
	if got := code(s.enter(r(2), one)); got != "" || len(s.sessions) != 2 {
		t.Errorf("where one has left: %q, %d sessions", got, len(s.sessions))
	}
	s.leave(two)
	s.draining = true
	if got := code(s.enter(r(0), two)); got != hub.CodeShutdown || len(s.sessions) != 1 {
		t.Errorf("while it drains: %q, %d sessions", got, len(s.sessions))
	}
}
