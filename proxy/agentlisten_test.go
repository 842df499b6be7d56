package proxy

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// openCode is an upstream that tells of its runs on a bus: every request gets an answer, and what follows from it comes there.
type openCode struct {
	*agent
	mu       sync.Mutex
	known    map[string]bool // sessions by id
	last     string
	calls    []string
	buses    map[*peer]bool
	says     func(session, body string) string // what follows from a prompt
	answered string                            // what follows from an answer
	asking   string                            // the session that waits for the answer to per_1; "" for none
	parents  map[string]string                 // of sessions
	refuses  string                            // the status of prompts; "" for 204
	cuts     bool                              // the bus ends behind that
	breaks   string                            // the end of a path where the server breaks
	how      func(*peer)                       // so
}

var ofSession = regexp.MustCompile(`ses_[0-9a-f]{32}`)

func newOpenCode(t testing.TB, says func(session, body string) string) *openCode {
	o := &openCode{known: map[string]bool{}, buses: map[*peer]bool{}, says: says}
	o.agent = newAgent(t, func(p *peer) {
		for {
			req := p.request()
			if req == nil {
				return
			}
			o.mu.Lock()
			breaks, how := o.breaks, o.how
			o.mu.Unlock()
			if breaks != "" && strings.HasSuffix(req.URL.Path, breaks) {
				how(p)
				continue
			}
			if strings.HasSuffix(req.URL.Path, "/event") {
				o.listen(p, req)
				return
			}
			o.serve(p, req)
		}
	})
	return o
}

func (o *openCode) note(p *peer, req *http.Request) {
	o.calls = append(o.calls, strings.TrimSpace(req.Method+" "+req.RequestURI+" "+string(p.body)))
}

func (o *openCode) listen(p *peer, req *http.Request) {
	o.mu.Lock()
	o.note(p, req)
	p.ok("Content-Type: text/event-stream")
	p.chunk(busEvent("server.connected", ""))
	o.buses[p] = true
	o.mu.Unlock()
	p.awaitGone()
	o.mu.Lock()
	delete(o.buses, p)
	o.mu.Unlock()
}

func (o *openCode) serve(p *peer, req *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.note(p, req)
	if session := ofSession.FindString(req.RequestURI + string(p.body)); session != "" {
		o.last = session
	}
	session := o.last
	status, follows, body := "200 OK", "", "{}"
	switch {
	case req.Method == "DELETE":
		if !o.known[session] {
			status = "404 Not Found"
		}
		delete(o.known, session)
	case strings.HasSuffix(req.URL.Path, "/permission"):
		if body = "[]"; o.asking != "" {
			body = `[{"id":"per_1","sessionID":"` + o.asking + `"},{"id":"per_3","sessionID":"` + o.asking + `"}]`
		}
	case req.Method == "GET":
		id := req.URL.Path[strings.LastIndexByte(req.URL.Path, '/')+1:]
		body = `{"id":"` + id + `","parentID":"` + o.parents[id] + `"}`
	case strings.HasSuffix(req.URL.Path, "/api/session"):
		o.known[session] = true
	case strings.HasSuffix(req.URL.Path, "/reply"), strings.HasSuffix(req.URL.Path, "/reject"):
		if follows = o.answered; follows == "" {
			status = "404 Not Found"
		}
	case strings.HasSuffix(req.URL.Path, "/prompt_async") && o.refuses != "":
		status = o.refuses
	case strings.HasSuffix(req.URL.Path, "/prompt_async") && !o.known[session]:
		status = "404 Not Found"
	case strings.HasSuffix(req.URL.Path, "/prompt_async"):
		if follows = o.says(session, string(p.body)); strings.Contains(follows, "permission.asked") {
			o.asking = session
		}
	}
	p.answer(status, "Content-Length: "+strconv.Itoa(len(body)))
	p.send(body)
	for bus := range o.buses {
		if follows != "" {
			bus.chunk(strings.ReplaceAll(follows, "SESSION", session))
		}
		if follows != "" && o.cuts {
			bus.reset()
		}
	}
}

