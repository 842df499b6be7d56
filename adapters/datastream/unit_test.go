package datastream_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/datastream"
	"github.com/sabir-proxy/sabir/adapters/fastpath"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

func TestWatch(t *testing.T) {
	f := func(endsWithBody bool, lines ...string) {
		t.Helper()
		w := fastpath.NewWatcher(&datastream.Dialect, datastream.Dialect.Defaults())
		for _, l := range lines {
			if got := w.Observe(wire.Record{Data: []byte(l)}); got != hub.ObservedNothing {
				t.Errorf("%s: got %d; more may come behind any line", l, got)
			}
		}
		if w.EndsWithBody() != endsWithBody {
			t.Errorf("%s: the body may end there: %t, want %t", lines, w.EndsWithBody(), endsWithBody)
		}
	}
	f(false)
	f(false, `0:"Hello"`)
	f(true, `0:"Hello"`, `d:{"finishReason":"stop"}`)
	f(true, `3:"error"`)
	f(true, `3:"error"`, `e:{}`, `d:{}`)
	f(false, `e:{}`)
	f(false, `d:{}`, `f:{"messageId":"m"}`)
	f(true, `d:{}`, `2:[{"done":true}]`, `0:"late"`)
}

func TestRequest(t *testing.T) {
	f := func(body, thread, run string) {
		t.Helper()
		var req hub.Request
		if err := datastream.Dialect.Requests.DecodeRequest(&req, []byte(body)); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		if string(req.Thread) != thread || string(req.Run) != run {
			t.Errorf("%s: thread %q, run %q, want %q, %q", body, req.Thread, req.Run, thread, run)
		}
	}
	f(`{"id":"c","messages":[{"id":"u1","role":"user","content":"hi"}]}`, "c", "")
	f(`{"id":"c","messages":[{"id":"u1","role":"user"},{"id":"a1","role":"assistant"}]}`, "c", "a1")
	f(`{"threadId":"t","messages":[{"role":"user"}],"tools":{}}`, "t", "")
	for _, bad := range []string{`[]`, `{"id":`} {
		if err := datastream.Dialect.Requests.DecodeRequest(&hub.Request{}, []byte(bad)); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}

// TestAnswer: the message has the id of the request, else that of the upstream's message, else that of its run.
func TestAnswer(t *testing.T) {
	f := func(want string, asked *hub.Request, start string) {
		t.Helper()
		enc, out := datastream.Dialect.NewEncoder(datastream.Dialect.Defaults()), wire.NewOut(wire.NDJSON)
		if asked != nil {
			enc.(hub.Answerer).Answer(asked)
		}
		adaptertest.Encode(t, enc, out, start, `{"kind":"text.delta","id":"t","text":"x"}`, `{"kind":"run.end","status":"done"}`)
		if !strings.HasPrefix(string(out.Buf), `f:{"messageId":"`+want+`"}`) {
			t.Errorf("want the id %s in %s", want, out.Buf)
		}
	}
	f("msg-x", &hub.Request{Unique: []byte("x")}, `{"kind":"run.start","id":"r1","msg":"m1"}`)
	f("a1", &hub.Request{Run: []byte("a1"), Unique: []byte("x")}, `{"kind":"run.start","id":"r1","msg":"m1"}`)
	f("m1", &hub.Request{}, `{"kind":"run.start","id":"r1","msg":"m1"}`)
	f("r1", nil, `{"kind":"run.start","id":"r1"}`)
	f("msg-1", nil, `{"kind":"run.start"}`)
}

func TestExtension(t *testing.T) {
	enc, out := datastream.Dialect.NewEncoder(datastream.Dialect.Defaults()), wire.NewOut(wire.NDJSON)
	payload := `{"x-agent-stream":{"kind":"notice","text":"]"}}`
	enc.(hub.Extender).Extend(out, []byte(payload))
	rec := wire.Record{Data: []byte(strings.TrimSuffix(string(out.Buf), "\n"))}
	if got := datastream.Dialect.Extension(rec); string(got) != payload {
		t.Errorf("the payload of %s is %s", rec.Data, got)
	}
	if evs, err := datastream.Dialect.NewDecoder(datastream.Dialect.Defaults()).Decode(nil, rec); err != nil || len(evs) > 0 {
		t.Errorf("the decoder makes %d events of it, %v", len(evs), err)
	}
	if got := datastream.Dialect.Extension(wire.Record{Data: []byte(`2:[{"a":{"x-agent-stream":1}}]`)}); got != nil {
		t.Errorf("got the payload %s", got)
	}
}

// TestHeaders: assistant-ui chooses its reader by the header, and takes the content type that version 4 had.
func TestHeaders(t *testing.T) {
	d := &datastream.Dialect
	if d.ContentType != "text/plain; charset=utf-8" || len(d.Header) != 1 || d.Header[0] != (hub.HeaderField{Name: "x-vercel-ai-data-stream", Value: "v1"}) {
		t.Errorf("content type %q, headers %v", d.ContentType, d.Header)
	}
}

// TestSteps: a client keeps one text and one reasoning part a step, so what must stay apart needs a step of its own.
func TestSteps(t *testing.T) {
	text := func(id, text string) string { return `{"kind":"text.delta","id":"` + id + `","text":"` + text + `"}` }
	think := func(id, text string) string {
		return `{"kind":"text.delta","id":"` + id + `","chan":"reasoning","text":"` + text + `"}`
	}
	const start, done = `{"kind":"run.start","id":"r1"}`, `{"kind":"run.end","status":"done"}`
	const call, result = `{"kind":"tool.start","id":"c1","name":"a"}`, `{"kind":"tool.end","id":"c1","status":"ok","text":"x"}`
	f := func(want string, events ...string) {
		t.Helper()
		if got := codes(encode(t, datastream.Dialect.Defaults(), events...)); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	f("f 0 0 e d", start, text("a", "x"), text("a", "y"), done)
	f("f 0 e f 0 e d", start, text("a", "x"), text("b", "y"), done)
	f("f g 0 e d", start, think("a", "x"), text("b", "y"), done)
	f("f 0 e f g e d", start, text("a", "x"), think("b", "y"), done)
	f("f g 0 e f g e d", start, think("a", "x"), text("b", "y"), think("c", "z"), done)
	f("f 0 b c 9 a e f 0 e d", start, text("a", "x"), call, result, text("b", "y"), done)
	// Clients that go on by themselves look at the calls of the last step: those that were run may not be there.
	f("f b c 9 a e f e d", start, call, result, done)
	f("f b c 9 e d", start, strings.Replace(call, `"name"`, `"flags":["client_runs"],"name"`, 1), `{"kind":"run.end","status":"tools"}`)
}

// TestDeltaAllocs counts what one delta costs in each direction on its own.
func TestDeltaAllocs(t *testing.T) {
	f := func(name string, before []string, delta string) {
		t.Helper()
		adaptertest.DeltaAllocs(t, &datastream.Dialect, name, before, delta)
	}
	f("text", []string{`f:{"messageId":"m"}`}, `0:"a \"b\""`)
	f("reasoning", []string{`f:{"messageId":"m"}`}, `g:"hm"`)
	f("arguments", []string{`b:{"toolCallId":"c1","toolName":"a"}`}, `c:{"toolCallId":"c1","argsTextDelta":"{\"q\":"}`)
}
