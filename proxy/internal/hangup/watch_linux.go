package hangup

import (
	"net"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Watcher notices that a client has left while nothing is being written to it, as happens when the upstream is
// silent. fasthttp has no such notice, and a failed write comes too late.
//
// It holds one epoll set for all clients. EPOLLRDHUP arrives when a client closes its side, without any read, so a silent
// client costs neither a goroutine nor a buffer.
type Watcher struct {
	epoll int
	wake  [2]int // pipe: closing the set does not end a wait

	mu     sync.Mutex
	peers  map[uint64]*Peer // by file descriptor and generation
	gen    uint32
	closed bool
	done   chan struct{}
}

// New makes the set and starts the one goroutine that waits on it.
func New() (*Watcher, error) {
	ep, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	w := &Watcher{epoll: ep, peers: map[uint64]*Peer{}, done: make(chan struct{})}
	if err := unix.Pipe2(w.wake[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		unix.Close(ep)
		return nil, err
	}
	ev := unix.EpollEvent{Events: unix.EPOLLIN, Fd: -1} // no connection has this number
	if err := unix.EpollCtl(ep, unix.EPOLL_CTL_ADD, w.wake[0], &ev); err != nil {
		w.closeFiles()
		return nil, err
	}
	go w.run()
	return w, nil
}

// register puts a connection into the set, and returns its key; 0 if that is impossible. The caller holds p.mu.
func (w *Watcher) register(p *Peer, c net.Conn) (key uint64) {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return 0
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return 0
	}
	// Control keeps the file descriptor from being closed, and so from being another connection's, meanwhile.
	_ = raw.Control(func(fd uintptr) { key = w.add(int(fd), p) })
	return key
}

// add puts a file descriptor into the set and returns its key, 0 if that is impossible. It says a thing once (EPOLLET), and
// not that bytes have come. File descriptors are used again as soon as they are closed, so each has a generation, and an
// event of an earlier one finds nothing.
func (w *Watcher) add(fd int, p *Peer) uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return 0
	}
	w.gen++
	ev := unix.EpollEvent{Events: unix.EPOLLRDHUP | unix.EPOLLET, Fd: int32(fd), Pad: int32(w.gen)}
	if unix.EpollCtl(w.epoll, unix.EPOLL_CTL_ADD, fd, &ev) != nil {
		return 0
	}
	key := keyOf(&ev)
	w.peers[key] = p
	return key
}

// keyOf packs what the kernel gives back with an event: descriptor and generation.
func keyOf(ev *unix.EpollEvent) uint64 { return uint64(uint32(ev.Fd))<<32 | uint64(uint32(ev.Pad)) }

// remove forgets a connection. The system does so itself when it is closed.
func (w *Watcher) remove(key uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.peers, key)
}

// run waits for events until the pipe says that it is over.
func (w *Watcher) run() {
	defer close(w.done)
	events := make([]unix.EpollEvent, 128)
	for {
		n, err := unix.EpollWait(w.epoll, events, -1)
		if err != nil && err != unix.EINTR {
			return
		}
		for i := range max(n, 0) {
			if events[i].Fd == -1 {
				return
			}
			if p := w.peer(keyOf(&events[i])); p != nil {
				p.leave()
			}
		}
	}
}

func (w *Watcher) peer(key uint64) *Peer {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.peers[key]
}

// Close ends the watcher and all watches.
func (w *Watcher) Close() {
	w.mu.Lock()
	w.closed = true
	clear(w.peers)
	w.mu.Unlock()
	_, _ = unix.Write(w.wake[1], []byte{0})
	<-w.done
	w.closeFiles()
}

func (w *Watcher) closeFiles() {
	for _, fd := range []int{w.epoll, w.wake[0], w.wake[1]} {
		_ = unix.Close(fd)
	}
}
