//go:build unix

package rawio

import (
	"errors"
	"net"
	"syscall"
	"testing"
)

// closedSocket is a connection whose socket cannot be had.
type closedSocket struct{}

func (closedSocket) SyscallConn() (syscall.RawConn, error) { return socketGone{}, errors.New("closed") }

// socketGone is what may stand beside an error, and must not be used.
type socketGone struct{ syscall.RawConn }

// TestRawConn: only a socket that can be had is read from directly; everything else is read in the usual way.
func TestRawConn(t *testing.T) {
	if c := rawConn(closedSocket{}); c != nil {
		t.Errorf("a closed socket gives %v", c)
	}
	if c := rawConn(struct{}{}); c != nil {
		t.Errorf("no socket gives %v", c)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	c, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if rawConn(c) == nil || NewReader(c) == nil {
		t.Error("a TCP connection is no bare socket")
	}
}
