package proxy

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// inDialect is a run in a dialect, in two parts.
func inDialect(t *testing.T, d *hub.Dialect) (first, rest string) {
	t.Helper()
	k := engine.NewCodec(engine.Config{From: &native.Dialect, FromOptions: native.Dialect.Defaults(), To: d, ToOptions: d.Defaults()}, wire.Auto)
	part := func(text string) string {
		if _, err := k.Feed([]byte(text), false); err != nil {
			t.Fatal(err)
		}
		return string(k.Take())
	}
	if d == &native.Dialect {
		return lines(lineStart, lineHello), lines(lineWorld, lineEnd)
	}
	first = part(lines(lineStart, lineHello))
	rest = part(lines(lineWorld, lineEnd))
	if f := k.Finish(nil); f != nil {
		t.Fatal(f)
	}
	return first, rest + string(k.Take())
}

// alikeAgent is an agent that speaks a dialect, and says the rest of its answer when it may. Requests for anything but a run it answers with a page.
func alikeAgent(t *testing.T, d *hub.Dialect) (a *agent, goOn chan struct{}, said string) {
	t.Helper()
	first, rest := inDialect(t, d)
	goOn = make(chan struct{})
	return newAgent(t, func(p *peer) {
		for {
			req := p.request()
			if req == nil {
				return
			}
			if req.Method != http.MethodPost || strings.HasSuffix(req.URL.Path, "/other") {
				p.ok("Content-Type: text/html")
				p.finish("a page of the agent's: " + req.URL.RawQuery)
				continue
			}
			p.ok("Content-Type: "+d.Framing.ContentType(), "Connection: close")
			p.chunk(first)
			p.finishWith(rest, goOn)
			return
		}
	}), goOn, first + rest
}

// alike is a proxy whose client speaks as its agent does.
func alike(t *testing.T, a *agent, name, top, route string) *rig {
	t.Helper()
	yaml := simple(a.url(), top, "", route+"\nrequests: {mode: translate}\nmethods: [GET, POST]")
	return start(t, strings.NewReplacer("path: /run", "path: /run/*", "dialect: native", "dialect: "+name).Replace(yaml))
}

