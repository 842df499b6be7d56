package adapters_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	framing "github.com/sabir-proxy/sabir/adapters/wire"
)

// failed reports whether a run is answered by an error instead of an answer.
func failed(st hub.Status) bool {
	return st == hub.StatusFailed || st == hub.StatusCancelled || st == hub.StatusTruncated
}

// TestWholeAnswers writes what the streams of all dialects say in one piece, and reads that with the dialect's own decoder: it
// says the same text and has the same calls for the client.
func TestWholeAnswers(t *testing.T) {
	for _, target := range adapters.All() {
		if target.AppendAnswer == nil {
			continue
		}
		answers := 0
		for _, name := range adapters.Names() {
			d, _ := adapters.Lookup(name)
			if d.NewDecoder == nil {
				continue
			}
			for _, s := range adaptertest.Streams(t, d, filepath.Join(strings.ReplaceAll(name, "-", ""), "testdata")) {
				if run := folded(s); !failed(run.Status) {
					answers++
					testAnswer(t, s.Name+" to "+target.Name, target, run)
				}
			}
		}
		if answers < 500 {
			t.Errorf("only %d answers of %s", answers, target.Name)
		}
	}
}

func folded(s *adaptertest.Stream) *hub.Run {
	folder, seq := conversation.NewFolder(nil), sequencer.New(sequencer.Config{Replace: true, EndGrace: s.EndGrace})
	for i := range s.Loose {
		for _, ev := range seq.Push(nil, s.Loose[i:i+1], 0) {
			folder.Add(&ev)
		}
	}
	for _, ev := range seq.Flush(nil, s.Cause) {
		folder.Add(&ev)
	}
	run := folder.Run()
	return &run
}

func testAnswer(t *testing.T, name string, target *hub.Dialect, run *hub.Run) {
	t.Helper()
	req := &hub.Request{Model: []byte("asked"), Unique: []byte("u1"), Usage: true}
	var losses hub.Losses
	body := target.AppendAnswer(nil, target.Defaults(), req, run, &losses)
	if !json.Valid(body) {
		t.Fatalf("%s: no JSON: %s", name, body)
	}
	want := saidIn(withoutSystem(run.Messages))
	got := saidIn(withoutSystem(readAnswer(t, target, body).Messages))
	text := func(s *said) string { return strings.Join(strings.Fields(s.answer+s.refusal), "") }
	if a, b := text(want), text(got); len(a) != len(b) { // a refusal may be a text of any place
		t.Errorf("%s: says %q, want %q\n%s", name, b, a, body)
	}
	if !target.Caps.Has(hub.CapClientTools) || stateOf(body) != nil {
		return // nothing tells its clients' calls from the agent's
	}
	if a, b := waiting(run.Messages), waiting(readAnswer(t, target, body).Messages); a != b {
		t.Errorf("%s: has the calls %s, want %s\n%s\n%s", name, b, a, body, losses.Names)
	}
}

// stateOf are the messages of an answer that is a state of the conversation, nil for others.
func stateOf(body []byte) json.RawMessage {
	var state struct{ Messages json.RawMessage }
	_ = json.Unmarshal(body, &state)
	return state.Messages
}

func readAnswer(t *testing.T, d *hub.Dialect, body []byte) hub.Run {
	t.Helper()
	if list := stateOf(body); list != nil {
		ms, err := d.Messages.DecodeMessages(nil, []byte(list))
		if err != nil {
			t.Errorf("%s: %v\n%s", d.Name, err, body)
		}
		return hub.Run{Messages: ms}
	}
	dec, seq, folder := d.NewDecoder(d.Defaults()), sequencer.New(sequencer.Config{}), conversation.NewFolder(nil)
	evs, err := dec.Decode(nil, framing.Record{Data: body})
	if err != nil {
		t.Errorf("%s: %v\n%s", d.Name, err, body)
	}
	for _, ev := range seq.Push(nil, evs, 0) {
		folder.Add(&ev)
	}
	for _, ev := range seq.Flush(seq.Push(nil, dec.Finish(nil, nil), 0), nil) {
		folder.Add(&ev)
	}
	return folder.Run()
}

