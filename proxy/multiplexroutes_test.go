package proxy

import (
	"bytes"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestMultiplexBug: a request that ends in a panic is answered by its name, and gives back what it holds; the connection goes on.
func TestMultiplexBug(t *testing.T) {
	t.Parallel()
	a, _, _, _ := chatAgent(t)
	yaml := simple(a.url(), "", "", "client: aisdk\nrequests: {mode: translate}\n")
	r := start(t, strings.Replace(yaml, "dialect: native", "dialect: bomb", 1))
	c := r.dialWS("/run")
	c.say(sends("one", "chat-1", "boom"))
	if got := c.answers("one")["one"]; !strings.HasPrefix(got, "|error") {
		t.Errorf("a panic is answered by %q", got)
	}
	c.say(sends("one", "chat-1", "hi"))
	c.holds(map[string]string{"one": "Hello, world|end"})
	if n := r.logs.FilterMessageSnippet("BUG").Len(); n != 1 {
		t.Errorf("%d lines of log", n)
	}
	await(t, "the memory to be given back", func() bool { return r.bodies.Used.Load() == 0 })
}

// TestMultiplexCut: an answer that has broken off ends for its client, unless that has left; also where it has been stopped.
func TestMultiplexCut(t *testing.T) {
	t.Parallel()
	for left, want := range map[hub.Code]bool{"": true, hub.CodeCancelled: true, hub.CodeShutdown: true, hub.CodeClientGone: false, hub.CodeClientSlow: false} {
		var sent bytes.Buffer
		m := newMultiplexer(&session{target: &target{dialect: dialect(t, "aisdk")}, client: &clientConn{Conn: writesTo{&sent}, writeTimeout: time.Hour}})
		q := &multiplexRequest{of: m, id: []byte("one")}
		if left != "" {
			q.canceler.cancel(hub.Fail(left, nil))
		}
		for _, code := range []hub.Code{hub.CodeInternal, hub.CodeClientSlow, hub.CodeClientGone} {
			sent.Reset()
			q.cut(hub.Fail(code, nil))
			if got := strings.Contains(sent.String(), `"requestId":"one"`); got != want {
				t.Errorf("%s behind %q is said: %t", code, left, got)
			}
		}
		sent.Reset()
		q.cut(hub.Fail(hub.CodeReset, nil)) // an answer that says so itself
		if q.cut(nil); sent.Len() > 0 {
			t.Errorf("an end is said twice: %q", sent.String())
		}
	}
}

// writesTo is a connection that can only be written to.
type writesTo struct{ *bytes.Buffer }

func (writesTo) Close() error                       { return nil }
func (writesTo) LocalAddr() net.Addr                { return noAddress{} }
func (writesTo) RemoteAddr() net.Addr               { return noAddress{} }
func (writesTo) SetDeadline(_ time.Time) error      { return nil }
func (writesTo) SetReadDeadline(_ time.Time) error  { return nil }
func (writesTo) SetWriteDeadline(_ time.Time) error { return nil }

// TestMultiplexReload: the requests of a connection follow the configuration that is in force when they begin.
func TestMultiplexReload(t *testing.T) {
	t.Parallel()
	a, _, _, _ := chatAgent(t)
	const route = "client: aisdk\nrequests: {mode: translate}\n"
	was := simple(a.url(), "", "", route)
	for name, c := range map[string]struct{ yaml, want string }{
		"no route":        {strings.Replace(was, "path: /run", "path: /other", 1), "|errorThere is no route for this path."},
		"another dialect": {strings.Replace(was, "client: aisdk", "client: agui", 1), "|errorThere is no route for this path."},
		"a smaller limit": {simple(a.url(), "", "", route+"limits: {request_body: 300}\n"), "|errorThe request body is too large."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, was)
			ws := r.dialWS("/run")
			ws.say(sends("one", "chat-1", strings.Repeat("x", 200)))
			ws.holds(map[string]string{"one": "Hello, world|end"})
			if err := r.Reload(parse(t, c.yaml)); err != nil {
				t.Fatal(err)
			}
			ws.say(sends("two", "chat-1", strings.Repeat("x", 200)))
			if got := ws.answers("two")["two"]; got != c.want {
				t.Errorf("after the change: %q, want %q", got, c.want)
			}
			if err := r.Reload(parse(t, was)); err != nil {
				t.Fatal(err)
			}
			ws.say(sends("two", "chat-1", "hi"))
			ws.holds(map[string]string{"two": "Hello, world|end"})
		})
	}
}

// TestMultiplexFields: header fields of a message are bounded together, as those of a request are, and each has to be one of HTTP.
func TestMultiplexFields(t *testing.T) {
	t.Parallel()
	a, _, _, asked := chatAgent(t)
	r := chatting(t, a, "limits: {header: 2KB}\n", "headers: {allow: [x-one, x-two]}\n")
	c := r.dialWS("/run")
	with := func(fields string) string {
		return strings.Replace(sends("one", "chat-1", "hi"), `"headers":{}`, `"headers":{`+fields+`}`, 1)
	}
	half := strings.Repeat("x", 995) // with its name half of the limit
	for fields, want := range map[string]string{
		`"X-One":"` + half + `","X-Two":"` + half + `"`:  "Hello, world|end",
		`"X-One":"` + half + `","X-Two":"` + half + `x"`: "|errorThe request cannot be read.",
		`"X-One":"a\nb"`: "|errorThe request cannot be read.",
		`"X One":"a"`:    "|errorThe request cannot be read.",
	} {
		c.say(with(fields))
		c.holds(map[string]string{"one": want})
		if want[0] != '|' {
			if got := (<-asked).Header; got.Get("X-One") != half || got.Get("X-Two") != half {
				t.Errorf("the agent got %v", got)
			}
		}
	}
	c.say(with(`"X-One":"a","x-one":"b"`))
	c.holds(map[string]string{"one": "Hello, world|end"})
	if got := (<-asked).Header.Values("X-One"); len(got) != 1 || got[0] != "b" { // the one that counts where requests are looked at
		t.Errorf("of two fields of a name the agent got %q", got)
	}
}