// withoutIDs is a stream without the ids that Sabir gives its records.
func withoutIDs(stream string) string {
	var b strings.Builder
	for line := range strings.Lines(stream) {
		if !strings.HasPrefix(line, "id: ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// TestKeptRecords: where both sides speak the same dialect, a client that has lost its stream gets the rest of the agent's records, and another
// one all of them.
func TestKeptRecords(t *testing.T) {
	t.Parallel()
	for _, c := range resumeClients {
		t.Run(c.dialect, func(t *testing.T) {
			t.Parallel()
			d := dialect(t, c.dialect)
			a, goOn, said := alikeAgent(t, d)
			r := alike(t, a, c.dialect, "", "client: "+c.dialect+"\nresume: {grace: 1m}")
			run, had := r.lostRun(c.path, c.body)
			other := r.dial()
			other.ask("GET", c.path, "", alice, "X-Sabir-Run: "+run)
			live := other.response()
			await(t, "the first client to be gone", func() bool { return r.logs.FilterMessage("run read").Len() == 1 })
			close(goOn)
			body, err := io.ReadAll(live.Body)
			whole := string(body)
			if err != nil || len(run) != 32 || !strings.HasPrefix(whole, had) || withoutIDs(whole) != said {
				t.Fatalf("%v: a client of run %q gets\n%s\nof\n%s", err, run, whole, said)
			}
			if d.Framing == wire.SSE {
				rest := r.call(t, 200, alice, "GET", c.path+"?last_event_id="+lastID(had), "")
				if had+rest != whole {
					t.Errorf("the rest is\n%s\nof\n%s\nwhere the client had\n%s", rest, whole, had)
				}
				if again := r.call(t, 200, alice+"\r\nLast-Event-ID: "+lastID(had), "POST", c.path, c.body); again != rest {
					t.Errorf("by the same request again:\n%s\nand not\n%s", again, rest)
				}
				r.call(t, 204, alice+"\r\nLast-Event-ID: "+lastID(rest), "GET", c.path, "")
				r.call(t, 404, bob+"\r\nLast-Event-ID: "+lastID(had), "GET", c.path, "")
			}
			r.call(t, 404, bob+"\r\nX-Sabir-Run: "+run, "GET", c.path, "")
			await(t, "the run to be counted", r.noStreams)
			if n := r.metric("sabir_streams_total"); n != 1 {
				t.Errorf("the agent was asked %v times", n)
			}
			if end := r.awaitEnds(1); end["ending"] != "done" {
				t.Errorf("log: %v", end)
			}
		})
	}
}

// TestKeptRecordsUnknown: what Sabir does not know of a stream reaches clients that come back, and clients of other dialects read the run as well.
func TestKeptRecordsUnknown(t *testing.T) {
	t.Parallel()
	first, rest := inDialect(t, dialect(t, "openai-chat"))
	const unknown = "event: surprise\nid: 7\ndata: {\"object\":\"chat.surprise\",\n" + "data: \"x\":1}\n\n"
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok("Content-Type: text/event-stream")
			p.finish(": a comment\n\n" + first + unknown + rest)
		}
	})
	r := alike(t, a, "openai-chat", "", "client: auto\ndefault: openai-chat\nresume: {grace: 1m, idempotency: true}")
	c := resumeClients[2]
	resp, got := r.post(c.path, c.body, alice, "Idempotency-Key: k")
	want := strings.Replace(first+unknown+rest, "id: 7\n", "", 1)
	if withoutIDs(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	run := alice + "\r\nX-Sabir-Run: " + resp.Header.Get(runHeader)
	if again := r.call(t, 200, run, "GET", "/run", ""); again != got {
		t.Errorf("again\n%s\nand not\n%s", again, got)
	}
	if again := r.call(t, 200, alice+"\r\nIdempotency-Key: k", "POST", c.path, c.body); again != got {
		t.Errorf("with the key again\n%s\nand not\n%s", again, got)
	}
	r.call(t, 422, alice+"\r\nIdempotency-Key: k", "POST", c.path, strings.Replace(c.body, "hi", "ho", 1))
	whole := r.call(t, 200, run+"\r\nX-Sabir-Dialect: agui", "GET", "/run", "", `"delta":"Hello"`, `"delta":", world"`, "RUN_FINISHED")
	at := strings.Index(whole, `"delta":"Hello"`)
	at += strings.Index(whole[at:], "\n\n") + 2
	if tail := r.call(t, 200, alice+"\r\nLast-Event-ID: "+lastID(whole[:at])+"\r\nX-Sabir-Dialect: agui", "GET", "/run", ""); whole[:at]+tail != whole {
		t.Errorf("the rest in another dialect\n%s\nof\n%s", tail, whole)
	}
	r.call(t, 400, alice+"\r\nLast-Event-ID: "+lastID(got)+"\r\nX-Sabir-Dialect: agui", "GET", "/run", "", "another dialect")
	r.call(t, 204, alice+"\r\nX-Sabir-Run: "+resp.Header.Get(runHeader), "DELETE", "/run", "")
	await(t, "the run to be counted", r.noStreams)
	if n := r.metric("sabir_streams_total"); n != 1 {
		t.Errorf("the agent was asked %v times", n)
	}
}

// TestKeptRecordsBelow: clients whose dialect has no endpoints begin runs that others come to by any path below the route.
func TestKeptRecordsBelow(t *testing.T) {
	t.Parallel()
	c := resumeClients[7]
	a, goOn, said := alikeAgent(t, dialect(t, c.dialect))
	close(goOn)
	r := alike(t, a, c.dialect, "", "client: "+c.dialect+"\nresume: {grace: 1m}")
	resp, got := r.post(c.path+"/any/where", c.body, alice)
	again := r.call(t, 200, alice+"\r\nX-Sabir-Run: "+resp.Header.Get(runHeader), "GET", "/run", "")
	if got != said || again != said {
		t.Errorf("%s run %q gets\n%s\nand then\n%s", c.dialect, resp.Header.Get(runHeader), got, again)
	}
}

// TestAgentsOwnRequests: what is no run, and positions that are the agent's own, pass on to it as before.
func TestAgentsOwnRequests(t *testing.T) {
	t.Parallel()
	a, goOn, said := alikeAgent(t, dialect(t, "aisdk"))
	close(goOn)
	r := alike(t, a, "aisdk", "", "client: aisdk\nresume: {grace: 1m}")
	r.call(t, 200, alice+"\r\nLast-Event-ID: 17", "GET", "/run", "", "a page of the agent's")
	r.call(t, 200, alice, "GET", "/run?last_event_id=17", "", "a page of the agent's: last_event_id=17")
	r.call(t, 200, alice, "POST", "/run/other", "{}", "a page of the agent's")
	r.call(t, 200, alice, "GET", "/run/chat%201/stream", "", "a page of the agent's") // Sabir has no run of the chat
	r.call(t, 404, alice+"\r\nLast-Event-ID: "+newToken()+formMark+formOfPosition(dialect(t, "aisdk"))+"-1", "GET", "/run", "")
	if n := r.metric("sabir_resume_runs"); n != 0 {
		t.Errorf("%v runs are kept", n)
	}
	_, got := r.post("/run", resumeClients[1].body, alice)
	if whole := r.call(t, 200, alice, "GET", "/run/chat%201/stream", ""); whole != got || withoutIDs(whole) != said {
		t.Errorf("a page that was loaded anew gets\n%s\nof\n%s", whole, got)
	}
	r.call(t, 200, bob, "GET", "/run/chat%201/stream", "", "a page of the agent's")
}

// TestKeptRecordsFail: a run that fails before its first record has the status of that, for later clients as well, and one that is cut ends as such in
// each dialect.
func TestKeptRecordsFail(t *testing.T) {
	t.Parallel()
	first, _ := inDialect(t, dialect(t, "anthropic"))
	a := newAgent(t, func(p *peer) {
		req := p.request()
		if req == nil {
			return
		}
		if req.Header.Get("X-Tenant") == "none" {
			p.answer("503 Service Unavailable", "Content-Type: text/plain")
			p.finish("not now")
			return
		}
		p.ok("Content-Type: text/event-stream")
		p.chunk(first)
		p.reset()
	})
	r := alike(t, a, "anthropic", "", "client: auto\ndefault: anthropic\nheaders: {allow: [X-Tenant]}\nresume: {grace: 1m}")
	c := resumeClients[4]
	refused := r.dial()
	refused.ask("POST", c.path, c.body, alice, "X-Tenant: none")
	resp, got := refused.whole()
	if resp.StatusCode != http.StatusBadGateway && resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(got, `"type":"error"`) {
		t.Errorf("status %d: %s", resp.StatusCode, got)
	}
	r.call(t, resp.StatusCode, alice+"\r\nX-Sabir-Run: "+resp.Header.Get(runHeader), "GET", "/run", "", `"type":"error"`)
	resp, got = r.post(c.path, c.body, alice)
	if !strings.HasPrefix(withoutIDs(got), first) || !strings.Contains(got, "event: error") || !strings.Contains(got, "was lost") {
		t.Errorf("a run that was cut ends\n%s", got)
	}
	run := alice + "\r\nX-Sabir-Run: " + resp.Header.Get(runHeader)
	if again := r.call(t, 200, run, "GET", "/run", ""); again != got {
		t.Errorf("again\n%s\nand not\n%s", again, got)
	}
	r.call(t, 200, run+"\r\nX-Sabir-Dialect: agui", "GET", "/run", "", "Hello", "RUN_ERROR", "upstream_reset")
}

// TestKeptRecordsFull: a log that is full loses its beginning, as no snapshot can be made of records.
func TestKeptRecordsFull(t *testing.T) {
	t.Parallel()
	first, rest := inDialect(t, dialect(t, "openai-chat"))
	delta := first[strings.LastIndex(strings.TrimSpace(first), "\n\n")+2:]
	goOn := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok("Content-Type: text/event-stream")
			p.chunk(first)
			<-goOn
			p.finish(strings.Repeat(delta, 1000) + rest)
		}
	})
	r := alike(t, a, "openai-chat", "", "client: openai-chat\nresume: {grace: 1m, bytes: 64KiB}")
	c := resumeClients[2]
	opens := r.dial()
	opens.ask("POST", c.path, c.body, alice)
	run := alice + "\r\nX-Sabir-Run: " + opens.response().Header.Get(runHeader)
	close(goOn)
	r.awaitEnds(1)
	r.call(t, 410, run, "GET", "/run", "", "run_cut")
	if n := r.metric("sabir_resume_full_total", "did=cut"); n != 1 {
		t.Errorf("%v logs were cut", n)
	}
	if n := r.metric("sabir_resume_full_total", "did=shortened"); n != 0 {
		t.Errorf("%v logs were shortened", n)
	}
}

