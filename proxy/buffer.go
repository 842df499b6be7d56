package proxy

// Sizes of read buffers. A silent stream holds the small one; a flowing stream grows to the large one, so that one
// system call moves many records.
const (
	minBuffer  = 4 << 10
	fullBuffer = 64 << 10
)

// buffer holds bytes that arrived and are not used up yet. A record that does not fit makes it grow; the splitter
// limits how far.
type buffer struct {
	data []byte // data[:w] is filled
	r    int    // data[r:] is unread
}

func (b *buffer) unread() []byte { return b.data[b.r:] }

// idle reports whether everything is used up.
func (b *buffer) idle() bool { return len(b.data) == 0 }

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
		b.grow()
	}
	return b.data[len(b.data):cap(b.data)]
}

// filled marks n bytes of the room as filled. A read that left no room says that more was waiting: the next may take
// more at once.
func (b *buffer) filled(n int) {
	b.data = b.data[:len(b.data)+n]
	if len(b.data) == cap(b.data) && cap(b.data) < fullBuffer {
		b.grow()
	}
}

func (b *buffer) grow() {
	next := make([]byte, len(b.data)-b.r, max(2*cap(b.data), minBuffer))
	copy(next, b.data[b.r:])
	b.data, b.r = next, 0
}

// reset empties the buffer and gives up an unusually large one.
func (b *buffer) reset() {
	if cap(b.data) > fullBuffer {
		b.data = nil
	}
	b.data, b.r = b.data[:0], 0
}
