package codexappserver_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/codexappserver"
	"github.com/sabir-proxy/sabir/adapters/fastpath"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

func TestRequests(t *testing.T) {
	f := func(body, thread, call, model string) {
		t.Helper()
		var req hub.Request
		if err := codexappserver.Dialect.Requests.DecodeRequest(&req, []byte(body)); err != nil {
			t.Fatal(err)
		}
		if string(req.Thread) != thread || string(req.Call) != call || string(req.Model) != model {
			t.Errorf("%s: got thread %q, call %q, model %q", body, req.Thread, req.Call, req.Model)
		}
		if again, err := codexappserver.Dialect.Requests.AppendRequest(nil, &req, new(hub.Losses)); err != nil || string(again) != body {
			t.Errorf("the body comes back as %s, %v", again, err)
		}
	}
	f(`{"id":2,"method":"turn/start","params":{"threadId":"s\"1","model":"m","input":[]}}`, `s\"1`, "2", "m")
	f(`{"id":"a","method":"thread/start","params":{}}`, "", `"a"`, "")
	f(`{"method":"initialized"}`, "", "", "")
	f(`{"id":null}`, "", "", "")
	if err := codexappserver.Dialect.Requests.DecodeRequest(&hub.Request{}, []byte("x")); err == nil {
		t.Error("a body that is no JSON is taken")
	}
}

// TestWatch: the end of the turn is that of the thread in which it began, and a body without one is cut.
func TestWatch(t *testing.T) {
	turn := func(method, thread string) string {
		return `{"method":"turn/` + method + `","params":{"threadId":"` + thread + `","turn":{"id":"t","items":[],"status":"x"}}}`
	}
	delta := `{"method":"item/agentMessage/delta","params":{"threadId":"s","turnId":"t","itemId":"m","delta":"turn/completed"}}`
	steps := []struct {
		record string
		want   hub.Observation
	}{
		{`{"id":2,"result":{"turn":{"id":"t"}}}`, hub.ObservedNothing},
		{`{"method":"warning","params":{"threadId":"s","message":"\"turn/completed\""}}`, hub.ObservedNothing},
		{turn("started", "s"), hub.ObservedNothing},
		{turn("started", "child"), hub.ObservedNothing},
		{delta, hub.ObservedNothing},
		{turn("completed", "child"), hub.ObservedNothing},
		{`{"method":"warning","params":{"threadId":"s","message":"\"turn/completed\""}}`, hub.ObservedNothing},
		{"no JSON", hub.ObservedNothing},
		{`{"method":"turn/completed","params":{"threadId":"s","turn":{"id":"t"}}}`, hub.ObservedNothing},
		{turn("completed", "s"), hub.ObservedEnd},
	}
	w := fastpath.NewWatcher(&codexappserver.Dialect, codexappserver.Dialect.Defaults())
	for _, s := range steps {
		if got := w.Observe(wire.Record{Data: []byte(s.record)}); got != s.want {
			t.Errorf("%s: got %d, want %d", s.record, got, s.want)
		}
		if w.EndsWithBody() {
			t.Errorf("%s: the body may end here", s.record)
		}
	}
	if got := codexappserver.Dialect.Observe(wire.Record{Data: []byte(turn("completed", "s"))}); got != hub.ObservedEnd {
		t.Errorf("an end alone: got %d", got)
	}
}

// TestRefused: an error that answers turn/start ends a run that has not begun, at once if its id is known.
func TestRefused(t *testing.T) {
	const refusal = `{"error":{"code":-32600,"message":"thread not found: x"},"id":8}`
	f := func(option, want string) {
		t.Helper()
		o, problems := codexappserver.Dialect.ParseOptions(map[string]any{"request_id": option})
		if problems != nil {
			t.Fatal(problems)
		}
		dec := codexappserver.Dialect.NewDecoder(o)
		evs, err := dec.Decode(nil, wire.Record{Data: []byte(refusal)})
		if err != nil {
			t.Fatal(err)
		}
		got := []string{kinds(evs), kinds(dec.Finish(nil, nil))}
		if strings.Join(got, "|") != want {
			t.Errorf("request_id %q: got %q, want %q", option, got, want)
		}
		dec.Reset()
		if evs := dec.Finish(nil, nil); evs != nil {
			t.Error("it is remembered beyond Reset")
		}
	}
	f("", "|failed: thread not found: x")
	f("8", "failed: thread not found: x|")
	f("7", "|failed: thread not found: x")
}

func kinds(evs []hub.Event) (s string) {
	for i := range evs {
		s += evs[i].Status.String() + ": " + string(evs[i].More.Err)
	}
	return s
}

// TestUnknown: what the protocol does not have is distinguished from what has no event.
func TestUnknown(t *testing.T) {
	const start = `{"method":"turn/started","params":{"threadId":"s","turn":{"id":"t","items":[],"status":"inProgress"}}}`
	dec := codexappserver.Dialect.NewDecoder(codexappserver.Dialect.Defaults())
	for _, record := range []struct {
		line    string
		unknown bool
	}{
		{`{"id":1,"result":{}}`, false},
		{`{"method":"account/updated","params":{}}`, false},
		{`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{}}}`, true},
		{start, false},
		{`{"method":"thread/status/changed","params":{"threadId":"s","status":{"type":"idle"}}}`, false},
		{`{"method":"turn/mood/updated","params":{"threadId":"s"}}`, true},
		{`{"method":"item/started","params":{"threadId":"s","turnId":"t","item":{"type":"hookPrompt","id":"h","fragments":[]}}}`, false},
		{`{"method":"item/started","params":{"threadId":"s","turnId":"t","item":{"type":"dream","id":"d"}}}`, true},
	} {
		if _, err := dec.Decode(nil, wire.Record{Data: []byte(record.line)}); err != nil {
			t.Fatal(err)
		}
		if got := dec.(hub.UnknownReporter).LastUnknown(); got != record.unknown {
			t.Errorf("%s: unknown %t", record.line, got)
		}
	}
}

// TestSeparators: no character that ends a line for some readers is written as it is.
func TestSeparators(t *testing.T) {
	const text = "a\u2028b"
	for _, line := range adaptertest.Records(t, codexappserver.Dialect.NewEncoder(codexappserver.Dialect.Defaults()),
		`{"kind":"text.delta","id":"p","text":"`+text+`"}`, `{"kind":"run.end","status":"failed","err":"`+text+`"}`) {
		if strings.Contains(line, "\u2028") {
			t.Errorf("written as it is: %q", line)
		}
	}
}

// TestKept: the encoder says how much it keeps, and forgets what it has said again.
func TestKept(t *testing.T) {
	enc, out := codexappserver.Dialect.NewEncoder(codexappserver.Dialect.Defaults()), wire.NewOut(wire.NDJSON)
	f := func(want int, ev hub.Event) {
		t.Helper()
		enc.Encode(out, &ev)
		if got := enc.(hub.Keeper).Kept(); got != want {
			t.Errorf("%s: %d bytes are kept, want %d", ev.Kind, got, want)
		}
	}
	id := []byte("x")
	f(0, hub.Event{Kind: hub.TextStart, ID: id})
	f(5, hub.Event{Kind: hub.TextDelta, ID: id, Text: []byte("12345")})
	f(5, hub.Event{Kind: hub.ToolStart, ID: id, Name: id})
	f(12, hub.Event{Kind: hub.ToolReady, ID: id, Name: id, Value: []byte(`{"a":1}`)})
	f(7, hub.Event{Kind: hub.TextEnd, ID: id})
	f(0, hub.Event{Kind: hub.ToolEnd, ID: id, Name: id, Status: hub.StatusOK})
}
