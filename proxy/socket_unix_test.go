//go:build unix

package proxy

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/zap"
)

// TestSockets: clients come by a unix socket, and an upstream is called by one.
func TestSockets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	up, err := net.Listen("unix", filepath.Join(dir, "agent.sock"))
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan *http.Request, 4)
	srv := &http.Server{ReadHeaderTimeout: testTimeout, Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		got <- req
		w.Header().Set("Content-Type", "application/x-ndjson")
		_, _ = w.Write([]byte(smallRun))
	})}
	go func() { _ = srv.Serve(up) }()
	t.Cleanup(func() { srv.Close() })
	s, err := New(parse(t, simple("http://agent.internal/stream", "", "socket: "+up.Addr().String()+"\n", "client: twin\n")), zap.NewNop(), "test")
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("unix", filepath.Join(dir, "sabir.sock"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, ln) }()
	conn, err := net.Dial("unix", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.SetDeadline(time.Now().Add(testTimeout))
	c := &client{Conn: conn, t: t, br: bufio.NewReader(conn)}
	for range 2 {
		c.ask("POST", "/run", "{}", "X-Forwarded-For: 10.0.0.1")
		if resp, body := c.whole(); resp.StatusCode != 200 || body != smallRunOut {
			t.Errorf("status %d, %s", resp.StatusCode, body)
		}
		if req := <-got; req.Host != "agent.internal" || req.URL.Path != "/stream" || req.Header.Get("X-Forwarded-For") != "unknown" {
			t.Errorf("the upstream gets %s %s %v", req.Host, req.URL, req.Header)
		}
	}
	conn.Close()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
