package hub_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestEventSize: events are copied at every stage, so growing them is a decision.
func TestEventSize(t *testing.T) {
	if got := unsafe.Sizeof(hub.Event{}); got != 224 {
		t.Errorf("an Event has %d bytes, want 224", got)
	}
}

// TestNames: every value of a vocabulary has a name of its own and is found by it; nothing else is.
func TestNames(t *testing.T) {
	checkNames(t, hub.ParseKind, hub.KindNone, hub.Raw)
	checkNames(t, hub.ParseStatus, hub.StatusNone, hub.StatusUnresolved)
	checkNames(t, hub.ParseChan, hub.AnswerText, hub.Stderr)
	checkNames(t, hub.ParseOp, hub.Append, hub.Emit)
	checkNames(t, hub.ParseLevel, hub.LevelNone, hub.LevelError)
	checkNames(t, hub.ParseScope, hub.ScopeNone, hub.SessionScope)
	checkNames(t, hub.ParseAskKind, hub.AskNone, hub.AskAuth)
	if n := len(hub.Kinds()); n != 24 || hub.Kinds()[n-1] != hub.Raw {
		t.Errorf("%d kinds, want 24", n)
	}
	if names := hub.FlagNames(); names[0] != "synthetic" || len(names) != 8 || names[7] != "lossy" {
		t.Errorf("flags are named %q", names)
	}
}

func checkNames[T interface {
	~uint8
	fmt.Stringer
}](t *testing.T, parse func([]byte) (T, bool), first, last T) {
	t.Helper()
	seen := map[string]bool{}
	for v := first; v <= last; v++ {
		name := v.String()
		if got, ok := parse([]byte(name)); !ok || got != v {
			t.Errorf("%T %d is named %q, which is parsed as %d, %t", v, v, name, got, ok)
		}
		if seen[name] || name == "invalid" {
			t.Errorf("%T %d has no name of its own but %q", v, v, name)
		}
		seen[name] = true
	}
	if v := last + 1; v.String() != "invalid" {
		t.Errorf("%T %d is named %q", v, v, v)
	}
	if v, ok := parse([]byte("invalid")); ok || v != 0 {
		t.Errorf("%T: the name invalid is known, as %d", first, v)
	}
}

func TestClosedSets(t *testing.T) {
	unique := func(what string, names []string) {
		t.Helper()
		seen := map[string]bool{}
		for _, n := range names {
			if seen[n] || n == "" || n == "invalid" || strings.ToLower(n) != n {
				t.Errorf("%s %q: want a name of its own, in lower case", what, n)
			}
			seen[n] = true
		}
	}
	var repairs, dispositions, reasons []string
	for _, r := range sequencer.Repairs() {
		repairs = append(repairs, r.String())
	}
	for _, f := range hub.Dispositions() {
		dispositions = append(dispositions, f.String())
	}
	for _, r := range hub.Reasons() {
		reasons = append(reasons, string(r))
	}
	unique("repair", repairs)
	unique("fate", dispositions)
	unique("reason", reasons)
	if got := (hub.CapSubAgents | hub.CapLate).Names(); fmt.Sprint(got) != "[sub_agents late]" {
		t.Errorf("abilities are named %q", got)
	}
}

