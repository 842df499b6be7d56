package acpwire_test

import (
	"strconv"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
)

// TestCalls: an id belongs to the session that used it first; others get a prefix.
func TestCalls(t *testing.T) {
	var calls acpwire.Calls[int]
	var s hub.Scratch
	f := func(id, session, want string, made int) {
		t.Helper()
		known, _ := calls.Find([]byte(id), []byte(session), []byte("root"), &s)
		call, got := calls.Call([]byte(id), []byte(session), []byte("root"), &s)
		if string(got) != want || (known == nil) != (made != 0) || known != nil && known != call {
			t.Errorf("%s in %q: got %s (new: %t), want %s", id, session, got, known == nil, want)
		}
		if made != 0 {
			*call = made
		}
	}
	f("c1", "", "c1", 1)
	f("c1", "", "c1", 0)
	f("c1", "s2", "s2/c1", 2)
	f("c2", "s2", "c2", 3)
	f("c2", "", "root/c2", 4)
	f("c2", "", "root/c2", 0)
	for id, want := range map[string]int{"c1": 1, "s2/c1": 2} {
		session := []byte("s2")[:2*(want-1)]
		if call, _ := calls.Find([]byte("c1"), session, nil, &s); call == nil || *call != want {
			t.Errorf("%s is another call: %v, want %d", id, call, want)
		}
	}
	calls.Reset()
	f("c2", "", "c2", 5)
}

// TestCallsBound: a stream that never ends does not fill the memory.
func TestCallsBound(t *testing.T) {
	var calls acpwire.Calls[struct{}]
	for i := range acpwire.MaxCalls + 1 {
		calls.Call(strconv.AppendInt(nil, int64(i), 10), nil, nil, nil)
	}
	if call, _ := calls.Find([]byte("0"), nil, nil, nil); call != nil {
		t.Error("the first call is still known")
	}
	if call, _ := calls.Find(strconv.AppendInt(nil, acpwire.MaxCalls, 10), nil, nil, nil); call == nil {
		t.Error("the last call is forgotten")
	}
}
