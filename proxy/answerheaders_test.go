package proxy

import (
	"net/http"
	"strings"
	"testing"
)

// headerOf asks, and returns the header of the answer, which must have that status.
func (r *rig) headerOf(t *testing.T, status int, method, path, body string) http.Header {
	t.Helper()
	c := r.dial()
	defer c.Close()
	c.ask(method, path, body, alice, "X-Request-Id: id-7")
	resp, got := c.whole()
	if resp.StatusCode != status {
		t.Errorf("%s %s: status %d: %s", method, path, resp.StatusCode, got)
	}
	return resp.Header
}

// TestHeadersOfAnswers: whatever a client is answered has the type of what it holds, the id of the request, and no cache may keep it.
func TestHeadersOfAnswers(t *testing.T) {
	t.Parallel()
	const asJSON, asEvents, turn = "application/json", "text/event-stream", `{"threadId":"t1","runId":"r1","messages":[{"id":"u1","role":"user","content":"hi"}]}`
	type row struct {
		status                   int
		method, path, body, want string
	}
	for client, rows := range map[string][]row{
		"langgraph": {
			{200, "GET", "/info", "", asJSON},
			{200, "POST", "/threads", `{"thread_id":"t1"}`, asJSON},
			{200, "POST", "/threads/t1/commands", commandOf("run.start", said("one")), asJSON},
			{404, "GET", "/threads/t2", "", asJSON},
			{404, "GET", "/threads/t1/runs/none", "", asJSON},
			{400, "POST", "/threads/t1/runs", said("later"), asJSON},
		},
		"openai-responses": {
			{200, "POST", "/v1/responses", `{"model":"m","input":"hi"}`, asJSON},
			{200, "POST", "/v1/responses", later, asJSON},
			{200, "POST", "/v1/conversations", `{}`, asJSON},
			{404, "GET", "/v1/responses/resp_none", "", asJSON},
			{404, "POST", "/v1/responses/resp_none/cancel", "", asJSON},
		},
		"agui": {
			{200, "GET", "/info", "", asJSON},
			{200, "POST", "/agent/agent/connect", turn, asEvents},
			{200, "POST", "/agent/agent/run", turn, asEvents},
		},
		"a2a": {
			{200, "GET", "/.well-known/agent-card.json", "", asJSON},
			{200, "POST", "", a2aMessage("u1", "", "one"), asJSON},
			{404, "GET", "/tasks/none", "", asJSON},
		},
	} {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			r := resuming(t, newAgent(t, streaming(smallRun)), client, "grace: 1m")
			for _, q := range rows {
				h := r.headerOf(t, q.status, q.method, "/run"+q.path, q.body)
				if !strings.HasPrefix(h.Get("Content-Type"), q.want) || !strings.HasPrefix(h.Get("Cache-Control"), "no-") || h.Get("X-Request-Id") != "id-7" {
					t.Errorf("%s %s: %v", q.method, q.path, h)
				}
				if refused := q.status >= 400; refused != (h.Get("X-Sabir-Error") != "") || !refused && h.Get("X-Sabir-Dialect") != client {
					t.Errorf("%s %s: %v", q.method, q.path, h)
				}
			}
		})
	}
}

// TestHeadersOfRunsAgain: a run that has ended is given again in the form in which it was said, and an answer in that of answers.
func TestHeadersOfRunsAgain(t *testing.T) {
	t.Parallel()
	r := below(t, newAgent(t, streaming(smallRun)), "langgraph")
	_, id, _ := strings.Cut(r.call(t, 200, alice, "POST", "/run/threads/t1/runs/stream", said("one"), "Hello"), `"run_id":"`)
	id, _, _ = strings.Cut(id, `"`)
	for path, want := range map[string]string{"/stream": "text/event-stream", "/join": "application/json", "": "application/json"} {
		if got := r.headerOf(t, 200, "GET", "/run/threads/t1/runs/"+id+path, "").Get("Content-Type"); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
	answers := below(t, newAgent(t, streaming(smallRun)), "openai-responses")
	kept := idIn(t, answers.call(t, 200, alice, "POST", "/run/v1/responses", `{"model":"m","input":"hi"}`))
	for _, method := range []string{"GET", "DELETE"} {
		if h := answers.headerOf(t, 200, method, "/run/v1/responses/"+kept, ""); h.Get("Content-Type") != "application/json" || h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v", method, h)
		}
	}
}

// TestHeadersOfEditors: an editor by HTTP gets JSON where it opens its connection, and events where it reads, with the id of that request.
func TestHeadersOfEditors(t *testing.T) {
	t.Parallel()
	r := start(t, simple(newAgent(t, streaming(smallRun)).url(), "", "", "client: acp\nrequests: {mode: translate}"))
	h := r.httpEditor(http.Header{"X-Request-Id": {"id-7"}})
	resp, _ := h.do("POST", "/run", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`, "")
	if resp.Header.Get("Content-Type") != "application/json" || resp.Header.Get("X-Request-Id") != "id-7" {
		t.Errorf("it is opened by %v", resp.Header)
	}
	h.header.Set("Acp-Connection-Id", resp.Header.Get("Acp-Connection-Id"))
	events := h.begin("GET", "/run", "", "")
	defer events.Body.Close()
	if got := events.Header; got.Get("Content-Type") != "text/event-stream" || got.Get("X-Request-Id") != "id-7" || got.Get("X-Sabir-Dialect") != "acp" {
		t.Errorf("it reads %v", got)
	}
}

// TestHeadersOfStartAndCancel: what starts and ends a run is answered once, and why it is not is named.
func TestHeadersOfStartAndCancel(t *testing.T) {
	t.Parallel()
	r := start(t, chatConfig(newAgent(t, streaming(smallRun)), ""))
	r.listenTo("c1")
	for path, want := range map[string][2]string{"/start/c2": {"404", codeNoStream}, "/cancel/c2": {"404", codeNothingRuns}, "/start/c1": {"200", ""}} {
		resp, body := r.post(path, `{"content":"hi"}`)
		if h := resp.Header; resp.Status[:3] != want[0] || h.Get("Content-Type") != "application/json" || h.Get("Cache-Control") != "no-store" || h.Get("X-Sabir-Error") != want[1] {
			t.Errorf("%s: %s %v %s", path, resp.Status, h, body)
		}
	}
	for _, code := range []string{codeNoStream, codeNothingRuns} {
		if n := r.metric("sabir_requests_rejected_total", "code="+code); n != 1 {
			t.Errorf("%v are refused as %s", n, code)
		}
	}
	if n := r.logs.FilterMessage("request rejected").Len(); n != 2 {
		t.Errorf("%d lines say that a request was rejected", n)
	}
}

// TestHeadersOfLinks: a link to a run is for who has asked for it, and no cache.
func TestHeadersOfLinks(t *testing.T) {
	t.Parallel()
	r := resuming(t, newAgent(t, streaming(smallRun)), "agui", "grace: 1m, share: {key: "+shareKey+"}")
	run := r.headerOf(t, 200, "POST", "/run", resumeClients[0].body).Get(runHeader)
	c := r.dial()
	c.ask("GET", "/run?sabir_share_for=1m", "", alice, runHeader+": "+run)
	if resp, body := c.whole(); resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "application/json" || resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s %v %s", resp.Status, resp.Header, body)
	}
}
