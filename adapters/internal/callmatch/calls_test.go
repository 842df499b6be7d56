package callmatch

import (
	"fmt"
	"strings"
	"testing"
)

// TestCalls plays scripts: "+a" announces a call of tool a, "a" is progress of it, "-a" its result, "!" text of the agent.
// An id of the upstream follows a colon. The answers are the ids of the calls, and in brackets of those given up before.
func TestCalls(t *testing.T) {
	f := func(lifo bool, script, want string) {
		t.Helper()
		calls := Calls{Prefix: "c", LIFO: lifo}
		var got []string
		for _, word := range strings.Fields(script) {
			got = append(got, play(&calls, word))
		}
		if answer := strings.Join(strings.Fields(strings.Join(got, " ")), " "); answer != want {
			t.Errorf("lifo %t, %s:\n got %s\nwant %s", lifo, script, answer, want)
		}
	}
	f(false, "+a a -a", "c1 c1 c1")
	f(false, "+a +b +a a -b -a a -a", "c1 c2 c3 c1 c2 c1 c3 c3")
	f(true, "+a +b +a a -b -a a -a", "c1 c2 c3 c3 c2 c3 c1 c1")
	f(false, "a a +a +a -a", "c1 c1 c1 c2 c1")    // the call takes over the id of its progress
	f(false, "-a -a", "c1 c2")                    // results without a call
	f(false, "+a ! +a -a", "c1 (c1) c2 c2")       // the first failed without a word
	f(false, "+a ! +b +a", "c1 c2 (c1) c3")       // only a call of the same tool proves it
	f(false, "+a ! a +a a", "c1 c1 c2 c1")        // a sign of life keeps a call fresh
	f(false, "+a +a ! a -a -a", "c1 c2 c1 c1 c2") // fresh before stale
	f(false, "a ! +a", "c1 c1")                   // what waits for its call does not give way
	f(false, "+a:x +a:y a:y -a:x -a:y", "x y y x y")
	f(false, "+a:x a -a", "x x x")                 // the id is known of the call only
	f(false, "+a -a:x", "c1 x")                    // and here of the result only
	f(false, "+a:x +a:y ! a:y -a -a", "x y y y x") // the fresh one, though it is not the first
	f(false, "+a:x ! +a:x ! +a:y", "x x y")
}

// play does what one word of a script says.
func play(calls *Calls, word string) string {
	name, id, _ := strings.Cut(strings.TrimLeft(word, "+-"), ":")
	var c *Call
	switch word[0] {
	case '!':
		for _, c := range calls.Open() {
			c.Stale = true
		}
		return ""
	case '+':
		c = calls.Announce([]byte(id), []byte(name))
	default:
		c = calls.Current([]byte(id), []byte(name))
	}
	answer := string(c.ID)
	for _, lost := range calls.Lost() {
		answer = "(" + string(lost.ID) + ") " + answer
	}
	if word[0] == '-' {
		calls.Remove(c)
	}
	return answer
}

func TestCallsAreBounded(t *testing.T) {
	calls := Calls{Prefix: "c"}
	for i := range 2 * maxCalls {
		calls.Announce(nil, fmt.Appendf(nil, "tool %d", i))
		if n := len(calls.Lost()); n != 0 && i < maxCalls || n != 1 && i >= maxCalls {
			t.Fatalf("call %d gave up %d", i, n)
		}
	}
	if n := len(calls.Open()); n != maxCalls {
		t.Errorf("%d calls are open, want %d", n, maxCalls)
	}
	calls.Reset()
	long := []byte(strings.Repeat("x", 10*maxCallName))
	if c := calls.Current(long, long); len(c.ID) != maxCallName || len(c.Name) != maxCallName {
		t.Errorf("keeps %d bytes of an id and %d of a name, want %d", len(c.ID), len(c.Name), maxCallName)
	}
	if c := calls.Current(nil, long); string(c.ID) != "c1" {
		t.Errorf("a call whose id is too long to keep was chosen by name: %.20s", c.ID)
	}
}
