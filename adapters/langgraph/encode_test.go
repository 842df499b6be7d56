package langgraph

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// last encodes events, and returns what became of the last one, and the records of that one.
func last(modes string, evs ...hub.Event) (hub.Disposition, string) {
	o, _ := Dialect.ParseOptions(map[string]any{"modes": modes})
	enc, out := Dialect.NewEncoder(o), wire.NewOut(wire.SSE)
	disposition := hub.Dropped
	for i := range evs {
		out.Reset()
		disposition = enc.Encode(out, &evs[i])
	}
	return disposition, string(out.Buf)
}

// TestFates: what an encoder says of an event is what it did.
func TestFates(t *testing.T) {
	start := hub.Event{Kind: hub.RunStart, ID: []byte("r1")}
	call := hub.Event{Kind: hub.ToolStart, ID: []byte("c1"), Name: []byte("f"), Msg: []byte("m1")}
	text := func(kind hub.Kind, id, msg, s string) hub.Event {
		return hub.Event{Kind: kind, ID: []byte(id), Msg: []byte(msg), Text: []byte(s)}
	}
	end := func(s hub.Status) hub.Event { return hub.Event{Kind: hub.RunEnd, Status: s} }
	f := func(name, modes string, want hub.Disposition, record string, evs ...hub.Event) {
		t.Helper()
		got, wrote := last(modes, append([]hub.Event{start}, evs...)...)
		if got != want || record == "" && wrote != "" || !strings.Contains(wrote, record) {
			t.Errorf("%s: %s, %q, want %s, %q", name, got, wrote, want, record)
		}
	}
	emitted := hub.Event{Kind: hub.ToolOutput, ID: []byte("c1"), Chan: hub.Result, Text: []byte("x")}
	again, log := emitted, emitted
	again.Op, log.Chan = hub.Replace, hub.AnswerText
	f("a piece of a result", "messages-tuple,tools", hub.Native, `"data":"x"}`, call, emitted)
	f("a result anew", "messages-tuple,tools", hub.Folded, `"data":"x"}`, call, again)
	f("what a tool logs", "messages-tuple,tools", hub.Folded, `"data":"x"}`, call, log)
	f("a piece of a result, not requested", "messages-tuple", hub.Dropped, "", call, emitted)
	f("a piece of no call", "messages-tuple,tools", hub.Dropped, "", emitted)

	subAgent := hub.Event{Kind: hub.AgentStart, ID: []byte("l"), Name: []byte("sub")}
	f("a sub-agent", "messages-tuple", hub.Implied, "", subAgent)
	f("a sub-agent, requested", "messages-tuple,lifecycle", hub.Native, `"graph_name":"sub"`, subAgent)
	f("its end", "messages-tuple", hub.Implied, "", subAgent, hub.Event{Kind: hub.AgentEnd, ID: []byte("l"), Status: hub.StatusOK})
	f("the end of none", "messages-tuple,lifecycle", hub.Dropped, "", hub.Event{Kind: hub.AgentEnd, ID: []byte("l"), Status: hub.StatusOK})

	data := hub.Event{Kind: hub.Data, Name: []byte(nameCustom), Op: hub.Emit, Value: []byte(`{"name":"","value":1}`)}
	f("data without a name", "messages-tuple,custom", hub.Native, "data: {\"name\":\"\",\"value\":1}\n", data)
	f("data, not requested", "messages-tuple", hub.Dropped, "", data)
	data.Value = []byte(`{"name":"n","value":1}`)
	f("data that look named", "messages-tuple,custom", hub.Native, `{"name":"custom","value":{"name":"n","value":1}}`, data)
	data.Value = nil
	f("data without a value", "messages-tuple,custom", hub.Dropped, "", data)
	data.Value, data.Op = []byte(`1`), hub.Set
	f("data that are a state", "messages-tuple,custom", hub.Extension, `"op":"set","value":1}`, data)

	thought := hub.Event{Kind: hub.TextStart, ID: []byte("p"), Msg: []byte("m1"), Chan: hub.Reasoning}
	unsigned := hub.Event{Kind: hub.TextEnd, ID: []byte("p"), More: &hub.More{}}
	f("the end of reasoning without a signature", "messages-tuple", hub.Implied, "", thought, unsigned)
	unsigned.More = nil
	f("the end of reasoning with nothing", "messages-tuple", hub.Implied, "", thought, unsigned)
	f("a signature, not requested", "updates", hub.Implied, "", thought, hub.Event{Kind: hub.TextEnd, ID: []byte("p"), More: &hub.More{Sig: []byte("s")}})
	f("the signature of a text", "messages-tuple", hub.Implied, "", text(hub.TextStart, "p", "m1", ""), hub.Event{Kind: hub.TextEnd, ID: []byte("p"), More: &hub.More{Sig: []byte("s")}})
	f("a text that was not begun", "messages-tuple", hub.Dropped, "", text(hub.TextDelta, "p", "m1", "x"))

	// A text of the agent after an unanswered call says that the graph went on: no call waits for the client.
	f("a call that waits", "messages-tuple", hub.Native, `"success"`, call, end(hub.StatusTools))
	f("a call that waits, said to be done", "messages-tuple", hub.Folded, `"success"`, call, end(hub.StatusDone))
	f("a call before a text", "messages-tuple", hub.Native, `"success"`,
		text(hub.TextStart, "p", "m2", ""), call, text(hub.TextDelta, "p", "m2", "on"), end(hub.StatusDone))
	f("a call before a text, said to wait", "messages-tuple", hub.Folded, `"success"`,
		text(hub.TextStart, "p", "m2", ""), call, text(hub.TextDelta, "p", "m2", "on"), end(hub.StatusTools))
	f("a call in the message of the text", "messages-tuple", hub.Native, `"success"`,
		text(hub.TextStart, "p", "m1", ""), call, text(hub.TextDelta, "p", "m1", "on"), end(hub.StatusTools))
	f("a reason", "messages-tuple", hub.Native, `"finish_reason":"length"`, text(hub.TextStart, "p", "m1", ""), end(hub.StatusLength))
	f("a reason without a message", "messages-tuple", hub.Native, `"content":"","response_metadata":{"finish_reason":"content_filter"}`, end(hub.StatusFiltered))
	used := hub.Event{Kind: hub.Usage, Scope: hub.RunScope, More: &hub.More{Usage: hub.NoCounts}}
	used.More.Usage.In, used.More.Usage.Out = 5, 0
	f("usage without a message", "messages-tuple", hub.Native, `"content":"","usage_metadata":{"input_tokens":5,"output_tokens":0,`, used, end(hub.StatusDone))
	f("usage before a message", "messages-tuple", hub.Native, `"usage_metadata":{"input_tokens":5,`, used, text(hub.TextStart, "p", "m1", ""), text(hub.TextDelta, "p", "m1", "x"), end(hub.StatusDone))
	f("usage without a message, not requested", "updates", hub.Native, `"success"`, used, end(hub.StatusDone))
	f("a reason, not requested", "updates", hub.Folded, `"success"`, text(hub.TextStart, "p", "m1", ""), end(hub.StatusLength))
}

