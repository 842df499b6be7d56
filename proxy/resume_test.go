package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/urls"
)

// gatedAgent says half of a small run, and the other half when it is let go.
func gatedAgent(t *testing.T) (a *agent, goOn, gone chan struct{}) {
	goOn, gone = make(chan struct{}), make(chan struct{}, 1)
	return newAgent(t, func(p *peer) {
		if p.request() == nil {
			return
		}
		p.ok("Content-Type: application/x-ndjson")
		p.chunk(lines(lineStart, lineHello))
		if p.finishWhen(goOn) {
			gone <- struct{}{}
		}
	}), goOn, gone
}

// resuming is a proxy whose runs outlive their clients.
func resuming(t *testing.T, a *agent, client, resume string) *rig {
	t.Helper()
	return start(t, strings.Replace(simple(a.url(), "", "", "client: "+client+"\nrequests: {mode: translate}\nresume: {"+resume+"}"),
		"path: /run", "path: /run/*", 1))
}

// resumeClients are the requests of clients, and where they come back to the run by a way of their own.
var resumeClients = []struct{ dialect, path, body, back string }{
	{"agui", "/run", `{"threadId":"t1","runId":"r1","messages":[{"id":"u1","role":"user","content":"hi"}]}`, ""},
	{"aisdk", "/run", `{"id":"chat 1","messages":[{"id":"u1","role":"user","parts":[{"type":"text","text":"hi"}]}],"trigger":"submit-message"}`, "GET /run/chat%201/stream"},
	{"openai-chat", "/run", `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`, ""},
	{"openai-responses", "/run", `{"model":"m","stream":true,"input":"hi"}`, ""},
	{"anthropic", "/run", `{"model":"m","max_tokens":10,"stream":true,"messages":[{"role":"user","content":"hi"}]}`, ""},
	{"langgraph", "/run/threads/t1/runs/stream", said("hi"), ""},
	{"a2a", "/run", strings.Replace(a2aMessage("u1", "", "hi"), "SendMessage", "SendStreamingMessage", 1), ""},
	{"native", "/run", `{"messages":[{"role":"user","parts":[{"kind":"text","text":"hi"}]}]}`, ""},
}

// openRun begins a run as a client of AG-UI.
func (r *rig) openRun() (*client, *http.Response) {
	c := r.dial()
	c.ask("POST", resumeClients[0].path, resumeClients[0].body, alice)
	return c, c.response()
}

// lostRun opens a run, and loses its stream when something was said.
func (r *rig) lostRun(path, body string) (run, had string) {
	r.t.Helper()
	c := r.dial()
	c.ask("POST", path, body, alice)
	resp := c.response()
	had = firstHalf(r.t.(*testing.T), resp)
	c.reset()
	return resp.Header.Get(runHeader), had
}

// firstHalf reads a stream until something was said, with the end of that record.
func firstHalf(t *testing.T, resp *http.Response) (half string) {
	t.Helper()
	return halfUntil(t, resp, "Hello")
}

// concatHead begins a stream of pydantic, which has no line ends between its records.
const concatHead = `{"message": `

func halfUntil(t *testing.T, resp *http.Response, word string) (half string) {
	t.Helper()
	br, ends := bufio.NewReader(resp.Body), byte('\n')
	if start, err := br.Peek(len(concatHead)); err == nil && string(start) == concatHead {
		ends = '}'
	}
	for {
		line, err := br.ReadString(ends)
		if half += line; err != nil {
			t.Fatalf("%v behind %q", err, half)
		}
		if strings.Contains(half, word) && (ends == '}' || line == "\n" || !strings.HasPrefix(half, "data:") && !strings.Contains(half, "id: ")) {
			return half
		}
	}
}

// lastID is the last id of an event stream.
func lastID(stream string) (id string) {
	for line := range strings.Lines(stream) {
		if got, ok := strings.CutPrefix(line, "id: "); ok {
			id = strings.TrimSpace(got)
		}
	}
	return id
}

