package acp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sabir-proxy/sabir/adapters/acp"
	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// options are the dialect's with some set.
func options(t *testing.T, set map[string]any) hub.Options {
	t.Helper()
	o, problems := acp.Dialect.ParseOptions(set)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return o
}

// decode reads lines; the result is the decoded events in native notation, and the faults.
func decode(t *testing.T, lines ...string) (events string, faults []error) {
	t.Helper()
	dec := acp.Dialect.NewDecoder(acp.Dialect.Defaults())
	var all []string
	for _, line := range lines {
		evs, err := dec.Decode(nil, wire.Record{Data: []byte(line)})
		if err != nil {
			faults = append(faults, err)
		}
		if text := adaptertest.Lines(evs); text != "" {
			all = append(all, strings.TrimSuffix(text, "\n"))
		}
	}
	return strings.Join(all, "\n"), faults
}

// encode writes events in native notation, sequenced, for a prompt.
func encode(t *testing.T, set map[string]any, req *hub.Request, events ...string) []string {
	t.Helper()
	enc := acp.Dialect.NewEncoder(options(t, set))
	if req != nil {
		enc.(hub.Answerer).Answer(req)
	}
	return adaptertest.Records(t, enc, events...)
}

// update is the update of a line.
func update(t *testing.T, line string) map[string]any {
	t.Helper()
	var m struct {
		Params struct{ Update map[string]any }
	}
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		t.Fatal(err)
	}
	return m.Params.Update
}

func TestDecodeRequest(t *testing.T) {
	type asked struct{ Thread, Call, Version string }
	f := func(body, header string, want asked) {
		t.Helper()
		req := hub.Request{Header: func(string) string { return header }}
		if err := acp.Dialect.Requests.DecodeRequest(&req, []byte(body)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, asked{string(req.Thread), string(req.Call), string(req.Version)}); diff != "" {
			t.Errorf("%s:\n%s", body, diff)
		}
	}
	f(`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s\"1","prompt":[]}}`, "other", asked{`s\"1`, "2", ""})
	f(`{"jsonrpc":"2.0","id":"a","method":"session/prompt","params":{"prompt":[]}}`, "h", asked{"h", `"a"`, ""})
	f(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2}}`, "", asked{"", "0", "2"})
	f(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`, "", asked{"s", "", ""})
	f(`{"jsonrpc":"2.0","id":null}`, "", asked{})
	if err := acp.Dialect.Requests.DecodeRequest(&hub.Request{}, []byte("x")); err == nil {
		t.Error("a body that is no JSON is taken")
	}
}

// TestAnswer: what is written belongs to the client's prompt, whatever the upstream calls its conversation.
func TestAnswer(t *testing.T) {
	req := &hub.Request{Call: []byte(`"p\"1"`), Thread: []byte(`s\"1`)}
	run := []string{`{"kind":"run.start","ref":"upstream"}`, `{"kind":"text.delta","id":"p","text":"Hi"}`, `{"kind":"run.end","status":"done"}`}
	want := []string{
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s\"1","update":{"sessionUpdate":"agent_message_chunk","messageId":"p","content":{"type":"text","text":"Hi"}}}}`,
		`{"jsonrpc":"2.0","id":"p\"1","result":{"stopReason":"end_turn"}}`,
	}
	if diff := cmp.Diff(want, encode(t, nil, req, run...)); diff != "" {
		t.Error(diff)
	}
	want = []string{
		strings.Replace(want[0], `s\"1`, "upstream", 1),
		strings.Replace(want[1], `"p\"1"`, "7", 1),
	}
	if diff := cmp.Diff(want, encode(t, map[string]any{"prompt_id": "7", "session": "x"}, nil, run...)); diff != "" {
		t.Error(diff)
	}
}

func TestObserve(t *testing.T) {
	f := func(record string, want hub.Observation) {
		t.Helper()
		if got := acp.Dialect.Observe(wire.Record{Data: []byte(record)}); got != want {
			t.Errorf("%s: got %d, want %d", record, got, want)
		}
	}
	f(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"\"stopReason\""}}}}`, hub.ObservedStart)
	f(`{"method":"session/update","jsonrpc":"2.0","params":{}}`, hub.ObservedStart)
	f(`{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}`, hub.ObservedEnd)
	f(`{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"x"}}`, hub.ObservedEnd)
	f(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`, hub.ObservedNothing)
	f(`{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}`, hub.ObservedNothing)
	f(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"error":{}}}`, hub.ObservedNothing)
	f(`npm warn "error"`, hub.ObservedNothing)
	f("", hub.ObservedNothing)
	state := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":%s}}}`
	f(fmt.Sprintf(state, `"running"`), hub.ObservedStart)
	f(fmt.Sprintf(state, `"idle","stopReason":"end_turn"`), hub.ObservedEnd)
}

