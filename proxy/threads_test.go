package proxy

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/proxy/internal/urls"
)

// a2aContext is the conversation that an answer names.
func a2aContext(t *testing.T, body string) string {
	t.Helper()
	var answer struct {
		Result struct{ Task struct{ ContextID string } }
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil || answer.Result.Task.ContextID == "" {
		t.Fatalf("%v: %s", err, body)
	}
	return answer.Result.Task.ContextID
}

func a2aMessage(id, context, text string) string {
	if context != "" {
		context = fmt.Sprintf(`"contextId":%q,`, context)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":%q,%s"role":"ROLE_USER","parts":[{"text":%q}]}}}`, id, context, text)
}

// wantMessages fails unless an agent received a conversation: roles with their texts.
func wantMessages(t *testing.T, body string, want ...string) {
	t.Helper()
	var in struct {
		Messages []struct {
			Role  string
			Parts []struct{ Text string }
		}
	}
	if err := json.Unmarshal([]byte(body), &in); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	var got []string
	for _, m := range in.Messages {
		said := m.Role + ":"
		for _, p := range m.Parts {
			said += p.Text
		}
		got = append(got, said)
	}
	if strings.Join(got, " | ") != strings.Join(want, " | ") {
		t.Errorf("the agent received %q, want %q", got, want)
	}
}

// TestThreads: a client that sends only what is new has whole conversations with an agent that needs the whole history.
func TestThreads(t *testing.T) {
	t.Parallel()
	agent, asked := askedAgent(t)
	r := start(t, simple(agent.url(), "", "", "client: a2a\nrequests: {mode: translate}"))
	say := func(id, context, text string, header ...string) string {
		t.Helper()
		resp, body := r.post("/run", a2aMessage(id, context, text), header...)
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("status %d: %s", resp.StatusCode, body)
		}
		return body
	}
	context := a2aContext(t, say("u1", "", "one"))
	wantMessages(t, (<-asked).body, "user:one")
	if again := a2aContext(t, say("u2", context, "two")); again != context {
		t.Errorf("the conversation is %s, then %s", context, again)
	}
	wantMessages(t, (<-asked).body, "user:one", "agent:Hello, world", "user:two")
	say("u3", context, "three")
	wantMessages(t, (<-asked).body, "user:one", "agent:Hello, world", "user:two", "agent:Hello, world", "user:three")
	if other := a2aContext(t, say("u1", "", "one")); other == context {
		t.Error("two conversations have one name")
	}
	wantMessages(t, (<-asked).body, "user:one")
	refused := func(context string, header ...string) {
		t.Helper()
		resp, body := r.post("/run", a2aMessage("u", context, "and?"), header...)
		if resp.StatusCode != http.StatusBadRequest || resp.Header.Get("X-Sabir-Error") != "history_missing" {
			t.Errorf("status %d: %s", resp.StatusCode, body)
		}
	}
	refused("unknown")
	refused(context, "Authorization: Bearer other")
}

// TestThreadsOfFailedTurns: a turn of which nothing came is as if it had never been, one that was broken off is remembered as far as it went,
// and one in which the agent had nothing to say is a turn.
func TestThreadsOfFailedTurns(t *testing.T) {
	t.Parallel()
	answers := make(chan string, 1)
	asked := make(chan string, 1)
	agent := newAgent(t, func(p *peer) {
		for req := p.request(); req != nil; req = p.request() {
			asked <- string(p.body)
			switch answer := <-answers; answer {
			case "refuse":
				p.answer("400 Bad Request", "Content-Length: 0")
			case "break":
				p.ok("Content-Type: application/x-ndjson")
				p.chunk(lines(lineStart, lineHello))
				p.reset()
				return
			case "nothing":
				p.ok("Content-Type: application/x-ndjson")
				p.finish(lines(lineStart, lineEnd))
			default:
				p.ok("Content-Type: application/x-ndjson")
				p.finish(smallRun)
			}
		}
	})
	r := start(t, simple(agent.url(), "", "", "client: a2a\nrequests: {mode: translate}"))
	say := func(answer, context, text string) (string, string) {
		answers <- answer
		_, body := r.post("/run", a2aMessage("u", context, text))
		return body, <-asked
	}
	body, _ := say("", "", "one")
	context := a2aContext(t, body)
	_, sent := say("refuse", context, "two")
	wantMessages(t, sent, "user:one", "agent:Hello, world", "user:two")
	_, sent = say("break", context, "three")
	wantMessages(t, sent, "user:one", "agent:Hello, world", "user:three")
	_, sent = say("nothing", context, "four")
	wantMessages(t, sent, "user:one", "agent:Hello, world", "user:three", "agent:Hello", "user:four")
	_, sent = say("", context, "five")
	wantMessages(t, sent, "user:one", "agent:Hello, world", "user:three", "agent:Hello", "user:four", "user:five")
}

// TestThreadBusy: a conversation has one turn at a time, and is free as soon as the client knows that the turn is over.
func TestThreadBusy(t *testing.T) {
	t.Parallel()
	going := make(chan bool)
	agent := newAgent(t, func(p *peer) {
		for req := p.request(); req != nil; req = p.request() {
			p.ok("Content-Type: application/x-ndjson")
			if strings.Contains(string(p.body), "slow") {
				p.chunk(lines(lineStart, lineHello))
				<-going
			}
			p.finish(smallRun)
		}
	})
	r := start(t, simple(agent.url(), "", "", "client: a2a\nrequests: {mode: translate}"))
	_, body := r.post("/run", a2aMessage("u", "", "one"))
	context := a2aContext(t, body)
	slow := r.dial()
	slow.ask("POST", "/run", strings.Replace(a2aMessage("u", context, "slow"), "SendMessage", "SendStreamingMessage", 1))
	resp := slow.response()
	if _, err := io.ReadFull(resp.Body, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if resp, body := r.post("/run", a2aMessage("u", context, "two")); resp.StatusCode != http.StatusConflict || resp.Header.Get("X-Sabir-Error") != "session_busy" {
		t.Errorf("status %d: %s", resp.StatusCode, body)
	}
	close(going)
	if _, err := io.ReadAll(resp.Body); err != nil {
		t.Fatal(err)
	}
	for range 50 {
		if resp, body := r.post("/run", a2aMessage("u", context, "two")); resp.StatusCode != http.StatusOK {
			t.Fatalf("status %d: %s", resp.StatusCode, body)
		}
	}
}

// TestThreadsAreBounded: what was used longest ago goes first.
func TestThreadsAreBounded(t *testing.T) {
	t.Parallel()
	agent := newAgent(t, streaming(smallRun))
	r := start(t, simple(agent.url(), "threads: {max: 3}", "", "client: a2a\nrequests: {mode: translate}"))
	var contexts []string
	for range 5 {
		_, body := r.post("/run", a2aMessage("u", "", "one"))
		contexts = append(contexts, a2aContext(t, body))
	}
	if n, gone := r.metric("sabir_threads"), r.metric("sabir_threads_evicted_total"); n != 3 && len(r.all) == 0 || gone != 2 {
		t.Errorf("%v threads, %v evicted", n, gone)
	}
	for i, context := range contexts {
		if resp, body := r.post("/run", a2aMessage("u", context, "two")); (resp.StatusCode == http.StatusOK) != (i > 1) {
			t.Errorf("conversation %d: status %d %s", i, resp.StatusCode, body)
		}
	}
}

// TestLangGraphThreads: clients of LangGraph begin conversations, come back to them, read and forget them, in front of an agent that keeps none.
func TestLangGraphThreads(t *testing.T) {
	t.Parallel()
	agent, asked := askedAgent(t)
	r := start(t, strings.Replace(simple(agent.url(), "", "", "client: langgraph\nmethods: [GET, POST, DELETE]\nrequests: {mode: translate}"), "path: /run", "path: /run/*", 1))
	call := func(status int, method, path, body string, want ...string) string {
		t.Helper()
		c := r.dial()
		defer c.Close()
		c.ask(method, "/run"+path, body)
		resp, got := c.whole()
		if resp.StatusCode != status {
			t.Errorf("%s %s: status %d: %s", method, path, resp.StatusCode, got)
		}
		for _, part := range want {
			if !strings.Contains(got, part) {
				t.Errorf("%s %s has no %s: %s", method, path, part, got)
			}
		}
		return got
	}
	var made struct {
		ID string `json:"thread_id"`
	}
	if err := json.Unmarshal([]byte(call(200, "POST", "/threads", `{"metadata":{}}`, `"status":"idle"`)), &made); err != nil || made.ID == "" {
		t.Fatalf("%v: %+v", err, made)
	}
	at := "/threads/" + made.ID
	call(200, "POST", at+"/history", `{"limit":10}`, "[]")
	run := func(path, text, more string) {
		t.Helper()
		call(200, "POST", path, fmt.Sprintf(`{"assistant_id":"agent","input":{"messages":[{"type":"human","content":%q}]},"stream_mode":["messages-tuple"]%s}`, text, more), "Hello")
	}
	run(at+"/runs/stream", "one", "")
	wantMessages(t, (<-asked).body, "user:one")
	run(at+"/runs/stream", "two", "")
	wantMessages(t, (<-asked).body, "user:one", "agent:Hello, world", "user:two")
	state := []string{`"content":"one"`, `"content":"two"`, `"content":"Hello, world"`, `"next":[]`, `"thread_id":"` + made.ID + `"`}
	call(200, "GET", at+"/state", "", state...)
	call(200, "POST", at+"/history", "", state...)
	call(200, "GET", at, "", `"content":"one"`)
	call(409, "POST", "/threads", `{"thread_id":"`+made.ID+`"}`, "thread_exists")
	call(200, "POST", "/threads", `{"thread_id":"`+made.ID+`","if_exists":"do_nothing"}`, made.ID)
	call(400, "POST", "/threads", `{"thread_id":"`+strings.Repeat("x", 257)+`"}`)
	call(400, "POST", "/threads", `[`)
	run("/threads/another/runs/stream", "one", `,"if_not_exists":"create"`)
	wantMessages(t, (<-asked).body, "user:one")
	call(400, "POST", "/threads/unknown/runs/stream", `{"assistant_id":"agent","input":{"messages":[{"type":"human","content":"x"}]}}`, "history_missing")
	call(404, "GET", "/threads/unknown/state", "")
	call(404, "POST", at+"/runs/r/cancel", "")
	call(200, "DELETE", at, "", "{}")
	call(404, "GET", at+"/state", "")
}

// TestThreadGoesBeforeItsRuns: of a conversation that was let go of, its runs, which may still be known, are not all that was said.
func TestThreadGoesBeforeItsRuns(t *testing.T) {
	t.Parallel()
	agent := newAgent(t, streaming(smallRun))
	r := start(t, strings.Replace(simple(agent.url(), "threads: {max: 1}", "", "client: langgraph\nmethods: [GET, POST]\nrequests: {mode: translate}"), "path: /run", "path: /run/*", 1))
	f := func(path, body string) {
		t.Helper()
		if resp, got := r.post("/run/threads"+path, body); resp.StatusCode != 200 {
			t.Fatalf("status %d: %s", resp.StatusCode, got)
		}
	}
	f("/first/runs/stream", `{"assistant_id":"agent","if_not_exists":"create","input":{"messages":[{"type":"human","content":"hi"}]}}`)
	f("", `{"thread_id":"second"}`) // it has no run
	route, _ := r.table.Load().find(urls.Path{Raw: "/run", Plain: "/run"})
	if runs, err := r.kept.runs.Of(route.scope(new(fasthttp.RequestHeader), nil), "first"); len(runs) != 1 || err != nil {
		t.Fatalf("of its runs %d are known, %v", len(runs), err)
	}
	for thread, want := range map[string]int{"first": 404, "second": 200} {
		c := r.dial()
		c.ask("GET", "/run/threads/"+thread, "")
		if resp, body := c.whole(); resp.StatusCode != want || strings.Contains(body, "no_endpoint") {
			t.Errorf("%s: status %d: %s", thread, resp.StatusCode, body)
		}
	}
}

// BenchmarkThreads is what remembered conversations of 50 turns hold: 200 bytes of the user's and 800 of the agent's in each turn.
func BenchmarkThreads(b *testing.B) {
	const turns = 50
	answer := strings.Repeat(`{"kind":"text.delta","id":"m","text":"twenty bytes of text"}`+"\n", 40)
	agent := newAgent(b, func(p *peer) {
		for p.request() != nil {
			p.ok("Content-Type: application/x-ndjson")
			p.finish(lineStart + "\n" + answer + `{"kind":"run.end","status":"done"}` + "\n")
		}
	})
	yaml := simple(agent.url(), "threads: {max: 100000, memory: 4GiB}\n", "", "client: langgraph\nrequests: {mode: translate}")
	r := start(b, strings.Replace(yaml, "path: /run", "path: /run/*", 1))
	body := fmt.Sprintf(`{"assistant_id":"agent","if_not_exists":"create","input":{"messages":[{"type":"human","content":%q}]}}`, strings.Repeat("ten bytes ", 20))
	before := heap()
	for i := range b.N {
		c := r.dial()
		for range turns {
			c.ask("POST", fmt.Sprintf("/run/threads/t%d/runs/stream", i), body)
			if resp, text := c.whole(); resp.StatusCode != 200 {
				b.Fatal(text)
			}
		}
		c.Close()
	}
	r.logs.TakeAll()
	b.ReportMetric(float64(heap()-before)/float64(b.N)/1e3, "KB/thread")
	b.ReportMetric(r.metric("sabir_threads_bytes")/float64(b.N)/1e3, "KB-counted/thread")
}

// TestItemsThatCannotBeRead: they change nothing, and the conversation goes on.
func TestItemsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	r := start(t, strings.Replace(simple(newAgent(t, streaming(smallRun)).url(), "", "", "client: openai-responses\nmethods: [GET, POST]\nrequests: {mode: translate}\n"),
		"path: /run", "path: /run/*", 1))
	items := "/run/conversations/" + idIn(t, r.call(t, 200, alice, "POST", "/run/conversations", "{}")) + "/items"
	for _, body := range []string{`{"items":[`, `{"items":5}`, `{"items":"mine"}`, `{"items":{}}`} {
		r.call(t, 400, alice, "POST", items, body, `"error":{`)
	}
	r.call(t, 200, alice, "POST", items, `{"items":null}`)
	r.call(t, 200, alice, "POST", items, `{"items":[{"type":"message","role":"user","content":"mine"}]}`, "mine")
	if got := r.call(t, 200, alice, "GET", items, "", "mine"); strings.Count(got, "mine") != 1 {
		t.Errorf("the items are %s", got)
	}
}
