package proxy

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/sabir-proxy/sabir/proxy/internal/urls"
)

// TestFaultsOfOurOwn end the stream they happen in, as honestly as can be, and no other.
func TestFaultsOfOurOwn(t *testing.T) {
	t.Parallel()
	seen := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok()
			switch string(p.body) {
			case "first":
				p.chunk(`{"kind":"boom"}` + "\n")
				p.awaitGone()
				return
			case "behind":
				p.chunk(lineStart + "\n" + lineHello + "\n" + `{"kind":"boom"}` + "\n")
				p.awaitGone()
				return
			case "later":
				p.chunk(lineStart + "\n")
				<-seen
				p.chunk(`{"kind":"boom"}` + "\n")
				p.awaitGone()
				return
			}
			p.finish(smallRun)
		}
	})
	yaml := strings.Replace(simple(a.url(), "", "", "client: twin\n"), "dialect: native", "dialect: bomb", 1) +
		"  - {path: /bomb, upstream: agent, client: bomb}\n"
	r := start(t, yaml)
	fine := func() {
		t.Helper()
		if _, body := r.post("/run", "{}"); body != smallRunOut {
			t.Errorf("another stream got %s", body)
		}
	}
	if got := r.demand("/bomb"); got.status != 200 {
		t.Errorf("status %d", got.status)
	}
	if resp, body := r.post("/bomb", "boom"); resp.StatusCode != 500 || !strings.Contains(body, "internal_error") {
		t.Errorf("in a request: %d %s", resp.StatusCode, body)
	}
	if resp, body := r.post("/run", "first"); resp.StatusCode != 500 || !strings.Contains(body, "internal_error") {
		t.Errorf("in the first record: %d %s", resp.StatusCode, body)
	}
	if resp, body := r.post("/run", "behind"); resp.StatusCode != 500 || !strings.Contains(body, "internal_error") || strings.Contains(body, "Hello") {
		t.Errorf("in a record behind others, of which nothing has left: %d %s", resp.StatusCode, body)
	}
	fine()
	c := r.dial()
	c.ask("POST", "/run", "later")
	resp := c.response()
	seen <- struct{}{}
	if body, err := io.ReadAll(resp.Body); err == nil || strings.Contains(string(body), "run.end") {
		t.Errorf("in a later record: %v %s", err, body)
	}
	fine()
	for path, say := range map[string]string{"/run": "later", "/bomb": "boom"} {
		ws := r.dialWS(path)
		ws.say(say)
		if say == "later" {
			ws.hear()
			seen <- struct{}{}
		}
		if code := ws.code(); code != websocket.CloseInternalServerErr {
			t.Errorf("%s: closed with %d", path, code)
		}
	}
	fine()
	r.awaitEnds(8)
	if n := r.metric("sabir_streams_total", "ending=internal_error"); n != 4 {
		t.Errorf("%v streams ended so", n)
	}
	if n := r.logs.FilterMessageSnippet("BUG").Len(); n != 6 {
		t.Errorf("%d lines of log", n)
	}
}

// TestEnginesAfterBugs: an engine is used again, but not one that has met a fault of its own.
func TestEnginesAfterBugs(t *testing.T) {
	t.Parallel()
	for body, used := range map[string]bool{"{}": true, "boom": false} {
		a := newAgent(t, func(p *peer) {
			for p.request() != nil {
				p.ok()
				if string(p.body) == "boom" {
					p.chunk(`{"kind":"boom"}` + "\n")
					p.awaitGone()
					return
				}
				p.finish(smallRun)
			}
		})
		r := start(t, strings.Replace(simple(a.url(), "", "", "client: twin\n"), "dialect: native", "dialect: bomb", 1))
		route, _ := r.table.Load().find(urls.Path{Raw: "/run", Plain: "/run"})
		again, runs := false, 0
		for ; runs < 50 && !again; runs++ { // a pool loses some: by chance where races are looked for, and when memory is collected
			r.post("/run", body)
			r.awaitEnds(runs + 1)
			again = route.first.engines.Get() != nil
		}
		if again != used {
			t.Errorf("after %s the engine is used again: %t (%d runs)", body, again, runs)
		}
	}
}

// TestEnginesOfWholeAnswers: that of an answer in one piece is used again as well, and by no stream.
func TestEnginesOfWholeAnswers(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "", "", "client: openai-chat\nrequests: {mode: translate}\n"))
	route, _ := r.table.Load().find(urls.Path{Raw: "/run", Plain: "/run"})
	again := false
	for runs := 0; runs < 50 && !again; runs++ {
		r.post("/run", `{"model":"m","messages":[{"role":"user","content":"hi"}]}`)
		r.awaitEnds(runs + 1)
		again = route.first.wholes.Get() != nil
		if route.first.engines.Get() != nil {
			t.Error("it is kept for streams")
		}
	}
	if !again {
		t.Error("it is not used again")
	}
}