// TestExtension: a client sees an update that says nothing, a proxy finds the payload, and the decoder no event.
func TestExtension(t *testing.T) {
	const payload = `{"x-agent-stream":{"kind":"step.start","id":"s1"}}`
	enc, out := acp.Dialect.NewEncoder(acp.Dialect.Defaults()), wire.NewOut(wire.NDJSON)
	enc.(hub.Extender).Extend(out, []byte(payload))
	rec := wire.Record{Data: bytes.TrimSpace(out.Buf)}
	if got := acp.Dialect.Extension(rec); string(got) != payload {
		t.Errorf("got %s from %s", got, rec.Data)
	}
	if events, faults := decode(t, string(rec.Data)); events != `{"kind":"run.start","ref":"session-1"}` || faults != nil {
		t.Errorf("decoded as %s, %v", events, faults)
	}
	for _, other := range []string{`{"x":"x-agent-stream"`, `{"text":"\"x-agent-stream\""}`, strings.Replace(string(rec.Data), "_meta", "meta", 1), ""} {
		if got := acp.Dialect.Extension(wire.Record{Data: []byte(other)}); got != nil {
			t.Errorf("%s has the payload %s", other, got)
		}
	}
}

func TestAppendFailure(t *testing.T) {
	for _, code := range hub.Codes() {
		var m struct {
			JSONRPC string
			ID      any
			Error   struct {
				Code    int
				Message string
				Data    struct {
					Code   string
					Status int
				}
			}
		}
		f := hub.Fail(code, nil)
		if err := json.Unmarshal(acp.Dialect.AppendFailure(nil, f), &m); err != nil {
			t.Fatal(err)
		}
		if m.JSONRPC != "2.0" || m.ID != nil || m.Error.Code != -32603 || m.Error.Message != f.Text() || m.Error.Data.Code != string(code) {
			t.Errorf("%s: got %+v", code, m)
		}
	}
}

// TestSeparators: no character that ends a line for some readers is written as it is.
func TestSeparators(t *testing.T) {
	for _, text := range []string{"\u2028", "\u2029", "a\u2028\u2029b", "“quoted” …\u2028", "\u2027\u202a"} {
		line := encode(t, nil, nil, `{"kind":"text.delta","id":"p","text":"`+text+`"}`)[0]
		if strings.ContainsAny(line, "\u2028\u2029") {
			t.Errorf("%q is written as %q", text, line)
		}
		if got := update(t, line)["content"].(map[string]any)["text"]; got != text {
			t.Errorf("%q comes back as %q", text, got)
		}
	}
}

// TestOutputSoFar: output of any length costs at most nine times its size, and none beyond the limit.
func TestOutputSoFar(t *testing.T) {
	const piece, pieces = 100, 600
	events := []string{`{"kind":"tool.start","id":"c","name":"Bash"}`, `{"kind":"tool.ready","id":"c","value":{"a":1}}`}
	for range pieces {
		events = append(events, `{"kind":"tool.output","id":"c","chan":"stdout","text":"`+strings.Repeat("x", piece)+`"}`)
	}
	written := strings.Join(encode(t, nil, nil, events...), "\n")
	if limit := 12 * piece * pieces; len(written) > limit {
		t.Errorf("%d bytes of output are written as %d, more than %d", piece*pieces, len(written), limit)
	}
	lines := encode(t, map[string]any{"max_output": 250}, nil, events...)
	if n := len(lines); n != 6 { // the call, its arguments, two pieces, the end, the response
		t.Errorf("%d lines are written: %s", n, lines)
	}
	if !strings.Contains(lines[4], strings.Repeat("x", piece*pieces)) {
		t.Error("the end does not carry the whole output")
	}
}

func TestOptions(t *testing.T) {
	question := `{"kind":"ask","id":"q","what":"question","title":"Which?","options":[{"id":"a","name":"A"},{"id":"no","name":"No"}]}`
	asked := encode(t, map[string]any{"questions": "permission"}, nil, question)[0]
	if want := `"options":[{"optionId":"a","name":"A","kind":"allow_once"},{"optionId":"no","name":"No","kind":"allow_once"}]`; !strings.Contains(asked, want) {
		t.Errorf("got %s", asked)
	}
	call := `{"kind":"tool.start","id":"c","name":"deploy"}`
	if got := update(t, encode(t, map[string]any{"kinds": "deploy=execute"}, nil, call)[0])["kind"]; got != "execute" {
		t.Errorf("the kind is %v", got)
	}
	if got := update(t, encode(t, map[string]any{"kinds": "deploy=magic"}, nil, call)[0])["kind"]; got != "other" {
		t.Errorf("a kind that no client knows is written: %v", got)
	}
}

