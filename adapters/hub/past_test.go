package hub_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

func past(id string, args int) hub.PastCall {
	return hub.PastCall{ID: []byte(id), Args: bytes.Repeat([]byte("1"), args)}
}

// TestHistoryKeepsTheLatest: of calls beyond a thousand the oldest are forgotten, of two with one id the later counts.
func TestHistoryKeepsTheLatest(t *testing.T) {
	var h hub.History
	for i := range 1024 {
		h.Add(past(fmt.Sprint("c", i), 1))
	}
	if h.Find([]byte("c0")) == nil {
		t.Error("the first of 1024 calls is forgotten")
	}
	h.Add(past("c1", 2))
	h.Add(past("last", 1))
	if h.Find([]byte("c0")) != nil || h.Find([]byte("c2")) == nil || h.Find([]byte("last")) == nil {
		t.Error("after two more, others are known than the latest 1024")
	}
	if c := h.Find([]byte("c1")); c == nil || len(c.Args) != 2 {
		t.Errorf("of two calls with one id, the later is not found: %v", c)
	}
	n := 0
	h.Calls(func(*hub.PastCall) bool { n++; return true })
	if n != 1024 {
		t.Errorf("%d calls are kept", n)
	}
	h.Calls(func(*hub.PastCall) bool { n++; return n < 1024+3 })
	if n != 1024+3 {
		t.Errorf("calls were yielded after the loop had ended: %d", n-1024)
	}
	if (*hub.History)(nil).Find([]byte("c1")) != nil {
		t.Error("no history knows a call")
	}
}

// TestHistoryIsBounded: members that are too long, and arguments beyond what all may have, are not kept.
func TestHistoryIsBounded(t *testing.T) {
	var h hub.History
	long, tooLong := bytes.Repeat([]byte("x"), 16<<10), bytes.Repeat([]byte("x"), 16<<10+1)
	h.Add(hub.PastCall{ID: []byte("kept"), Name: long, Msg: long, Ask: long})
	for i, c := range []hub.PastCall{{ID: tooLong}, {ID: []byte("n"), Name: tooLong}, {ID: []byte("m"), Msg: tooLong}, {ID: []byte("a"), Ask: tooLong}, {}} {
		h.Add(c)
		if h.Find(c.ID) != nil {
			t.Errorf("call %d is kept", i)
		}
	}
	if h.Find([]byte("kept")) == nil {
		t.Error("a call that is just short enough is not kept")
	}
	has := func(id string, want bool) {
		t.Helper()
		if c := h.Find([]byte(id)); c == nil || (c.Args != nil) != want {
			t.Errorf("%s: %v", id, c)
		}
	}
	h.Add(past("large", 1<<20))
	has("large", true)
	h.Add(past("more", 1))
	has("more", false)
	h.Answer([]byte("large")) // its arguments are not needed now, so that there is room
	has("large", false)
	h.Add(past("next", 1<<20))
	has("next", true)
	h.Answer([]byte("unknown"))
	if h.Find([]byte("next")).Answered || !h.Find([]byte("large")).Answered {
		t.Error("another call is answered than was said")
	}
}

// TestForgottenArgumentsMakeRoom: a call that the ring drops takes its arguments with it.
func TestForgottenArgumentsMakeRoom(t *testing.T) {
	var h hub.History
	h.Add(past("first", 1<<20))
	for i := range 1024 {
		h.Add(past(fmt.Sprint("c", i), 0))
	}
	h.Add(past("last", 1<<20))
	if c := h.Find([]byte("last")); c == nil || c.Args == nil {
		t.Errorf("%v", c)
	}
}

func TestToolList(t *testing.T) {
	var l hub.ToolList
	if l.Has([]byte("x")) {
		t.Error("an empty list has a tool")
	}
	long := strings.Repeat("x", 16<<10)
	for _, name := range []string{"", "x", long, long + "x"} {
		l.Add([]byte(name))
	}
	for name, want := range map[string]bool{"": false, "x": true, long: true, long + "x": false, "y": false} {
		if l.Has([]byte(name)) != want {
			t.Errorf("%.10q, %d bytes: want %t", name, len(name), want)
		}
	}
	for i := range 4096 {
		l.Add(fmt.Append(nil, i))
	}
	if !l.Has([]byte("4093")) || l.Has([]byte("4094")) {
		t.Error("it does not hold 4096 tools, but more or fewer")
	}
}

