package adk

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestSessions: a session that is new begins with what was said before, under the name of the agent; what is new, and what came of
// calls of the client's, is left to the run.
func TestSessions(t *testing.T) {
	text := func(role hub.Role, s string, more ...hub.Part) hub.Message {
		return hub.Message{Role: role, Parts: append([]hub.Part{{Kind: hub.PartText, Text: []byte(s)}}, more...)}
	}
	f := func(req hub.Request, path, want string) {
		t.Helper()
		req.Session = []byte("s")
		var l hub.Losses
		call := openSession(&req, &l)
		body := strings.ReplaceAll(string(call.Body), `"actions":{"stateDelta":{},"artifactDelta":{},"requestedAuthConfigs":{},"requestedToolConfirmations":{}},`, "")
		if got := strings.Join(call.Path, " "); call.Method != "POST" || got != path || body != want || len(l.Names) > 0 {
			t.Errorf("%s %s, losses %q\n%s\nwant %s\n%s", call.Method, got, l.Names, body, path, want)
		}
	}
	hello, next := text(hub.RoleUser, "hello"), text(hub.RoleUser, "more")
	const said = `{"content":{"parts":[{"text":"hello"}],"role":"user"},"invocationId":"run","author":"user","id":"run-1"}`
	f(hub.Request{Messages: []hub.Message{hello}}, "apps agent users user sessions", `{"sessionId":"s"}`)
	f(hub.Request{Messages: []hub.Message{hello}, Partial: true}, "apps agent users user sessions", `{"sessionId":"s"}`)
	f(hub.Request{Messages: []hub.Message{text(hub.RoleSystem, "Be kind."), hello, text(hub.RoleAgent, "Hi!"), next}, Model: []byte(`a\"b`)},
		`apps a"b users user sessions`,
		`{"sessionId":"s","events":[`+said+`,{"content":{"parts":[{"text":"Hi!"}],"role":"model"},"invocationId":"run","author":"a\"b","id":"run-2"}]}`)
	found := hub.Part{Kind: hub.PartCall, ID: []byte("c1"), Name: []byte("ask"), Value: []byte("{}"), ClientRuns: true,
		Result: &hub.CallResult{Status: hub.StatusOK, Text: []byte("Oslo")}}
	o, _ := Dialect.ParseOptions(map[string]any{"root_agent": "guide"})
	req := hub.Request{Messages: []hub.Message{hello, text(hub.RoleAgent, "So.", found)}, Upstream: o, Settings: hub.Settings{User: []byte("ann")}}
	f(req, "apps agent users ann sessions",
		`{"sessionId":"s","events":[`+said+`,{"content":{"parts":[{"text":"So."},{"functionCall":{"id":"c1","args":{},"name":"ask"}}],"role":"model"},`+
			`"invocationId":"run","author":"guide","id":"run-2"}]}`)
	if p := &req.Messages[1].Parts[1]; p.Result == nil || !p.ClientRuns {
		t.Error("the request was changed")
	}
	req.Session = []byte("s")
	var l hub.Losses
	body, err := Dialect.RequestWriter()(nil, &req, &l)
	if want := `"sessionId":"s","newMessage":{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"ask","response":{"result":"Oslo"}}}]}`; err != nil || !strings.Contains(string(body), want) {
		t.Errorf("%s, %v, want %s", body, err, want)
	}
}

// TestAnswersInSessionsThatAreGone: no call waits for them any more.
func TestAnswersInSessionsThatAreGone(t *testing.T) {
	req := hub.Request{Session: []byte("s"), NewSession: true, Answers: []hub.Decision{{Ask: []byte("q"), Decided: true}}}
	var l hub.Losses
	if body, err := Dialect.RequestWriter()(nil, &req, &l); err == nil || !strings.Contains(err.Error(), "is not there") {
		t.Errorf("%s, %v", body, err)
	}
}

// TestDeletedSessions: a session is deleted in the app and for the user that it was opened with.
func TestDeletedSessions(t *testing.T) {
	for want, req := range map[string]hub.Request{
		"apps agent users user sessions s": {Session: []byte("s")},
		`apps a"b users ann sessions s`:    {Session: []byte("s"), Model: []byte(`a\"b`), Settings: hub.Settings{User: []byte("ann")}},
	} {
		call := sessions.Delete(&req)
		if got := strings.Join(call.Path, " "); call.Method != "DELETE" || got != want || call.Body != nil {
			t.Errorf("%s %s %s, want %s", call.Method, got, call.Body, want)
		}
	}
}
