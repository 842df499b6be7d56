package pydantic_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/pydantic"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

func optionsOf(t *testing.T, raw map[string]any) hub.Options {
	t.Helper()
	o, problems := pydantic.Dialect.ParseOptions(raw)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return o
}

// decode returns the decoded events of chunks, in native notation.
func decode(t *testing.T, dec hub.Decoder, chunks ...string) string {
	t.Helper()
	var b strings.Builder
	for _, data := range chunks {
		evs, err := dec.Decode(nil, wire.Record{Data: []byte(data)})
		if err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		b.WriteString(adaptertest.Lines(evs))
	}
	return b.String()
}

// encode returns the lines that an encoder with these options writes for normalized events, each with its disposition.
func encode(t *testing.T, options map[string]any, events ...hub.Event) string {
	t.Helper()
	enc := pydantic.Dialect.NewEncoder(optionsOf(t, options))
	out := wire.NewOut(wire.NDJSON)
	var b strings.Builder
	for i := range sequencer.Number(events) {
		out.Reset()
		disposition := enc.Encode(out, &events[i])
		fmt.Fprintf(&b, "%s %s\n", disposition, strings.TrimSpace(string(out.Buf)))
	}
	return b.String()
}

func body(s string) []byte { return []byte(s) }

// stream splits, decodes and sequences a body as the proxy does, and returns its decoded and its normalized events.
func stream(t *testing.T, data string) (decoded, normalized string) {
	t.Helper()
	dec, split := pydantic.Dialect.NewDecoder(pydantic.Dialect.Defaults()), wire.NewSplitter(wire.Concat, 0)
	seq := sequencer.New(sequencer.Config{})
	var cause error
	push := func(evs []hub.Event) {
		decoded += adaptertest.Lines(evs)
		normalized += adaptertest.Lines(seq.Push(nil, evs, 0))
	}
	for buf := []byte(data); cause == nil; {
		rec, n, err := split.Split(buf, true)
		if err != nil {
			cause = hub.Fail(hub.CodeTruncated, err)
			break
		}
		if n == 0 {
			break
		}
		if rec.Data != nil {
			evs, err := dec.Decode(nil, rec)
			if err != nil {
				t.Errorf("%s: %v", rec.Data, err)
			}
			push(evs)
		}
		buf = buf[n:]
	}
	push(dec.Finish(nil, cause))
	return decoded, normalized + adaptertest.Lines(seq.Flush(nil, cause))
}

