package hangup

import (
	"net"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// epollWatcher holds one epoll set for all clients. EPOLLRDHUP arrives when a client closes its side, without any
// read, so a silent client costs neither a goroutine nor a buffer.
type epollWatcher struct {
	epoll int
	wake  [2]int // pipe: closing the set does not end a wait

	mu      sync.Mutex
	entries map[uint64]func() // by file descriptor and generation
	gen     uint32
	closed  bool
	done    chan struct{}
}

// newWatcher makes the set and starts the one goroutine that waits on it.
func New() (Watcher, error) {
	ep, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	w := &epollWatcher{epoll: ep, entries: map[uint64]func(){}, done: make(chan struct{})}
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

// Watch implements watcher. File descriptors are used again as soon as they are closed, so each watch has a
// generation, and an event of an earlier one finds nothing.
func (w *epollWatcher) Watch(c net.Conn, gone func()) (forget func()) {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return func() {}
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return func() {}
	}
	var key uint64
	// Control keeps the file descriptor from being closed, and so from being another connection's, meanwhile.
	_ = raw.Control(func(fd uintptr) { key = w.add(int(fd), gone) })
	return func() {
		if !w.take(key) {
			return // it has fired; the kernel has disarmed it
		}
		_ = raw.Control(func(fd uintptr) { _ = unix.EpollCtl(w.epoll, unix.EPOLL_CTL_DEL, int(fd), nil) })
	}
}

// add arms one notice for a file descriptor and returns its key, 0 if that is impossible.
func (w *epollWatcher) add(fd int, gone func()) uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return 0
	}
	w.gen++
	ev := unix.EpollEvent{Events: unix.EPOLLRDHUP | unix.EPOLLONESHOT, Fd: int32(fd), Pad: int32(w.gen)}
	err := unix.EpollCtl(w.epoll, unix.EPOLL_CTL_ADD, fd, &ev)
	if err == unix.EEXIST { // an earlier watch of this connection has fired, and it is still open
		err = unix.EpollCtl(w.epoll, unix.EPOLL_CTL_MOD, fd, &ev)
	}
	if err != nil {
		return 0
	}
	key := keyOf(&ev)
	w.entries[key] = gone
	return key
}

// keyOf packs what the kernel gives back with an event: descriptor and generation.
func keyOf(ev *unix.EpollEvent) uint64 { return uint64(uint32(ev.Fd))<<32 | uint64(uint32(ev.Pad)) }

// take ends a watch and reports whether it had not fired yet.
func (w *epollWatcher) take(key uint64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, ok := w.entries[key]
	delete(w.entries, key)
	return ok
}

// run waits for events until the pipe says that it is over.
func (w *epollWatcher) run() {
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
			w.fire(keyOf(&events[i]))
		}
	}
}

// fire calls what was watched for, outside the lock, since it may want to watch or forget something else.
func (w *epollWatcher) fire(key uint64) {
	w.mu.Lock()
	gone := w.entries[key]
	delete(w.entries, key)
	w.mu.Unlock()
	if gone != nil {
		gone()
	}
}

// Close ends the watcher and all watches.
func (w *epollWatcher) Close() {
	w.mu.Lock()
	w.closed = true
	clear(w.entries)
	w.mu.Unlock()
	_, _ = unix.Write(w.wake[1], []byte{0})
	<-w.done
	w.closeFiles()
}

func (w *epollWatcher) closeFiles() {
	for _, fd := range []int{w.epoll, w.wake[0], w.wake[1]} {
		_ = unix.Close(fd)
	}
}
