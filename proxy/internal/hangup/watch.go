// Package hangup notices that the peer of a connection has closed it while nothing is being read or written.
package hangup

import "net"

// A Watcher notices that a client has left while nothing is being written to it, as happens when the upstream is
// silent. fasthttp has no such notice, and a failed write comes too late.
type Watcher interface {
	// Watch calls gone, at most once and from another goroutine, when the peer of c closes its side, or the connection
	// breaks. gone must not block: it holds up what all others are waiting for. The function returned ends the watch; a
	// call of gone that has begun by then may still be running.
	//
	// A client that only closes its sending side counts as one that has left, as it does for net/http and nginx:
	// browsers and HTTP libraries never do that, and the two cannot be distinguished without writing.
	Watch(c net.Conn, gone func()) (forget func())

	Close()
}
