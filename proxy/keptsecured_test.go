package proxy

import (
	"crypto/tls"
	"fmt"
	"net"
	"strconv"
	"testing"
	"time"
)

// corked is a connection that holds back what is written, so that several records of TLS arrive at once.
type corked struct {
	net.Conn
	held []byte
}

func (c *corked) Write(p []byte) (int, error) {
	c.held = append(c.held, p...)
	return len(p), nil
}

func (c *corked) flush() {
	_, _ = c.Conn.Write(c.held)
	c.held = nil
}

// Read implements net.Conn: what a peer waits for may be an answer to what is held back.
func (c *corked) Read(p []byte) (int, error) {
	c.flush()
	return c.Conn.Read(p)
}

// TestSecuredConnectionsAreNotKept where more came than the answer, which TLS has taken from the socket: the next run would get it as its answer.
func TestSecuredConnectionsAreNotKept(t *testing.T) {
	t.Parallel()
	files := newPKI(t)
	cfg := &tls.Config{Certificates: []tls.Certificate{files.pair("agent")}}
	length := "Content-Length: " + strconv.Itoa(len(smallRun))
	const more = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
	for name, script := range map[string]func(p *peer, pause func()){
		"length, in its record": func(p *peer, pause func()) { p.answer("200 OK", length); pause(); p.send(smallRun + more) },
		"length, behind it":     func(p *peer, pause func()) { p.answer("200 OK", length); pause(); p.send(smallRun); p.send(more) },
		"chunks, behind them":   func(p *peer, pause func()) { p.ok(); pause(); p.finish(smallRun); p.send(more) },
		"with the header":       func(p *peer, pause func()) { p.answer("200 OK", length); p.send(smallRun); p.send(more) },
		"a part of a record":    func(p *peer, pause func()) { p.answer("200 OK", length); pause(); p.send(smallRun); p.send(more[:9]) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, func(p *peer) {
				under := &corked{Conn: p.Conn}
				secured := &peer{Conn: tls.Server(under, cfg), t: t, br: p.br}
				secured.br.Reset(secured.Conn)
				for p.nth == 1 && secured.request() != nil {
					script(secured, func() { under.flush(); time.Sleep(10 * time.Millisecond) })
				}
				for secured.request() != nil {
					secured.ok()
					secured.finish(smallRun)
				}
			})
			_, port, _ := net.SplitHostPort(a.ln.Addr().String())
			r := start(t, simple(fmt.Sprintf("https://localhost:%s/run", port), "", trusting(files), "client: twin\n"))
			for range 2 {
				if status, body := r.post("/run", "{}"); body != smallRunOut {
					t.Errorf("%v: %s", status, body)
				}
			}
			if n := a.connections(); n != 2 {
				t.Errorf("%d connections", n)
			}
		})
	}
}
