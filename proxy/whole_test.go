package proxy

import (
	"strings"
	"testing"
)

// TestWholeAnswers: clients of model APIs that ask for no stream get one answer, whatever the agent's dialect is, with the usage;
// and a status where the run failed.
func TestWholeAnswers(t *testing.T) {
	stream := smallRun
	agent := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok("Content-Type: application/x-ndjson")
			for line := range strings.Lines(stream) {
				p.chunk(line)
			}
			p.last()
		}
	})
	yaml := "listen: 127.0.0.1:0\ntimeouts: {keepalive: 1ms}\nupstreams:\n  agent: {url: '" + agent.url() + "', dialect: native}\nroutes:\n"
	for _, d := range []string{"openai-chat", "openai-responses", "anthropic", "gemini", "gemini-interactions"} {
		yaml += "  - {path: /" + d + "/*, upstream: agent, client: " + d + "}\n"
	}
	r := start(t, yaml)
	f := func(path, body string, status int, want ...string) {
		t.Helper()
		resp, got := r.post(path, body)
		if resp.StatusCode != status || !strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
			t.Errorf("%s: status %d, %s\n%s", path, resp.StatusCode, resp.Header.Get("Content-Type"), got)
		}
		for _, part := range want {
			if !strings.Contains(got, part) {
				t.Errorf("%s: lacks %s\n%s", path, part, got)
			}
		}
	}
	const messages = `"messages":[{"role":"user","content":"Hi"}]}`
	stream = lines(lineStart, lineHello, lineWorld, `{"kind":"usage","scope":"run","usage":{"in":20,"out":7}}`, lineEnd)
	f("/openai-chat", `{"model":"m",`+messages, 200, `"object":"chat.completion"`, `"content":"Hello, world"`, `"finish_reason":"stop"`, `"prompt_tokens":20`)
	f("/openai-responses/responses", `{"model":"m","input":"Hi"}`, 200, `"object":"response"`, `"text":"Hello, world"`, `"input_tokens":20`)
	f("/anthropic/v1/messages", `{"model":"m","max_tokens":9,`+messages, 200, `"type":"message"`, `"text":"Hello, world"`, `"stop_reason":"end_turn"`)
	f("/gemini/v1/models/m:generateContent", `{"contents":[{"parts":[{"text":"Hi"}]}]}`, 200, `"text":"Hello, world"`, `"finishReason":"STOP"`)
	f("/gemini-interactions/v1beta/interactions", `{"model":"m","input":"Hi"}`, 200, `"object":"interaction"`, `"text":"Hello, world"`, `"total_input_tokens":20`)
	stream = lines(lineStart, lineHello, `{"kind":"run.end","status":"failed","err":"secret at 10.0.0.1"}`)
	f("/gemini-interactions", `{"model":"m","input":"Hi"}`, 502, `{"error":{"code":502,"message":"The agent reported an error.`, `"status":"UNAVAILABLE"`)
	f("/openai-chat", `{"model":"m",`+messages, 502, `"error":{"message":"The agent reported an error. Request ID: `)
	stream = lines(lineStart, lineHello)
	f("/anthropic/v1/messages", `{"model":"m","max_tokens":9,`+messages, 502, `"type":"error"`, "stopped before the answer was complete")
	if resp, got := r.post("/openai-chat", `{"model":"m","stream":true,`+messages); resp.StatusCode != 200 || !strings.Contains(got, "data: {") {
		t.Errorf("a stream: status %d\n%s", resp.StatusCode, got)
	}
}

// TestWholeAnswersOfCutRuns: half an answer is none, also where it is the agent that says so, as another Sabir in front of one does. A run that was
// cancelled has an answer in the dialects whose answers can say that alone.
func TestWholeAnswersOfCutRuns(t *testing.T) {
	t.Parallel()
	bodies := map[string]string{
		"openai-chat": `{"messages":[{"role":"user","content":"Hi"}]}`, "anthropic": `{"max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}`,
		"gemini": `{"contents":[{"parts":[{"text":"Hi"}]}]}`, "bedrock": `{"messages":[{"role":"user","content":[{"text":"Hi"}]}]}`,
		"openai-responses": `{"input":"Hi"}`, "gemini-interactions": `{"model":"m","input":"Hi"}`,
	}
	paths := map[string]string{"gemini": "/v1/models/m:generateContent", "bedrock": "/model/m/converse"}
	says := map[string]string{"openai-responses": `"sabir_code":"cancelled"`, "gemini-interactions": `"status":"cancelled"`}
	for _, end := range []string{"truncated", "cancelled"} {
		agent := newAgent(t, streaming(lines(lineStart, lineHello, `{"kind":"run.end","status":"`+end+`"}`)))
		for client, body := range bodies {
			r := start(t, strings.Replace(simple(agent.url(), "", "", "client: "+client), "path: /run", "path: /run/*", 1))
			resp, got := r.post("/run"+paths[client], body)
			code := resp.Header.Get("X-Sabir-Error")
			switch {
			case end == "truncated":
				if resp.StatusCode != 502 || code != "agent_error" || strings.Contains(got, "Hello") {
					t.Errorf("%s, %s: status %d, %q\n%s", client, end, resp.StatusCode, code, got)
				}
			case says[client] != "":
				if resp.StatusCode != 200 || !strings.Contains(got, says[client]) {
					t.Errorf("%s, %s: status %d, want %s\n%s", client, end, resp.StatusCode, says[client], got)
				}
			case resp.StatusCode != 499 || code != "cancelled" || strings.Contains(got, "Hello"):
				t.Errorf("%s, %s: status %d, %q\n%s", client, end, resp.StatusCode, code, got)
			}
		}
	}
}

// TestWholeAnswersAreBounded: an answer that is put together in memory has the bound of kept text.
func TestWholeAnswersAreBounded(t *testing.T) {
	agent := newAgent(t, streaming(lines(lineStart, lineHello, `{"kind":"text.delta","id":"p1","text":"`+strings.Repeat("x", 70_000)+`"}`, lineEnd)))
	r := start(t, simple(agent.url(), "limits: {kept_text: 64KiB}", "", "client: openai-chat"))
	resp, got := r.post("/run", `{"messages":[]}`)
	if resp.StatusCode != 502 || resp.Header.Get("X-Sabir-Error") != "answer_too_long" {
		t.Errorf("status %d\n%s", resp.StatusCode, got)
	}
}

// TestQuestionInOnePiece: a client that has no form for questions reads them as text, also in an answer in one piece.
func TestQuestionInOnePiece(t *testing.T) {
	t.Parallel()
	agent, asked := a2aAgent(t, "text/event-stream", a2aWorking+a2aAsks)
	for client, body := range map[string]string{
		"openai-chat": `{"model":"m","messages":[{"role":"user","content":"Hi"}]}`,
		"anthropic":   `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}`,
		"gemini":      `{"contents":[{"parts":[{"text":"Hi"}]}]}`,
	} {
		r := start(t, a2aRoute(agent.url(), "", "client: "+client+"\nrequests: {mode: translate}"))
		if resp, got := r.post("/run", body); resp.StatusCode != 200 || !strings.Contains(got, "[input: Which city?]") {
			t.Errorf("%s: status %d\n%s", client, resp.StatusCode, got)
		}
		<-asked
	}
}