// TestEnginesOfReaders: those that write and read the log of a run are used again.
func TestEnginesOfReaders(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "", "", "client: agui\nrequests: {mode: translate}\nresume: {grace: 1m}"))
	route, _ := r.table.Load().find(urls.Path{Raw: "/run", Plain: "/run"})
	var written, read bool
	for runs := 0; runs < 50 && !(written && read); runs++ {
		_, resp := r.openRun()
		if body, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(body), "Hello") {
			t.Fatalf("%v behind %s", err, body)
		}
		r.awaitEnds(runs + 1)
		await(t, "the reader to be gone", func() bool { return r.logs.FilterMessage("run read").Len() == runs+1 })
		written = written || route.tape.target.engines.Get() != nil
		read = read || route.tape.viewers["agui"].engines.Get() != nil
	}
	if !written || !read {
		t.Errorf("used again: of the log %t, of its reader %t", written, read)
	}
}

// TestBugOfOneReader: where what one client of a run gets cannot be written, that client is cut off. The run goes on, and others read it.
func TestBugOfOneReader(t *testing.T) {
	t.Parallel()
	end := lines(`{"kind":"text.delta","id":"p1","text":"boom"}`, lineEnd)
	goOn := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok("Content-Type: application/x-ndjson")
		p.chunk(lines(lineStart, lineHello))
		p.finishWith(end, goOn)
	})
	yaml := simple(a.url(), "", "", "client: auto\ndefault: agui\nrequests: {mode: translate}\nresume: {grace: 1m}") +
		"  - {path: /bomb, upstream: agent, client: bomb}\n"
	r := start(t, yaml)
	_, first := r.openRun()
	run := first.Header.Get(runHeader)
	firstHalf(t, first)
	late := r.comeAs("bomb", run)
	if got := readSome(t, late, "Hello"); !strings.Contains(got, "run.start") {
		t.Errorf("it reads %s", got)
	}
	close(goOn)
	if body, err := io.ReadAll(late.Body); err == nil || strings.Contains(string(body), "run.end") {
		t.Errorf("behind the fault: %v %s", err, body)
	}
	if body := rest(t, first); !strings.Contains(body, "RUN_FINISHED") {
		t.Errorf("another client reads %s", body)
	}
	if resp := r.comeAs("bomb", run); resp.StatusCode != 500 {
		t.Errorf("when it has ended: status %d", resp.StatusCode)
	}
	if end := r.awaitEnds(1); end["ending"] != "done" {
		t.Errorf("the run has ended with %v", end["ending"])
	}
	await(t, "the readers to be logged", func() bool { return r.logs.FilterMessage("run read").Len() == 3 })
	if n := r.logs.FilterMessage("BUG: please report this").Len(); n != 2 {
		t.Errorf("%d faults are logged", n)
	}
}

// TestBugInTurn: a conversation is free for its next turn where the request of a turn ends in a panic.
func TestBugInTurn(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	yaml := simple(a.url(), "", "", "methods: [GET, POST]\nclient: langgraph\nrequests: {mode: translate}")
	yaml = strings.Replace(yaml, "dialect: native", "dialect: bomb", 1)
	r := start(t, strings.Replace(yaml, "path: /run", "path: /run/*", 1))
	r.call(t, 500, alice, "POST", "/run/threads/t1/runs/stream", said("boom"), "internal_error")
	r.call(t, 200, alice, "POST", "/run/threads/t1/runs/stream", said("one"), "Hello")
}

// TestMessagesThatWait are bounded in their number and in their bytes: what fits waits, and what does not closes the connection.
func TestMessagesThatWait(t *testing.T) {
	t.Parallel()
	for name, fit := range map[string][]int{"messages": {2, 2, 2, 2, 2, 2, 2, 2}, "bytes": {600, 400}} {
		a := silentAgent(t, nil)
		r := start(t, simple(a.url(), "", "", "client: twin\n"))
		r.table.Load().maxBody = 1000 // before any session reads it
		c := r.dialWS("/run")
		c.say("go")
		c.hear()
		for _, size := range fit {
			c.say(strings.Repeat("x", size))
		}
		taken := false
		c.SetPongHandler(func(string) error { // which answers when they have been read
			taken = true
			return c.WriteMessage(websocket.TextMessage, []byte("x"))
		})
		if err := c.WriteControl(websocket.PingMessage, nil, time.Now().Add(testTimeout)); err != nil {
			t.Fatal(err)
		}
		if code := c.code(); code != websocket.ClosePolicyViolation || !taken {
			t.Errorf("%s: closed with %d, what fits was taken: %t", name, code, taken)
		}
	}
}

// TestBugSays: of a fault the log has what the runtime or Sabir itself says, and of anything else the type: it may hold content.
func TestBugSays(t *testing.T) {
	t.Parallel()
	r := start(t, simple("http://127.0.0.1:1/", "", "", "client: bomb\n"))
	var none []int
	n := 0
	for want, fault := range map[string]func(){
		"runtime error: index out of range [1] with length 0": func() { _ = none[len(none)+1] },
		"BUG: a rule":         func() { panic("BUG: a rule") },
		"string":              func() { panic("Q7f3-mark BUG: ") },
		"*errors.errorString": func() { panic(errors.New("Q7f3-mark")) },
		"int":                 func() { panic(7) },
	} {
		func() {
			defer func() { r.bug(recover()) }()
			fault()
		}()
		got := r.logs.FilterMessage("BUG: please report this").All()
		if n++; len(got) != n || got[n-1].ContextMap()["panic"] != want {
			t.Errorf("got %v, want %s", got, want)
		}
	}
}
