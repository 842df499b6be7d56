package proxy

import (
	"sync"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// mailboxes hold what is sent to a client until it reads it: one of the connection, "", and one of each conversation. Together they hold no
// more than maxMail, unless a single piece is larger.
type mailboxes struct {
	timeout time.Duration // how long there may be no room

	mu      sync.Mutex
	boxes   map[string]*mailbox
	size    int
	closed  bool
	changed chan struct{} // closed, and made anew, with each change
}

// mailbox is one of them.
type mailbox struct {
	lines []byte
	read  bool // by a request
}

// maxMail bounds what waits for a client, in bytes.
const maxMail = 1 << 20

func newMailboxes(timeout time.Duration) *mailboxes {
	return &mailboxes{timeout: timeout, boxes: map[string]*mailbox{}, changed: make(chan struct{})}
}

// wake wakes all who wait for a change. The caller holds m.mu.
func (m *mailboxes) wake() {
	close(m.changed)
	m.changed = make(chan struct{})
}

// box is the mailbox of a name. The caller holds m.mu.
func (m *mailboxes) box(name string) *mailbox {
	b := m.boxes[name]
	if b == nil {
		b = new(mailbox)
		m.boxes[name] = b
	}
	return b
}

// put adds lines to a mailbox, and waits for room.
func (m *mailboxes) put(name string, lines []byte) error {
	late := time.NewTimer(m.timeout)
	defer late.Stop()
	for {
		done, changed := m.tryPut(name, lines)
		if done {
			return nil
		}
		if changed == nil {
			return hub.Fail(hub.CodeClientGone, nil)
		}
		select {
		case <-changed:
		case <-late.C:
			return hub.Fail(hub.CodeClientSlow, nil)
		}
	}
}

// tryPut adds lines if there is room; changed is nil if the client has left.
func (m *mailboxes) tryPut(name string, lines []byte) (done bool, changed <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closed:
		return false, nil
	case m.size > 0 && m.size+len(name)+len(lines) > maxMail:
		return false, m.changed
	}
	b := m.box(name)
	if len(b.lines) == 0 {
		m.size += len(name)
	}
	b.lines = append(b.lines, lines...)
	m.size += len(lines)
	m.wake()
	return true, nil
}

// claim makes a mailbox that of a request, unless it is another's.
func (m *mailboxes) claim(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.box(name)
	if b.read {
		return false
	}
	b.read = true
	return true
}

// release takes a mailbox back from a request.
func (m *mailboxes) release(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if b := m.box(name); len(b.lines) > 0 {
		b.read = false
	} else {
		delete(m.boxes, name)
	}
}

// take empties a mailbox. If there is nothing, changed tells when that may be otherwise; it is nil when nothing can come any more.
func (m *mailboxes) take(name string) (lines []byte, changed <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.boxes[name]
	switch {
	case b != nil && len(b.lines) > 0:
		m.size -= len(name) + len(b.lines)
		lines, b.lines = b.lines, nil
		if !b.read {
			delete(m.boxes, name)
		}
		m.wake()
		return lines, nil
	case m.closed:
		return nil, nil
	}
	return nil, m.changed
}

// close lets nothing more come in.
func (m *mailboxes) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closed {
		m.closed = true
		m.wake()
	}
}
