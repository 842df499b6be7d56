package hub_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

func TestAppendFault(t *testing.T) {
	f := func(reason, text, value, want string) {
		t.Helper()
		ev := hub.Event{Status: hub.StatusError, More: &hub.More{}}
		if reason != "" {
			ev.More.Err = []byte(reason)
		}
		if text != "" {
			ev.Text = []byte(text)
		}
		if value != "" {
			ev.Value = []byte(value)
		}
		if got := string(hub.AppendFault([]byte("> "), &ev)); got != "> "+want {
			t.Errorf("%q, %q, %q: got %q, want %q", reason, text, value, got, "> "+want)
		}
	}
	f("", "", "", "")
	f("exit 1", "", "", "exit 1")
	f("", "out", "", "out")
	f("exit 1", "exit 1", "", "exit 1")
	f("exit 1", "out\\nexit 1", "", "out\\nexit 1")
	f("exit 1: out", "out", "", "exit 1: out")
	f("exit 1", "out", "", `exit 1\n\nout`)
	f("exit 1", "", `"out"`, `exit 1\n\nout`)
	f("exit 1", "out", `"other"`, `exit 1\n\nout`)
	f("exit 1", "out", `{"a":1}`, `exit 1\n\nout`)
	f("exit 1", "", `{"a":1}`, `exit 1\n\n{\"a\":1}`)
}

func TestFailed(t *testing.T) {
	why := &hub.More{Err: []byte("why")}
	f := func(status hub.Status, more *hub.More, want bool) {
		t.Helper()
		if got := hub.Failed(&hub.Event{Status: status, More: more}); got != want {
			t.Errorf("%s, %v: got %t", status, more, got)
		}
	}
	f(hub.StatusOK, why, false)
	f(hub.StatusError, nil, true)
	f(hub.StatusDenied, nil, true)
	f(hub.StatusAborted, nil, true)
	f(hub.StatusUnknown, nil, false)
	f(hub.StatusUnknown, &hub.More{}, false)
	f(hub.StatusUnknown, why, true)
	f(hub.StatusUnknown, &hub.More{Err: []byte("1")}, true)
}