// waiting lists the calls that the client can run. Some dialects want arguments to be an object.
func waiting(ms []hub.Message) string {
	var all []string
	for i := range ms {
		for j := range ms[i].Parts {
			if p := &ms[i].Parts[j]; ms[i].Role == hub.RoleAgent && p.Kind == hub.PartCall && p.ClientRuns && p.Result == nil && p.Value != nil {
				args := string(p.Value)
				if args[0] != '{' {
					args = `{"value":` + args + "}"
				}
				all = append(all, fmt.Sprintf("%s %s", p.Name, args))
			}
		}
	}
	return strings.Join(all, ", ")
}

// TestAnswerForms: what a whole answer of each API has, and what it has no place for.
func TestAnswerForms(t *testing.T) {
	run := func(lines string) *hub.Run {
		evs, err := adaptertest.Events([]byte(lines))
		if err != nil {
			t.Fatal(err)
		}
		folder, seq := conversation.NewFolder(nil), sequencer.New(sequencer.Config{})
		for _, ev := range seq.Flush(seq.Push(nil, evs, 0), nil) {
			folder.Add(&ev)
		}
		r := folder.Run()
		return &r
	}
	const said = `{"kind":"run.start","id":"r1","time":5000,"model":"m"}
{"kind":"text.delta","chan":"reasoning","id":"1","text":"hm"}
{"kind":"text.end","chan":"reasoning","id":"1","sig":"c2ln"}
{"kind":"text.delta","id":"2","text":"It is 3."}
{"kind":"source","title":"T","file":{"url":"https://x"}}
{"kind":"data","op":"emit","name":"d","value":1}
{"kind":"tool.start","id":"a","name":"ran"}
{"kind":"tool.end","id":"a","status":"ok","text":"x"}
{"kind":"tool.start","id":"b","name":"mine","flags":["client_runs"]}
{"kind":"tool.ready","id":"b","value":{"n":1}}
{"kind":"usage","scope":"run","usage":{"in":3,"out":4}}
`
	f := func(dialect, lines, losses string, want ...string) {
		t.Helper()
		d, err := adapters.Lookup(dialect)
		if err != nil {
			t.Fatal(err)
		}
		var l hub.Losses
		body := string(d.AppendAnswer(nil, d.Defaults(), &hub.Request{Model: []byte("asked"), Unique: []byte("u1")}, run(lines), &l))
		if got := strings.Join(l.Names, " "); got != losses {
			t.Errorf("%s: losses %q, want %q", dialect, got, losses)
		}
		for _, w := range want {
			if !strings.Contains(body, w) {
				t.Errorf("%s: lacks %s\n%s", dialect, w, body)
			}
		}
	}
	const tools, length = said + `{"kind":"run.end","status":"tools"}`, `{"kind":"text.delta","text":"a"}` + "\n" + `{"kind":"run.end","status":"length"}`
	f("openai-chat", tools, "messages.call messages.signature messages.data", `{"id":"chatcmpl-r1","object":"chat.completion","created":5,"model":"asked","choices":[`+
		`{"index":0,"message":{"role":"assistant","content":"It is 3.","refusal":null,"reasoning_content":"hm",`+
		`"annotations":[{"type":"url_citation","url_citation":{"start_index":0,"end_index":0,"title":"T","url":"https://x"}}],`+
		`"tool_calls":[{"id":"b","type":"function","function":{"name":"mine","arguments":"{\"n\":1}"}}]},"logprobs":null,"finish_reason":"tool_calls"}],`+
		`"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}}`)
	f("openai-chat", length, "", `"content":"a","refusal":null},"logprobs":null,"finish_reason":"length"}]}`)
	f("anthropic", tools, "messages.call messages.data", `"type":"message","role":"assistant","model":"asked","content":[`+
		`{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"text","text":"It is 3.","citations":[{"type":"web_search_result_location",`+
		`"cited_text":"","encrypted_index":"","title":"T","url":"https://x"}]},{"type":"tool_use","id":"b","name":"mine","input":{"n":1}}],`+
		`"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":3,`)
	f("anthropic", length, "", `"stop_reason":"max_tokens"`, `"output_tokens":0}}`)
	f("gemini", tools, "messages.call messages.data", `{"candidates":[{"content":{"role":"model","parts":[{"text":"hm","thought":true,"thoughtSignature":"c2ln"},`+
		`{"text":"It is 3."},{"functionCall":{"id":"b","name":"mine","args":{"n":1}}}]},"finishReason":"STOP",`+
		`"groundingMetadata":{"groundingChunks":[{"web":{"uri":"https://x","title":"T"}}]},"index":0}],"modelVersion":"m","responseId":"r1",`+
		`"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":4,"totalTokenCount":7}}`)
	f("gemini", `{"kind":"run.end","status":"length"}`, "", `"parts":[{"text":""}]},"finishReason":"MAX_TOKENS"`)
	f("gemini-interactions", tools, "messages.data", `"object":"interaction","created":"1970-01-01T00:00:05Z","model":"asked","steps":[`+
		`{"type":"thought","signature":"c2ln","summary":[{"type":"text","text":"hm"}]},`+
		`{"type":"model_output","content":[{"type":"text","text":"It is 3.","annotations":[{"type":"url_citation","url":"https://x","title":"T"}]}]},`+
		`{"type":"mcp_server_tool_call","id":"a","name":"ran","server_name":"agent","arguments":{}},`+
		`{"type":"mcp_server_tool_result","call_id":"a","name":"ran","server_name":"agent","result":"x"},`+
		`{"type":"function_call","id":"b","name":"mine","arguments":{"n":1}}],"status":"requires_action",`+
		`"usage":{"total_input_tokens":3,"total_output_tokens":4,"total_tokens":7}}`)
	f("gemini-interactions", length, "", `"status":"incomplete"`)
	f("gemini-interactions", `{"kind":"run.end","status":"failed","err":"no","err_code":"E"}`, "", `"steps":[],"status":"failed","errors":[{"code":"E","message":"no"}]}`)
	f("openai-responses", tools, "messages.data", `"object":"response","created_at":5,"status":"completed","model":"asked","output":[`, `"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]}`,
		`"type":"output_text","annotations":[{"type":"url_citation",`, `"type":"mcp_call","server_label":"agent","name":"ran","status":"completed"`,
		`"type":"function_call","call_id":"b","name":"mine","status":"completed","arguments":"{\"n\":1}"}`, `"usage":{"input_tokens":3,`)
	f("openai-responses", length, "", `"incomplete_details":{"reason":"max_output_tokens"}`)
	const cut = `{"kind":"tool.start","id":"b","name":"mine","flags":["client_runs"]}` + "\n" + `{"kind":"tool.args","id":"b","text":"{\"n"}` + "\n" + `{"kind":"run.end","status":"length"}`
	f("anthropic", cut, "messages.call", `"content":[]`)
	f("gemini", cut, "messages.call", `"parts":[{"text":""}]`, `"finishReason":"MAX_TOKENS"`)
	f("gemini-interactions", cut, "messages.arguments", `{"type":"mcp_server_tool_call","id":"b","name":"mine",`, `"status":"incomplete"`)
	f("openai-responses", cut, "", `"name":"mine","status":"incomplete"`)
}

