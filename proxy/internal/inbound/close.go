package inbound

import (
	"crypto/tls"
	"net"
	"time"
)

// Close implements net.Conn. Where the client may still be sending, its answer is out first, and what it sends is read
// for a moment: closing a connection with unread bytes resets it, and the client would never see the answer.
func (c *Conn) Close() error {
	if c.Stream != nil || c.handed.Load() {
		return nil
	}
	return c.end()
}

// end closes the connection itself.
func (c *Conn) end() error {
	if c.closed.Swap(true) {
		return net.ErrClosed
	}
	if t, ok := c.Conn.(*tls.Conn); ok {
		t.NetConn().(*tlsTransport).closing.Store(true)
	}
	if c.Lingers.Load() {
		linger(c.Conn)
	}
	defer c.listener.leave()
	c.Peer.Drop()
	return c.Conn.Close()
}

// Reset closes the connection so that the client sees no good end: TLS sends no close_notify, and TCP no FIN.
func (c *Conn) Reset() error {
	if c.closed.Swap(true) {
		return net.ErrClosed
	}
	bare := bareConn(c.Conn)
	if l, ok := bare.(interface{ SetLinger(sec int) error }); ok {
		_ = l.SetLinger(0)
	}
	defer c.listener.leave()
	c.Peer.Drop()
	return bare.Close()
}

// How much of what a client still sends is read before its connection is closed, and for how long.
const (
	MaxRefused  = 16 << 20
	refusedTime = time.Second
	refusedGap  = 200 * time.Millisecond
)

// linger ends the sending side of c, and reads what the client is still sending.
func linger(c net.Conn) {
	if h, ok := c.(interface{ CloseWrite() error }); ok {
		_ = h.CloseWrite()
	}
	until := time.Now().Add(refusedTime)
	var p [4 << 10]byte
	for total := 0; total < MaxRefused; {
		gap := time.Now().Add(refusedGap)
		if gap.After(until) {
			gap = until
		}
		_ = c.SetReadDeadline(gap)
		n, err := c.Read(p[:])
		if err != nil {
			return
		}
		total += n
	}
}