// seen are the calls since the last time, with the sessions named s1, s2 … in the order in which they were first seen in the test.
func (o *openCode) seen(names map[string]string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := strings.Join(o.calls, "\n")
	o.calls = nil
	return ofSession.ReplaceAllStringFunc(all, func(id string) string {
		if names[id] == "" {
			names[id] = "s" + string(rune('1'+len(names)))
		}
		return names[id]
	})
}

func (o *openCode) config(client string, more ...string) string {
	return "listen: 127.0.0.1:0\nupstreams:\n  a: {url: '" + strings.TrimSuffix(o.url(), "/stream") + "/?directory=/p', dialect: opencode" + strings.Join(more, "") + "}\nroutes:\n" +
		"  - {path: /run, upstream: a, client: " + client + ", requests: {mode: translate}}\n"
}

func busEvent(typ, properties string) string {
	return `data: {"id":"e","type":"` + typ + `","properties":{` + properties + "}}\n\n"
}

const (
	ours     = `"sessionID":"SESSION"`
	userSaid = `,"info":{"id":"msg_u","role":"user"}`
	busIdle  = "data: {\"type\":\"session.idle\",\"properties\":{" + ours + "}}\n\n"
	busStop  = "data: {\"type\":\"session.error\",\"properties\":{" + ours + ",\"error\":{\"name\":\"MessageAbortedError\",\"data\":{\"message\":\"Aborted\"}}}}\n\n"
	busAsk   = "data: {\"type\":\"permission.asked\",\"properties\":{\"id\":\"per_1\"," + ours + ",\"permission\":\"bash\",\"patterns\":[\"rm\"],\"metadata\":{},\"tool\":{\"messageID\":\"msg_a\",\"callID\":\"c1\"}}}\n\n"
	stranger = "data: {\"type\":\"message.part.updated\",\"properties\":{\"sessionID\":\"ses_other\",\"part\":{\"id\":\"p\",\"messageID\":\"m\",\"type\":\"text\",\"text\":\"secret\",\"time\":{\"end\":1}}}}\n\n" +
		`data: {"type":"session.error","properties":{"error":{"name":"UnknownError","data":{"message":"secret"}}}}` + "\n\n" +
		`data: {"type":"later.version","properties":{"of":"secret"}}` + "\n\n"
	callStart = `{"id":"prt_c","messageID":"msg_a","type":"tool","tool":"bash","callID":"c1","state":{"status":"running","input":{"command":"rm"}}}`
	askedCall = `,{"id":"m1","role":"assistant","toolCalls":[{"id":"c1","type":"function","function":{"name":"bash","arguments":"{\"command\":\"rm\"}"}}]}`
	callEnd   = `{"id":"prt_c","messageID":"msg_a","type":"tool","tool":"bash","callID":"c1","state":{"status":"completed","input":{"command":"rm"},"output":"gone"}}`
)

func busPart(part string) string { return busEvent("message.part.updated", ours+`,"part":`+part) }

// busUser is the beginning of a run, behind what is left of the one before.
func busUser() string {
	return stranger + busStop + busIdle + busEvent("message.updated", ours+userSaid) + busPart(`{"id":"prt_u","messageID":"msg_u","type":"text","text":"hello"}`)
}

func busText(text string) string {
	return busPart(`{"id":"prt_t","messageID":"msg_a","type":"text","text":"`+text+`","time":{"start":1,"end":2}}`) + stranger
}

func saysHi(string, string) string { return busUser() + busText("Hi!") + busIdle }

const prompt1 = `{"parts":[{"type":"text","text":"hello"}]}`

