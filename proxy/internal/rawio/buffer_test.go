package rawio

import (
	"bytes"
	"testing"
)

// TestBufferMovesUnread: the unread bytes move to the front where the tail is used up, or more than half is read, and not
// before: moving costs time, and growing memory.
func TestBufferMovesUnread(t *testing.T) {
	f := func(name string, filled, used, wantRead, wantRoom int) {
		t.Helper()
		b := &Buffer{data: make([]byte, 0, 16)}
		b.Filled(copy(b.Room(), "0123456789abcdef"[:filled]))
		size := cap(b.data)
		b.Used(used)
		rest := bytes.Clone(b.Unread())
		room := b.Room()
		if !bytes.Equal(b.Unread(), rest) || b.r != wantRead || len(room) != wantRoom || cap(b.data) != size {
			t.Errorf("%s: unread %q, want %q; read %d, want %d; room %d, want %d; capacity %d", name, b.Unread(), rest, b.r, wantRead, len(room), wantRoom, cap(b.data))
		}
	}
	f("nothing is read", 10, 0, 0, 6)
	f("a little is read", 10, 7, 7, 6)
	f("half is read", 10, 8, 0, 14)
	f("more than half is read", 15, 9, 0, 10)
	f("all is read", 10, 10, 0, 16)

	// A full buffer moves before it grows.
	b := &Buffer{data: append(make([]byte, 0, 16), "0123456789abcdef"...), r: 1}
	if room := b.Room(); len(room) != 1 || cap(b.data) != 16 || string(b.Unread()) != "123456789abcdef" {
		t.Errorf("full, one read: room %d, capacity %d, unread %q", len(room), cap(b.data), b.Unread())
	}
	b = &Buffer{data: append(make([]byte, 0, 16), "0123456789abcdef"...)}
	if room := b.Room(); cap(b.data) != MinBuffer || len(room) != MinBuffer-16 || string(b.Unread()) != "0123456789abcdef" {
		t.Errorf("full, none read: room %d, capacity %d, unread %q", len(room), cap(b.data), b.Unread())
	}
}