// TestResume: a client that has lost its stream gets the rest of it, and another one the whole, from one run of the agent's.
func TestResume(t *testing.T) {
	t.Parallel()
	for _, c := range resumeClients {
		if c.dialect == "native" {
			continue // its records have no ids
		}
		t.Run(c.dialect, func(t *testing.T) {
			t.Parallel()
			a, goOn, _ := gatedAgent(t)
			r := resuming(t, a, c.dialect, "grace: 1m")
			run, had := r.lostRun(c.path, c.body)
			if len(run) != 32 || !strings.HasPrefix(lastID(had), run+formMark) {
				t.Fatalf("the run is called %q, the last id is %q: %s", run, lastID(had), had)
			}
			other := r.dial()
			other.ask("GET", c.path, "", alice, "X-Sabir-Run: "+run)
			live := other.response()
			await(t, "the first client to be gone", func() bool { return r.logs.FilterMessage("run read").Len() == 1 })
			close(goOn)
			body, err := io.ReadAll(live.Body)
			if whole := string(body); err != nil || !strings.HasPrefix(whole, had) || !strings.Contains(whole, "world") {
				t.Fatalf("%v: another client gets\n%s\nbehind\n%s", err, whole, had)
			}
			rest := r.call(t, 200, alice, "GET", c.path+"?last_event_id="+lastID(had), "")
			if had+rest != string(body) {
				t.Errorf("the rest is\n%s\nof\n%s\nwhere the client had\n%s", rest, body, had)
			}
			if again := r.call(t, 200, alice+"\r\nLast-Event-ID: "+lastID(had), "POST", c.path, c.body); again != rest {
				t.Errorf("by the same request again:\n%s\nand not\n%s", again, rest)
			}
			r.call(t, 204, alice+"\r\nLast-Event-ID: "+lastID(rest), "GET", c.path, "") // else an EventSource comes again and again
			r.call(t, 404, bob+"\r\nLast-Event-ID: "+lastID(had), "GET", c.path, "")
			r.call(t, 400, alice+"\r\nLast-Event-ID: "+run+"-x", "GET", c.path, "")
			r.call(t, 404, alice+"\r\nLast-Event-ID: 17", "GET", c.path, "")
			if n := a.connections(); n != 1 {
				t.Errorf("the agent was asked %d times", n)
			}
			if end := r.awaitEnds(1); end["ending"] != "done" {
				t.Errorf("log: %v", end)
			}
			if joins := r.metric("sabir_resume_joins_total", "how=position"); joins != 3 {
				t.Errorf("%v clients came back", joins)
			}
			await(t, "the run to be kept", func() bool { return r.metric("sabir_resume_runs", "state=finished") == 1 })
		})
	}
}

