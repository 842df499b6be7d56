package conversation

import (
	"fmt"
	"slices"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
)

// TestResultsGoToTheirCalls: to the last open call of the id, then to the last of all; a message is cut behind an answered call.
func TestResultsGoToTheirCalls(t *testing.T) {
	var b Builder
	id := []byte("call_0")
	text := func(s string) hub.CallResult { return hub.CallResult{Status: hub.StatusOK, Text: []byte(s)} }
	b.Begin(hub.RoleAgent, []byte("m1"))
	b.Add(hub.Part{Kind: hub.PartCall, ID: id})
	b.Result(id, nil, text("one"))
	b.Add(hub.Part{Kind: hub.PartText, Text: []byte("so")})
	b.Begin(hub.RoleAgent, []byte("m2"))
	b.Add(hub.Part{Kind: hub.PartCall, ID: id})
	b.Result(id, nil, text("two"))
	b.Result(id, nil, text("again"))
	b.Result([]byte("other"), []byte("tool"), text("lone"))
	b.Result([]byte("other2"), nil, text("lone2"))
	ms := b.Messages
	if len(ms) != 4 || string(ms[1].ID) != "m1" || ms[1].Parts[0].Kind != hub.PartText {
		t.Fatalf("got %+v", ms)
	}
	if one, two := ms[0].Parts[0].Result, ms[2].Parts[0].Result; string(one.Text) != "one" || string(two.Text) != "again" {
		t.Errorf("results %s and %s", one.Text, two.Text)
	}
	if last := ms[3]; last.Role != hub.RoleResults || len(last.Parts) != 2 || string(last.Parts[0].Name) != "tool" {
		t.Errorf("lone results: %+v", last)
	}
}

// TestOneIDForManyCalls: results of calls that all have one id find theirs, from the last to the first.
func TestOneIDForManyCalls(t *testing.T) {
	var b Builder
	b.Begin(hub.RoleAgent, nil)
	const n = 20_000
	for range n {
		b.Add(hub.Part{Kind: hub.PartCall, ID: []byte("x")})
	}
	for range n {
		b.Result([]byte("x"), nil, hub.CallResult{Status: hub.StatusOK})
	}
	for i := range b.Messages[0].Parts {
		if b.Messages[0].Parts[i].Result == nil {
			t.Fatalf("call %d has no result", i)
		}
	}
}