// TestOptionKinds: an option of a kind that clients do not know fails the whole request.
func TestOptionKinds(t *testing.T) {
	f := func(option, want string) {
		t.Helper()
		line := encode(t, nil, nil, `{"kind":"ask","id":"q","what":"permission","options":[`+option+`]}`)[0]
		if !strings.Contains(line, want) {
			t.Errorf("%s: got %s", option, line)
		}
	}
	f(`{"id":"1","name":"Always","kind":"allow_always"}`, `"kind":"allow_always"`)
	f(`{"id":"1","name":"Deny"}`, `"kind":"reject_once"`)
	f(`{"id":"no"}`, `{"optionId":"no","name":"no","kind":"reject_once"}`)
	f(`{"name":"Go on"}`, `{"optionId":"Go on","name":"Go on","kind":"allow_once"}`)
	f(`{"id":"1","name":"Note it","kind":"custom"}`, `"kind":"allow_once"`)
	f(`{"id":"1","name":"x","kind":"disapprove_forever"}`, `"kind":"reject_once"`)
}

// TestDataURL: a file whose URL is the file is written as its bytes.
func TestDataURL(t *testing.T) {
	u := update(t, encode(t, nil, nil, `{"kind":"file","file":{"url":"data:image/png;base64,aGk="}}`)[0])
	want := map[string]any{"type": "image", "data": "aGk=", "mimeType": "image/png"}
	if diff := cmp.Diff(want, u["content"]); diff != "" {
		t.Error(diff)
	}
}

// TestManyCalls: the memory of a stream is bounded, whatever the agent makes up.
func TestManyCalls(t *testing.T) {
	dec := acp.Dialect.NewDecoder(acp.Dialect.Defaults())
	var evs []hub.Event
	for i := range 10_000 {
		line := fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s%d","update":{"sessionUpdate":"tool_call","toolCallId":"c%d","title":"x"}}}`, i%3000, i)
		var err error
		if evs, err = dec.Decode(evs[:0], wire.Record{Data: []byte(line)}); err != nil {
			t.Fatal(err)
		}
	}
	if len(evs) == 0 || evs[len(evs)-1].Kind != hub.ToolStart {
		t.Errorf("the last call is %v", evs)
	}
}

// TestToolAllocs: fragments of arguments cost the encoder nothing, and updates of a call no memory.
func TestToolAllocs(t *testing.T) {
	enc, out := acp.Dialect.NewEncoder(acp.Dialect.Defaults()), wire.NewOut(wire.NDJSON)
	enc.Encode(out, &hub.Event{Kind: hub.ToolStart, ID: []byte("c"), Name: []byte("Bash")})
	args := hub.Event{Kind: hub.ToolArgs, ID: []byte("c"), Text: []byte("x")}
	status := hub.Event{Kind: hub.ToolUpdate, ID: []byte("c"), Status: hub.StatusRunning}
	dec := acp.Dialect.NewDecoder(acp.Dialect.Defaults())
	line := wire.Record{Data: []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"in_progress","rawInput":{"a":1}}}}`)}
	var evs []hub.Event
	adaptertest.NoAllocs(t, "a fragment and two updates", func() {
		out.Reset()
		enc.Encode(out, &args)
		enc.Encode(out, &status)
		evs, _ = dec.Decode(evs[:0], line)
	})
}

// TestPromptOfNothing: what has no form in a prompt is a loss, and a prompt in which nothing is left is refused.
func TestPromptOfNothing(t *testing.T) {
	f := func(part hub.Part, refused bool, losses string) {
		t.Helper()
		var l hub.Losses
		req := hub.Request{
			Thread: []byte("s"), Extra: hub.Meta{Dialect: "agui", Raw: []byte(`{"a":1}`)},
			Messages: []hub.Message{{Role: hub.RoleUser, Parts: []hub.Part{part}}},
		}
		got, err := acp.Dialect.Requests.AppendRequest(nil, &req, &l)
		if (err != nil) != refused || strings.Join(l.Names, " ") != losses {
			t.Errorf("%s: %v, losses %q, want %q", got, err, l.Names, losses)
		}
	}
	f(hub.Part{Kind: hub.PartText, Text: []byte("Hi")}, false, "extra")
	f(hub.Part{Kind: hub.PartFile, File: &hub.FileRef{FileID: []byte("f")}}, true, "extra messages.file")
	f(hub.Part{Kind: hub.PartRaw, Value: []byte("{}")}, true, "extra messages.other")
}
