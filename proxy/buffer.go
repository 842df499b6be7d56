package proxy

import "sync"

// Sizes of buffers. Where a stream can wait without a buffer, all streams share a few large ones, so that one system
// call moves many records. Else a silent stream holds a small one, and a flowing stream one that has grown.
const (
	minBuffer  = 4 << 10
	fullBuffer = 64 << 10
)

// buffer holds bytes that arrived and are not used up yet. A record that does not fit makes it grow; the splitter
// limits how far.
type buffer struct {
	data   []byte // data[:w] is filled
	r      int    // data[r:] is unread
	shared *[]byte
	kept   []byte // for the beginning of a record while the stream waits without a shared buffer
}

// shared buffers, of streams that read or write at this moment.
var shared = sync.Pool{New: func() any {
	p := make([]byte, 0, fullBuffer)
	return &p
}}

func (b *buffer) unread() []byte { return b.data[b.r:] }

// idle reports whether everything is used up.
func (b *buffer) idle() bool { return len(b.data) == 0 }

// large reports whether the buffer holds nothing, but memory of its own that a silent stream should not.
func (b *buffer) large() bool { return b.idle() && b.shared == nil && cap(b.data) > minBuffer }

// used marks n bytes as read.
func (b *buffer) used(n int) {
	b.r += n
	if b.r == len(b.data) {
		b.data, b.r = b.data[:0], 0
	}
}

// room returns the free tail, at least one byte. It may move the unread bytes.
func (b *buffer) room() []byte {
	if b.r > 0 && (len(b.data) == cap(b.data) || b.r >= cap(b.data)/2) {
		n := copy(b.data, b.data[b.r:])
		b.data, b.r = b.data[:n], 0
	}
	if len(b.data) == cap(b.data) {
		b.grow(max(2*cap(b.data), minBuffer))
	}
	return b.data[len(b.data):cap(b.data)]
}

// filled marks n bytes of the room as filled. A read that left no room says that more was waiting: the next may take
// more at once.
func (b *buffer) filled(n int) {
	b.data = b.data[:len(b.data)+n]
	if len(b.data) == cap(b.data) && cap(b.data) < fullBuffer {
		b.grow(2 * cap(b.data))
	}
}

func (b *buffer) grow(size int) {
	b.moveTo(make([]byte, 0, size))
}

// moveTo makes p the place of the unread bytes.
func (b *buffer) moveTo(p []byte) {
	p = append(p[:0], b.unread()...)
	b.release()
	b.data, b.r = p, 0
}

// release gives up all memory but kept.
func (b *buffer) release() {
	if b.shared != nil {
		shared.Put(b.shared)
		b.shared = nil
	}
	b.data, b.r = nil, 0
}

// sharedRoom is like room, with a shared buffer unless the unread bytes are many.
func (b *buffer) sharedRoom() []byte {
	if b.shared == nil && len(b.unread()) <= fullBuffer/2 {
		p := shared.Get().(*[]byte)
		b.moveTo(*p)
		b.shared = p
	}
	return b.room()
}

// releaseShared gives a shared buffer back before the stream waits. What is left of a record stays.
func (b *buffer) releaseShared() {
	switch n := len(b.unread()); {
	case b.shared == nil:
	case n == 0:
		b.release()
	case n <= minBuffer:
		b.kept = append(b.kept[:0], b.unread()...)
		b.release()
		b.data = b.kept
	}
}
