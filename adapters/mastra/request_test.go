package mastra_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/mastra"
)

// TestWriteRequest: a turn tells the whole conversation, and an answer to a question goes where that is answered.
func TestWriteRequest(t *testing.T) {
	f := func(name string, req hub.Request, path, want string) {
		t.Helper()
		got, err := mastra.Dialect.Requests.AppendRequest(nil, &req, new(hub.Losses))
		if err != nil || string(got) != want {
			t.Errorf("%s: %v\n%s, want\n%s", name, err, got, want)
		}
		if at := strings.Join(mastra.Dialect.Sessions.Run(&req), "/"); at != path {
			t.Errorf("%s: asked at %s, want %s", name, at, path)
		}
	}
	text := func(role hub.Role, said string) hub.Message {
		return hub.Message{Role: role, Parts: []hub.Part{{Kind: hub.PartText, Text: []byte(said)}}}
	}
	call := func(r *hub.CallResult) hub.Message {
		return hub.Message{Role: hub.RoleAgent, Parts: []hub.Part{{
			Kind: hub.PartCall, ID: []byte("c1"), Name: []byte("look"), Value: []byte(`{"a":1}`), Result: r,
		}}}
	}
	f("three turns", hub.Request{Messages: []hub.Message{text(hub.RoleSystem, "Be brief."), text(hub.RoleUser, "one"), text(hub.RoleAgent, "two"), text(hub.RoleUser, "three")}},
		"stream", `{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":[{"type":"text","text":"one"}]},`+
			`{"role":"assistant","content":[{"type":"text","text":"two"}]},{"role":"user","content":[{"type":"text","text":"three"}]}]}`)
	f("the tool of a client", hub.Request{
		Messages: []hub.Message{text(hub.RoleUser, "one"), call(&hub.CallResult{Status: hub.StatusOK, Text: []byte("9")})},
		Tools:    hub.ToolList{Known: true, Defs: []hub.Tool{{Name: []byte("look"), Description: []byte("Looks.")}}},
	}, "stream", `{"messages":[{"role":"user","content":[{"type":"text","text":"one"}]},`+
		`{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c1","toolName":"look","input":{"a":1}}]},`+
		`{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"look","output":{"type":"text","value":"9"}}]}],`+
		`"clientTools":{"look":{"id":"look","description":"Looks.","inputSchema":{"type":"object"}}}}`)
	f("a result that is a failure", hub.Request{Messages: []hub.Message{call(&hub.CallResult{Status: hub.StatusError, Err: []byte("down")})}}, "stream",
		`{"messages":[{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c1","toolName":"look","input":{"a":1}}]},`+
			`{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"look","output":{"type":"error-text","value":"down"}}]}]}`)
	answer := func(d hub.Decision) hub.Request {
		d.Ask = []byte("r1:c1")
		return hub.Request{Partial: true, Answers: []hub.Decision{d}}
	}
	f("granted", answer(hub.Decision{Decided: true, Approved: true}), "approve-tool-call", `{"runId":"r1","toolCallId":"c1"}`)
	f("denied", answer(hub.Decision{Decided: true, Reason: []byte("no")}), "decline-tool-call", `{"runId":"r1","toolCallId":"c1","reason":"no"}`)
	f("dismissed", answer(hub.Decision{Cancelled: true}), "decline-tool-call", `{"runId":"r1","toolCallId":"c1"}`)
	f("input", answer(hub.Decision{Payload: []byte(`{"ok":true}`)}), "resume-stream", `{"runId":"r1","toolCallId":"c1","resumeData":{"ok":true}}`)
}
