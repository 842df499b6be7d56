package openairesponses

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/fastpath"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

func TestObserve(t *testing.T) {
	f := func(event, record string, want hub.Observation) {
		t.Helper()
		if got := Dialect.Observe(wire.Record{Event: []byte(event), Data: []byte(record)}); got != want {
			t.Errorf("%s: got %d, want %d", record, got, want)
		}
	}
	f("", `{"type":"response.created","response":{}}`, hub.ObservedStart)
	f("", `{ "response":{}, "type" : "response.in_progress" }`, hub.ObservedStart)
	f("", `{"type":"response.completed"}`, hub.ObservedEnd)
	f("response.failed", `{"response":{}}`, hub.ObservedEnd)
	f("message", `{"type":"response.incomplete"}`, hub.ObservedEnd)
	f("error", `{"message":"x"}`, hub.ObservedEnd)
	f("", `{"error":{"message":"x"}}`, hub.ObservedEnd)
	f("", `{"object":"response","output":[]}`, hub.ObservedEnd)
	f("", `{"type":"response.output_text.delta","delta":"response.completed"}`, hub.ObservedNothing)
	f("", `{"type":"codex.rate_limits","error":null}`, hub.ObservedNothing)
	f("", `{"type":"response.co`, hub.ObservedNothing)
	f("", ``, hub.ObservedNothing)
}

func TestWatchSession(t *testing.T) {
	o, problems := Dialect.ParseOptions(map[string]any{"socket": "session"})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	w := fastpath.NewWatcher(&Dialect, o)
	f := func(record string, ends bool) {
		t.Helper()
		if got := w.Observe(wire.Record{Data: []byte(record)}); got != hub.ObservedNothing {
			t.Errorf("%s: got %d", record, got)
		}
		if got := w.EndsWithBody(); got != ends {
			t.Errorf("after %s the body ends well: %t", record, got)
		}
	}
	f(`{"type":"error","error":{"message":"no such response"}}`, true)
	f(`{"type":"response.created","stream_id":"a"}`, false)
	f(`{"type":"response.created","stream_id":"b"}`, false)
	f(`{"type":"response.completed","stream_id":"a"}`, false)
	f(`{"type":"response.failed","stream_id":"b"}`, true)
	f(`{"type":"response.created"}`, false)
}

func TestRequest(t *testing.T) {
	f := func(body, model, thread, stream, echo, fault string) {
		t.Helper()
		var req hub.Request
		err := Dialect.Requests.DecodeRequest(&req, []byte(body))
		if (err == nil) != (fault == "") || err != nil && !strings.Contains(err.Error(), fault) {
			t.Fatalf("%s: error %v, want %q", body, err, fault)
		}
		if err != nil {
			return
		}
		if string(req.Model) != model || string(req.Thread) != thread || string(rawjson.Get(req.Call, callStream)) != stream {
			t.Errorf("%s: model %q, thread %q, call %s", body, req.Model, req.Thread, req.Call)
		}
		if !strings.Contains(string(rawjson.Get(req.Call, callEcho)), echo) {
			t.Errorf("%s: the echo is %s, without %s", body, rawjson.Get(req.Call, callEcho), echo)
		}
	}
	f(`{"model":"m\u0041","input":"hi","stream":true,"temperature":0.5}`, `m\u0041`, "", "", `"temperature":0.5`, "")
	f(`{"type":"response.create","conversation":{"id":"conv_1"},"stream_id":"a.b"}`, "", "conv_1", `"a.b"`, `"tools":[]`, "")
	f(`{"conversation":"conv_2","tools":[{"type":"function"}],"tool_choice":null}`, "", "conv_2", "", `"tool_choice":"auto","tools":[{"type":"function"}]`, "")
	f(`{"input":"","instructions":"`+strings.Repeat("x", longestEcho)+`"}`, "", "", "", `"instructions":null`, "")
	f(`{"input":[]}`, "", "", "", `"instructions":null`, "")
	f(`{"prompt":{"id":"pmpt_1"}}`, "", "", "", `"instructions":null`, "")
	f(`{"messages":[{"role":"user","content":"Hi"}]}`, "", "", "", "", "input: missing: want what is said")
	f(`{"input":[1]}`, "", "", "", "", "input.0: type")
	f(`{"input":["a",{"role":"tool"}]}`, "", "", "", "", "input.0: type")
	f(`{"input":[{"role":"tool"}]}`, "", "", "", "", "input.0.role: unknown")
	f(`[]`, "", "", "", "", "type")
	f(`{"model":`, "", "", "", "", "syntax")
}

