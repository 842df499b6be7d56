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

// TestBufferExchanges: memory goes round without being copied; what all streams share, or what is kept for a wait, is not given away.
func TestBufferExchanges(t *testing.T) {
	b := &Buffer{data: make([]byte, 0, 16)}
	own := b.Room()[:1]
	b.Filled(copy(b.Room(), "used"))
	b.Used(4)
	if given := b.Exchange([]byte("next")); len(given) != 0 || cap(given) != 16 || &given[:1][0] != &own[0] || string(b.Unread()) != "next" {
		t.Errorf("given %d of %d bytes, unread %q", len(given), cap(given), b.Unread())
	}
	b.Used(4)
	copy(b.SharedRoom(), "more")
	b.Filled(4)
	b.Used(4)
	if given := b.Exchange([]byte("then")); given != nil || b.shared != nil || string(b.Unread()) != "then" {
		t.Errorf("given %d bytes that are shared, unread %q", cap(given), b.Unread())
	}
	b = &Buffer{kept: make([]byte, 0, 8)}
	b.data = b.kept
	if given := b.Exchange([]byte("last")); given != nil || string(b.Unread()) != "last" {
		t.Errorf("given %d bytes that are kept, unread %q", cap(given), b.Unread())
	}
}