// TestResumeOwnWays: clients that have a way of their own find their run by it.
func TestResumeOwnWays(t *testing.T) {
	t.Parallel()
	f := func(client, path, body string, back func(half string) (method, path, body string, header []string), whole bool) {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			a, goOn, _ := gatedAgent(t)
			r := resuming(t, a, client, "grace: 1m")
			first := r.dial()
			first.ask("POST", path, body, alice)
			resp := first.response()
			had := firstHalf(t, resp)
			location := resp.Header.Get("Location")
			if run := resp.Header.Get("Content-Location"); client == "langgraph" && (location != run+"/stream" || !strings.HasPrefix(run, "/threads/t1/runs/")) {
				t.Fatalf("the SDKs take the end of %q for the id of the run, and look for its stream at %q behind the URL of their API", run, location)
			}
			method, place, asks, header := back(had + "\n" + location)
			first.reset()
			again := r.dial()
			again.ask(method, place, asks, append(header, alice)...)
			got := again.response()
			close(goOn)
			rest, err := io.ReadAll(got.Body)
			if rpc := strings.Contains(string(rest), "jsonrpc"); client == "a2a" && rpc != (asks != "") {
				t.Errorf("the answer to %s %s is wrapped: %v", method, place, rpc)
			}
			if older := strings.Contains(string(rest), `"kind":"artifact-update"`); older != strings.Contains(asks, "tasks/resubscribe") {
				t.Errorf("the answer to %s is of version 0.3: %v", asks, older)
			}
			if err != nil || got.StatusCode != 200 || !strings.Contains(string(rest), "world") || strings.Contains(string(rest), "Hello\"") != whole {
				t.Errorf("%v, status %d: %s\nbehind\n%s", err, got.StatusCode, rest, had)
			}
			stranger := r.dial()
			stranger.ask(method, place, asks, bob)
			if _, got := stranger.whole(); strings.Contains(got, "world") {
				t.Errorf("a stranger gets %s", got)
			}
		})
	}
	f("langgraph", "/run/threads/t1/runs/stream", said("hi"), func(half string) (string, string, string, []string) {
		at := strings.LastIndexByte(half, '\n')
		return "GET", "/run" + half[at+1:], "", []string{"Last-Event-ID: " + lastID(half)} // the SDKs put it behind the URL of the API
	}, false)
	f("openai-responses", "/run", `{"model":"m","stream":true,"input":"hi"}`, func(half string) (string, string, string, []string) {
		_, id, _ := strings.Cut(half, `"id":"`)
		id, _, _ = strings.Cut(id, `"`)
		return "GET", fmt.Sprintf("/run/responses/%s?stream=true&starting_after=%d", id, strings.Count(half, "data: ")-1), "", nil
	}, false)
	f("a2a", "/run", strings.Replace(a2aMessage("u1", "", "hi"), "SendMessage", "SendStreamingMessage", 1),
		func(half string) (string, string, string, []string) {
			at := strings.Index(half, "data: ")
			return "POST", "/run", a2aCall("SubscribeToTask", `"id":"`+a2aTaskID(t, half[at:])+`"`), nil
		}, true)
	f("a2a", "/run", strings.Replace(a2aMessage("u1", "", "hi"), "SendMessage", "SendStreamingMessage", 1),
		func(half string) (string, string, string, []string) {
			at := strings.Index(half, "data: ")
			return "GET", "/run/tasks/" + a2aTaskID(t, half[at:]) + ":subscribe", "", []string{"A2A-Version: 1.0"}
		}, true)
	f("a2a", "/run", strings.Replace(a2aMessage("u1", "", "hi"), "SendMessage", "SendStreamingMessage", 1),
		func(half string) (string, string, string, []string) { // by another version than it was begun in
			at := strings.Index(half, "data: ")
			return "POST", "/run", a2aCall("tasks/resubscribe", `"id":"`+a2aTaskID(t, half[at:])+`"`), nil
		}, true)
	const a2a03 = `{"kind":"message","messageId":"u","role":"user","parts":[{"kind":"text","text":"hi"}]}`
	task03 := regexp.MustCompile(`"kind":"task","id":"([^"]+)"`)
	f("a2a", "/run", a2aCall("message/stream", `"message":`+a2a03),
		func(half string) (string, string, string, []string) {
			return "POST", "/run", a2aCall("tasks/resubscribe", `"id":"`+task03.FindStringSubmatch(half)[1]+`"`), nil
		}, true)
	task03REST := regexp.MustCompile(`"task":{"id":"([^"]+)"`)
	f("a2a", "/run/v1/message:stream", `{"message":{"messageId":"u","role":"ROLE_USER","content":[{"text":"hi"}]}}`,
		func(half string) (string, string, string, []string) {
			return "POST", "/run/v1/tasks/" + task03REST.FindStringSubmatch(half)[1] + ":subscribe", "", nil
		}, true)
	f("agui", "/run/agent/default/run", `{"threadId":"t1","runId":"r1","messages":[{"id":"u1","role":"user","content":"hi"}]}`,
		func(string) (string, string, string, []string) {
			return "POST", "/run/agent/default/connect", `{"threadId":"t1","runId":"r2","messages":[]}`, nil
		}, true)
}

// TestResumeChat: a page of the AI SDK's that was loaded anew finds the run of its chat, and nothing where there is none.
func TestResumeChat(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	r := resuming(t, a, "aisdk", "grace: 1m")
	if got := r.call(t, 204, alice, "GET", "/run/chat%201/stream", ""); got != "" {
		t.Errorf("nothing runs, and it says %s", got)
	}
	first := r.dial()
	first.ask("POST", "/run", resumeClients[1].body, alice)
	had := firstHalf(t, first.response())
	first.reset()
	page := r.dial()
	page.ask("GET", "/run/chat%201/stream", "", alice)
	resp := page.response()
	close(goOn)
	if whole, err := io.ReadAll(resp.Body); err != nil || !strings.HasPrefix(string(whole), had) || !strings.HasSuffix(string(whole), "data: [DONE]\n\n") {
		t.Errorf("%v: %s", err, whole)
	}
	r.call(t, 204, bob, "GET", "/run/chat%201/stream", "")
	r.call(t, 204, alice, "GET", "/run/chat%202/stream", "")
}

