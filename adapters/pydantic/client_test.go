package pydantic_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/pydantic"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// client keeps the state that docs/tool_call_streaming_frontend.md asks of a client, by its rules: it is the judge of what we
// write. It is strict in one thing, that all members are there.
type client struct {
	text      string
	calls     map[string]*shownCall
	order     []string
	citations []string
}

type shownCall struct {
	EventType, ToolName, ToolResponse, Summary, Stream string
	IsComplete, IsStreaming                            bool
}

// badge is what the status of a call shows: its kind, and whether it goes on.
func (c *shownCall) badge() string {
	if c.IsStreaming {
		return c.EventType + " streaming"
	}
	return c.EventType
}

type wireEntry struct {
	CallID       *string                     `json:"call_id"`
	EventType    *string                     `json:"event_type"`
	ToolName     *string                     `json:"tool_name"`
	ToolResponse *string                     `json:"tool_response"`
	Details      *map[string]json.RawMessage `json:"tool_call_details"`
	StreamPart   *string                     `json:"stream_part"`
	IsComplete   *bool                       `json:"is_complete"`
}

func (c *client) chunk(t *testing.T, data []byte) {
	t.Helper()
	var chunk struct {
		Message   *string      `json:"message"`
		ToolCalls *[]wireEntry `json:"tool_calls"`
		Citations *[]string    `json:"citations"`
	}
	if err := json.Unmarshal(data, &chunk); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	if chunk.Message == nil || chunk.ToolCalls == nil || chunk.Citations == nil {
		t.Fatalf("a member is absent or null: %s", data)
	}
	c.text += *chunk.Message
	for i := range *chunk.ToolCalls {
		c.entry(t, data, &(*chunk.ToolCalls)[i])
	}
	c.citations = append(c.citations, *chunk.Citations...)
}

func (c *client) entry(t *testing.T, data []byte, e *wireEntry) {
	t.Helper()
	if e.CallID == nil || e.EventType == nil || e.ToolName == nil || e.ToolResponse == nil || e.Details == nil || e.IsComplete == nil {
		t.Fatalf("a member of an entry is absent or null: %s", data)
	}
	var summary string
	if err := json.Unmarshal((*e.Details)["summary"], &summary); err != nil {
		t.Fatalf("the details have no summary: %s", data)
	}
	known := c.calls[*e.CallID]
	if known == nil {
		c.order = append(c.order, *e.CallID)
	}
	switch {
	case e.StreamPart == nil:
		c.calls[*e.CallID] = &shownCall{*e.EventType, *e.ToolName, *e.ToolResponse, summary, "", true, false}
	case known == nil:
		c.calls[*e.CallID] = &shownCall{*e.EventType, *e.ToolName, *e.ToolResponse, summary, *e.StreamPart, *e.IsComplete, !*e.IsComplete}
	default:
		known.Stream += *e.StreamPart
		if summary != "" {
			known.Summary = summary
		}
		if *e.ToolResponse != "" {
			known.ToolResponse = *e.ToolResponse
		}
		known.IsComplete, known.IsStreaming = *e.IsComplete, !*e.IsComplete
	}
}

// show plays events, one a line, to a client, and returns what it shows of a call after each chunk about it.
func show(t *testing.T, options map[string]any, id, events string) (seen []shownCall, c *client) {
	t.Helper()
	evs, err := adaptertest.Events([]byte(events))
	if err != nil {
		t.Fatal(err)
	}
	enc, seq := pydantic.Dialect.NewEncoder(optionsOf(t, options)), sequencer.New(sequencer.Config{})
	c = &client{calls: map[string]*shownCall{}}
	for _, ev := range append(seq.Push(nil, evs, 0), seq.Flush(nil, nil)...) {
		out := wire.NewOut(wire.NDJSON)
		enc.Encode(out, &ev)
		for line := range strings.Lines(string(out.Buf)) {
			c.chunk(t, []byte(line))
			if now := c.calls[id]; now != nil && strings.Contains(line, `"`+id+`"`) {
				seen = append(seen, *now)
			}
		}
	}
	return seen, c
}

