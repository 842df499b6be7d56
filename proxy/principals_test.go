package proxy

import (
	"bufio"
	"io"
	"strings"
	"testing"
)

// alice and bob are two principals, with keys of their own.
const (
	alice = "Authorization: Bearer alice"
	bob   = "Authorization: Bearer bob"
)

// call sends one request, and fails the test unless it is answered with that status and all that is wanted.
func (r *rig) call(t *testing.T, status int, header, method, path, body string, want ...string) string {
	t.Helper()
	c := r.dial()
	defer c.Close()
	c.ask(method, path, body, header)
	resp, got := c.whole()
	if resp.StatusCode != status {
		t.Errorf("%s %s %s: status %d, want %d: %s", header, method, path, resp.StatusCode, status, got)
	}
	if status >= 400 && got == "" && method != "HEAD" {
		t.Errorf("%s %s: status %d says nothing", method, path, status)
	}
	for _, part := range want {
		if !strings.Contains(got, part) {
			t.Errorf("%s %s has no %s: %s", method, path, part, got)
		}
	}
	return got
}

// TestStopOfOther: no principal ends the run of another, even with its name.
func TestStopOfOther(t *testing.T) {
	t.Parallel()
	agent, gone := endlessAgent(t)
	r := start(t, "listen: 127.0.0.1:0\nupstreams:\n  agent: {url: '"+agent.url()+"', dialect: native}\nroutes:\n"+
		"  - {path: /copilot/*, upstream: agent, client: agui}\n")
	run := r.dial()
	run.ask("POST", "/copilot/agent/default/run", `{"threadId":"t-1","runId":"r-1","messages":[]}`, alice)
	head := run.response()
	const path, one = "/copilot/agent/default/stop/t-1", `{"method":"agent/stop","params":{"agentId":"default","threadId":"t-1"},"body":{"runId":"r-1"}}`
	r.call(t, 404, bob, "POST", path, `{"runId":"r-1"}`)
	r.call(t, 404, bob, "POST", path, `{}`)
	r.call(t, 404, bob, "POST", "/copilot", one)
	if connected := r.call(t, 200, bob, "POST", "/copilot/agent/default/connect", `{"threadId":"t-1","messages":[]}`); connected != "" {
		t.Errorf("another connects to %s", connected)
	}
	r.call(t, 200, alice, "POST", path, `{"runId":"r-1"}`)
	<-gone
	if text, err := io.ReadAll(head.Body); err != nil || !strings.Contains(string(text), "RUN_") {
		t.Errorf("the stream has no end: %v\n%s", err, text)
	}
}

// TestCancelOfOther: likewise of an answer of the Responses API.
func TestCancelOfOther(t *testing.T) {
	t.Parallel()
	agent, gone := endlessAgent(t)
	r := start(t, "listen: 127.0.0.1:0\nupstreams:\n  agent: {url: '"+agent.url()+"', dialect: native}\nroutes:\n"+
		"  - {path: /openai/*, upstream: agent, client: openai-responses}\n")
	run := r.dial()
	run.ask("POST", "/openai/v1/responses", `{"model":"m","stream":true,"input":"Hi"}`, alice)
	events := bufio.NewReader(run.response().Body)
	created, err := events.ReadString('}')
	_, id, ok := strings.Cut(created, `"response":{"id":"`)
	if id, _, _ = strings.Cut(id, `"`); err != nil || !ok {
		t.Fatalf("no response is announced: %v %s", err, created)
	}
	r.call(t, 404, bob, "POST", "/openai/v1/responses/"+id+"/cancel", "")
	r.call(t, 200, alice, "POST", "/openai/v1/responses/"+id+"/cancel", "")
	<-gone
}
