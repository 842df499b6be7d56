package claudecli_test

import (
	"bytes"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/claudecli"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestOneLine: Claude Code stops at a line that is no JSON, so that a value may not be written on several.
func TestOneLine(t *testing.T) {
	call := hub.Part{Kind: hub.PartCall, ID: []byte("c1"), Name: []byte("rm"), Value: []byte("{\n \"path\": \"a b\"\n}"), Approval: &hub.Approval{ID: []byte("q1"), Decided: true, Approved: true}}
	said := hub.Part{Kind: hub.PartRaw, Meta: hub.Meta{Dialect: "claude-cli", Raw: []byte("{\n \"type\": \"x\"\n}")}}
	for want, m := range map[string]hub.Message{
		`{"type":"control_response","response":{"subtype":"success","request_id":"q1","response":{"behavior":"allow","updatedInput":{"path":"a b"}}}}`: {Role: hub.RoleAgent, Parts: []hub.Part{call}},
		`{"type":"user","message":{"role":"user","content":[{"type":"x"}]},"parent_tool_use_id":null,"session_id":"t"}`:                                {Role: hub.RoleUser, Parts: []hub.Part{said}},
	} {
		got, err := claudecli.Dialect.Requests.AppendRequest(nil, &hub.Request{Thread: []byte("t"), Messages: []hub.Message{m}}, new(hub.Losses))
		if err != nil || string(got) != want || bytes.ContainsRune(got, '\n') {
			t.Errorf("%s, %v\nwant %s", got, err, want)
		}
	}
}

// TestOther: lines that are for the process ask for no turn; others are no lines of a client.
func TestOther(t *testing.T) {
	for body, other := range map[string]bool{
		`{"type":"control_request","request_id":"s","request":{"subtype":"interrupt"}}`:         true,
		"{\n \"type\": \"user\",\n \"message\": {\"role\": \"user\", \"content\": \"Hi\"}\n}\n": false,
	} {
		var req hub.Request
		if err := claudecli.Dialect.Requests.DecodeRequest(&req, []byte(body)); err != nil || req.Other != other {
			t.Errorf("%s: asks for something else %t, %v", body, req.Other, err)
		}
	}
	for _, body := range []string{`{"type":"result"}`, `{}`, "{\"type\":\"keep_alive\"}\n{\n"} {
		if err := claudecli.Dialect.Requests.DecodeRequest(new(hub.Request), []byte(body)); err == nil {
			t.Errorf("%s is taken", body)
		}
	}
}