// TestCitedAnswers: an answer in one piece cites what its stream cites, each source with the text before it where the API has it so. own is
// a source of the API's own, by its value.
func TestCitedAnswers(t *testing.T) {
	f := func(name, own, want, lost string) {
		t.Helper()
		target, err := adapters.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		source := func(title, url string) hub.Part {
			return hub.Part{Kind: hub.PartSource, Title: []byte(title), File: &hub.FileRef{URL: []byte(url)}}
		}
		parts := []hub.Part{{Kind: hub.PartText, Text: []byte("a")}, source("T", "https://u")}
		if own != "" {
			parts = append(parts, hub.Part{Kind: hub.PartSource, Value: []byte(own)})
		}
		parts = append(parts, source("V", "https://v"), hub.Part{Kind: hub.PartText, Text: []byte("b")}, source("no address", ""))
		var l hub.Losses
		run := &hub.Run{Status: hub.StatusDone, Usage: hub.NoCounts, Messages: []hub.Message{{Role: hub.RoleAgent, Parts: parts}}}
		got := target.AppendAnswer(nil, target.Defaults(), &hub.Request{}, run, &l)
		if !json.Valid(got) || !strings.Contains(string(got), want) || strings.Join(l.Names, " ") != lost {
			t.Errorf("%s: want %s in\n%s\nlosses %q", name, want, got, l.Names)
		}
	}
	page := func(title, url string) string {
		return `{"type":"web_search_result_location","cited_text":"","encrypted_index":"","title":"` + title + `","url":"` + url + `"}`
	}
	const char = `{"type":"char_location","cited_text":"c","document_index":0,"document_title":"D","start_char_index":0,"end_char_index":1}`
	f("anthropic", char, `"content":[{"type":"text","text":"a","citations":[`+page("T", "https://u")+`,`+char+`,`+page("V", "https://v")+`]},{"type":"text","text":"b"}]`, "messages.source")
	web := func(title, url string) string {
		return `{"title":"` + title + `","sourceContent":[{"text":""}],"location":{"web":{"url":"` + url + `"}}}`
	}
	const doc = `{"title":"D","location":{"documentChar":{"documentIndex":0,"start":0,"end":1}}}`
	f("bedrock", doc, `"content":[{"citationsContent":{"content":[{"text":"a"}],"citations":[`+web("T", "https://u")+`,`+doc+`,`+web("V", "https://v")+`]}},{"text":"b"}]`, "messages.source")
	f("gemini", "", `"groundingMetadata":{"groundingChunks":[{"web":{"uri":"https://u","title":"T"}},{"web":{"uri":"https://v","title":"V"}},`+
		`{"retrievedContext":{"uri":"no address","title":"no address"}}]},"index":0}]`, "")
}