// TestClose closes what the conversation has left behind, and no call that may still get its result.
func TestClose(t *testing.T) {
	call := func() []hub.Part { return []hub.Part{{Kind: hub.PartCall, ID: []byte("c")}} }
	agent := func(id string) hub.Message { return hub.Message{Role: hub.RoleAgent, ID: []byte(id), Parts: call()} }
	user := hub.Message{Role: hub.RoleUser, Parts: []hub.Part{{Kind: hub.PartText, Text: []byte("hi")}}}
	f := func(want string, ms ...hub.Message) {
		t.Helper()
		Close(ms)
		got := ""
		for i := range ms {
			if ms[i].Role != hub.RoleAgent {
				continue
			}
			if ms[i].Parts[0].Result != nil {
				got += "closed "
			} else {
				got += "open "
			}
		}
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	f("open ", user, agent("a"))
	f("closed ", agent("a"), user)
	f("closed open ", user, agent("a"), agent("b"))
	f("open open ", user, agent("a"), agent("a"))
	f("closed closed ", agent(""), agent(""), user)
	f("closed open ", agent(""), agent(""))
	f("open ", agent("a"), hub.Message{Role: hub.RoleSystem})
}

// TestReady leaves the list of its caller as it is.
func TestReady(t *testing.T) {
	ms := []hub.Message{{Role: hub.RoleUser}, {Role: hub.RoleAgent, Parts: []hub.Part{{Kind: hub.PartText}}}}
	if got := Ready(ms); len(got) != 1 || got[0].Role != hub.RoleAgent || ms[0].Role != hub.RoleUser {
		t.Errorf("got %+v of %+v", got, ms)
	}
}

// TestFiles: a data URL is its bytes, another is an address.
func TestFiles(t *testing.T) {
	f := func(url, media, base64, address, again string) {
		t.Helper()
		file := FileOf([]byte(url), []byte("image/*"), nil)
		if string(file.Media) != media || string(file.Base64) != base64 || string(file.URL) != address {
			t.Errorf("%s: got %+v", url, file)
		}
		w := jsonwriter.New(nil)
		w.Open('{')
		WriteURL(w, "url", file)
		if got := string(w.Buf); got != `{"url":"`+again+`"` {
			t.Errorf("%s: written as %s", url, got)
		}
	}
	f("data:image/png;base64,AAAA", "image/png", "AAAA", "", "data:image/png;base64,AAAA")
	f("data:;base64,AAAA", "image/*", "AAAA", "", "data:image/*;base64,AAAA")
	f("https://x/y.png", "image/*", "", "https://x/y.png", "https://x/y.png")
	f("data:text/plain,a%20b", "text/plain", "YSBi", "", "data:text/plain;base64,YSBi")
	f("data:text/plain,%", "image/*", "", "data:text/plain,%", "data:text/plain,%")
}

// TestTakeIDs: the first user of an id keeps it, others get one like it, and none that is made is one that is said later.
func TestTakeIDs(t *testing.T) {
	ms := []hub.Message{
		{},
		{ID: []byte("m1"), Parts: []hub.Part{{Kind: hub.PartReasoning, ID: []byte("r")}}},
		{ID: []byte("m1"), Parts: []hub.Part{{Kind: hub.PartCall, ID: []byte("c"), Result: &hub.CallResult{ID: []byte("m1_2")}}}},
	}
	ids := MessageIDs(ms)
	f := func(id, base, want string) {
		t.Helper()
		if got := string(ids.Take([]byte(id), base)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	f("", "m1", "m1_3")
	f("m1", "", "m1")
	f("m1", "", "m1_4")
	f("m1_2", "", "m1_2")
	f("", "r", "r_2")
	f("r", "", "r")
	ids = CallIDs(ms)
	f("", "c", "c_2")
	f("c", "", "c")
	f("", "m1", "m1")
}

// TestManyIDs: making them takes no longer the more there are.
func TestManyIDs(t *testing.T) {
	ids := CallIDs(nil)
	for range 200_000 {
		ids.Take([]byte("call_0"), "")
	}
	if got := string(ids.Make("call_0")); got != "call_0_200001" {
		t.Errorf("got %s", got)
	}
}

// TestCalls: what is written of the arguments, whose a call is, and which of them the agent has to act on.
func TestCalls(t *testing.T) {
	var tools hub.ToolList
	tools.Add([]byte("ask"))
	ms := []hub.Message{{Parts: []hub.Part{
		{Kind: hub.PartCall, Name: []byte("ask"), Value: []byte(`{"a":"b"}`)},
		{Kind: hub.PartCall, Name: []byte("rm"), Text: []byte(`{\"a`), Approval: &hub.Approval{Decided: true}},
		{Kind: hub.PartCall, Result: &hub.CallResult{}, Approval: &hub.Approval{Decided: true}},
		{Kind: hub.PartCall, Approval: &hub.Approval{}},
		{Kind: hub.PartText, Name: []byte("ask")},
	}}}
	MarkClients(ms, &tools)
	got := ""
	for i := range ms[0].Parts {
		p := &ms[0].Parts[i]
		got += fmt.Sprintf("%s %t %t\n", Arguments(p), p.ClientRuns, Awaited(p))
	}
	if want := "{\\\"a\\\":\\\"b\\\"} true false\n{\\\"a false true\n{} false false\n{} false false\n{} false false\n"; got != want {
		t.Errorf("got\n%s", got)
	}
}

// TestAddBehindLoneResult: what stands behind a result whose call is in no message is still of who speaks.
func TestAddBehindLoneResult(t *testing.T) {
	var b Builder
	b.Begin(hub.RoleAgent, []byte("m1"))
	b.Result([]byte("gone"), nil, hub.CallResult{Status: hub.StatusOK})
	b.Add(hub.Part{Kind: hub.PartText, Text: []byte("so")})
	if n := len(b.Messages); n != 3 || b.Messages[n-1].Role != hub.RoleAgent {
		t.Errorf("got %+v", b.Messages)
	}
}

// TestTurns: what stands in a row on one side is one turn, unless one came as a whole.
// TestCallsAreTheAgents adds calls to a message of the user's, as no API allows it.
func TestCallsAreTheAgents(t *testing.T) {
	var b Builder
	b.Begin(hub.RoleUser, nil)
	b.Add(hub.Part{Kind: hub.PartText, Text: []byte("a")})
	for _, id := range []string{"1", "2"} {
		b.Add(hub.Part{Kind: hub.PartCall, ID: []byte(id)})
	}
	b.Result([]byte("2"), nil, hub.CallResult{Status: hub.StatusOK})
	b.Add(hub.Part{Kind: hub.PartText, Text: []byte("b")})
	var roles []hub.Role
	for _, m := range b.Messages {
		roles = append(roles, m.Role)
	}
	if want := []hub.Role{hub.RoleUser, hub.RoleAgent, hub.RoleUser}; !slices.Equal(roles, want) {
		t.Fatalf("%v, want %v", roles, want)
	}
	if calls := b.Messages[1].Parts; len(calls) != 2 || calls[1].Result == nil {
		t.Errorf("the message of the agent's has %d calls", len(calls))
	}
}

func TestTurns(t *testing.T) {
	var turns Turns
	turns.At(hub.RoleUser).Blocks = []Block{{}}
	if turns.At(hub.RoleUser); len(turns) != 1 || len(turns[0].Blocks) != 1 {
		t.Errorf("got %+v", turns)
	}
	turns = append(turns, Turn{Role: hub.RoleSystem, Whole: []byte(`{}`)})
	turns.At(hub.RoleSystem)
	if turns.At(hub.RoleAgent); len(turns) != 4 {
		t.Errorf("got %+v", turns)
	}
}

// TestCallsAtOnceAreOneStep: messages that were said before any result came are one, whoever is asked; what was read stays as it is.
func TestCallsAtOnceAreOneStep(t *testing.T) {
	var b Builder
	call := func(id string) {
		b.BeginAgent([]byte("m" + id))
		b.Add(hub.Part{Kind: hub.PartCall, ID: []byte(id)})
	}
	call("1")
	call("2")
	b.Result([]byte("1"), nil, hub.CallResult{Text: []byte("one")})
	b.Result([]byte("2"), nil, hub.CallResult{Text: []byte("two")})
	call("3")
	call("4")
	read := len(b.Messages)
	ms := Ready(b.Messages)
	if len(ms) != 2 || len(ms[0].Parts) != 2 || string(ms[0].ID) != "m1" || len(ms[1].Parts) != 2 {
		t.Fatalf("got %+v", ms)
	}
	if ms[1].Parts[0].Result != nil || ms[1].Parts[1].Result != nil {
		t.Error("calls of the last step wait for their results, none is left behind")
	}
	if len(b.Messages) != read || len(b.Messages[0].Parts) != 1 {
		t.Errorf("the messages that were read became %+v", b.Messages)
	}
}

// TestCallsStandLast: what was said behind a call was said before its result.
func TestCallsStandLast(t *testing.T) {
	read := []hub.Message{{Role: hub.RoleAgent, Parts: []hub.Part{
		{Kind: hub.PartText, Text: []byte("a")}, {Kind: hub.PartCall, ID: []byte("1")}, {Kind: hub.PartText, Text: []byte("b")},
		{Kind: hub.PartCall, ID: []byte("2")},
	}}}
	got := ""
	for _, p := range Ready(read)[0].Parts {
		got += string(p.Text) + string(p.ID)
	}
	if got != "ab12" || string(read[0].Parts[1].ID) != "1" {
		t.Errorf("got %s of %+v", got, read)
	}
}
