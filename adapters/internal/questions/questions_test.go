package questions

import (
	"bytes"
	"errors"
	"strconv"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

func question(id string) Question {
	return Question{ID: []byte(id), Ask: []byte(id), Call: []byte("call-" + id), Value: []byte(`{}`)}
}

// TestMatch: the question that a decision names comes before the one about its call.
func TestMatch(t *testing.T) {
	f := func(d hub.Decision, want string, open ...string) {
		t.Helper()
		var o Open
		for _, id := range open {
			o.Add(question(id))
		}
		got, err := o.Match([]hub.Decision{d, d})
		switch {
		case want == "" && (err == nil || got != nil):
			t.Errorf("%s finds %v", d.Ask, got)
		case want != "" && (err != nil || len(got) != 1 || string(got[0].Question.Ask) != want):
			t.Errorf("%s, %s: %v, %v, want %s once", d.Ask, d.Call, got, err, want)
		}
		var e *hub.Error
		if err != nil && (!errors.As(err, &e) || e.Path != "answers") {
			t.Errorf("%v is no error of the answers", err)
		}
	}
	f(hub.Decision{Ask: []byte("b"), Call: []byte("call-a")}, "b", "a", "b")
	f(hub.Decision{Ask: []byte("other"), Call: []byte("call-a")}, "a", "a", "b")
	f(hub.Decision{Ask: []byte(`\u0061`)}, "a", "a", "b")
	f(hub.Decision{}, "a", "a")
	f(hub.Decision{}, "", "a", "b")
	f(hub.Decision{}, "")
	f(hub.Decision{Ask: []byte("c")}, "", "a")
}

// TestAnswered: answers of the turn that are repeated are skipped, until the turn is over.
func TestAnswered(t *testing.T) {
	var o Open
	o.Add(question("a"))
	o.Add(question("b"))
	both := []hub.Decision{{Ask: []byte("b")}, {Call: []byte("call-a")}}
	got, err := o.Match(both)
	if err != nil || len(got) != 2 {
		t.Fatalf("%v, %v", got, err)
	}
	if o.Answered(got); o.Any() || o.held != 0 || o.State() != hub.TurnRuns {
		t.Errorf("%d are open with %d bytes", len(o.All()), o.held)
	}
	if got, err = o.Match(both); err != nil || len(got) != 0 {
		t.Errorf("again: %v, %v", got, err)
	}
	o.Reset()
	if _, err = o.Match(both); err == nil {
		t.Error("answers of the turn before are taken")
	}
}

// TestBounds: an agent that asks on and on is refused, and what it asked is its own memory.
func TestBounds(t *testing.T) {
	var o Open
	n := 0
	for o.Add(question(strconv.Itoa(n))) {
		n++
	}
	if n != maxOpen || !o.Add(question("0")) || o.Add(question("more")) {
		t.Errorf("%d questions, %d are open", n, len(o.All()))
	}
	o.Reset()
	large := question("large")
	large.Value = bytes.Repeat([]byte("x"), maxHeld)
	if o.Add(large) || o.State() != hub.TurnRuns {
		t.Error("a question is kept that is too large")
	}
	large.Value = large.Value[:maxHeld/2]
	if !o.Add(large) || o.Add(func() Question { q := large; q.Ask = []byte("2"); return q }()) || o.State() != hub.TurnWaits {
		t.Errorf("%d bytes of %d are held", o.held, maxHeld)
	}
	if large.Value[0] = 'y'; o.All()[0].Value[0] != 'x' {
		t.Error("what is kept is the agent's line")
	}
}
