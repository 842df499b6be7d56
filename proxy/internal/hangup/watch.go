// Package hangup notices that the peer of a connection has closed it while nothing is being read or written.
package hangup

import (
	"net"
	"sync"
)

// Peer is the other side of a connection, which is watched again and again. The zero value is ready. A connection
// is registered with the system once, and not for each watch, which saves two system calls for each request.
type Peer struct {
	mu      sync.Mutex
	watcher *Watcher
	key     uint64 // in the watcher; 0: it is not registered
	gone    func() // nil: no watch
	left    bool
}

// Watch calls gone, at most once and from another goroutine, when the peer of c closes its side, or the connection
// breaks. gone must not block: it holds up what all others are waiting for. Forget ends the watch, and who closes c calls
// Drop.
//
// A client that only closes its sending side counts as one that has left, as it does for net/http and nginx: browsers
// and HTTP libraries never do that, and the two cannot be distinguished without writing.
func (p *Peer) Watch(w *Watcher, c net.Conn, gone func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.key == 0 {
		p.watcher, p.key = w, w.register(p, c)
	}
	if p.left {
		go gone()
		return
	}
	p.gone = gone
}

// Forget ends the watch. A call of what was to be called that has begun by then may still be running.
func (p *Peer) Forget() {
	p.mu.Lock()
	p.gone = nil
	p.mu.Unlock()
}

// leave notes that the peer has left, and calls what the watch has asked for.
func (p *Peer) leave() {
	p.mu.Lock()
	gone := p.gone
	p.gone, p.left = nil, true
	p.mu.Unlock()
	if gone != nil {
		gone()
	}
}

// Drop lets go of the peer of a connection that is being closed.
func (p *Peer) Drop() {
	p.mu.Lock()
	key := p.key
	p.gone, p.key = nil, 0
	p.mu.Unlock()
	if key != 0 {
		p.watcher.remove(key)
	}
}