// TestKeptRecordsElsewhere: the records of a run are read at another replica, in its dialect and in another one.
func TestKeptRecordsElsewhere(t *testing.T) {
	t.Parallel()
	a, goOn, said := alikeAgent(t, dialect(t, "openai-chat"))
	top := storeYAML(redisAddress(t), prefixed(t))
	at := func() *rig {
		return alike(t, a, "openai-chat", top, "client: auto\ndefault: openai-chat\nresume: {grace: 1m}")
	}
	one, two := at(), at()
	c := resumeClients[2]
	run, had := one.lostRun(c.path, c.body)
	two.awaitRun(t, run)
	other := two.dial()
	other.ask("GET", "/run", "", alice, "Last-Event-ID: "+lastID(had))
	live := other.response()
	close(goOn)
	rest, err := io.ReadAll(live.Body)
	if err != nil || withoutIDs(had+string(rest)) != said {
		t.Errorf("%v: had\n%s\nthe rest\n%s", err, had, rest)
	}
	two.call(t, 200, alice+"\r\nX-Sabir-Run: "+run+"\r\nX-Sabir-Dialect: agui", "GET", "/run", "", `"delta":"Hello"`, "RUN_FINISHED")
	await(t, "the run to be counted", one.noStreams)
	if n := one.ownMetric("sabir_streams_total") + two.ownMetric("sabir_streams_total"); n != 1 {
		t.Errorf("the agent was asked %v times", n)
	}
}

