//go:build unix

package rawio

import (
	"crypto/rand"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"
)

// sockets returns both ends of a connection.
func sockets(t *testing.T) (ours, peer net.Conn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if peer, err = net.Dial("tcp", ln.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if ours, err = ln.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ours.Close(); peer.Close() })
	return ours, peer
}

// TestConn: a socket gives and takes everything, waits where it has to, and ends as a connection does.
func TestConn(t *testing.T) {
	ours, peer := sockets(t)
	c := NewConn(ours)
	if _, ok := c.(*socket); !ok {
		t.Fatalf("a TCP connection becomes %T", c)
	}
	sent := make([]byte, 8<<20) // more than both sockets hold, so that either side waits for the other
	_, _ = rand.Read(sent)
	var echoed sync.WaitGroup
	echoed.Go(func() { _, _ = io.CopyN(peer, peer, int64(len(sent))) })
	echoed.Go(func() {
		if n, err := c.Write(sent); n != len(sent) || err != nil {
			t.Errorf("wrote %d of %d: %v", n, len(sent), err)
		}
	})
	got := make([]byte, len(sent))
	if n, err := io.ReadFull(c, got); err != nil || !slices.Equal(got, sent) {
		t.Errorf("%d bytes came back of %d, or others: %v", n, len(sent), err)
	}
	echoed.Wait()

	if n, err := c.Read(nil); n != 0 || err != nil {
		t.Errorf("reading into nothing gave %d, %v", n, err)
	}
	if err := c.SetReadDeadline(time.Now().Add(20 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(got); !errors.Is(err, os.ErrDeadlineExceeded) || !IsTimeout(err) {
		t.Errorf("past its deadline: %v", err)
	}
	_ = c.SetReadDeadline(time.Time{})
	if !Alive(c) {
		t.Error("an open connection is not alive")
	}
	if err := c.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
		t.Errorf("ending the sending side: %v", err)
	}
	if n, err := peer.Read(got); n != 0 || err != io.EOF {
		t.Errorf("the peer reads %d, %v, want the end", n, err)
	}
	peer.Close()
	if n, err := c.Read(got); n != 0 || err != io.EOF {
		t.Errorf("after the end: %d, %v", n, err)
	}
}

// TestConnReset: a connection that was reset says so, to who reads and to who writes.
func TestConnReset(t *testing.T) {
	ours, peer := sockets(t)
	c := NewConn(ours)
	_ = peer.(*net.TCPConn).SetLinger(0)
	peer.Close()
	if n, err := c.Read(make([]byte, 1)); n != 0 || !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("reading: %d, %v", n, err)
	}
	if n, err := c.Write([]byte("x")); n != 0 || !errors.Is(err, syscall.EPIPE) {
		t.Errorf("writing: %d, %v", n, err)
	}
}

// TestConnNoSocket: what is no socket stays as it is.
func TestConnNoSocket(t *testing.T) {
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	if c := NewConn(a); c != a {
		t.Errorf("a pipe becomes %T", c)
	}
}

// TestConnAllocations: neither reading nor writing allocates.
func TestConnAllocations(t *testing.T) {
	ours, peer := sockets(t)
	c, p := NewConn(ours), make([]byte, 64)
	n := testing.AllocsPerRun(100, func() {
		_, _ = peer.Write(p)
		_, _ = c.Read(p)
		_, _ = c.Write(p)
		_, _ = peer.Read(p)
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