// TestResumeConnect: a page of CopilotKit's that comes back when its run has ended gets the answer, unless it has it.
func TestResumeConnect(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	r := resuming(t, a, "agui", "grace: 1m")
	const user = `{"id":"u1","role":"user","content":"hi"}`
	first := r.dial()
	first.ask("POST", "/run/agent/default/run", `{"threadId":"t1","runId":"r1","messages":[`+user+`]}`, alice)
	firstHalf(t, first.response())
	first.reset()
	close(goOn)
	r.awaitEnds(1)
	f := func(messages, thread string, want bool) {
		t.Helper()
		got := r.call(t, 200, alice, "POST", "/run/agent/default/connect", `{"threadId":"`+thread+`","runId":"r2","messages":[`+messages+`]}`)
		if whole := strings.Contains(got, "Hello") && strings.Contains(got, "world") && strings.Contains(got, "RUN_FINISHED"); whole != want || !want && got != "" {
			t.Errorf("with %s in %s: %s", messages, thread, got)
		}
	}
	f("", "t1", true)
	f(user, "t1", true)
	f(user+`,{"id":"m1","role":"assistant","content":"Hello world"}`, "t1", false)
	f("", "t2", false)
}

// TestManyViewers: there are no more clients of a run than the route allows, and one that says too much can be read by those who are there.
func TestManyViewers(t *testing.T) {
	t.Parallel()
	goOn := make(chan struct{})
	text := strings.Repeat("x", 1000)
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok()
		p.chunk(lines(lineStart, lineHello))
		<-goOn
		for range 200 {
			p.chunk(lines(`{"kind":"text.delta","id":"p1","text":"` + text + `"}`))
			time.Sleep(time.Millisecond) // who does not keep up is cut off
		}
		p.finish(lines(lineEnd))
	})
	r := resuming(t, a, "agui", "grace: 1m, viewers: 2, bytes: 64KiB")
	_, resp := r.openRun()
	run := "X-Sabir-Run: " + resp.Header.Get(runHeader)
	second := r.dial()
	second.ask("GET", "/run", "", alice, run)
	watched := second.response()
	r.call(t, 503, alice+"\r\n"+run, "GET", "/run", "", `"code":"too_many_streams"`)
	close(goOn)
	for _, resp := range []*http.Response{resp, watched} {
		if got, err := io.ReadAll(resp.Body); err != nil || strings.Count(string(got), text) != 200 || !strings.Contains(string(got), "RUN_FINISHED") {
			t.Errorf("%v: %d bytes", err, len(got))
		}
	}
	r.call(t, 410, alice+"\r\n"+run, "GET", "/run", "", `"code":"run_cut"`)
	if n := r.metric("sabir_resume_log_bytes"); n > 64<<10 {
		t.Errorf("%v bytes are held", n)
	}
}

// TestOpenerFindsNoPlace: a run whose client finds no place among its readers, because others that know its thread were faster, ends
// before it has begun.
func TestOpenerFindsNoPlace(t *testing.T) {
	t.Parallel()
	a, _, _ := gatedAgent(t)
	r := resuming(t, a, "agui", "grace: 1m, viewers: 1")
	req := fasthttp.AcquireRequest()
	req.SetRequestURI("/run")
	req.Header.SetMethod("POST")
	req.SetBodyString(resumeClients[0].body)
	way, rest := r.table.Load().find(urls.Path{Raw: "/run", Plain: "/run"})
	c, f := newCall(req, sender{Addr: noAddress{}}, way, way.first, subpath{rest: rest}, "id", req.Body())
	if f != nil {
		t.Fatal(f)
	}
	r.share(c)
	reader, err := c.shared.Open(1)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	near, far := net.Pipe()
	go func() { _, _ = io.Copy(io.Discard, far) }()
	defer near.Close()
	st := new(canceler)
	if f := r.admit(way, st, tenancy{}); f != nil {
		t.Fatal(f)
	}
	v := &viewer{call: c, run: c.shared, asked: c.shared.About.asked, how: joinOpens}
	if f := r.view(v, st, c.httpSink(&clientConn{Conn: near, writeTimeout: testTimeout})); f == nil || f.Code != hub.CodeLimit {
		t.Errorf("the client gets %v", f)
	}
	if !c.shared.Ended() || a.connections() != 0 {
		t.Error("the run goes on without an agent")
	}
}