// TestClientStates is S1-2, S1-26, S1-27 and S1-29: by the rules of the seed, a client shows a streaming call as it should,
// with every member of its state, the indicator while it streams and the mark when it is complete.
func TestClientStates(t *testing.T) {
	events := `{"kind":"tool.start","id":"c","name":"bash_command"}
{"kind":"tool.ready","id":"c","name":"bash_command","value":{"command":"ls"}}
{"kind":"tool.output","chan":"result","id":"c","text":"a\n"}
{"kind":"tool.update","id":"c","text":"half"}
{"kind":"tool.output","chan":"result","id":"c","text":"b\n"}
{"kind":"tool.end","status":"ok","id":"c","text":"a\nb\n"}`
	got, _ := show(t, nil, "c", events)
	want := []shownCall{
		{"call", "bash_command", "Running: ls", "-> executing command: ls", "", true, false},
		{"call", "bash_command", "Running: ls", "-> executing command: ls", "a\n", false, true},
		{"call", "bash_command", "half", "-> executing command: ls", "a\n", false, true},
		{"call", "bash_command", "half", "-> executing command: ls", "a\nb\n", false, true},
		{"call", "bash_command", "Bash command executed successfully", "a\nb\n", "a\nb\n", true, false},
	}
	if len(got) != len(want) {
		t.Fatalf("got %d states, want %d: %+v", len(got), len(want), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("state %d:\n got %+v\nwant %+v", i, got[i], want[i])
		}
		if badge := got[i].badge(); (badge == "call streaming") != want[i].IsStreaming {
			t.Errorf("state %d: the badge says %q", i, badge)
		}
	}
}

// TestClientEnds is S1-27 and S1-28: whatever the options, a client ends with the result, whole and once, and the text of the
// sub-agent is shown.
func TestClientEnds(t *testing.T) {
	events := `{"kind":"text.delta","text":"*Hi* <b>\n"}
{"kind":"tool.start","id":"d","name":"delegate_to_jira","tool_kind":"agent"}
{"kind":"tool.ready","id":"d","name":"delegate_to_jira","value":{"task_description":"Close it"}}
{"kind":"agent.start","id":"l","ref":"d","name":"jira"}
{"kind":"text.delta","lane":"l","text":"One "}
{"kind":"text.delta","lane":"l","text":"two."}
{"kind":"agent.end","status":"ok","id":"l"}
{"kind":"tool.end","status":"ok","id":"d","text":"# Done\n<i>"}
{"kind":"source","file":{"name":"a.py"}}
{"kind":"text.delta","text":"Bye."}
{"kind":"run.end","status":"done"}`
	f := func(options map[string]any, text string) {
		t.Helper()
		seen, c := show(t, options, "d", events)
		last := seen[len(seen)-1]
		if first := seen[0].badge(); first != "delegation_call" {
			t.Errorf("%v: the first badge is %q", options, first)
		}
		if last.Summary != "**Jira Agent Result:**\n\n# Done\n<i>" || !last.IsComplete || last.IsStreaming {
			t.Errorf("%v: the call ends as %+v", options, last)
		}
		if len(c.order) != 1 || len(c.citations) != 1 {
			t.Errorf("%v: shows the calls %q and the citations %q", options, c.order, c.citations)
		}
		if c.text != text {
			t.Errorf("%v: shows the text %q, want %q", options, c.text, text)
		}
	}
	section := "\n\n---\n🤖 **Subagent Starting...**\n\nOne two.\n\n---\n✅ **Subagent Complete**\n\n"
	f(nil, "*Hi* <b>\nBye.")
	f(map[string]any{"last_part": "repeat"}, "*Hi* <b>\nBye.")
	f(map[string]any{"arguments": "stream", "citations": "last"}, "*Hi* <b>\nBye.")
	f(map[string]any{"lane_text": "both"}, "*Hi* <b>\n"+section+"Bye.")
	f(map[string]any{"lane_text": "message"}, "*Hi* <b>\n"+section+"Bye.")
}