// TestOtherRequestsPass: what asks a server for something else than a stream gets the server's own answer, as without resume.
func TestOtherRequestsPass(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.answer("200 OK", "Content-Type: application/json", "Content-Length: 13")
			p.send(`{"its":"own"}`)
		}
	})
	for _, c := range []struct{ dialect, path, body string }{
		{"a2a", "", a2aCall("tasks/get", `"id":"1"`)},
		{"a2a", "", a2aMessage("u1", "", "hi")},
		{"agui", "", `{"method":"info"}`},
		{"agui", "", `{"method":"agent/stop","params":{"agentId":"a","threadId":"t"}}`},
		{"acp", "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`},
		{"acp", "", `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}`},
		{"langgraph", "/threads", "{}"},
		{"langgraph", "/threads/t1/runs/wait", said("hi")},
		{"langgraph", "/threads/search", `{"metadata":{}}`},
		{"openai-chat", "/v1/embeddings", `{"model":"m","input":"hi"}`},
		{"openai-chat", "/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"hi"}]}`},
		{"openai-responses", "/v1/responses", `{"model":"m","input":"hi","background":true}`},
		{"openai-responses", "/v1/responses/resp_1/cancel", `{}`},
		{"openai-responses", "/v1/conversations", `{"items":[]}`},
		{"anthropic", "/v1/messages/count_tokens", `{"model":"m","messages":[{"role":"user","content":"hi"}]}`},
		{"anthropic", "/v1/messages", `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`},
		{"gemini", "/v1beta/models/m:countTokens", `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`},
		{"gemini", "/v1beta/models/m:generateContent", `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`},
		{"gemini-interactions", "/v1beta/interactions", `{"model":"m","input":"hi"}`},
		{"adk", "/apps/a/users/u/sessions", `{}`},
	} {
		t.Run(c.dialect+c.path, func(t *testing.T) {
			t.Parallel()
			r := alike(t, a, c.dialect, "", "client: "+c.dialect+"\nresume: {grace: 1m}")
			if got := r.call(t, 200, alice, "POST", "/run"+c.path, c.body); got != `{"its":"own"}` {
				t.Errorf("got %s", got)
			}
			if n := r.metric("sabir_resume_runs"); n != 0 {
				t.Errorf("%v runs are kept", n)
			}
		})
	}
}

// TestKeptRecordsConceal: what the agent says of its failure is in no log, and so reaches no client.
func TestKeptRecordsConceal(t *testing.T) {
	t.Parallel()
	first, _ := inDialect(t, dialect(t, "openai-chat"))
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok("Content-Type: text/event-stream")
			p.finish(first + `data: {"error":{"message":"secret of the agent","type":"server_error"}}` + "\n\n")
		}
	})
	c := resumeClients[2]
	for _, exposes := range []bool{false, true} {
		r := alike(t, a, "openai-chat", "", fmt.Sprintf("client: auto\ndefault: openai-chat\nerrors: {expose: %t}\nresume: {grace: 1m}", exposes))
		resp, got := r.post(c.path, c.body, alice)
		run := alice + "\r\nX-Sabir-Run: " + resp.Header.Get(runHeader)
		for _, body := range []string{got, r.call(t, 200, run, "GET", "/run", "", "error"), r.call(t, 200, run+"\r\nX-Sabir-Dialect: agui", "GET", "/run", "", "RUN_ERROR")} {
			if strings.Contains(body, "secret") != exposes || !strings.Contains(body, "Hello") {
				t.Errorf("exposes %t, and says\n%s", exposes, body)
			}
		}
	}
}

