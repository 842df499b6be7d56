package simplified_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/simplified"
)

// gather adds frames and returns the text.
func gather(t *testing.T, a *simplified.Accumulator, frames ...string) string {
	t.Helper()
	for _, f := range frames {
		if err := a.Add([]byte(f)); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
	}
	return string(a.Content())
}

// TestAccumulator is S0-34: the text holds the start of every call, rewritten by its end. Todos, sources, statistics and
// pings leave no trace: S0-20. The frames and the text are those of the reference version.
func TestAccumulator(t *testing.T) {
	want := `<ToolCall type="web_search" toolCallId="0199c1de-7a10-7000-8000-4f1d2c3b4a59" status="error"` +
		` query="Go SSE proxy &amp; &quot;zero-copy&quot; JSON" error="fetch failed: &lt;timeout&gt; after 30s"></ToolCall>` +
		`<ToolCall type="youtube_transcript" toolCallId="0199c1de-7a11-7000-8000-5a6b7c8d9e0f" status="success"` +
		` url="https://youtu.be/dQw4w9WgXcQ" videoId="dQw4w9WgXcQ"></ToolCall>Here is the answer.`
	var a simplified.Accumulator
	if got := gather(t, &a, lines(section(t, "worked_example", "wire"))...); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	a.Reset()
	if got := gather(t, &a, lines(section(t, "todo_flow", "wire"))...); got != "Looking. Done." {
		t.Errorf("after a todo list: got %s", got)
	}
}

// TestAccumulatorAgents shows sub-agents as elements with their calls inside (S0-39); replays change nothing.
func TestAccumulatorAgents(t *testing.T) {
	frames := lines(section(t, "sub_agent", "wire"))
	var a simplified.Accumulator
	call := `<ToolCall type="web_search" toolCallId="n1" status="success" query="A"></ToolCall>` + "\n"
	want := `<think><SubagentExecution id="subagent_1771800000000_k3j9x" name="Deep Research" task="Compare &quot;A&quot; &amp; B" status="success" summary="Found it">` +
		call + "</SubagentExecution>\n" + `deep</think><SubagentExecution id="s2" name="Deep Research" task="Fail" status="error" error="no &quot;model&quot;"></SubagentExecution>` + "\nSo."
	if got := gather(t, &a, frames...); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := gather(t, &a, frames[4]); got != want {
		t.Errorf("a call that is repeated: got %s", got)
	}
	browser := simplified.Accumulator{AgentText: true}
	got := gather(t, &browser, frames...)
	emitted := ` responseText="&lt;think&gt;Hm.&lt;/think&gt;Found it &lt;" summary="Found it">`
	if !strings.Contains(got, `status="success"`+emitted+call) {
		t.Errorf("as browsers keep it: got %s", got)
	}
}

func TestAccumulatorEdges(t *testing.T) {
	f := func(want string, frames ...string) {
		t.Helper()
		var a simplified.Accumulator
		if got := gather(t, &a, frames...); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	started := `{"type":"tool_call_started","data":{"content":"<ToolCall type=\"x\" status=\"running\" toolCallId=\"1\"></ToolCall>","toolCallId":"1"}}`
	f(`a<ToolCall type="x" toolCallId="1" status="error"></ToolCall>b`, `{"type":"response","data":"a"}`, started, `{"type":"response","data":"b"}`,
		`{"type":"error","data":"Request cancelled by user"}`)
	f(`<ToolCall type="x" toolCallId="1" status="success"></ToolCall>`, started, `{"type":"tool_call_success","data":{"toolCallId":"1","status":"success"}}`, `{"type":"error"}`)
	f(``, `{"type":"tool_call_success","data":{"toolCallId":"9","status":"success"}}`, `{"type":"subagent_completed","id":"s"}`,
		`{"type":"subagent_data","subagentId":"s","data":`+started+`}`, `{"type":"subagent_data","subagentId":"s","data":{"type":"response","data":"x"}}`,
		`{"type":"unknown"}`, `{"type":7}`, `{}`)
	f(`<ToolCall type="x" toolCallId="1" status="success" code="YQ=="></ToolCall>`, started, `{"type":"tool_call_success","data":{"toolCallId":"1","status":"success","extra":{"code":"a","n":1}}}`)
}

func TestAccumulatorErrors(t *testing.T) {
	a := simplified.Accumulator{Limit: 10}
	gather(t, &a, `{"type":"response","data":"12345678"}`)
	for _, frame := range []string{`{"type":`, `[]`, `{"type":"response","data":"123"}`, `{"type":"subagent_data","data":7}`,
		`{"type":"tool_call_started","data":{"content":"<ToolCall toolCallId=\"1\">","toolCallId":"1"}}`, `{"type":"subagent_started","executionId":"s"}`} {
		if err := a.Add([]byte(frame)); err == nil || string(a.Content()) != "12345678" {
			t.Errorf("%s: error %v, text %s", frame, err, a.Content())
		}
	}
}

// TestOneHelper is S0-29: what the decoder has read and the encoder written anew gives the same text as the original
// frames: tags are made, read and changed by the same code on all sides.
func TestOneHelper(t *testing.T) {
	for _, fixture := range []string{"worked_example", "firefox_ai", "parallel_tools", "extra", "todo_flow", "simple_query", "deltas", "sub_agent_nested"} {
		frames := lines(section(t, fixture, "wire"))
		var before, after simplified.Accumulator
		want := gather(t, &before, frames...)
		again := encode(t, options(t), decode(t, simplified.Dialect.NewDecoder(options(t)), frames...)...)
		if got := gather(t, &after, lines(again)...); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", fixture, got, want)
		}
	}
}

// TestFinishedCallIsUpdated is S0-29 in the encoder: what the end of a call brings is merged into its tag as
// UpdateToolCallMarkup does it on the other side.
func TestFinishedCallIsUpdated(t *testing.T) {
	call := func(status hub.Status) string {
		return encode(t, options(t),
			hub.Event{Kind: hub.ToolStart, Status: status, ID: []byte("t1"), Name: []byte("youtube_transcript")},
			hub.Event{Kind: hub.ToolReady, ID: []byte("t1"), Value: []byte(`{"url":"https://youtu.be/<x>"}`)},
			hub.Event{Kind: hub.ToolEnd, ID: []byte("t1"), Status: hub.StatusOK, Value: []byte(`{"videoId":"a&'b"}`)},
			hub.Event{Kind: hub.RunEnd, Status: hub.StatusDone})
	}
	var one, two simplified.Accumulator
	got := gather(t, &one, lines(call(hub.StatusOK))...)
	want := gather(t, &two, lines(call(hub.StatusNone))...)
	if got != want || !strings.Contains(got, `videoId="a&amp;'b"`) {
		t.Errorf("in one frame %s\nin two       %s", got, want)
	}
}
