package proxy

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// putCode is how a piece for a mailbox ends: "" where it has found room.
func putCode(m *mailboxes, name string, size int) hub.Code {
	var f *hub.Failure
	if errors.As(m.put(name, bytes.Repeat([]byte("x"), size)), &f) {
		return f.Code
	}
	return ""
}

// TestRoomOfMailboxes: what waits for a client has a bound, names and all; a single piece may be larger, and is then alone.
func TestRoomOfMailboxes(t *testing.T) {
	t.Parallel()
	type piece struct {
		name string
		size int
		want hub.Code
	}
	for what, pieces := range map[string][]piece{
		"to the last byte":            {{"", 1, ""}, {"", maxMail - 1, ""}},
		"one byte too many":           {{"", 1, ""}, {"", maxMail, hub.CodeClientSlow}},
		"the name is the last byte":   {{"a", 1, ""}, {"b", maxMail - 3, ""}},
		"the name is too much":        {{"a", 1, ""}, {"b", maxMail - 2, hub.CodeClientSlow}},
		"a name counts once":          {{"a", 1, ""}, {"a", 1, ""}, {"a", maxMail - 4, ""}, {"", 1, ""}, {"", 1, hub.CodeClientSlow}},
		"one that is too large alone": {{"", 2 * maxMail, ""}, {"", 1, hub.CodeClientSlow}},
	} {
		m := newMailboxes(time.Millisecond)
		for i, p := range pieces {
			if got := putCode(m, p.name, p.size); got != p.want {
				t.Errorf("%s: piece %d: %q, want %q", what, i, got, p.want)
			}
		}
	}
}

// TestMailboxGivesRoomBack: what is read makes room, of its name, too, and who waits for that puts the next piece at once.
func TestMailboxGivesRoomBack(t *testing.T) {
	t.Parallel()
	m := newMailboxes(testTimeout)
	putCode(m, "name", maxMail-4)
	put := make(chan hub.Code, 1)
	go func() { put <- putCode(m, "", maxMail) }()
	if lines, changed := m.take("name"); len(lines) != maxMail-4 || changed != nil {
		t.Errorf("%d bytes are taken", len(lines))
	}
	if code := <-put; code != "" || m.size != maxMail {
		t.Errorf("%q, and %d bytes wait", code, m.size)
	}
	if m.take(""); m.size != 0 || len(m.boxes) != 0 {
		t.Errorf("%d bytes in %d mailboxes are left", m.size, len(m.boxes))
	}
}

// TestMailboxThatIsClosed: what a client has not read it still gets, but nothing more, and a reader learns that.
func TestMailboxThatIsClosed(t *testing.T) {
	t.Parallel()
	m := newMailboxes(testTimeout)
	_, changed := m.take("")
	putCode(m, "a", 1)
	<-changed
	_, changed = m.take("")
	m.close()
	m.close()
	<-changed
	if code := putCode(m, "a", 1); code != hub.CodeClientGone {
		t.Errorf("what comes later ends with %q", code)
	}
	if lines, _ := m.take("a"); len(lines) != 1 {
		t.Errorf("%q is left to be read", lines)
	}
	if lines, changed := m.take("a"); len(lines) > 0 || changed != nil {
		t.Errorf("%q, and there is something to wait for", lines)
	}
}

// TestMailboxOfOneReader: a mailbox has one reader at a time, and is no burden when it is empty.
func TestMailboxOfOneReader(t *testing.T) {
	t.Parallel()
	m := newMailboxes(testTimeout)
	if !m.claim("a") || m.claim("a") || !m.claim("b") {
		t.Error("a mailbox has two readers, or a free one none")
	}
	putCode(m, "a", 1)
	if m.take("a"); m.claim("a") {
		t.Error("what is read makes the mailbox free")
	}
	putCode(m, "a", 1)
	m.release("a")
	m.release("b")
	if lines, _ := m.take("a"); len(lines) != 1 || len(m.boxes) != 0 {
		t.Errorf("%q is left, in %d mailboxes", lines, len(m.boxes))
	}
	if !m.claim("a") {
		t.Error("a mailbox that was released has no reader again")
	}
}