// TestAborted is S1-47: the end of the body is the end of the run, a good one if the body is whole and a failure if it is
// cut, wherever that is. What was kept back of the text is emitted.
func TestAborted(t *testing.T) {
	const (
		head    = `{"message": "Let me see <", "citations": [], "tool_calls": []}`
		call    = `{"message": "", "citations": [], "tool_calls": [{"call_id": "t1", "event_type": "call", "tool_name": "a", "tool_response": "A", "tool_call_details": {"summary": ""}}]}`
		emitted = `{"kind":"run.start"}` + "\n" + `{"kind":"text.delta","text":"Let me see "}` + "\n"
		start   = `{"kind":"text.delta","text":"<"}` + "\n"
		tool    = `{"kind":"tool.start","id":"t1","name":"a","title":"A"}` + "\n" + `{"kind":"tool.ready","flags":["synthetic"],"id":"t1","name":"a"}` + "\n"
		done    = `{"kind":"run.end","status":"done"}` + "\n"
	)
	f := func(name, data, want string, reason hub.Status) {
		t.Helper()
		decoded, normalized := stream(t, data)
		if decoded != want {
			t.Errorf("%s: got\n%swant\n%s", name, decoded, want)
		}
		last := normalized[strings.LastIndexByte(strings.TrimSpace(normalized), '\n')+1:]
		if !strings.HasPrefix(last, `{"kind":"run.end","status":"`+reason.String()+`"`) {
			t.Errorf("%s: ends with %swant %s", name, last, reason)
		}
		if strings.Contains(decoded, "t1") && !strings.Contains(normalized, `{"kind":"tool.end","status":"`) {
			t.Errorf("%s: the call does not end:\n%s", name, normalized)
		}
	}
	f("whole", head+call, emitted+start+tool+done, hub.StatusDone)
	f("inside a word", head+call+`{"message": "The ans`, emitted+start+tool, hub.StatusTruncated)
	f("inside an escape", head+`{"message": "a\ud83d\ud`, emitted+start, hub.StatusTruncated)
	f("behind a backslash", head+`{"message": "a\`, emitted+start, hub.StatusTruncated)
	f("inside a character", head+"{\"message\": \"a\xf0\x9f", emitted+start, hub.StatusTruncated)
	f("inside an entry", head+call[:len(call)-40], emitted+start, hub.StatusTruncated)
	f("before the first chunk", ``, ``, hub.StatusTruncated)
	f("only white space", " \n", ``, hub.StatusTruncated)
}

// TestRealTime is S1-49: a chunk is split off at its last byte, and what it says is decoded and written at once.
func TestRealTime(t *testing.T) {
	chunks := []string{
		`{"message": "", "citations": [], "tool_calls": []}`,
		`{"message": "Hi", "citations": [], "tool_calls": []}`,
		`{"message": "", "citations": [], "tool_calls": [{"call_id": "c", "event_type": "call", "tool_name": "a", "tool_response": "A", "tool_call_details": {"summary": "s"}}]}`,
		`{"message": "", "citations": [], "tool_calls": [{"call_id": "c", "event_type": "result", "tool_name": "a", "tool_response": "", "tool_call_details": {}, "stream_part": "p", "is_complete": false}]}`,
		`{"message": "", "citations": ["a.py"], "tool_calls": []}`,
		`{"message": "", "citations": [], "tool_calls": [{"call_id": "c", "event_type": "result", "tool_name": "a", "tool_response": "B", "tool_call_details": {"summary": "r"}}]}`,
	}
	dec, enc := pydantic.Dialect.NewDecoder(pydantic.Dialect.Defaults()), pydantic.Dialect.NewEncoder(pydantic.Dialect.Defaults())
	split, seq, out := wire.NewSplitter(wire.Auto, 0), sequencer.New(sequencer.Config{}), wire.NewOut(wire.Concat)
	for i, chunk := range chunks {
		rec, n, err := split.Split([]byte(chunk), false)
		if n != len(chunk) || err != nil {
			t.Fatalf("chunk %d: %d of %d bytes are split off, %v", i, n, len(chunk), err)
		}
		evs, err := dec.Decode(nil, rec)
		if err != nil || len(evs) == 0 {
			t.Errorf("chunk %d: %d events, %v", i, len(evs), err)
		}
		out.Reset()
		normalized := seq.Push(nil, evs, 0)
		for j := range normalized {
			enc.Encode(out, &normalized[j])
		}
		if wrote := out.Records > 0; wrote != (i > 0) { // the first says nothing
			t.Errorf("chunk %d: %d records are written", i, out.Records)
		}
	}
}

// TestTypes is S1-36 and S1-37: the type of a sub-agent is the rest of its tool's name, whatever it is.
func TestTypes(t *testing.T) {
	f := func(tool, typ string) {
		t.Helper()
		got := decode(t, pydantic.Dialect.NewDecoder(pydantic.Dialect.Defaults()),
			`{"message":"","tool_calls":[{"call_id":"c","event_type":"call","tool_name":"`+tool+`","tool_response":"","tool_call_details":{}}]}`)
		want := `"kind":"agent.start","id":"c","ref":"c","name":"` + typ + `"}`
		if typ == "" {
			want = `{"kind":"tool.start","id":"c","name":"` + tool + `"}`
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: got\n%swant\n%s", tool, got, want)
		}
	}
	f("delegate_to_think_execute", "think_execute")
	f("delegate_to_think_execute_agent", "think_execute")
	f("delegate_to_jira", "jira")
	f("delegate_to_github_agent", "github")
	f("delegate_to_confluence", "confluence")
	f("delegate_to_linear", "linear")
	f("delegate_to_MyOwn-Thing", "MyOwn-Thing")
	f("delegate_to__agent", "_agent")
	f("Delegate_to_jira", "")
}

// TestFaithfulOptions is S1-46 with think=text and S1-48 with subagent_text=answer: the text stays as clients of this dialect
// show it, and parts are output of the call.
func TestFaithfulOptions(t *testing.T) {
	dec := pydantic.Dialect.NewDecoder(optionsOf(t, map[string]any{"think": "text", "subagent_text": "answer"}))
	entry := func(typ, rest string) string {
		return `{"message":"","tool_calls":[{"call_id":"d","event_type":"` + typ + `","tool_name":"delegate_to_x","tool_response":"",` + rest + `}]}`
	}
	got := decode(t, dec, `{"message":"<think>hm</thi"}`, `{"message":"nk>"}`,
		entry("delegation_call", `"tool_call_details":{}`),
		`{"message":"\n\n---\n🤖 **Subagent Starting...**\n\n"}`, `{"message":"One"}`,
		entry("delegation_result", `"tool_call_details":{},"stream_part":"One","is_complete":false`),
		entry("delegation_result", `"tool_call_details":{},"stream_part":"One","is_complete":true`),
		`{"message":"\n\n---\n✅ **Subagent Complete**\n\n"}`,
		entry("delegation_result", `"tool_call_details":{"summary":"r"}`))
	want := `{"kind":"run.start"}
{"kind":"text.delta","text":"<think>hm</thi"}
{"kind":"text.delta","text":"nk>"}
{"kind":"tool.start","id":"d","name":"delegate_to_x","tool_kind":"agent"}
{"kind":"tool.ready","flags":["synthetic"],"id":"d","name":"delegate_to_x"}
{"kind":"agent.start","id":"d","ref":"d","name":"x"}
{"kind":"text.delta","text":"\n\n---\n🤖 **Subagent Starting...**\n\n"}
{"kind":"text.delta","text":"One"}
{"kind":"tool.output","chan":"result","id":"d","text":"One"}
{"kind":"text.delta","text":"\n\n---\n✅ **Subagent Complete**\n\n"}
{"kind":"agent.end","status":"ok","id":"d","ref":"d","text":"r"}
{"kind":"tool.end","status":"ok","id":"d","name":"delegate_to_x","text":"r","meta":{"pydantic":{"tool_response":""}}}
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestForgottenCalls: the oldest calls are forgotten; a result of one makes the call anew, which the sequencer knows.
func TestForgottenCalls(t *testing.T) {
	dec := pydantic.Dialect.NewDecoder(pydantic.Dialect.Defaults())
	entry := func(typ, tool string, i int) string {
		return fmt.Sprintf(`{"message":"","tool_calls":[{"call_id":"c%d","event_type":"%s","tool_name":"%s","tool_response":"","tool_call_details":{}}]}`, i, typ, tool)
	}
	for i := range 1100 {
		decode(t, dec, entry("delegation_call", "delegate_to_x", i))
	}
	if got := decode(t, dec, entry("delegation_result", "delegate_to_x", 1000)); strings.Contains(got, "tool.start") {
		t.Errorf("a call that is remembered: got\n%s", got)
	}
	if got := decode(t, dec, entry("delegation_result", "delegate_to_x", 3)); !strings.HasPrefix(got, `{"kind":"tool.start","flags":["synthetic"],"id":"c3"`) {
		t.Errorf("a call that is forgotten: got\n%s", got)
	}
}

// TestManyCitations is the bound of S1-25: beyond it, citations are reported, even if they repeat.
func TestManyCitations(t *testing.T) {
	dec := pydantic.Dialect.NewDecoder(pydantic.Dialect.Defaults())
	for i := range 5000 {
		if got := decode(t, dec, fmt.Sprintf(`{"message":"","citations":["f%d"]}`, i)); !strings.Contains(got, "source") {
			t.Fatalf("citation %d is lost: %s", i, got)
		}
	}
	if got := decode(t, dec, `{"message":"","citations":["f0","f4095"]}`); got != "" {
		t.Errorf("repeated within the bound: got %s", got)
	}
	if got := decode(t, dec, `{"message":"","citations":["f4999"]}`); got == "" {
		t.Error("repeated beyond the bound, a citation is lost")
	}
}

// TestOwedText is S1-48 at its limit: the text of several sub-agents in message does not wait for parts that never come.
func TestOwedText(t *testing.T) {
	dec := pydantic.Dialect.NewDecoder(pydantic.Dialect.Defaults())
	call := `{"call_id":"%s","event_type":"delegation_call","tool_name":"delegate_to_x","tool_response":"","tool_call_details":{}}`
	decode(t, dec, `{"message":"","tool_calls":[`+fmt.Sprintf(call, "d1")+`,`+fmt.Sprintf(call, "d2")+`]}`,
		`{"message":"\n\n---\n🤖 **Subagent Starting...**\n\n"}`)
	piece := strings.Repeat("x", 40<<10)
	if got := decode(t, dec, `{"message":"`+piece+`"}`); got != "" {
		t.Errorf("got %d bytes of events before the limit", len(got))
	}
	got := decode(t, dec, `{"message":"`+piece+`"}`)
	if want := `{"kind":"text.delta","lane":"d2","text":"` + piece + piece + `"}` + "\n"; got != want {
		t.Errorf("got %.80s, %d bytes; want %.80s, %d bytes", got, len(got), want, len(want))
	}
}

// TestRunEnds is S1-47 for the encoder: the body ends, with a chunk in it, and its text names a failure and
// any other reason that is given as text.
func TestRunEnds(t *testing.T) {
	f := func(status hub.Status, err, want string) {
		t.Helper()
		end := hub.Event{Kind: hub.RunEnd, Status: status}
		if err != "" {
			end.More = &hub.More{Err: body(err)}
		}
		if got := encode(t, nil, end); got != want+"\n" {
			t.Errorf("%s: got %swant %s", status, got, want)
		}
	}
	f(hub.StatusDone, "", `implied {"message": "", "citations": [], "tool_calls": []}`)
	f(hub.StatusLength, "", `folded {"message": "\n\n*The answer was cut at its maximum length.*\n\n", "citations": [], "tool_calls": []}`)
	f(hub.StatusLength, "8 of 8 tokens", `folded {"message": "\n\n*8 of 8 tokens*\n\n", "citations": [], "tool_calls": []}`)
	f(hub.StatusCancelled, "", "dropped ")
	f(hub.StatusCancelled, "The client left.", `folded {"message": "\n\n*The client left.*\n\n", "citations": [], "tool_calls": []}`)
	f(hub.StatusFailed, `no \"model\"`, `folded {"message": "\n\n*no \"model\"*\n\n", "citations": [], "tool_calls": []}`)
	f(hub.StatusFailed, "", `folded {"message": "\n\n*The agent reported an error.*\n\n", "citations": [], "tool_calls": []}`)
	f(hub.StatusTruncated, "cut", `folded {"message": "\n\n*cut*\n\n", "citations": [], "tool_calls": []}`)
}

// TestArguments writes arguments that are no object, and reads them back.
func TestArguments(t *testing.T) {
	f := func(ready hub.Event, written, back string) {
		t.Helper()
		ready.Kind, ready.ID, ready.Name = hub.ToolReady, body("t"), body("a")
		got := encode(t, nil, hub.Event{Kind: hub.ToolStart, ID: body("t"), Name: body("a")}, ready)
		_, got, _ = strings.Cut(got, "\nnative ")
		if !strings.Contains(got, `"arguments": `+written+`}, "stream_part"`) {
			t.Errorf("got %swant %s", got, written)
		}
		events := decode(t, pydantic.Dialect.NewDecoder(pydantic.Dialect.Defaults()), got)
		if want := `"id":"t","name":"a",` + back + "}\n"; !strings.HasSuffix(events, want) {
			t.Errorf("%s is read back as %swant %s", written, events, want)
		}
	}
	f(hub.Event{Value: body(`{"a":1}`)}, `{"a":1}`, `"value":{"a":1}`)
	f(hub.Event{Value: body(`[]`)}, `[]`, `"value":[]`)
	f(hub.Event{Value: body(`"x y"`)}, `"\"x y\""`, `"value":"x y"`)
	f(hub.Event{Value: body(`5`)}, `"5"`, `"value":5`)
	f(hub.Event{Text: body(`{\"a\":`), Flags: hub.Invalid}, `"{\"a\":"`, `"text":"{\"a\":"`)
}

// TestEarlySubAgent is S1-38 for a sub-agent that speaks before the arguments of its tool are complete: the delegation is
// announced, incomplete, and again with its arguments. Read back, these are there, and the text is the sub-agent's.
func TestEarlySubAgent(t *testing.T) {
	f := func(kind, types, back string) {
		t.Helper()
		start := hub.Event{Kind: hub.ToolStart, ID: body("t"), Name: body("task")}
		if kind != "" {
			start.More = &hub.More{ToolKind: body(kind)}
		}
		got := encode(t, map[string]any{"call_infos": map[string]any{"*": "", "delegate_to_*": ""}},
			start,
			hub.Event{Kind: hub.AgentStart, ID: body("l"), Ref: body("t"), Name: body("worker")},
			hub.Event{Kind: hub.TextDelta, ID: body("p"), SubAgent: body("l"), Text: body("One")},
			hub.Event{Kind: hub.ToolReady, ID: body("t"), Name: body("task"), Value: body(`{"q":1}`)})
		var seen []string
		dec, events := pydantic.Dialect.NewDecoder(pydantic.Dialect.Defaults()), ""
		for line := range strings.Lines(got) {
			if i := strings.IndexByte(line, '{'); i >= 0 {
				line = line[i:]
			}
			_, rest, ok := strings.Cut(line, `"event_type": "`)
			if !ok {
				continue
			}
			typ, rest, _ := strings.Cut(rest, `", "tool_name": "`)
			tool, _, _ := strings.Cut(rest, `"`)
			seen = append(seen, fmt.Sprintf("%s %s %t", typ, tool, strings.Contains(line, `"is_complete": true`)))
			events += decode(t, dec, line)
		}
		if got := strings.Join(seen, ", "); got != types {
			t.Errorf("kind %q: got  %s\nwant %s", kind, got, types)
		}
		for _, want := range strings.Split(back, ", ") {
			if !strings.Contains(events, want) {
				t.Errorf("kind %q: read back as\n%swant %s", kind, events, want)
			}
		}
	}
	text, ready := `{"kind":"text.delta","lane":"t","text":"One"}`, `"value":{"q":1}`
	f("agent", "delegation_call delegate_to_worker false, delegation_result delegate_to_worker false, delegation_call delegate_to_worker true",
		text+", "+ready+`, {"kind":"tool.start","id":"t","name":"delegate_to_worker"`)
	f("", "call task false, delegation_call delegate_to_worker false, delegation_result delegate_to_worker false, delegation_call delegate_to_worker true",
		text+", "+ready+`, {"kind":"tool.start","id":"t","name":"task"`)
}

func TestAppendFailure(t *testing.T) {
	got := string(pydantic.Dialect.AppendFailure(nil, hub.Fail(hub.CodeBusy, nil)))
	if want := `{"detail":"The agent server is busy. Try again later."}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestOptionsAreDocumented looks for every option in the package comment.
func TestOptionsAreDocumented(t *testing.T) {
	source, err := os.ReadFile("pydantic.go")
	if err != nil {
		t.Fatal(err)
	}
	comment, _, _ := strings.Cut(string(source), "\npackage ")
	for _, o := range pydantic.Dialect.Options {
		if !strings.Contains(comment, "\n//\t"+o.Name+" ") {
			t.Errorf("the package comment does not tell of the option %s", o.Name)
		}
	}
}