func TestErrors(t *testing.T) {
	f := func(e *hub.Error, want string) {
		t.Helper()
		if got := e.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	e := hub.NewError(hub.ReasonMissing, "update.toolCallId", 14, "a tool_call needs an id")
	f(e, "byte 14, update.toolCallId: missing: a tool_call needs an id")
	e.Dialect, e.Record = "evolve", 12
	f(e, "evolve record 12, byte 14, update.toolCallId: missing: a tool_call needs an id")
	f(hub.NewError(hub.ReasonUnknown, "", -1, ""), "unknown")
	f(&hub.Error{Dialect: "evolve", Record: 1, Reason: hub.ReasonSyntax}, "evolve record 1, byte 0: syntax")
	f(hub.NewError(hub.ReasonType, "id", -1, "want a string"), "id: type: want a string")

}

func TestJSONErrors(t *testing.T) {
	f := func(err error, reason hub.Reason, offset int64) {
		t.Helper()
		if got := hub.JSONError(err); got.Reason != reason || got.Offset != offset || got.Msg == "" {
			t.Errorf("%v became %v", err, got)
		}
	}
	var json rawjson.Decoder
	f(json.Valid([]byte("{")), hub.ReasonSyntax, 1)
	f(json.Valid([]byte("{} {}")), hub.ReasonSyntax, 3)
	f(json.Valid([]byte("\"\xff\"")), hub.ReasonUTF8, 1)
	f(json.Valid([]byte(strings.Repeat("[", 600))), hub.ReasonDepth, 512)
	f(json.Decode([]byte("[]"), &struct{}{}), hub.ReasonType, 0)
	f(errors.New("other"), hub.ReasonSyntax, -1)
}

func TestFramingErrors(t *testing.T) {
	f := func(err error, reason hub.Reason, fatal bool) {
		t.Helper()
		if got, isFatal := hub.FramingError(err); got.Reason != reason || isFatal != fatal || got.Msg == "" {
			t.Errorf("%v became %v, fatal %t", err, got, isFatal)
		}
	}
	_, _, err := wire.NewSplitter(wire.NDJSON, 0).Split([]byte(`{"a":`), true)
	f(err, hub.ReasonCut, true)
	_, _, err = wire.NewSplitter(wire.NDJSON, 4).Split([]byte(`{"a":1}`), true)
	f(err, hub.ReasonTooLarge, true)
	_, _, err = wire.NewSplitter(wire.LengthPrefix, 4).Split([]byte(`HTTP`), true)
	f(err, hub.ReasonFraming, true)
	f(errors.New("other"), hub.ReasonFraming, true)
}

func TestFailures(t *testing.T) {
	for _, code := range hub.Codes() {
		f := hub.Fail(code, errors.New("10.0.0.7: connection reset"))
		if s := f.HTTPStatus(); s < 400 || s > 599 {
			t.Errorf("%s has the HTTP status %d", code, s)
		}
		if r := f.Reason(); r != hub.StatusFailed && r != hub.StatusTruncated && r != hub.StatusCancelled {
			t.Errorf("%s ends a run as %q", code, r)
		}
		if text := f.Text(); !strings.HasSuffix(text, ".") || strings.Contains(text, "10.0.0.7") {
			t.Errorf("%s tells clients %q", code, text)
		}
		var json rawjson.Decoder
		body := hub.AppendFailure(nil, f)
		if err := json.Valid(body); err != nil || strings.Contains(string(body), "10.0.0.7") || !strings.Contains(string(body), f.Text()) {
			t.Errorf("%s has the body %s: %v", code, body, err)
		}
		if !strings.Contains(f.Error(), "10.0.0.7") || !errors.Is(f, f.Cause) {
			t.Errorf("%s hides its cause from the log: %v", code, f)
		}
		var m hub.More
		if ev := hub.FailureEnd(f, &m); ev.Kind != hub.RunEnd || string(ev.More.ErrCode) != string(code) || !ev.Flags.Has(hub.Synthetic) {
			t.Errorf("%s ends a run with %v", code, ev)
		}
	}
	if got := hub.Fail("no_such_code", nil).HTTPStatus(); got != 502 {
		t.Errorf("an unknown code has the HTTP status %d", got)
	}
	if got := hub.Fail(hub.CodeIdle, nil).Error(); got != string(hub.CodeIdle) {
		t.Errorf("a failure without a cause is logged as %q", got)
	}
	teapot := &hub.Failure{Code: hub.CodeMalformed, Note: "It speaks gemini.", Status: 418}
	if !strings.HasSuffix(teapot.Text(), ". It speaks gemini.") || teapot.HTTPStatus() != 418 {
		t.Errorf("a failure that says more: %d %s", teapot.HTTPStatus(), teapot.Text())
	}
}

func TestScratch(t *testing.T) {
	var s hub.Scratch
	a := s.Copy([]byte("one"))
	b := s.Append(func(dst []byte) []byte { return append(dst, strings.Repeat("two", 1000)...) })
	c := s.Since(append(s.Begin(), "three"...))
	m, n := s.More(), s.More()
	m.Items = append(m.Items, hub.PlanItem{ID: a})
	if string(a) != "one" || len(b) != 3000 || string(c) != "three" || cap(a) != 3 || len(n.Items) != 0 || n.Usage.In != -1 {
		t.Errorf("scratch holds %q, %d bytes, %q; a fresh More is %v", a, len(b), c, n)
	}
	s.Reset()
	if again := s.More(); again != m || len(again.Items) != 0 || cap(again.Items) == 0 {
		t.Error("after Reset, the memory of a More is not used again, or not empty")
	}
}