// TestListeningServers: the bus is open before the prompt, a session that is new is opened, what goes on in one that is known is stopped, and
// one that the server has lost is opened anew with what was said. Nothing of other sessions reaches the client.
func TestListeningServers(t *testing.T) {
	o := newOpenCode(t, saysHi)
	r := start(t, o.config("agui", ", headers: {set: {Authorization: Basic b3BlbmNvZGU6cw==}}"))
	names, ends := map[string]string{}, 0
	f := func(body, session string, want ...string) {
		t.Helper()
		resp, got := r.post("/run", body)
		if resp.StatusCode != 200 || !strings.Contains(got, `"delta":"Hi!"`) || strings.Contains(got, "secret") || !strings.Contains(got, "RUN_FINISHED") {
			t.Errorf("status %d\n%s", resp.StatusCode, got)
		}
		if got := o.seen(names); got != strings.Join(want, "\n") {
			t.Errorf("asked\n%s\nwant\n%s", got, strings.Join(want, "\n"))
		}
		ends++
		if end := r.awaitEnds(ends); end["session"] != session {
			t.Errorf("session %v, want %s", end["session"], session)
		}
	}
	const bus, open, abort, prompt = "GET /event?directory=/p", `POST /api/session?directory=/p {"id":"s1","location":{"directory":"/p"}}`, "POST /session/s1/abort?directory=/p", "POST /session/s1/prompt_async?directory=/p "
	const next = `{"parts":[{"type":"text","text":"more"}]}`
	const retells = `{"parts":[{"type":"text","text":"This conversation began in another session. What was said there:\n\n<conversation>\nUser: hello\n\nAssistant: Hi!\n\n</conversation>\n\n` +
		`Go on from there. The user says:\n\n"},{"type":"text","text":"more"}]}`
	f(aguiBody("t1", turn1), "created", abort, bus, open, prompt+prompt1)
	f(aguiBody("t1", turn2), "known", abort, bus, prompt+next)
	o.mu.Lock()
	o.known = map[string]bool{}
	o.mu.Unlock()
	f(aguiBody("t1", strings.ReplaceAll(turn2, "u2", "u3")), "created", abort, bus, prompt+next, open, prompt+retells)
}

// TestListeningServersRefuse: what they say of the prompt is the status, although the bus is open; and a bus that is cut, or says nothing, is a
// failure.
func TestListeningServersRefuse(t *testing.T) {
	f := func(change func(o *openCode), more string, want int, code, says string) {
		t.Helper()
		o := newOpenCode(t, saysHi)
		change(o)
		r := start(t, o.config("agui", more))
		resp, got := r.post("/run", aguiBody("t1", turn1))
		if resp.StatusCode != want || resp.Header.Get("X-Sabir-Error") != code || !strings.Contains(got, says) {
			t.Errorf("status %d, %s\n%s", resp.StatusCode, resp.Header.Get("X-Sabir-Error"), got)
		}
		await(t, "the bus is closed", func() bool {
			o.mu.Lock()
			defer o.mu.Unlock()
			return len(o.buses) == 0
		})
	}
	f(func(o *openCode) { o.refuses = "400 Bad Request" }, "", 400, "upstream_bad_request", "")
	f(func(o *openCode) { o.refuses = "401 Unauthorized" }, "", 401, "upstream_unauthorized", "")
	f(func(o *openCode) { o.refuses = "404 Not Found" }, "", 404, "upstream_not_found", "")
	silent := func(string, string) string { return stranger }
	f(func(o *openCode) { o.says = silent }, ", timeouts: {first_byte: 300ms}", 504, "upstream_timeout", "")
	noAgent := busEvent("session.error", ours+`,"error":{"name":"UnknownError","data":{"message":"Agent not found"}}`)
	f(func(o *openCode) { o.says = func(string, string) string { return noAgent } }, "", 200, "", "RUN_ERROR")
	f(func(o *openCode) {
		o.cuts, o.says = true, func(string, string) string { return busUser() + busText("Hi!") }
	}, "", 200, "", "RUN_ERROR")
}