// TestResultOfATool: the words of a result are found wherever the agent has put them.
func TestResultOfATool(t *testing.T) {
	f := func(want string, ev hub.Event) {
		t.Helper()
		if got := string(toolresult.AppendText(nil, &ev, "text")); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	content := func(blocks string) hub.Event { return hub.Event{More: &hub.More{Content: []byte(blocks)}} }
	f(`a\"b`, hub.Event{Value: []byte(`"a\"b"`)})
	f(`{\"a\":1}`, hub.Event{Value: []byte(`{"a":1}`)})
	f(`x`, hub.Event{Text: []byte("x")})
	f(`x`, hub.Event{Text: []byte("x"), More: &hub.More{Err: []byte("e")}})
	f(``, hub.Event{})
	f(`e`, hub.Event{More: &hub.More{Err: []byte("e"), Content: []byte(`[{"type":"text","text":"x"}]`)}})
	f(`x\ny\nz`, content(`[{"type":"text","text":"x"},{"type":"image"},{"content":{"type":"text","text":"y"}},{"type":"text","text":"z"}]`))
	f(`y`, content(`[{"type":"image"},{"content":{"text":"y"}}]`))
	f(``, content(`[]`))
}

// TestKindOfAFile: the type of a content block follows the media type, and nothing that only looks like one.
func TestKindOfAFile(t *testing.T) {
	f := func(media, want string) {
		t.Helper()
		if got := string(appendFile(nil, &hub.FileRef{Media: []byte(media)})); !strings.HasPrefix(got, `,"type":"`+want+`"`) {
			t.Errorf("%s: got %s", media, got)
		}
	}
	f("image/png", "image")
	f("audio/mp3", "audio")
	f("video/mp4", "video")
	f("application/pdf", "file")
	f("image", "file")
	f("", "file")
}

// TestRoom: what is kept of messages is bounded, and what was repeated already goes first.
func TestRoom(t *testing.T) {
	e := newEncoder(Dialect.Defaults()).(*encoder)
	e.history = []*outMessage{{done: true, text: make([]byte, 10), reasoning: make([]byte, 5), files: make([]byte, 3), result: make([]byte, 2)}, {}}
	e.kept = 20
	if !e.room(maxKept-20) || e.kept != maxKept || len(e.history) != 2 {
		t.Fatalf("kept %d, %d messages", e.kept, len(e.history))
	}
	if !e.room(20) || e.kept != maxKept || len(e.history) != 1 {
		t.Fatalf("the oldest is not given up: kept %d, %d messages", e.kept, len(e.history))
	}
	if e.room(1) || e.kept != maxKept || len(e.history) != 1 {
		t.Fatalf("there is no room: kept %d, %d messages", e.kept, len(e.history))
	}
}

// TestIndexOfBlocks: clients join blocks by their index, so a text that goes on in another part has the index it had.
func TestIndexOfBlocks(t *testing.T) {
	part := func(kind hub.Kind, id string, ch hub.Chan, s string) hub.Event {
		return hub.Event{Kind: kind, ID: []byte(id), Msg: []byte("m1"), Chan: ch, Text: []byte(s)}
	}
	var evs []hub.Event
	for _, p := range []struct {
		id string
		ch hub.Chan
	}{{"a", hub.Reasoning}, {"b", hub.Reasoning}, {"c", hub.AnswerText}, {"d", hub.AnswerText}, {"e", hub.Reasoning}} {
		evs = append(evs, part(hub.TextStart, p.id, p.ch, ""), part(hub.TextDelta, p.id, p.ch, p.id), part(hub.TextEnd, p.id, p.ch, ""))
	}
	got := written("messages-tuple", evs...)
	for _, want := range []string{
		`"index":0,"type":"reasoning","reasoning":"a"`, `"index":0,"type":"reasoning","reasoning":"b"`, `"index":1,"type":"text","text":"c"`,
		`"index":1,"type":"text","text":"d"`, `"index":2,"type":"reasoning","reasoning":"e"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("want %s in\n%s", want, got)
		}
	}
}
