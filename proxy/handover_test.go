package proxy

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
)

// handing starts a proxy whose agent streams until it is released, with one connection that was used, one that was not, and one stream.
func handing(t *testing.T, restart string) (r *rig, used, fresh *client, stream io.Reader, release func()) {
	t.Helper()
	released := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok()
			p.chunk(lineStart + "\n")
			if string(p.body) == "long" {
				<-released
			}
			p.finish(lineEnd + "\n")
		}
	})
	r = start(t, simple(a.url(), "timeouts: {restart: "+restart+", drain: 100ms}", "", "client: twin\n"))
	used, fresh = r.dial(), r.dial()
	used.ask("POST", "/run", "short")
	used.whole()
	running := r.dial()
	running.ask("POST", "/run", "long")
	stream = running.response().Body
	await(t, "the connections to be idle", func() bool {
		r.idleConns.Mu.Lock()
		defer r.idleConns.Mu.Unlock()
		return len(r.idleConns.Conns) == 2
	})
	return r, used, fresh, stream, func() { close(released) }
}

// TestReplaced: another process has the listening socket; what was used here is closed, a new connection is served once more, and what
// runs comes to its end.
func TestReplaced(t *testing.T) {
	t.Parallel()
	r, used, fresh, stream, release := handing(t, "1m")
	r.Replaced()
	if n, err := used.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("a connection that was used: %d bytes, %v", n, err)
	}
	fresh.ask("POST", "/run", "short")
	if resp, body := fresh.whole(); resp.StatusCode != 200 && resp.StatusCode != 503 {
		t.Errorf("a new connection: %d %s", resp.StatusCode, body)
	}
	await(t, "the refusal of streams", func() bool { return !r.Ready() })
	if c, err := net.Dial("tcp", r.addr); err == nil {
		c.Close()
		t.Error("the socket still listens")
	}
	select {
	case err := <-r.ended:
		t.Fatalf("it has ended before its stream: %v", err)
	default:
	}
	release()
	if got, err := io.ReadAll(stream); err != nil || !strings.Contains(string(got), `"status":"done"`) {
		t.Errorf("%v %s", err, got)
	}
	r.close()
	if n := r.logs.FilterMessage("another process serves now").Len(); n != 1 {
		t.Errorf("said %d times", n)
	}
}

// TestReplacedForSoLong: a stream that takes longer than timeouts.restart is ended; 0 is no limit, but a signal shortens either.
func TestReplacedForSoLong(t *testing.T) {
	t.Parallel()
	for restart, signal := range map[string]bool{"200ms": false, "0s": true, "1h": true} {
		r, _, _, stream, release := handing(t, restart)
		r.Replaced()
		await(t, "the refusal of streams", func() bool { return !r.Ready() })
		if signal {
			select {
			case err := <-r.ended:
				t.Fatalf("%s: it has ended by itself: %v", restart, err)
			case <-time.After(300 * time.Millisecond):
			}
			r.end()
		}
		if got, err := io.ReadAll(stream); err != nil || !strings.Contains(string(got), "shutting_down") {
			t.Errorf("%s: %v %s", restart, err, got)
		}
		release()
		r.close()
	}
}

// TestDroppedLogLines: the metric says what the log says.
func TestDroppedLogLines(t *testing.T) {
	t.Parallel()
	r := start(t, simple("http://127.0.0.1:1/", "", "", "client: twin\n"))
	if n := r.metric("sabir_log_lines_dropped_total"); n != 0 {
		t.Errorf("%v at first", n)
	}
	r.CountDroppedLogLines(func() int64 { return 7 })
	if n := r.metric("sabir_log_lines_dropped_total"); n != 7 {
		t.Errorf("%v later", n)
	}
}

// TestReplacedWhileARequestArrives: a request that is on its way is not refused because its body comes later.
func TestReplacedWhileARequestArrives(t *testing.T) {
	t.Parallel()
	r, _, fresh, _, release := handing(t, "1m")
	defer release()
	fresh.send("POST /run HTTP/1.1\r\nHost: proxy.example\r\nContent-Length: 5\r\n\r\nsh")
	await(t, "the request", func() bool {
		r.idleConns.Mu.Lock()
		defer r.idleConns.Mu.Unlock()
		return len(r.idleConns.Conns) == 1
	})
	replaced := time.Now()
	r.Replaced()
	await(t, "the end of the listener", func() bool { return r.logs.FilterMessage("another process serves now").Len() == 1 })
	for range 20 {
		if !r.Ready() && time.Since(replaced) < inbound.FinalWriteTimeout {
			t.Fatal("streams are refused before the request is there")
		}
		time.Sleep(time.Millisecond)
	}
	fresh.send("ort")
	if resp, body := fresh.whole(); resp.StatusCode != 200 && resp.StatusCode != 503 {
		t.Errorf("status %d: %s", resp.StatusCode, body)
	}
}
