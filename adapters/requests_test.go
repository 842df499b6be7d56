package adapters_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestRequestsOfLangGraph: a run without a thread gets the whole conversation, with the results of calls behind them.
func TestRequestsOfLangGraph(t *testing.T) {
	client, err := adapters.Lookup("openai-chat")
	if err != nil {
		t.Fatal(err)
	}
	server, err := adapters.Lookup("langgraph")
	if err != nil {
		t.Fatal(err)
	}
	const body = `{"model":"graph","seed":1,"tools":[{"type":"function","function":{"name":"ls"}}],"messages":[{"role":"system","content":"Be brief."},` +
		`{"role":"user","content":[{"type":"text","text":"Hi"},{"type":"image_url","image_url":{"url":"https://x/y.png"}}]},` +
		`{"role":"assistant","content":"So.","tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{\"a\":1}"}},` +
		`{"id":"c2","type":"function","function":{"name":"rm","arguments":""}}]},{"role":"tool","tool_call_id":"c1","content":"x"},` +
		`{"role":"user","content":"Go on"}]}`
	const want = `{"assistant_id":"graph","input":{"messages":[{"type":"system","content":"Be brief."},` +
		`{"type":"human","content":[{"type":"text","text":"Hi"},{"type":"image_url","image_url":{"url":"https://x/y.png"}}]},` +
		`{"type":"ai","content":"So.","tool_calls":[{"id":"c1","name":"ls","args":{"a":1},"type":"tool_call"},{"id":"c2","name":"rm","args":{},"type":"tool_call"}]},` +
		`{"type":"tool","tool_call_id":"c1","name":"ls","content":"x","status":"success"},` +
		`{"type":"tool","tool_call_id":"c2","name":"rm","content":"The conversation went on before this call had a result.","status":"error"},` +
		`{"type":"human","content":"Go on"}]},"stream_mode":["messages-tuple","updates","custom"],"on_disconnect":"cancel"}`
	var req hub.Request
	var l hub.Losses
	if err := client.Requests.DecodeRequest(&req, []byte(body)); err != nil {
		t.Fatal(err)
	}
	got, err := server.RequestWriter()(nil, &req, &l)
	if err != nil || string(got) != want || strings.Join(l.Names, " ") != "tools settings.seed" {
		t.Errorf("got  %s\nwant %s\nlosses %q, %v", got, want, l.Names, err)
	}
}

// TestNativeRequests: what the native dialect writes of the requests of all others reads back as they were read.
func TestNativeRequests(t *testing.T) {
	native, err := adapters.Lookup("native")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range adaptertest.RequestFixtures(t, ".") {
		req := hub.Request{Header: func(string) string { return "" }}
		if err := f.Dialect.Requests.DecodeRequest(&req, bytes.Clone(f.Body)); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		var l hub.Losses
		req.AskWhole = req.Whole // what the client wants is what the agent is asked
		body, err := native.Requests.AppendRequest(nil, &req, &l)
		again := hub.Request{Header: req.Header}
		if err == nil {
			err = native.Requests.DecodeRequest(&again, body)
		}
		if a, b := adaptertest.ShowRequest(&req), adaptertest.ShowRequest(&again); err != nil || a != b || len(l.Names) > 0 {
			t.Errorf("%s %s: %v, losses %q, reads\n%s\nwant\n%s", f.Dialect.Name, f.Name, err, l.Names, b, a)
		}
	}
}

// TestPrompts: agents that keep the conversation, and take a prompt, get what the user says that is new, in the body that their
// servers take; a request that says nothing new is refused.
func TestPrompts(t *testing.T) {
	f := func(dialect, want, losses string) {
		t.Helper()
		d, err := adapters.Lookup(dialect)
		if err != nil {
			t.Fatal(err)
		}
		say := func(role hub.Role, text string) hub.Message {
			return hub.Message{Role: role, Parts: []hub.Part{{Kind: hub.PartText, Text: []byte(text)}}}
		}
		req := &hub.Request{
			Thread: []byte("t-1"), Model: []byte("openai/gpt-5"), Unique: []byte("u7"),
			Messages: []hub.Message{say(hub.RoleSystem, "Be brief."), say(hub.RoleUser, "Hi"), say(hub.RoleAgent, "Hello."), say(hub.RoleUser, `a\nb`)},
		}
		var l hub.Losses
		got, err := d.RequestWriter()(nil, req, &l)
		if err != nil || string(got) != want || strings.Join(l.Names, " ") != losses {
			t.Errorf("%s: got %s, losses %q, %v\nwant %s", dialect, got, l.Names, err, want)
		}
		req.Messages = req.Messages[:3]
		if got, err := d.RequestWriter()(nil, req, &l); err == nil {
			t.Errorf("%s: nothing new became %s", dialect, got)
		}
	}
	f("agentevent", `{"conversationId":"t-1","role":"user","content":"a\nb"}`, "messages.system")
	f("copilot", `{"prompt":"a\nb"}`, "messages.system")
	f("simplified", `{"message":{"messageId":"u7","chatId":"t-1","content":"a\nb"},"focusMode":"webSearch",`+
		`"history":[["human","Hi"],["assistant","Hello."]],"files":[],"chatModel":{"provider":"openai","name":"gpt-5"}}`, "messages.system")
}