// TestKeptEventsOfAlike: where both sides speak one dialect in different versions, the run is kept as its events.
func TestKeptEventsOfAlike(t *testing.T) {
	t.Parallel()
	a, goOn, _ := alikeAgent(t, dialect(t, "a2a"))
	close(goOn)
	yaml := simple(a.url(), "", "options: {version: '1.0'}\n", "client: a2a\nrequests: {mode: translate}\nresume: {grace: 1m}")
	r := start(t, strings.Replace(yaml, "dialect: native", "dialect: a2a", 1))
	body := a2aCall("message/stream", `"message":{"kind":"message","messageId":"u","role":"user","parts":[{"kind":"text","text":"hi"}]}`)
	resp, got := r.post("/run", body, alice)
	if !strings.Contains(got, `"kind":"artifact-update"`) || !strings.Contains(got, "Hello") {
		t.Errorf("a client of version 0.3 gets\n%s", got)
	}
	if again := r.call(t, 200, alice+"\r\nX-Sabir-Run: "+resp.Header.Get(runHeader), "GET", "/run", ""); again != got {
		t.Errorf("again\n%s\nand not\n%s", again, got)
	}
}

// TestKeptRecordsOfAnother: where the agent of a route has come to speak another dialect, what it said before that cannot be read.
func TestKeptRecordsOfAnother(t *testing.T) {
	t.Parallel()
	a, goOn, _ := alikeAgent(t, dialect(t, "openai-chat"))
	close(goOn)
	r := alike(t, a, "openai-chat", "", "client: auto\ndefault: openai-chat\nresume: {grace: 1m}")
	c := resumeClients[2]
	resp, _ := r.post(c.path, c.body, alice)
	run := alice + "\r\nX-Sabir-Run: " + resp.Header.Get(runHeader)
	r.call(t, 200, run, "GET", "/run", "")
	next := strings.NewReplacer("path: /run", "path: /run/*", "dialect: native", "dialect: agui")
	if err := r.Reload(parse(t, next.Replace(simple(a.url(), "", "", "client: auto\ndefault: openai-chat\nrequests: {mode: translate}\nresume: {grace: 1m}")))); err != nil {
		t.Fatal(err)
	}
	r.call(t, 410, run, "GET", "/run", "", "run_cut")
}