func TestIDSet(t *testing.T) {
	var s hub.IDSet
	if s.Has([]byte("a")) || s.Len() != 0 {
		t.Error("an empty set has an id")
	}
	for i := range 100 {
		s.Add(fmt.Append(nil, i))
		if !s.Has(fmt.Append(nil, i)) || s.Has(fmt.Append(nil, i+1)) || s.Len() != i+1 {
			t.Fatalf("after %d, of %d ids", i, s.Len())
		}
	}
	if !s.Has([]byte("0")) {
		t.Error("an old id is forgotten")
	}
}

// TestDetach: nothing of a detached request is in the memory that it came in.
func TestDetach(t *testing.T) {
	body := []byte("abcdefghijkl")
	r := hub.Request{Body: body, Thread: body[0:1], Run: body[1:2], Model: body[2:3], Version: body[3:4], Call: body[4:5], Modes: body[5:6], Unique: body[6:7]}
	r.History.Add(hub.PastCall{ID: body[7:8], Name: body[8:9], Args: body[9:10], Msg: body[10:11], Ask: body[11:12]})
	r.Detach()
	clear(body)
	c := r.History.Find([]byte("h"))
	if c == nil {
		t.Fatal("the call is gone")
	}
	got := bytes.Join([][]byte{r.Thread, r.Run, r.Model, r.Version, r.Call, r.Modes, r.Unique, c.ID, c.Name, c.Args, c.Msg, c.Ask}, nil)
	if string(got) != "abcdefghijkl" || r.Body != nil || r.Header != nil {
		t.Errorf("it holds %q", got)
	}
	sent, err := hub.PassThrough{}.AppendRequest([]byte("> "), &hub.Request{Body: []byte("{}")}, nil)
	if string(sent) != "> {}" || err != nil {
		t.Errorf("sent as it came: %q, %v", sent, err)
	}
}

// TestShows: a client has a call where its history says so, and any call if the proxy knows no history.
func TestShows(t *testing.T) {
	var none *hub.History
	if !none.Shows([]byte("c1"), []byte("m1")) {
		t.Error("without a history, a result does not show its call")
	}
	var h hub.History
	h.Add(hub.PastCall{ID: []byte("c1"), Msg: []byte("m1")})
	f := func(id, message string, want bool) {
		t.Helper()
		if got := h.Shows([]byte(id), []byte(message)); got != want {
			t.Errorf("known %v: %s in %s: got %v, want %v", h.Known, id, message, got, want)
		}
	}
	f("c1", "m1", true)
	f("c1", "m2", false)
	f("c2", "m1", true) // the request tells of new things only
	h.Known = true
	f("c1", "m1", true)
	f("c2", "m1", false)
}

// TestCallsOfEarlierTurns are those with words of the user behind them.
func TestCallsOfEarlierTurns(t *testing.T) {
	call := func(id string) hub.Part {
		return hub.Part{Kind: hub.PartCall, ID: []byte(id), Result: &hub.CallResult{}}
	}
	req := &hub.Request{Messages: []hub.Message{
		{Role: hub.RoleUser}, {Role: hub.RoleAgent, Parts: []hub.Part{call("c1"), call("c2")}},
		{Role: hub.RoleUser}, {Role: hub.RoleAgent, Parts: []hub.Part{call("c3"), call("c2")}},
	}}
	req.Remember(false)
	for id, want := range map[string]bool{"c1": true, "c2": false, "c3": false} {
		if c := req.History.Find([]byte(id)); c == nil || c.Earlier != want {
			t.Errorf("%s: %+v", id, c)
		}
	}
	for i := range 3000 {
		req.History.Add(past(fmt.Sprint("n", i), 0))
	}
	req.History.UserSpoke()
	if c := req.History.Find([]byte("n2999")); !c.Earlier {
		t.Error("of more calls than are kept, the last is of no earlier turn")
	}
}