// TestLeftCalls: where an answer leaves out a call between two texts, the second is a paragraph of its own: clients join them.
func TestLeftCalls(t *testing.T) {
	call := hub.Part{Kind: hub.PartCall, ID: []byte("c"), Name: []byte("f"), Value: []byte("{}"), Result: &hub.CallResult{Status: hub.StatusOK}}
	text := func(s string) hub.Part { return hub.Part{Kind: hub.PartText, Text: []byte(s)} }
	parts := []hub.Part{call, text("Let me look."), call, call, text("It is 3."), text(" Or 4.")}
	run := &hub.Run{Status: hub.StatusDone, Usage: hub.NoCounts, Messages: []hub.Message{{Role: hub.RoleAgent, Parts: parts}}}
	for name, want := range map[string]string{
		"openai-chat": `"content":"Let me look.\n\nIt is 3. Or 4."`,
		"gemini":      `"parts":[{"text":"Let me look."},{"text":"\n\nIt is 3."},{"text":" Or 4."}]`,
		"bedrock":     `"content":[{"text":"Let me look."},{"text":"\n\nIt is 3."},{"text":" Or 4."}]`,
	} {
		target, err := adapters.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := target.AppendAnswer(nil, target.Defaults(), &hub.Request{}, run, new(hub.Losses)); !strings.Contains(string(got), want) {
			t.Errorf("%s: want %s in\n%s", name, want, got)
		}
	}
	if string(parts[4].Text) != "It is 3." {
		t.Errorf("the run says %q now", parts[4].Text)
	}
}