// TestMaxOutput writes far more than is kept: what the encoder holds stays bounded, and the client learns of it.
func TestMaxOutput(t *testing.T) {
	o, problems := Dialect.ParseOptions(map[string]any{"max_output": 10_000})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	e := newEncoder(o).(*encoder)
	out := wire.NewOut(wire.NDJSON)
	put := func(ev hub.Event) { e.Encode(out, &ev) }
	put(hub.Event{Kind: hub.RunStart})
	text := []byte(strings.Repeat("x", 100))
	for i := range 1000 {
		id := fmt.Appendf(nil, "p%d", i)
		put(hub.Event{Kind: hub.TextStart, ID: id})
		put(hub.Event{Kind: hub.TextDelta, ID: id, Text: text})
		put(hub.Event{Kind: hub.TextEnd, ID: id})
		put(hub.Event{Kind: hub.ToolStart, ID: id, Name: []byte("f")})
		put(hub.Event{Kind: hub.ToolReady, ID: id, Value: []byte(`{}`)})
		put(hub.Event{Kind: hub.ToolEnd, ID: id, Status: hub.StatusOK, Text: text})
		put(hub.Event{Kind: hub.Source, ID: id, More: &hub.More{File: hub.FileRef{URL: text}}})
	}
	kept := 0
	for _, item := range e.items {
		kept += len(item)
	}
	if kept == 0 || kept > 2*10_000 || e.texts.Len()+e.calls.Len() > 0 {
		t.Errorf("%d bytes are kept, and %d texts and %d calls are open", kept, e.texts.Len(), e.calls.Len())
	}
	out.Reset()
	put(hub.Event{Kind: hub.RunEnd, Status: hub.StatusDone})
	if got := string(out.Buf); !strings.Contains(got, `"status":"incomplete"`) || !strings.Contains(got, `"reason":"max_output_tokens"`) {
		t.Errorf("the end is %.300s", got)
	}
}

// TestUsageOfModels adds up what the models of a run used.
func TestUsageOfModels(t *testing.T) {
	e := newEncoder(Dialect.Defaults()).(*encoder)
	out := wire.NewOut(wire.NDJSON)
	for model, in := range map[string]int64{"a": 10, "b": 1, "": 5} {
		c := hub.NoCounts
		c.In, c.Out, c.ReasoningTokens = in, 2, 1
		e.Encode(out, &hub.Event{Kind: hub.Usage, Scope: hub.RunScope, More: &hub.More{Model: []byte(model), Usage: c}})
	}
	want := `{"input_tokens":16,"input_tokens_details":{"cached_tokens":0,"cache_write_tokens":0},"output_tokens":6,"output_tokens_details":{"reasoning_tokens":3},"total_tokens":22}`
	if got := string(e.appendUsage(nil)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestExtension: what is written in the extension place is found there, and says nothing to who does not look for it.
func TestExtension(t *testing.T) {
	enc, out := Dialect.NewEncoder(Dialect.Defaults()), wire.NewOut(wire.NDJSON)
	payload := `{"` + hub.ExtensionKey + `":{"kind":"plan","items":[]}}`
	enc.(hub.Extender).Extend(out, []byte(payload)) // waits for the response
	if len(out.Buf) > 0 {
		t.Errorf("before the response there is %s", out.Buf)
	}
	enc.Encode(out, &hub.Event{Kind: hub.RunStart})
	enc.(hub.Extender).Extend(out, []byte(payload))
	lines := strings.Split(strings.TrimSpace(string(out.Buf)), "\n")
	dec := Dialect.NewDecoder(Dialect.Defaults())
	for i, line := range lines {
		rec := wire.Record{Data: []byte(line)}
		found := rawjson.Get(Dialect.Extension(rec), hub.ExtensionKey)
		evs, err := dec.Decode(nil, rec)
		if err != nil {
			t.Fatal(err)
		}
		if has := i != 1; has != (string(rawjson.Get(found, "kind")) == `"plan"`) || i > 0 && len(evs) > 0 {
			t.Errorf("record %d: found %s, and %d events: %s", i, found, len(evs), line)
		}
	}
	if len(lines) != 3 {
		t.Errorf("there are %d records", len(lines))
	}
}

// TestIDs keeps ids of the right form, and makes all others unlike them.
func TestIDs(t *testing.T) {
	e := newEncoder(Dialect.Defaults()).(*encoder)
	e.name(&hub.Event{ID: []byte("r")})
	f := func(prefix, id string, want string) {
		t.Helper()
		got := string(e.appendItemID(nil, prefix, []byte(id), 3))
		if strings.ReplaceAll(got, string(e.tag), "TAG") != want {
			t.Errorf("%s: got %s, want %s", id, got, want)
		}
	}
	f(prefixMessage, "msg_1", "msg_1")
	f(prefixMessage, "p_1", "msg_TAG_3")
	f(prefixMessage, "rs_1", "msg_TAG_3")
	f(prefixMessage, "msg_", "msg_TAG_3")
	f(prefixMessage, `msg_\u0041`, "msg_TAG_3")
	f(prefixMessage, "msg_"+string(e.tag)+"_9", "msg_TAG_3")
	f(prefixMessage, "msg_"+strings.Repeat("x", longestID), "msg_TAG_3")
	f(prefixReasoning, "rs_abc", "rs_abc")
}
