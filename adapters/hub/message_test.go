package hub_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestNamesOfMessages: those of conversations and requests, as those of events.
func TestNamesOfMessages(t *testing.T) {
	checkNames(t, hub.ParseRole, hub.RoleNone, hub.RoleResults)
	checkNames(t, hub.ParsePartKind, hub.PartNone, hub.PartRaw)
	checkNames(t, hub.ParseTrigger, hub.TriggerNone, hub.TriggerEdit)
	checkNames(t, hub.ParseChoiceMode, hub.ChoiceUnset, hub.ChoiceRequired)
	checkNames(t, hub.ParseFormatKind, hub.FormatText, hub.FormatSchema)
}

// TestMetaOf: a note belongs to its dialect alone.
func TestMetaOf(t *testing.T) {
	m := hub.Meta{Dialect: "d", Raw: []byte(`{}`)}
	if string(m.Of("d")) != "{}" || m.Of("e") != nil || m.Of("") != nil {
		t.Errorf("%q, %q", m.Of("d"), m.Of("e"))
	}
	m.Raw = []byte("old")
	if err := json.Unmarshal([]byte(`"e "`), &m); err != nil || m.Dialect != "e" || m.Raw != nil {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestResultEvent: the end of a call has all that is known of its result.
func TestResultEvent(t *testing.T) {
	r := hub.CallResult{ID: []byte("i"), Status: hub.StatusDenied, Text: []byte("t"), Value: []byte("1"), Content: []byte("[]"), Err: []byte("e")}
	want := hub.Event{Kind: hub.ToolEnd, Status: hub.StatusDenied, Text: []byte(`t\ne`), Value: []byte("1"), More: &hub.More{Content: []byte("[]"), Err: []byte("e")}}
	if got := r.Event(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, text := range []string{"", "It says why, and more."} {
		r := hub.CallResult{Text: []byte(text), Err: []byte("why")}
		if got := r.Event(); string(got.Text) != text {
			t.Errorf("the text %q became %q", text, got.Text)
		}
	}
}

// TestLosses: each loss is named once, in the order of the first.
func TestLosses(t *testing.T) {
	var l hub.Losses
	l.Add("b")
	l.AddIf("a", true)
	l.AddIf("c", false)
	l.Add("b")
	if !slices.Equal(l.Names, []string{"b", "a"}) {
		t.Errorf("%q", l.Names)
	}
}

// TestMoreOf: an event gets rare members once.
func TestMoreOf(t *testing.T) {
	var s hub.Scratch
	var ev hub.Event
	first := s.MoreOf(&ev)
	first.Time = 1
	if again := s.MoreOf(&ev); again != first || ev.More != first || again.Time != 1 {
		t.Errorf("%p and %p", first, again)
	}
	if other := s.More(); other == first {
		t.Error("two events share rare members")
	}
}

// TestRememberedSteps: the id of several steps is that of one message; calls that Sabir named, and results without their call, are
// no calls that the client has.
func TestRememberedSteps(t *testing.T) {
	call := func(id string) hub.Part { return hub.Part{Kind: hub.PartCall, ID: []byte(id), Value: []byte("{}")} }
	result := call("c3")
	result.Result = &hub.CallResult{ID: []byte("r3")}
	dynamic := call("c1")
	dynamic.Dynamic = true
	req := hub.Request{Messages: []hub.Message{
		{Role: hub.RoleUser},
		{Role: hub.RoleAgent, ID: []byte("m1"), Parts: []hub.Part{dynamic}},
		{Role: hub.RoleAgent, ID: []byte("m1"), Parts: []hub.Part{call(hub.MadeCall + "2")}},
		{Role: hub.RoleResults, ID: []byte("m2"), Parts: []hub.Part{result}},
		{Role: hub.RoleAgent, ID: []byte("m3"), Parts: []hub.Part{{Kind: hub.PartRaw, ID: []byte("x")}, {Kind: hub.PartReasoning}}},
	}}
	req.Remember(true)
	var calls []string
	for c := range req.History.Calls {
		calls = append(calls, string(c.ID))
	}
	if n := req.MessageIDs.Len(); n != 5 || !req.MessageIDs.Has([]byte("r3")) || !req.MessageIDs.Has([]byte("x")) {
		t.Errorf("%d ids", n)
	}
	if !slices.Equal(calls, []string{"c1"}) || !req.History.Find([]byte("c1")).Dynamic {
		t.Errorf("the client has %q", calls)
	}
	req = hub.Request{Messages: req.Messages}
	if req.Remember(false); req.MessageIDs != nil || !req.History.Known {
		t.Error("ids are known to clients that do not ask for them")
	}
}

// TestEarlyBound: as much as the bound is kept, and no byte more.
func TestEarlyBound(t *testing.T) {
	for size, want := range map[int]bool{1 << 20: true, 1<<20 + 1: false} {
		var early hub.EarlyExtensions
		early.Keep(make([]byte, size))
		if got := early.Next(); (got != nil) != want || want && len(got) != size {
			t.Errorf("of %d bytes, %d are kept", size, len(got))
		}
	}
}

// TestProblemsInOrder: problems come in the order of the names, and what is right beside them holds.
func TestProblemsInOrder(t *testing.T) {
	o, problems := optionDialect.ParseOptions(map[string]any{"a": 1, "limit": "x", "strict": true, "version": "v9", "wait": "x", "zz": 1})
	var got []string
	for _, p := range problems {
		got = append(got, p.Error()[:13])
	}
	if !slices.Equal(got, []string{"demo has no o", "option limit ", "option versio", "option wait o", "demo has no o"}) || !o.Bool("strict") {
		t.Errorf("%q, strict %t", got, o.Bool("strict"))
	}
	if _, none := (&hub.Dialect{Name: "d"}).ParseOptions(map[string]any{"a": 1}); len(none) != 1 || none[0].Error() != `d has no option "a"; it has: none` {
		t.Errorf("%v", none)
	}
}
