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

// TestConnErrors: what goes wrong is said as net says it.
func TestConnErrors(t *testing.T) {
	ours, peer := sockets(t)
	c := NewConn(ours)
	same := func(what string, got, want error) {
		t.Helper()
		if got == nil || want == nil || got.Error() != want.Error() {
			t.Errorf("%s: %v, of net it is %v", what, got, want)
		}
	}
	var one [1]byte
	_ = c.SetReadDeadline(time.Unix(1, 0))
	_, err := c.Read(one[:])
	_, want := ours.Read(one[:])
	same("a read that takes too long", err, want)
	_ = c.SetReadDeadline(time.Time{})

	if err := peer.(*net.TCPConn).SetLinger(0); err != nil {
		t.Fatal(err)
	}
	peer.Close()
	_, err = c.Read(one[:])
	var op *net.OpError
	if !IsReset(err) || !errors.As(err, &op) || op.Op != "read" || op.Source != ours.LocalAddr() || op.Addr != ours.RemoteAddr() {
		t.Errorf("a reset is %v", err)
	}
	_, err = c.Write(one[:])
	_, want = ours.Write(one[:])
	same("a write to what was reset", err, want)
	c.Close()
	_, err = c.Write(one[:])
	_, want = ours.Write(one[:])
	same("a write to what is closed", err, want)
}