// TestListeningServersAsk: the run of a client that can answer ends with the question, and goes on with the answer; for others it is answered
// meanwhile. An answer to a question that is gone is refused.
func TestListeningServersAsk(t *testing.T) {
	asks := func(string, string) string { return busUser() + busPart(callStart) + busAsk }
	o := newOpenCode(t, asks)
	o.answered = busEvent("permission.replied", ours+`,"requestID":"per_1","reply":"once"`) + busPart(callEnd) + busText("Done.") + busIdle
	r := start(t, o.config("agui"))
	names := map[string]string{}
	resp, got := r.post("/run", aguiBody("t1", turn1))
	if resp.StatusCode != 200 || !strings.Contains(got, `"interrupts":[{"id":"per_1#c1"`) {
		t.Errorf("status %d\n%s", resp.StatusCode, got)
	}
	o.seen(names)
	answer := aguiBody("t1", turn1+askedCall, `,"resume":[{"interruptId":"per_1#c1","status":"resolved","payload":{"approved":true}}]`)
	resp, got = r.post("/run", answer)
	if resp.StatusCode != 200 || !strings.Contains(got, `"content":"gone"`) || !strings.Contains(got, `"delta":"Done."`) || strings.Contains(got, "TOOL_CALL_START") {
		t.Errorf("status %d\n%s", resp.StatusCode, got)
	}
	if got, want := o.seen(names), "GET /permission?directory=/p\nGET /event?directory=/p\n"+`POST /permission/per_1/reply?directory=/p {"reply":"once"}`; got != want {
		t.Errorf("asked\n%s\nwant\n%s", got, want)
	}
	o.mu.Lock()
	o.answered = ""
	o.mu.Unlock()
	if resp, _ = r.post("/run", answer); resp.StatusCode != 409 || resp.Header.Get("X-Sabir-Error") != "ask_unknown" {
		t.Errorf("status %d, %s", resp.StatusCode, resp.Header.Get("X-Sabir-Error"))
	}

	o = newOpenCode(t, asks)
	o.answered = strings.Replace(busPart(callEnd), `"output":"gone"`, `"output":"","error":"The user rejected permission"`, 1) + busText("Not done.") + busIdle
	r = start(t, o.config("openai-chat"))
	resp, got = r.post("/run", `{"stream":true,"model":"a/b","messages":[{"role":"user","content":"hello"}]}`)
	if resp.StatusCode != 200 || !strings.Contains(got, "Not done.") {
		t.Errorf("status %d\n%s", resp.StatusCode, got)
	}
	want := `POST /session/s1/prompt_async?directory=/p {"model":{"providerID":"a","modelID":"b"},"parts":[{"type":"text","text":"hello"}]}` + "\n" +
		`POST /permission/per_1/reply?directory=/p {"reply":"reject"}`
	if got := o.seen(map[string]string{}); !strings.HasSuffix(got, want) {
		t.Errorf("asked\n%s\nwant\n%s", got, want)
	}
}

// TestListeningServersAskMore: where one of several questions is no yes or no, allowing all answers none of them: the run fails, and no question
// is counted as allowed.
func TestListeningServersAskMore(t *testing.T) {
	const question = `"id":"que_1",` + ours + `,"questions":[{"question":"Which?","header":"Which","options":[{"label":"a","description":""}]}]`
	o := newOpenCode(t, func(string, string) string {
		return busUser() + busPart(callStart) + busAsk + busEvent("question.asked", question)
	})
	r := start(t, strings.Replace(o.config("openai-chat"), "requests:", "asks: {without: allow}, requests:", 1))
	if _, got := r.post("/run", `{"stream":true,"model":"a/b","messages":[{"role":"user","content":"hello"}]}`); !strings.Contains(got, `"code":"upstream_malformed"`) {
		t.Error(got)
	}
	if end := r.awaitEnds(1); !strings.Contains(fmt.Sprint(end), "is no yes or no") {
		t.Error(end)
	}
	if got := o.seen(map[string]string{}); strings.Contains(got, "/reply") {
		t.Error(got)
	}
	if n := r.metric("sabir_asks_total", `outcome="allowed"`); n != 0 {
		t.Errorf("%v questions are counted as allowed", n)
	}
}

