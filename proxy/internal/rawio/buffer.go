// Package rawio reads and writes sockets without waiting and with shared buffers, so that an idle stream costs little memory.
package rawio

import "sync"

// Sizes of buffers. Where a stream can wait without a buffer, all streams share a few large ones, so that one system
// call moves many records. Else a silent stream holds a small one, and a flowing stream one that has grown.
const (
	MinBuffer  = 4 << 10
	FullBuffer = 64 << 10
)

// Buffer holds bytes that arrived and are not used up yet. A record that does not fit makes it grow; the splitter
// limits how far.
type Buffer struct {
	data   []byte // data[:w] is filled
	r      int    // data[r:] is unread
	shared *[]byte
	kept   []byte // for the beginning of a record while the stream waits without a shared buffer
}

// shared buffers, of streams that read or write at this moment.
var Buffers = sync.Pool{New: func() any {
	p := make([]byte, 0, FullBuffer)
	return &p
}}

func (b *Buffer) Unread() []byte { return b.data[b.r:] }

// Idle reports whether everything is used up.
func (b *Buffer) Idle() bool { return len(b.data) == 0 }

// Size is how much memory the buffer has now.
func (b *Buffer) Size() int { return cap(b.data) }

// Large reports whether the buffer holds nothing, but memory of its own that a silent stream should not.
func (b *Buffer) Large() bool { return b.Idle() && b.shared == nil && cap(b.data) > MinBuffer }

// Used marks n bytes as read.
func (b *Buffer) Used(n int) {
	b.r += n
	if b.r == len(b.data) {
		b.data, b.r = b.data[:0], 0
	}
}

// Room returns the free tail, at least one byte. It may move the unread bytes.
func (b *Buffer) Room() []byte {
	if b.r > 0 && (len(b.data) == cap(b.data) || b.r >= cap(b.data)/2) {
		n := copy(b.data, b.data[b.r:])
		b.data, b.r = b.data[:n], 0
	}
	if len(b.data) == cap(b.data) {
		b.grow(max(2*cap(b.data), MinBuffer))
	}
	return b.data[len(b.data):cap(b.data)]
}

// Filled marks n bytes of the room as filled. A read that left no room says that more was waiting: the next may take
// more at once.
func (b *Buffer) Filled(n int) {
	b.data = b.data[:len(b.data)+n]
	if len(b.data) == cap(b.data) && cap(b.data) < FullBuffer {
		b.grow(2 * cap(b.data))
	}
}

// Fill appends p to what is unread.
func (b *Buffer) Fill(p []byte) {
	for len(p) > 0 {
		n := copy(b.Room(), p)
		b.Filled(n)
		p = p[n:]
	}
}

// Exchange takes p over, and returns memory for the next, which may be that of p: where nothing is unread, the memory of p takes the place of
// the buffer's own.
func (b *Buffer) Exchange(p []byte) []byte {
	if !b.Idle() {
		b.Fill(p)
		return p[:0]
	}
	old := b.data
	if b.shared != nil || cap(b.kept) > 0 { // it is not this buffer's to give away
		b.Release()
		old = nil
	}
	b.data, b.r = p, 0
	return old[:0]
}

func (b *Buffer) grow(size int) {
	b.moveTo(make([]byte, 0, size))
}

// moveTo makes p the place of the unread bytes.
func (b *Buffer) moveTo(p []byte) {
	p = append(p[:0], b.Unread()...)
	b.Release()
	b.data, b.r = p, 0
}

// Release gives up all memory but kept.
func (b *Buffer) Release() {
	if b.shared != nil {
		Buffers.Put(b.shared)
		b.shared = nil
	}
	b.data, b.r = nil, 0
}

// SharedRoom is like room, with a shared buffer unless the unread bytes are many.
func (b *Buffer) SharedRoom() []byte {
	if b.shared == nil && len(b.Unread()) <= FullBuffer/2 {
		p := Buffers.Get().(*[]byte)
		b.moveTo(*p)
		b.shared = p
	}
	return b.Room()
}

// releaseShared gives a shared buffer back before the stream waits. What is left of a record stays.
func (b *Buffer) releaseShared() {
	switch n := len(b.Unread()); {
	case b.shared == nil:
	case n == 0:
		b.Release()
	case n <= MinBuffer:
		b.kept = append(b.kept[:0], b.Unread()...)
		b.Release()
		b.data = b.kept
	}
}
