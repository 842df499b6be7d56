package acpwire_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
)

// TestOutput: a little is sent at once, a lot when it has grown by an eighth, and what is over the limit never.
func TestOutput(t *testing.T) {
	const limit = 4000
	var o acpwire.Output
	f := func(text string, op hub.Op, due bool) {
		t.Helper()
		if o.Add([]byte(text), op, limit); o.Due() != due {
			t.Errorf("%d bytes after %d more: due %t, want %t", len(o.Text), len(text), o.Due(), due)
		}
		if due {
			o.Sent()
		}
	}
	f("a", hub.Append, true)
	f("", hub.Append, false)
	f(strings.Repeat("b", 1999), hub.Append, true)
	f(strings.Repeat("c", 249), hub.Append, false)
	if o.Shows(o.Text) {
		t.Error("text that was not sent is shown")
	}
	f("d", hub.Append, true)
	if !o.Shows(o.Text) || o.Shows([]byte("a")) {
		t.Error("the text that was sent is not what is shown")
	}
	f("short", hub.Replace, true)
	f(strings.Repeat("e", limit), hub.Append, false)
	f("f", hub.Append, false)
	if o.Text != nil {
		t.Errorf("%d bytes are kept over the limit", len(o.Text))
	}
	f("again", hub.Replace, true)
	if o.Reset(); o.Due() || len(o.Text) > 0 {
		t.Errorf("%q is left", o.Text)
	}
}