// TestListeningServersAreStopped where the client leaves.
func TestListeningServersAreStopped(t *testing.T) {
	o := newOpenCode(t, func(string, string) string { return busUser() + busText("Hi!") })
	r := start(t, o.config("agui"))
	c := r.dial()
	c.ask("POST", "/run", aguiBody("t", turn1), "Content-Type: application/json")
	c.response()
	c.reset()
	r.awaitEnds(1)
	names, all := map[string]string{}, ""
	await(t, "the request that stops the run", func() bool {
		all += o.seen(names) + "\n"
		return strings.Contains(all, "POST /session/s1/abort?directory=/p\n")
	})
}

// TestListeningServersWithResume: a run that outlives its client listens as any other.
func TestListeningServersWithResume(t *testing.T) {
	o := newOpenCode(t, saysHi)
	r := start(t, strings.Replace(o.config("agui"), "requests: {mode: translate}", "requests: {mode: translate}, resume: {grace: 5s}", 1))
	if resp, got := r.post("/run", aguiBody("t1", turn1)); resp.StatusCode != 200 || !strings.Contains(got, `"delta":"Hi!"`) || !strings.Contains(got, "RUN_FINISHED") {
		t.Errorf("status %d\n%s", resp.StatusCode, got)
	}
}

// TestListeningServersCheck: an answer reaches the server only if the question is open in the session of the request, or in that of one of
// its sub-agents. Another principal that knows the names of everything is refused, and the question stays open.
func TestListeningServersCheck(t *testing.T) {
	o := newOpenCode(t, func(string, string) string { return busUser() + busPart(callStart) + busAsk })
	o.answered = busEvent("permission.replied", ours+`,"requestID":"per_1","reply":"once"`) + busPart(callEnd) + busText("Done.") + busIdle
	r := start(t, o.config("agui"))
	answer := func(thread, id string) string {
		return aguiBody(thread, turn1+askedCall, `,"resume":[{"interruptId":"`+id+`","status":"resolved","payload":{"approved":true}}]`)
	}
	r.call(t, 200, alice, "POST", "/run", aguiBody("t1", turn1), `"interrupts":[{"id":"per_1#c1"`)
	names := map[string]string{}
	o.seen(names)
	f := func(status int, who, body string, want ...string) {
		t.Helper()
		r.call(t, status, who, "POST", "/run", body)
		got := o.seen(names)
		for _, s := range want {
			if !strings.Contains(got, s) {
				t.Errorf("no %s in\n%s", s, got)
			}
		}
		if replied := strings.Contains(got, "/reply"); replied != (status == 200) {
			t.Errorf("status %d, but asked\n%s", status, got)
		}
	}
	f(409, bob, answer("t1", "per_1#c1"))
	f(409, bob, answer("t2", "per_1#c1"))
	f(409, alice, answer("t2", "per_1#c1"), "GET /session/s1?directory=/p")
	f(409, alice, answer("t1", "per_2#c1"))
	f(409, alice, strings.Replace(answer("t1", "que_1"), `{"approved":true}`, `"yes"`, 1), "GET /question?directory=/p")
	own := o.asking
	o.set(func() {
		o.asking, o.parents = "ses_cycle", map[string]string{"ses_cycle": "ses_other", "ses_other": "ses_cycle"}
	})
	f(409, alice, answer("t1", "per_1#c1"))
	o.set(func() { o.asking, o.parents = "ses_child", map[string]string{"ses_child": own} })
	f(200, alice, answer("t1", "per_1#c1"), "GET /session/ses_child?directory=/p")
}

func (o *openCode) set(change func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change()
}
