package upstream

import (
	"io"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/internal/http1"
)

// TestReadsBringSomething: what only frames chunks is no reason to return, or what decompresses the body takes it for stuck.
func TestReadsBringSomething(t *testing.T) {
	t.Parallel()
	ours, theirs := net.Pipe()
	defer ours.Close()
	go func() {
		defer theirs.Close()
		for _, b := range []byte("5;ext=\"value\"\r\nHello\r\n1\r\n!\r\n0\r\n\r\n") {
			if _, err := theirs.Write([]byte{b}); err != nil {
				return
			}
		}
	}()
	body := &Body{conn: &upstreamConn{Conn: ours}, chunks: new(http1.ChunkReader)}
	var got string
	for p := make([]byte, 100); ; {
		n, err := body.readUntil(p, time.Now().Add(10*time.Second))
		if got += string(p[:n]); err == io.EOF {
			break
		}
		if n == 0 || err != nil {
			t.Fatalf("behind %q: %d bytes, %v", got, n, err)
		}
	}
	if got != "Hello!" {
		t.Errorf("got %q", got)
	}
}

// keptFor is an instance that keeps connections for a time, and one of its connections that has been used.
func keptFor(keep time.Duration) (*Instance, *upstreamConn, net.Conn) {
	u := &Upstream{Cfg: &config.Upstream{}}
	u.Cfg.Timeouts.IdleConnection = keep
	i := &Instance{Upstream: u}
	ours, theirs := net.Pipe()
	return i, &upstreamConn{Conn: ours, owner: i, made: time.Now()}, theirs
}

// isClosed reports whether a peer has closed its connection.
func isClosed(c net.Conn) bool {
	_ = c.SetReadDeadline(time.Now().Add(time.Second))
	_, err := c.Read(make([]byte, 1))
	return err == io.EOF
}

// TestIdleConnectionsAreSwept closes those that were unused for too long.
func TestIdleConnectionsAreSwept(t *testing.T) {
	t.Parallel()
	i, c, peer := keptFor(time.Minute)
	i.put(c)
	if len(i.IdleUntil()) != 1 || i.sweep == nil {
		t.Fatal("the connection is not kept")
	}
	c.expires = time.Now()
	i.closeOld()
	if n := len(i.IdleUntil()); n != 0 || i.sweep != nil || !isClosed(peer) {
		t.Errorf("%d are left, sweeping %t", n, i.sweep != nil)
	}
}

// TestOldConnectionsByName are not used again: the name may stand for another address by now. An address stays what it is.
func TestOldConnectionsByName(t *testing.T) {
	t.Parallel()
	for _, named := range []bool{false, true} {
		i, c, peer := keptFor(time.Minute)
		i.named, c.made = named, time.Now().Add(-maxNamedAge)
		if i.put(c); named != (len(i.IdleUntil()) == 0) {
			t.Errorf("named %t: %d are kept", named, len(i.IdleUntil()))
		}
		if i.retire(); !isClosed(peer) {
			t.Errorf("named %t: the connection is open", named)
		}
	}
}

// TestOwnStatuses: those that are about the request itself, one by one, since clients act on them.
func TestOwnStatuses(t *testing.T) {
	t.Parallel()
	want := []int{400, 402, 405, 406, 409, 410, 411, 412, 413, 414, 415, 416, 417, 422, 423, 424, 428, 431, 451}
	if !slices.Equal(ownStatus, want) {
		t.Errorf("%v", ownStatus)
	}
}
