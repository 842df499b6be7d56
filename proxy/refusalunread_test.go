package proxy

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/proxy/internal/rawio"
)

// TestRefusalsThatAreNotRead: a client that sends request after request, and reads none of the refusals, loses its connection: what came behind a part
// of one could not be read.
func TestRefusalsThatAreNotRead(t *testing.T) {
	t.Parallel()
	a, goOn := heldAgent(t)
	r := start(t, simple(a.url(), "limits: {principal: {streams: 1}}\n", "", "client: twin\ntimeouts: {write: 300ms}\n"))
	first := r.dial()
	first.ask("POST", "/run", "{}")
	resp := first.response()
	line(t, bufio.NewReader(resp.Body))
	c := r.dial()
	_ = c.SetWriteDeadline(time.Now().Add(testTimeout))
	more := strings.Repeat("POST /run HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}", 100)
	var err error
	for err == nil {
		_, err = io.WriteString(c.Conn, more)
	}
	if rawio.IsTimeout(err) {
		t.Errorf("the connection goes on: %v", err)
	}
	if n := r.metric("sabir_requests_rejected_total", "code=too_many_streams"); n == 0 {
		t.Error("no request was refused")
	}
	goOn()
	_, _ = io.Copy(io.Discard, resp.Body)
}

// TestEventsReaderIsSlow: who does not read the events of a conversation loses its stream, which has ended in the middle of one, and does not get those
// of later runs behind that.
func TestEventsReaderIsSlow(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		if p.request() == nil {
			return
		}
		p.ok("Content-Type: application/x-ndjson")
		p.chunk(lines(lineStart, `{"kind":"text.start","id":"p1"}`))
		for p.n("x") == nil {
			p.chunk(`{"kind":"text.delta","id":"p1","text":"` + strings.Repeat("x", 8000) + `"}` + "\n")
		}
	})
	r := knowing(t, a, "", "timeouts: {write: 300ms, keepalive: 0s}\n")
	c := r.dial()
	c.ask("POST", eventsPath, everyEvent, alice)
	resp := c.response()
	_, id, _ := strings.Cut(r.call(t, 200, alice, "POST", "/run/threads/t1/commands", commandOf("run.start", said("one"))), `"run_id":"`)
	id, _, _ = strings.Cut(id, `"`)
	read := r.logs.FilterMessage("run read")
	await(t, "the reader to be given up", func() bool { read = r.logs.FilterMessage("run read"); return read.Len() > 0 })
	if got := read.All()[0].ContextMap()["ending"]; got != "client_slow" {
		t.Errorf("the reader has ended as %v", got)
	}
	_ = c.SetReadDeadline(time.Now().Add(testTimeout))
	if _, err := io.Copy(io.Discard, resp.Body); err == nil || rawio.IsTimeout(err) {
		t.Errorf("its stream ends with %v", err)
	}
	r.call(t, 200, alice, "POST", "/run/threads/t1/runs/"+id+"/cancel", "")
}
