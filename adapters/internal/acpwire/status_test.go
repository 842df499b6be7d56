package acpwire_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
)

// TestStopReasons: what is read from a reason is written as that reason again.
func TestStopReasons(t *testing.T) {
	for _, reason := range []string{"end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"} {
		if got := acpwire.StopReason(acpwire.StopStatus([]byte(reason))); got != reason {
			t.Errorf("%s becomes %s", reason, got)
		}
	}
	f := func(s hub.Status, want string) {
		t.Helper()
		if got := acpwire.StopReason(s); got != want {
			t.Errorf("%s: got %s, want %s", s, got, want)
		}
	}
	f(hub.StatusFiltered, "refusal")
	f(hub.StatusTools, "end_turn")
	if got := acpwire.StopStatus([]byte("of_later_versions")); got != hub.StatusDone {
		t.Errorf("a reason of a later version is %s, want %s", got, hub.StatusDone)
	}
}

// TestToolStatus: ends are distinguished from what goes on, and unknown words are neither.
func TestToolStatus(t *testing.T) {
	f := func(word string, want hub.Status, ended bool) {
		t.Helper()
		got := acpwire.ToolStatus([]byte(word))
		if got != want || acpwire.Ended(got) != ended {
			t.Errorf("%s: got %s (over: %t), want %s", word, got, acpwire.Ended(got), want)
		}
	}
	f(`"pending"`, hub.StatusPending, false)
	f(`"paused"`, hub.StatusPending, false)
	f(`"in_progress"`, hub.StatusRunning, false)
	f(`"completed"`, hub.StatusOK, true)
	f(`"failed"`, hub.StatusError, true)
	f(`"cancelled"`, hub.StatusAborted, true)
	f(`"later"`, hub.StatusNone, false)
	f(`null`, hub.StatusNone, false)
}

// TestFailureText: the error comes first, then a result that speaks for itself, then what the status says.
func TestFailureText(t *testing.T) {
	f := func(ev hub.Event, want string) {
		t.Helper()
		if got := acpwire.FailureText(&ev, "stopped"); string(got) != want {
			t.Errorf("%+v: got %q, want %q", ev, got, want)
		}
	}
	f(hub.Event{Status: hub.StatusAborted, Text: []byte("x"), More: &hub.More{Err: []byte("why")}}, "why")
	f(hub.Event{Status: hub.StatusAborted, Text: []byte("x")}, "")
	f(hub.Event{Status: hub.StatusAborted}, "stopped")
	f(hub.Event{Status: hub.StatusDenied}, "The call was not allowed.")
	f(hub.Event{Status: hub.StatusError}, "")
}
