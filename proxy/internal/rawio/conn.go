package rawio

import (
	"context"
	"net"
)

// NewConn makes a connection read and write its socket by bare system calls. The runtime does not know of them: to let it know, as for calls
// that may wait, costs more than such a call, and wakes threads. What is no socket stays as it is.
func NewConn(c net.Conn) net.Conn { return newConn(c) }

// Dial is a function that makes connections.
type Dial = func(ctx context.Context, network, addr string) (net.Conn, error)

// Dialer makes connections by dial, and [NewConn] of them.
func Dialer(dial Dial) Dial {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return NewConn(c), nil
	}
}
