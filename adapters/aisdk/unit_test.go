package aisdk_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/aisdk"
	"github.com/sabir-proxy/sabir/adapters/fastpath"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

func TestWatch(t *testing.T) {
	f := func(want hub.Observation, endsWithBody bool, records ...string) {
		t.Helper()
		w := fastpath.NewWatcher(&aisdk.Dialect, aisdk.Dialect.Defaults())
		var got hub.Observation
		for _, r := range records {
			got = w.Observe(wire.Record{Data: []byte(r)})
		}
		if got != want || w.EndsWithBody() != endsWithBody {
			t.Errorf("%s: got %d and %t, want %d and %t", records, got, w.EndsWithBody(), want, endsWithBody)
		}
	}
	f(hub.ObservedNothing, false, `{"type":"start"}`)
	f(hub.ObservedNothing, true, `{"type":"start"}`, `{"type":"finish","finishReason":"stop"}`)
	f(hub.ObservedNothing, true, `{"type":"abort"}`)
	f(hub.ObservedNothing, true, `{"type":"error","errorText":"x"}`)
	f(hub.ObservedNothing, false, `{"type":"finish"}`, `{"type":"start"}`)
	f(hub.ObservedNothing, false, `{"type":"text-delta","id":"t","delta":"\"finish\" \"error\""}`)
	f(hub.ObservedNothing, false, `{"type":"data-x","data":{"type":"finish"}}`)
	f(hub.ObservedEnd, true, `{"type":"finish"}`, `[DONE]`)
	f(hub.ObservedEnd, false, ` [DONE]`)
	f(hub.ObservedNothing, true, `{"type":"finish"}`, `{"type":"data-x","data":1}`)
}

func TestRequest(t *testing.T) {
	decode := func(body string) *hub.Request {
		t.Helper()
		var req hub.Request
		if err := aisdk.Dialect.Requests.DecodeRequest(&req, []byte(body)); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		return &req
	}
	f := func(body, thread, run, known string) {
		t.Helper()
		req := decode(body)
		if calls := adaptertest.PastCalls(&req.History); string(req.Thread) != thread || string(req.Run) != run || calls != known {
			t.Errorf("%s: thread %q, run %q, calls %s, want %q, %q, %s", body, req.Thread, req.Run, calls, thread, run, known)
		}
	}
	f(`{"id":"chat 1","messages":[{"id":"u1","role":"user"}],"trigger":"submit-message"}`, "chat 1", "", "")
	f(`{"id":"c","messages":[{"id":"u1","role":"user"},{"id":"a1","role":"assistant"}]}`, "c", "a1", "")
	f(`{"id":"c","messages":[{"id":"a1","role":"assistant"},{"id":"a2","role":"assistant"}],"messageId":"a1"}`, "c", "a1", "")
	f(`{"id":"c","messages":[{"id":"u1","role":"user"},{"id":"a1","role":"assistant"},{"id":"u2","role":"user"}],"messageId":"a1"}`, "c", "a1", "")
	f(`{"id":"c","messages":[{"id":"a1","role":"assistant","parts":[{"type":"text","text":"x"},{"type":"tool-rm","toolCallId":"c1",`+
		`"state":"approval-responded","input":{"path":"a"},"approval":{"id":"q1","approved":true}},{"type":"dynamic-tool","toolName":"a",`+
		`"toolCallId":"c2","state":"output-available","input":{}},{"type":"data-x","toolCallId":"c3"}]}]}`,
		"c", "a1", `c1 rm {"path":"a"} in a1 asked q1; c2 a in a1 answered dynamic`)
	f(`{"id":"c","message":{"id":"a1","role":"assistant","parts":[{"type":"tool-rm","toolCallId":"c1","input":{}}]}}`, "c", "a1", `c1 rm {} in a1`)
	f(`{"id":"c","message":{"id":"u1","role":"user","parts":[]}}`, "c", "", "")
	f(`{}`, "", "", "")
	for _, bad := range []string{`[]`, `{"id":`} {
		if err := aisdk.Dialect.Requests.DecodeRequest(&hub.Request{}, []byte(bad)); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}

// TestAnswer: the message has the id of the request, whatever the upstream calls it.
func TestAnswer(t *testing.T) {
	enc, out := aisdk.Dialect.NewEncoder(aisdk.Dialect.Defaults()), wire.NewOut(wire.NDJSON)
	f := func(req *hub.Request, want string) {
		t.Helper()
		enc.Reset()
		out.Reset()
		if req != nil {
			enc.(hub.Answerer).Answer(req)
		}
		adaptertest.Encode(t, enc, out, `{"kind":"run.start","id":"r1","msg":"m1"}`, `{"kind":"run.end","status":"done"}`)
		if !strings.HasPrefix(string(out.Buf), `{"type":"start","messageId":"`+want+`"}`) {
			t.Errorf("want the id %s in %s", want, out.Buf)
		}
	}
	f(&hub.Request{Run: []byte("a1"), Unique: []byte("x")}, "a1")
	f(&hub.Request{Unique: []byte("x")}, "msg_x")
	f(nil, "m1")
}

// TestResumed: a call of an earlier run is not announced again, if the client has it; and it is known by the flags that it
// had, for clients of version 5 look for it among those.
func TestResumed(t *testing.T) {
	enc, out := aisdk.Dialect.NewEncoder(aisdk.Dialect.Defaults()), wire.NewOut(wire.NDJSON)
	req := &hub.Request{Run: []byte("a1"), History: hub.History{Known: true}}
	req.History.Add(hub.PastCall{ID: []byte("c1"), Msg: []byte("a1"), Dynamic: true})
	req.History.Add(hub.PastCall{ID: []byte("c2"), Msg: []byte("a1")})
	req.History.Add(hub.PastCall{ID: []byte("c3"), Msg: []byte("a0")})
	enc.(hub.Answerer).Answer(req)
	events := []string{`{"kind":"run.start","id":"r1"}`}
	for _, id := range []string{"c1", "c2", "c3"} {
		events = append(events, `{"kind":"tool.start","flags":["resumed"],"id":"`+id+`","name":"rm"}`, `{"kind":"tool.end","id":"`+id+`","status":"ok","text":"x"}`)
	}
	adaptertest.Encode(t, enc, out, append(events, `{"kind":"run.end","status":"done"}`)...)
	want := []string{
		`{"type":"start","messageId":"a1"}`,
		`{"type":"tool-output-available","toolCallId":"c1","output":"x","dynamic":true}`,
		`{"type":"tool-output-available","toolCallId":"c2","output":"x"}`,
		`{"type":"start-step"}`,
		`{"type":"tool-input-start","toolCallId":"c3","toolName":"rm","providerExecuted":true,"dynamic":true}`,
	}
	if got := strings.Split(string(out.Buf), "\n"); strings.Join(got[:len(want)], "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", out.Buf)
	}
}

