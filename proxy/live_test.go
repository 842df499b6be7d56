package proxy

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// TestLive passes each event on before the next one exists, first bytes included: nothing waits for company.
// Row F17.
func TestLive(t *testing.T) {
	t.Parallel()
	const n = 50
	for _, route := range []string{"client: twin\n", "client: native\n", "client: twin\nframing: sse\n", "client: native\nframing: sse\n"} {
		for _, framing := range []string{"ndjson", "sse", "concat"} {
			seen := make(chan struct{})
			a := newAgent(t, func(p *peer) {
				p.request()
				p.ok()
				for i := range n {
					p.chunk(framed(framing, fmt.Sprintf(`{"kind":"notice","level":"info","text":"n%d"}`, i)))
					<-seen
				}
				p.finish(framed(framing, lineEnd))
			})
			r := start(t, simple(a.url(), "", "", route))
			c := r.dial()
			c.ask("POST", "/run", "{}")
			body := c.response().Body
			var got strings.Builder
			p := make([]byte, 4<<10)
			for i := range n {
				for !strings.Contains(got.String(), fmt.Sprintf(`"n%d"}`, i)) {
					k, err := body.Read(p)
					if err != nil {
						t.Fatalf("%s of %s: %v after %q", route, framing, err, got.String())
					}
					got.Write(p[:k])
				}
				seen <- struct{}{}
			}
			if rest, err := io.ReadAll(body); err != nil || !strings.Contains(string(rest), "run.end") {
				t.Errorf("%v %q", err, rest)
			}
		}
	}
}

// TestHeldEventsAreReleased by their age while the upstream says nothing.
func TestHeldEventsAreReleased(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok()
		p.chunk(lines(lineStart, `{"kind":"tool.update","id":"t1","status":"running","text":"early"}`))
		<-release
		p.finish(lines(`{"kind":"tool.start","id":"t1","name":"bash"}`, lineEnd))
	})
	r := start(t, simple(a.url(), "hold: {age: 50ms}", "", "client: twin\n"))
	c := r.dial()
	c.ask("POST", "/run", "{}")
	body := bufio.NewReader(c.response().Body)
	for _, want := range []string{`"kind":"run.start"`, `"kind":"tool.start","flags":["synthetic"],"seq":2,"id":"t1","name":"unknown"`, `"text":"early"`} {
		if got := line(t, body); !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	close(release)
	if rest, err := io.ReadAll(body); err != nil || !strings.Contains(string(rest), `"status":"done"`) {
		t.Errorf("%v %s", err, rest)
	}
	r.awaitEnds(1)
	if r.metric("sabir_repairs_total", "repair=hold_expired") != 1 || r.metric("sabir_repairs_total", "repair=start_made") != 1 {
		t.Errorf("%v", r.counts())
	}
}

// TestHeldEventsWaitForTheirCall where it comes in time; nothing else waits.
func TestHeldEventsWaitForTheirCall(t *testing.T) {
	t.Parallel()
	seen := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok()
		p.chunk(lines(lineStart, `{"kind":"tool.update","id":"t1","status":"running"}`, `{"kind":"notice","level":"info","text":"x"}`))
		<-seen
		p.finish(lines(`{"kind":"tool.start","id":"t1","name":"bash"}`, lineEnd))
	})
	r := start(t, simple(a.url(), "hold: {age: 1h}", "", "client: twin\n"))
	c := r.dial()
	c.ask("POST", "/run", "{}")
	body := bufio.NewReader(c.response().Body)
	line(t, body)
	if got := line(t, body); !strings.Contains(got, `"kind":"notice"`) {
		t.Errorf("got %s", got)
	}
	close(seen)
	if got := line(t, body); !strings.Contains(got, `"kind":"tool.start","seq":3,"id":"t1","name":"bash"`) {
		t.Errorf("got %s", got)
	}
	if got := line(t, body); !strings.Contains(got, `"kind":"tool.update"`) {
		t.Errorf("got %s", got)
	}
}

// TestSettle keeps the end of a run back for stragglers, and not longer than it says.
func TestSettle(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok()
		p.chunk(lines(lineStart, lineEnd))
		p.chunk(lines(`{"kind":"notice","level":"info","text":"late"}`))
		p.awaitGone()
	})
	r := start(t, simple(a.url(), "", "settle: 1s\n", "client: twin\n"))
	began := time.Now()
	_, body := r.post("/run", "{}")
	if got := records(t, "ndjson", body); len(got) != 3 || !strings.Contains(got[1], "late") || !strings.Contains(got[2], `"status":"done"`) {
		t.Errorf("got %s", body)
	}
	if took := time.Since(began); took < time.Second {
		t.Errorf("the end came after %v", took)
	}
	if end := r.awaitEnds(1); end["ending"] != "done" {
		t.Errorf("log %v", end)
	}
}

// TestNothingAfterTheEnd: a client that has had the last record gets no sign of life.
// Rows E5, E6 and G3.
func TestNothingAfterTheEnd(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok()
			p.chunk(smallRun)
			for range 20 {
				if p.n("more") != nil {
					return
				}
				time.Sleep(time.Millisecond)
			}
			p.last()
		}
	})
	r := start(t, simple(a.url(), "", "", "client: twin\ntimeouts: {keepalive: 1ms}\n"))
	c := r.dial()
	for range 20 {
		c.ask("POST", "/run", "{}")
		_, body := c.whole()
		if got := strings.ReplaceAll(body, "\n\n", "\n"); strings.TrimLeft(got, "\n") != smallRunOut {
			t.Errorf("got %q", body)
		}
	}
}
