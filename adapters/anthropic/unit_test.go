package anthropic

import (
	"errors"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/blocks"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

func TestAppendFailure(t *testing.T) {
	f := func(code hub.Code, want string) {
		t.Helper()
		got := string(Dialect.AppendFailure(nil, hub.Fail(code, errors.New("secret"))))
		if !strings.HasPrefix(got, `{"type":"error","error":{"type":"`+want+`","message":"`) || strings.Contains(got, "secret") {
			t.Errorf("%s: got %s", code, got)
		}
	}
	f(hub.CodeUnauthorized, "authentication_error")
	f(hub.CodeNotFound, "not_found_error")
	f(hub.CodeBadRequest, "invalid_request_error")
	f(hub.CodeBodyTooLarge, "request_too_large")
	f(hub.CodeBusy, "overloaded_error")
	f(hub.CodeTimeout, "timeout_error")
	f(hub.CodeInternal, "api_error")
	f(hub.CodeUnreachable, "api_error")
}

func TestKeepAlive(t *testing.T) {
	out := wire.NewOut(wire.SSE)
	Dialect.KeepAlive(out, Dialect.Defaults())
	if got := string(out.Buf); got != "event: ping\ndata: {\"type\":\"ping\"}\n\n" {
		t.Errorf("got %q", got)
	}
}

// TestExtension: what Extend writes is found again, and is a ping to everybody else.
func TestExtension(t *testing.T) {
	enc, out := Dialect.NewEncoder(Dialect.Defaults()), wire.NewOut(wire.SSE)
	payload := `{"x-agent-stream":{"kind":"run.start"}}`
	enc.(hub.Extender).Extend(out, []byte(payload))
	rec, _, err := wire.NewSplitter(wire.SSE, 0).Split(out.Buf, false)
	if err != nil || string(rec.Event) != "ping" {
		t.Fatalf("event %s, %v", rec.Event, err)
	}
	if got := string(Dialect.Extension(rec)); got != payload {
		t.Errorf("found %s", got)
	}
	evs, err := Dialect.NewDecoder(Dialect.Defaults()).Decode(nil, rec)
	if len(evs) > 0 || err != nil {
		t.Errorf("the decoder makes %d events of it, %v", len(evs), err)
	}
	none := func(event, data string) {
		t.Helper()
		if got := Dialect.Extension(wire.Record{Event: []byte(event), Data: []byte(data)}); got != nil {
			t.Errorf("%s %s: found %s", event, data, got)
		}
	}
	none("ping", `{"type":"ping"}`)
	none("ping", `{"type":"ping","x-agent-stream":{}}`)
	none("ping", `{"type":"ping","extension":"\"x-agent-stream\""}`)
	none("content_block_delta", `{"type":"content_block_delta","extension":{"x-agent-stream":{}}}`)
}

// TestAnswer: the client hears of the model by the name that it asked for (row C20), and of an id that no other message has.
func TestAnswer(t *testing.T) {
	begin := func(req *hub.Request, ev hub.Event) string {
		enc, out := Dialect.NewEncoder(Dialect.Defaults()), wire.NewOut(wire.SSE)
		if req != nil {
			enc.(hub.Answerer).Answer(req)
		}
		enc.Encode(out, &ev)
		return string(out.Buf)
	}
	f := func(name, got, id, model string) {
		t.Helper()
		if !strings.Contains(got, `"message":{"id":"`+id+`","type":"message","role":"assistant","model":"`+model+`",`) {
			t.Errorf("%s: got %s", name, got)
		}
	}
	named := hub.Event{Kind: hub.RunStart, ID: []byte("msg_7"), More: &hub.More{Model: []byte("upstream")}}
	asked := &hub.Request{Model: []byte("alias"), Unique: []byte("u1")}
	f("no names at all", begin(nil, hub.Event{Kind: hub.RunStart}), "msg_1", "agent")
	f("the upstream does", begin(nil, named), "msg_7", "upstream")
	f("the client does", begin(asked, hub.Event{Kind: hub.RunStart}), "msg_u1", "alias")
	f("C20 both do", begin(asked, named), "msg_7", "alias")
}

// TestLateStart: with the option, message_start waits for the usage that the upstream tells at its start.
func TestLateStart(t *testing.T) {
	used := hub.NoCounts
	used.In, used.Cached = 20, 8
	got := stream(encoderWith(t, map[string]any{"message_start": "late"}),
		start(), hub.Event{Kind: hub.Usage, Scope: hub.RunScope, More: &hub.More{Usage: used}}, text("t", "x"), end(hub.StatusDone))
	want := `"stop_sequence":null,"usage":{"input_tokens":12,"cache_creation_input_tokens":0,"cache_read_input_tokens":8,"output_tokens":0}}}` +
		"\n\nevent: content_block_start"
	if !strings.Contains(got, want) {
		t.Errorf("got %s", got)
	}
}

// TestNotWritten: what is not the assistant's, or not the client's to run, is left out.
func TestNotWritten(t *testing.T) {
	f := func(name string, want string, decoded ...hub.Event) {
		t.Helper()
		if got := blockTypes(written(t, nil, decoded...)); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
	done := `{"stop_reason":"end_turn","stop_sequence":null}`
	user := text("u", "Hi")
	user.Flags = hub.User
	f("the words of the user", done, start(), user, end(hub.StatusDone))
	f("instructions", done, start(), hub.Event{Kind: hub.TextStart, ID: []byte("s"), Name: []byte("system")}, text("s", "Be kind."), end(hub.StatusDone))
	known := asked("a", "weather")
	known.Flags |= hub.Resumed
	f("a call that the client knows", done, start(), known, result("a", "3"), end(hub.StatusDone))
	f("the result of a call for the client", `{"type":"tool_use","id":"a","name":"weather","input":{}}`+"\n"+
		`{"type":"input_json_delta","partial_json":"{}"}`+"\n"+done, start(), asked("a", "weather"), result("a", "3"), end(hub.StatusDone))
	f("a source without a text", done, start(), hub.Event{Kind: hub.Source, More: &hub.More{File: hub.FileRef{URL: []byte("https://a")}}}, end(hub.StatusDone))
}

// TestSources: a source of another dialect is the result of a search in the text before it.
func TestSources(t *testing.T) {
	source := hub.Event{Kind: hub.Source, Title: []byte("A"), Text: []byte("quote"), More: &hub.More{File: hub.FileRef{URL: []byte("https://a")}}}
	got := blockTypes(written(t, nil, start(), text("t", "x"), hub.Event{Kind: hub.TextEnd, ID: []byte("t")}, source, end(hub.StatusDone)))
	want := `{"type":"citations_delta","citation":{"type":"web_search_result_location","cited_text":"quote","encrypted_index":"","title":"A","url":"https://a"}}`
	if !strings.Contains(got, want) {
		t.Errorf("got %s", got)
	}
}

// TestResults: what a call that was run came to.
func TestResults(t *testing.T) {
	f := func(ev hub.Event, want string) {
		t.Helper()
		ev.Kind, ev.ID = hub.ToolEnd, []byte("a")
		got := blockTypes(written(t, nil, start(), ran("a", "weather"), ev, end(hub.StatusDone)))
		_, got, _ = strings.Cut(got, "\n")
		got, _, _ = strings.Cut(got, "\n")
		if want != "" {
			want = `{"type":"mcp_tool_result","tool_use_id":"a",` + want + `}`
		} else {
			want = `{"stop_reason":"end_turn","stop_sequence":null}`
		}
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	emitted := func(text string) string { return `"content":[{"type":"text","text":"` + text + `"}]` }
	f(hub.Event{Status: hub.StatusOK, Text: []byte(`a\nb`)}, `"is_error":false,`+emitted(`a\nb`))
	f(hub.Event{Status: hub.StatusOK, Value: []byte(`{"t":3}`)}, `"is_error":false,`+emitted(`{\"t\":3}`))
	f(hub.Event{Status: hub.StatusOK, Value: []byte(`"x"`)}, `"is_error":false,`+emitted(`x`))
	f(hub.Event{Status: hub.StatusOK}, `"is_error":false,"content":[]`)
	f(hub.Event{Status: hub.StatusError, More: &hub.More{Err: []byte("no")}}, `"is_error":true,`+emitted(`no`))
	f(hub.Event{Status: hub.StatusDenied}, `"is_error":true,"content":[]`)
	f(hub.Event{Status: hub.StatusOK, More: &hub.More{Content: []byte(
		`[{"type":"content","content":{"type":"text","text":"a"}},{"type":"diff","path":"f","newText":"b"},{"type":"content","content":{"type":"resource_link","uri":"u"}}]`)}},
		`"is_error":false,`+emitted(`a\nb\nu`))
	f(hub.Event{Status: hub.StatusOK, Value: []byte(`[{"type":"text","text":"a"},{"type":"text","text":"b"}]`)},
		`"is_error":false,"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]`)
	f(hub.Event{Status: hub.StatusUnknown}, "")
	f(hub.Event{Status: hub.StatusAborted}, "")
}

// TestInputs: the input of a call that was run is an object in any case.
func TestInputs(t *testing.T) {
	f := func(fragment, want string) {
		t.Helper()
		got := written(t, nil, start(), ran("a", "weather"), args("a", fragment), result("a", "3"), end(hub.StatusDone))
		if !strings.Contains(got, `"input":`+want+`}}`+"\n") {
			t.Errorf("%s: got %s", fragment, got)
		}
	}
	f(`{"q":1}`, `{"q":1}`)
	f(``, `{}`)
	f(`[1]`, `{"value":[1]}`)
	f(`"x"`, `{"value":"x"}`)
	f(`not JSON`, `{"value":"not JSON"}`)
	f(`{"__proto__":1}`, `{"___proto__":1}`) // the AI SDK would throw the event away
}

// TestCallMembers: what only calls of the API have comes back.
func TestCallMembers(t *testing.T) {
	block := `{"type":"tool_use","id":"a","name":"click","toolset_name":"browser","caller":{"type":"code_execution_20250825","tool_id":"srvtoolu_1"},"input":{}}`
	got := blockTypes(again(t, `{"type":"content_block_start","index":0,"content_block":`+block+`}`, `{"type":"message_stop"}`))
	if !strings.HasPrefix(got, block) {
		t.Errorf("got %s", got)
	}
}

// TestBounds: what a hostile stream can make the decoder keep is bounded.
func TestBounds(t *testing.T) {
	dec := newDecoder(Dialect.Defaults()).(*decoder)
	decode := func(record string) {
		if _, err := dec.Decode(nil, wire.Record{Data: []byte(record)}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 * blocks.Max {
		decode(`{"type":"content_block_start","index":` + itoa(i) + `,"content_block":{"type":"tool_use","id":"` + itoa(i) + `","name":"a"}}`)
	}
	if n := len(dec.blocks.All()); n != blocks.Max {
		t.Errorf("%d blocks are open", n)
	}
	dec.Reset()
	decode(`{"type":"content_block_start","index":0,"content_block":{"type":"thinking"}}`)
	piece := strings.Repeat("x", blocks.MaxHeld/4)
	for range 9 {
		decode(`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"` + piece + `"}}`)
	}
	if n := len(dec.blocks.All()[0].Held); n > blocks.MaxHeld {
		t.Errorf("%d bytes of a signature are kept", n)
	}
}

// TestRequest: the model and the version are taken from the call; what it does not say of the length of the answer, the API wants.
func TestRequest(t *testing.T) {
	body := `{"model":"m","messages":[],"stream":true}`
	req := hub.Request{Header: func(name string) string { return map[string]string{"anthropic-version": "2026-10-21"}[name] }}
	if err := Dialect.Requests.DecodeRequest(&req, []byte(body)); err != nil {
		t.Fatal(err)
	}
	if string(req.Model) != "m" || string(req.Version) != "2026-10-21" || !req.Usage {
		t.Errorf("model %s, version %s, usage %t", req.Model, req.Version, req.Usage)
	}
	const want = `{"model":"m","messages":[],"max_tokens":32000,"stream":true}`
	if got, err := Dialect.Requests.AppendRequest(nil, &req, new(hub.Losses)); string(got) != want || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	if err := Dialect.Requests.DecodeRequest(&req, []byte(`[]`)); err == nil {
		t.Error("took a list for a request")
	}
}
