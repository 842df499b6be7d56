package proxy

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
)

// threadBody is a request in a message thread, as Anthropic's SDK sends it. Going on, it leaves out instructions and tools.
func threadBody(previous, text string) string {
	if previous == "" {
		return fmt.Sprintf(`{"model":"m","max_tokens":9,"system":"Be brief.","tools":[{"name":"look","input_schema":{"type":"object"}}],`+
			`"messages":[{"role":"user","content":%q}],"thread":{"type":"create"}}`, text)
	}
	return fmt.Sprintf(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":%q}],"thread":{"type":"continue","previous_message_id":%q}}`, text, previous)
}

// wantTool fails unless an agent received the tool of threadBody.
func wantTool(t *testing.T, body string) {
	t.Helper()
	var in struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal([]byte(body), &in); err != nil || len(in.Tools) != 1 || in.Tools[0].Name != "look" {
		t.Errorf("the agent received other tools: %s", body)
	}
}

// TestMessageThreads: Anthropic's clients let the server keep the conversation, with its instructions and tools. It is one line.
func TestMessageThreads(t *testing.T) {
	t.Parallel()
	agent, asked := askedAgent(t)
	r := start(t, simple(agent.url(), "", "", "client: anthropic\nrequests: {mode: translate}"))
	say := func(previous, text string) string {
		t.Helper()
		resp, body := r.post("/run", threadBody(previous, text))
		if resp.StatusCode != 200 {
			t.Fatalf("status %d: %s", resp.StatusCode, body)
		}
		return idIn(t, body)
	}
	refused := func(previous, code string, header ...string) {
		t.Helper()
		resp, body := r.post("/run", threadBody(previous, "x"), header...)
		if resp.StatusCode != 400 || !strings.HasSuffix(body, `"details":{"error_code":"thread_`+code+`"}}}`) {
			t.Errorf("status %d: %s", resp.StatusCode, body)
		}
	}
	one := say("", "one")
	first := (<-asked).body
	wantMessages(t, first, "system:Be brief.", "user:one")
	wantTool(t, first)
	two := say(one, "two")
	second := (<-asked).body
	wantMessages(t, second, "system:Be brief.", "user:one", "agent:Hello, world", "user:two")
	wantTool(t, second)
	refused(one, "already_continued")
	refused("msg_x", "not_found")
	refused(two, "not_found", "X-Api-Key: other")
	_, stream := r.post("/run", strings.Replace(threadBody(two, "three"), `"max_tokens"`, `"stream":true,"max_tokens"`, 1))
	third := (<-asked).body
	wantMessages(t, third, "system:Be brief.", "user:one", "agent:Hello, world", "user:two", "agent:Hello, world", "user:three")
	wantTool(t, third)
	_, three, _ := strings.Cut(stream, `"message":{"id":"`)
	three, _, _ = strings.Cut(three, `"`)
	say(three, "four")
	wantTool(t, (<-asked).body)
}

// TestMessageThreadInFlight: a message is not continued while another request continues it.
func TestMessageThreadInFlight(t *testing.T) {
	t.Parallel()
	going := make(chan bool)
	agent := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok("Content-Type: application/x-ndjson")
			if strings.Contains(string(p.body), "slow") {
				p.chunk(lines(lineStart, lineHello))
				<-going
				p.finish(lines(lineEnd))
				continue
			}
			p.finish(smallRun)
		}
	})
	r := start(t, simple(agent.url(), "", "", "client: anthropic\nrequests: {mode: translate}"))
	_, body := r.post("/run", threadBody("", "one"))
	one := idIn(t, body)
	slow := r.dial()
	slow.ask("POST", "/run", strings.Replace(threadBody(one, "slow"), `"max_tokens"`, `"stream":true,"max_tokens"`, 1))
	resp := slow.response()
	if _, err := io.ReadFull(resp.Body, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if resp, body := r.post("/run", threadBody(one, "two")); resp.StatusCode != 400 || !strings.Contains(body, `"error_code":"thread_continue_in_flight"`) {
		t.Errorf("status %d: %s", resp.StatusCode, body)
	}
	close(going)
	if _, err := io.ReadAll(resp.Body); err != nil {
		t.Fatal(err)
	}
}
