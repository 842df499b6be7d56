// Package eventlog keeps runs as what they have said, so that clients can come to a run late, or come back to it. One goroutine
// writes a log; any number of readers read it, each from the beginning and at its own pace. It is held in memory, within bounds.
//
// log.go takes what a run says and hands it on; snapshot.go keeps a short form of its beginning, for logs that are full and for readers
// that come late; runs.go has all logs.
package eventlog

import (
	"errors"
	"io"
	"sync"
)

// Log is what a run has said so far: bytes in order.
type Log struct {
	memory *memory     // of all logs
	evict  func() bool // makes room in it
	limit  int         // bytes
	runs   *settings
	opaque bool // no snapshot can be made of what it says

	// OnShort is called, by who appends, when a snapshot has taken the place of so many bytes of the beginning; nil: nothing is.
	OnShort func(short []byte, of int64)

	shortening sync.Mutex // held while a snapshot is made for a reader: one at a time has the memory for it

	mu      sync.Mutex
	short   []byte // the snapshot of the bytes that are gone
	gone    int64
	cut     bool // it is gone, too
	chunks  []chunk
	first   int // so many chunks are gone
	held    int // bytes of the others and of short
	readers map[*Reader]struct{}
	ended   bool
	err     error // with which it has ended
}

// A chunk is never moved: what is in it can be read while more is added.
type chunk []byte

// Chunks are small first: most runs are short. None is more than an eighth of a log, so that what is let go of is small.
const leastChunk, mostChunk = 1 << 10, 64 << 10

var (
	// ErrCut says that a log has lost its beginning, so that no new reader can begin.
	ErrCut = errors.New("the run has said more than is kept of it")
	// ErrSlow says that a reader was so far behind that what it needs is gone.
	ErrSlow = errors.New("the client is further behind than the run is kept")
	// ErrFull says that a log has as many readers as it may have.
	ErrFull = errors.New("the run has as many clients as it may have")
)

// Append adds to the log, and wakes its readers. Where there is no room, a snapshot takes the place of the older half; where that does
// not help, the beginning is let go of. Readers that have not read what goes are cut.
func (l *Log) Append(p []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(p) > 0 && !l.ended {
		last := l.last(len(p))
		n := min(len(p), cap(*last)-len(*last))
		*last = append(*last, p[:n]...)
		p = p[n:]
	}
	l.wake()
}

// last is the last chunk, which has room.
func (l *Log) last(need int) *chunk {
	n := len(l.chunks)
	if n == 0 || len(l.chunks[n-1]) == cap(l.chunks[n-1]) {
		size := min(max(leastChunk, l.held/4, need), mostChunk, max(leastChunk, l.limit/8))
		for (l.held+size > l.limit || !l.memory.has(size, l.evict)) && len(l.chunks) > 0 {
			if !l.shorten() {
				l.cutShort()
				l.trim()
			}
		}
		l.memory.add(size)
		l.held += size
		l.chunks = append(l.chunks, make(chunk, 0, size))
		n = len(l.chunks)
	}
	return &l.chunks[n-1]
}

// trim lets go of the first chunk.
func (l *Log) trim() {
	gone := l.chunks[0]
	l.memory.add(-cap(gone))
	l.held -= cap(gone)
	l.gone += int64(len(gone))
	l.chunks[0] = nil
	l.chunks, l.first = l.chunks[1:], l.first+1
	for r := range l.readers {
		switch {
		case r.chunk >= l.first || r.err != nil:
		case r.at == len(gone):
			r.chunk, r.at = l.first, 0
		default:
			r.err = ErrSlow
		}
	}
}

// End says that nothing comes any more. err is what readers get behind the last byte: nil for io.EOF.
func (l *Log) End(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return
	}
	if l.ended, l.err = true, err; err == nil {
		l.err = io.EOF
	}
	l.wake()
}

// Ended reports whether nothing comes any more.
func (l *Log) Ended() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended
}

// Cause is what a log has ended with in place of a last byte, nil for nothing.
func (l *Log) Cause() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == io.EOF {
		return nil
	}
	return l.err
}

// forget lets go of everything. Readers that are behind are cut.
func (l *Log) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dropShort()
	for len(l.chunks) > 0 {
		l.trim()
	}
	l.wake()
}

// wake makes readers that wait look again.
func (l *Log) wake() {
	for r := range l.readers {
		select {
		case r.wake <- struct{}{}:
		default: // it will look in any case
		}
	}
}

// Reader reads a log. It is used by one goroutine.
type Reader struct {
	log       *Log
	short     []byte // comes first
	of        int64  // so many bytes it stands for
	chunk, at int
	err       error // it was cut
	wake      chan struct{}
}

// Open begins to read a log, unless it has so many readers.
func (l *Log) Open(most int) (*Reader, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open(most)
}

// open is Open for who holds the lock.
func (l *Log) open(most int) (*Reader, error) {
	switch {
	case l.cut:
		return nil, ErrCut
	case len(l.readers) >= most:
		return nil, ErrFull
	}
	r := &Reader{log: l, short: l.short, of: l.gone, chunk: l.first, wake: make(chan struct{}, 1)}
	l.readers[r] = struct{}{}
	return r, nil
}

// Readers is how many there are.
func (l *Log) Readers() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.readers)
}

// Next returns what comes next, nothing if it has not come yet: [Reader.Wake] tells when to try again. What it returns must not be
// changed, and stays as it is.
func (r *Reader) Next() ([]byte, error) {
	l := r.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := min(len(r.short), mostChunk); n > 0 {
		p := r.short[:n:n]
		r.short = r.short[n:]
		return p, nil
	}
	for r.err == nil {
		i := r.chunk - l.first
		if i >= len(l.chunks) {
			break
		}
		if c := l.chunks[i]; r.at < len(c) {
			p := c[r.at:len(c):len(c)]
			r.at = len(c)
			return p, nil
		} else if len(c) < cap(c) {
			break
		}
		r.chunk, r.at = r.chunk+1, 0
	}
	if r.err == nil && l.ended {
		return nil, l.err
	}
	return nil, r.err
}

// Wake receives when there may be more.
func (r *Reader) Wake() <-chan struct{} { return r.wake }

// Close ends reading.
func (r *Reader) Close() {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	delete(r.log.readers, r)
}