func TestExtension(t *testing.T) {
	enc, out := aisdk.Dialect.NewEncoder(aisdk.Dialect.Defaults()), wire.NewOut(wire.NDJSON)
	payload := `{"x-agent-stream":{"kind":"notice","text":"[DONE]"}}`
	enc.(hub.Extender).Extend(out, []byte(payload))
	rec := wire.Record{Data: []byte(strings.TrimSuffix(string(out.Buf), "\n"))}
	if got := aisdk.Dialect.Extension(rec); string(got) != payload {
		t.Errorf("the payload of %s is %s", rec.Data, got)
	}
	if !strings.Contains(string(rec.Data), `"transient":true`) {
		t.Errorf("%s would be kept by clients", rec.Data)
	}
	if evs, err := aisdk.Dialect.NewDecoder(aisdk.Dialect.Defaults()).Decode(nil, rec); err != nil || len(evs) > 0 {
		t.Errorf("the decoder makes %d events of it, %v", len(evs), err)
	}
	for _, other := range []string{`{"type":"text-delta","id":"t","delta":"\"data-x-agent-stream\""}`, `{"a":"data-x-agent-stream"}`, `{}`} {
		if got := aisdk.Dialect.Extension(wire.Record{Data: []byte(other)}); got != nil {
			t.Errorf("%s: got the payload %s", other, got)
		}
	}
}

// TestSignedCall: of signatures that a call gets one after the other, the last one before its arguments are complete stands with them.
func TestSignedCall(t *testing.T) {
	update := `{"kind":"tool.update","id":"c1","sig":"bGFzdA=="}`
	got := strings.Join(encode(t, options(t), `{"kind":"run.start"}`, `{"kind":"tool.start","id":"c1","name":"f","flags":["client_runs"],"sig":"b25l"}`, `{"kind":"tool.update","id":"c1","sig":"dHdv"}`,
		update, `{"kind":"tool.ready","id":"c1","name":"f","value":{}}`, `{"kind":"tool.update","id":"c1","sig":"bGF0ZQ==","text":"half way"}`), "\n")
	if want := `"providerMetadata":{"sabir":{"signature":"bGFzdA=="}}`; strings.Count(got, "signature") != 1 || !strings.Contains(got, want) {
		t.Errorf("want %s once in\n%s", want, got)
	}
	if !strings.Contains(got, `"text":"half way"`) {
		t.Errorf("what comes with a signature is lost:\n%s", got)
	}
}
