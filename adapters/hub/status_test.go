package hub

import "testing"

// TestAnswerStatus: an answer that says how it came out is taken at its word; one that says what was answered is chosen.
func TestAnswerStatus(t *testing.T) {
	f := func(ev Event, want Status) {
		t.Helper()
		if got := answerStatus(&ev); got != want {
			t.Errorf("%+v: got %s, want %s", ev, got, want)
		}
	}
	for st := StatusChosen; st <= StatusUnresolved; st++ {
		f(Event{Status: st}, st)
	}
	f(Event{Status: StatusCancelled, Name: []byte("yes")}, StatusCancelled)
	f(Event{Status: StatusDenied, Name: []byte("yes")}, StatusCancelled)
	f(Event{Status: StatusAborted}, StatusCancelled)
	f(Event{Name: []byte("y")}, StatusChosen)
	f(Event{Value: []byte(`1`)}, StatusChosen)
	f(Event{Status: StatusOK}, StatusChosen)
	f(Event{Status: StatusDone}, StatusChosen)
	f(Event{}, StatusUnresolved)
	f(Event{Status: StatusError}, StatusUnresolved)
	f(Event{Status: StatusRunning}, StatusUnresolved)
}

// TestEndStatus: whatever status an end has, it gets one that such an end may have, and the closest one.
func TestEndStatus(t *testing.T) {
	run := map[Status]Status{
		StatusError: StatusFailed, StatusDenied: StatusFailed, StatusAborted: StatusCancelled, StatusNone: StatusDone, StatusOK: StatusDone,
	}
	for st := StatusDone; st <= StatusTruncated; st++ {
		run[st] = st
	}
	for st, want := range run {
		if got := endReason(st); got != want {
			t.Errorf("the end of a run with %s is %s, want %s", st, got, want)
		}
	}
	for st, want := range map[Status]Status{
		StatusNone: StatusUnknown, StatusOK: StatusOK, StatusError: StatusError, StatusDenied: StatusDenied, StatusAborted: StatusAborted,
		StatusClient: StatusClient, StatusPaused: StatusPaused, StatusDone: StatusOK, StatusFailed: StatusError, StatusTruncated: StatusError,
		StatusLength: StatusError, StatusLimit: StatusError, StatusFiltered: StatusError, StatusRefused: StatusDenied,
		StatusCancelled: StatusAborted, StatusTools: StatusClient, StatusRunning: StatusUnknown,
	} {
		if got := endStatus(st, StatusUnknown); got != want {
			t.Errorf("the end of a call with %s is %s, want %s", st, got, want)
		}
	}
}
