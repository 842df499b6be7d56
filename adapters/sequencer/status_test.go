package sequencer

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestAnswerStatus: an answer that says how it came out is taken at its word; one that says what was answered is chosen.
func TestAnswerStatus(t *testing.T) {
	f := func(ev hub.Event, want hub.Status) {
		t.Helper()
		if got := answerStatus(&ev); got != want {
			t.Errorf("%+v: got %s, want %s", ev, got, want)
		}
	}
	for st := hub.StatusChosen; st <= hub.StatusUnresolved; st++ {
		f(hub.Event{Status: st}, st)
	}
	f(hub.Event{Status: hub.StatusCancelled, Name: []byte("yes")}, hub.StatusCancelled)
	f(hub.Event{Status: hub.StatusDenied, Name: []byte("yes")}, hub.StatusCancelled)
	f(hub.Event{Status: hub.StatusAborted}, hub.StatusCancelled)
	f(hub.Event{Name: []byte("y")}, hub.StatusChosen)
	f(hub.Event{Value: []byte(`1`)}, hub.StatusChosen)
	f(hub.Event{Status: hub.StatusOK}, hub.StatusChosen)
	f(hub.Event{Status: hub.StatusDone}, hub.StatusChosen)
	f(hub.Event{}, hub.StatusUnresolved)
	f(hub.Event{Status: hub.StatusError}, hub.StatusUnresolved)
	f(hub.Event{Status: hub.StatusRunning}, hub.StatusUnresolved)
}

// TestEndStatus: whatever status an end has, it gets one that such an end may have, and the closest one.
func TestEndStatus(t *testing.T) {
	run := map[hub.Status]hub.Status{
		hub.StatusError: hub.StatusFailed, hub.StatusDenied: hub.StatusFailed, hub.StatusAborted: hub.StatusCancelled, hub.StatusNone: hub.StatusDone, hub.StatusOK: hub.StatusDone,
	}
	for st := hub.StatusDone; st <= hub.StatusTruncated; st++ {
		run[st] = st
	}
	for st, want := range run {
		if got := endReason(st); got != want {
			t.Errorf("the end of a run with %s is %s, want %s", st, got, want)
		}
	}
	for st, want := range map[hub.Status]hub.Status{
		hub.StatusNone: hub.StatusUnknown, hub.StatusOK: hub.StatusOK, hub.StatusError: hub.StatusError, hub.StatusDenied: hub.StatusDenied, hub.StatusAborted: hub.StatusAborted,
		hub.StatusClient: hub.StatusClient, hub.StatusPaused: hub.StatusPaused, hub.StatusDone: hub.StatusOK, hub.StatusFailed: hub.StatusError, hub.StatusTruncated: hub.StatusError,
		hub.StatusLength: hub.StatusError, hub.StatusLimit: hub.StatusError, hub.StatusFiltered: hub.StatusError, hub.StatusRefused: hub.StatusDenied,
		hub.StatusCancelled: hub.StatusAborted, hub.StatusTools: hub.StatusClient, hub.StatusRunning: hub.StatusUnknown,
	} {
		if got := endStatus(st, hub.StatusUnknown); got != want {
			t.Errorf("the end of a call with %s is %s, want %s", st, got, want)
		}
	}
}
