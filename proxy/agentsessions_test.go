package proxy

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters/langgraph"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/config"
)

// keeper is an upstream that keeps conversations: of LangGraph or of ADK, whatever it is asked as.
type keeper struct {
	*agent
	mu         sync.Mutex
	known      map[string]bool // sessions by id
	calls      []string        // in the order they came
	answer     string          // what a run says
	hangs      bool            // runs do not end
	silent     bool            // nor are they answered
	status     string          // of runs in a session that is known
	open, gone string          // of the requests that open one and delete one; gone "": 200 or 404

	cancelTakes time.Duration // until the request that cancels a run counts as received
}

var (
	threadPath = regexp.MustCompile(`^(/v1)?/threads/([^/]+)/runs/stream$`)
	adkSession = regexp.MustCompile(`"sessionId":"([^"]+)"`)
)

func newKeeper(t testing.TB, answer string) *keeper {
	k := &keeper{known: map[string]bool{}, answer: answer, status: "200 OK", open: "200 OK"}
	k.agent = newAgent(t, func(p *peer) {
		for {
			req := p.request()
			if req == nil {
				return
			}
			k.take(p, req)
		}
	})
	return k
}

func (k *keeper) serve(p *peer, req *http.Request) {
	if strings.HasSuffix(req.URL.Path, "/cancel") {
		time.Sleep(k.cancelTakes)
	}
	k.mu.Lock()
	k.calls = append(k.calls, req.Method+" "+req.RequestURI+" "+string(p.body))
	status, silent := k.status, k.silent
	id, creates := "", strings.Contains(string(p.body), `"if_not_exists":"create"`)
	if m := threadPath.FindStringSubmatch(req.URL.Path); m != nil {
		id = m[2]
	} else if m := adkSession.FindStringSubmatch(string(p.body)); m != nil {
		id = m[1]
	}
	opens := strings.HasSuffix(req.URL.Path, "/sessions")
	switch {
	case opens && k.known[id]:
		status = "409 Conflict"
	case opens:
		status = k.open
		k.known[id] = strings.HasPrefix(status, "200")
	case creates:
		k.known[id] = true
	case id != "" && !k.known[id]:
		status = "404 Not Found"
	}
	k.mu.Unlock()
	switch {
	case status == "":
		p.reset()
		return
	case silent && !opens:
		p.awaitGone()
		return
	}
	if opens || !strings.HasPrefix(status, "200") || strings.HasSuffix(req.URL.Path, "/cancel") {
		p.answer(status, "Content-Length: 2")
		p.send("{}")
		return
	}
	p.ok("Content-Type: text/event-stream", "Content-Location: /threads/"+id+"/runs/r-1")
	if k.hangs {
		p.chunk(k.answer)
		p.awaitGone()
		return
	}
	p.finish(k.answer)
}

// seen are the calls since the last time, with the sessions named s1, s2 … in the order in which they were first seen in the test.
func (k *keeper) seen(names map[string]string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	all := strings.Join(k.calls, "\n")
	k.calls = nil
	return regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`).ReplaceAllStringFunc(all, func(id string) string {
		if names[id] == "" {
			names[id] = "s" + string(rune('1'+len(names)))
		}
		return names[id]
	})
}

func (k *keeper) forget() {
	k.mu.Lock()
	k.known = map[string]bool{}
	k.mu.Unlock()
}

func (k *keeper) base() string { return strings.TrimSuffix(k.url(), "/stream") }

func (k *keeper) config(dialect, up, client string) string {
	return "listen: 127.0.0.1:0\nupstreams:\n  a: {url: '" + k.base() + "/v1?key=1', dialect: " + dialect + up + "}\nroutes:\n" +
		"  - {path: /run/*, upstream: a, client: " + client + ", requests: {mode: translate}}\n  - {path: /other, upstream: a, client: " + client + "}\n"
}

const (
	graphAnswer = "event: metadata\ndata: {\"run_id\":\"r-1\"}\n\nevent: messages\ndata: [{\"id\":\"m1\",\"type\":\"ai\",\"content\":\"Hi!\"},{}]\n\n"
	adkAnswer   = `data: {"content":{"parts":[{"text":"Hi!"}],"role":"model"},"invocationId":"e-1","author":"guide","id":"e1"}` + "\n\n"
	modes       = `"stream_mode":["messages-tuple","updates","custom"],"on_disconnect":"cancel"`
	turn1       = `{"id":"u1","role":"user","content":"hello"}`
	turn2       = turn1 + `,{"id":"a1","role":"assistant","content":"Hi!"},{"id":"u2","role":"user","content":"more"}`
	human1      = `{"type":"human","id":"u1","content":"hello"}`
	human2      = `{"type":"human","id":"u2","content":"more"}`
	whole2      = human1 + `,{"type":"ai","id":"a1","content":"Hi!"},` + human2
)

func aguiBody(thread, messages string, more ...string) string {
	return `{"threadId":"` + thread + `","runId":"r","messages":[` + messages + `],"tools":[],"context":[]` + strings.Join(more, "") + `}`
}

// TestThreadsOfLangGraph: the first turn makes the thread, the next ones tell what is new, one that the server has lost is made anew with all.
// Other threads, credentials and routes have threads of their own.
func TestThreadsOfLangGraph(t *testing.T) {
	k := newKeeper(t, graphAnswer)
	r := start(t, k.config("langgraph", "", "agui"))
	names, ends := map[string]string{}, 0
	f := func(path, body, session string, header []string, want ...string) {
		t.Helper()
		resp, got := r.post(path, body, header...)
		if resp.StatusCode != 200 || !strings.Contains(got, `"delta":"Hi!"`) || !strings.Contains(got, `"threadId":"t`) {
			t.Errorf("status %d\n%s", resp.StatusCode, got)
		}
		if got := k.seen(names); got != strings.Join(want, "\n") {
			t.Errorf("asked\n%s\nwant\n%s", got, strings.Join(want, "\n"))
		}
		ends++
		if end := r.awaitEnds(ends); end["session"] != session {
			t.Errorf("session %v, want %s", end["session"], session)
		}
	}
	run := func(session, input, more string) string {
		return "POST /v1/threads/" + session + `/runs/stream?key=1 {"assistant_id":"agent","input":{"messages":[` + input + `]},` + modes + more + `}`
	}
	const creates = `,"if_not_exists":"create"`
	f("/run", aguiBody("t1", turn1), "created", nil, run("s1", human1, creates))
	f("/run", aguiBody("t1", turn2), "known", nil, run("s1", human2, ""))
	k.forget()
	again := strings.NewReplacer(`"u2"`, `"u3"`) // else the last answer is to come anew
	f("/run", aguiBody("t1", again.Replace(turn2)), "created", nil, run("s1", again.Replace(human2), ""), run("s1", again.Replace(whole2), creates))
	f("/run", aguiBody("t2", turn1), "created", nil, run("s2", human1, creates))
	ann, bob := []string{"Authorization: Bearer ann"}, []string{"X-Api-Key: bob"}
	f("/run", aguiBody("t1", turn2), "created", ann, run("s3", human2, ""), run("s3", whole2, creates))
	f("/run", aguiBody("t1", turn2), "created", bob, run("s4", human2, ""), run("s4", whole2, creates))
	f("/other", aguiBody("t1", turn1), "created", nil, run("s5", human1, creates))
	if n := r.metric("sabir_agent_sessions_created_total", "route=/run/*"); n != 5 {
		t.Errorf("%v sessions were counted", n)
	}
}

// TestFirstTurnAnew: also of a first turn the last answer is asked for anew, and its words are edited, in the thread that it had made.
func TestFirstTurnAnew(t *testing.T) {
	k := newKeeper(t, graphAnswer)
	r := start(t, k.config("langgraph", "", "aisdk"))
	names := map[string]string{}
	f := func(what string, want ...string) {
		t.Helper()
		if resp, got := r.post("/run", `{"id":"t",`+what+`,"messages":[{"id":"u1","role":"user","parts":[{"type":"text","text":"hello"}]}]}`); resp.StatusCode != 200 {
			t.Errorf("status %d\n%s", resp.StatusCode, got)
		}
		for i := range want {
			want[i] = `POST /v1/threads/s1/runs/stream?key=1 {"assistant_id":"agent","input":{"messages":[` + want[i]
		}
		if got := k.seen(names); got != strings.Join(want, "\n") {
			t.Errorf("%s asked\n%s\nwant\n%s", what, got, strings.Join(want, "\n"))
		}
	}
	const forgets = `{"type":"remove","id":"__remove_all__","content":""},`
	const made, there = human1 + `]},` + modes + `,"if_not_exists":"create"}`, forgets + human1 + `]},` + modes + `}`
	f(`"trigger":"submit-message"`, made)
	f(`"trigger":"regenerate-message"`, there)
	f(`"trigger":"submit-message","messageId":"u1"`, there)
	k.forget()
	f(`"trigger":"regenerate-message"`, there, made)
}

// TestConversationsWithoutAName: a graph gets all of it in a run without a thread; ADK knows no such, so that it gets a session for
// each run.
func TestConversationsWithoutAName(t *testing.T) {
	const body = `{"stream":true,"model":"agent","messages":[{"role":"user","content":"hello"},{"role":"assistant","content":"Hi!"},{"role":"user","content":"more"}]}`
	graph := newKeeper(t, graphAnswer)
	r := start(t, graph.config("langgraph", "", "openai-chat"))
	r.post("/run", body)
	want := `POST /v1/runs/stream?key=1 {"assistant_id":"agent","input":{"messages":[{"type":"human","content":"hello"},{"type":"ai","content":"Hi!"},{"type":"human","content":"more"}]},` + modes + `}`
	if got := graph.seen(map[string]string{}); got != want {
		t.Errorf("asked\n%s\nwant\n%s", got, want)
	}
	if end := r.awaitEnds(1); end["session"] != nil {
		t.Errorf("session %v", end["session"])
	}
	adk := newKeeper(t, adkAnswer)
	r = start(t, adk.config("adk", "", "openai-chat"))
	names := map[string]string{}
	for _, s := range []string{"s1", "s2"} {
		r.post("/run", body)
		calls := strings.Split(adk.seen(names), "\n")
		if len(calls) != 2 || !strings.HasPrefix(calls[0], `POST /v1/apps/agent/users/user/sessions?key=1 {"sessionId":"`+s+`","events":[{"content":{"parts":[{"text":"hello"}]`) ||
			!strings.HasPrefix(calls[1], `POST /v1/run_sse?key=1 {"appName":"agent","userId":"user","sessionId":"`+s+`","newMessage":{"role":"user","parts":[{"text":"more"}]}`) {
			t.Errorf("asked\n%s", strings.Join(calls, "\n"))
		}
	}
}

// TestSessionsOfADK are opened before the first run, and where a run says that they are gone.
func TestSessionsOfADK(t *testing.T) {
	k := newKeeper(t, adkAnswer)
	r := start(t, k.config("adk", "", "agui"))
	names, ends := map[string]string{}, 0
	f := func(body, session string, want ...string) {
		t.Helper()
		if resp, got := r.post("/run", body); resp.StatusCode != 200 || !strings.Contains(got, `"delta":"Hi!"`) {
			t.Errorf("status %d\n%s", resp.StatusCode, got)
		}
		calls := strings.Split(k.seen(names), "\n")
		for i := range calls {
			if len(calls) != len(want) || !strings.HasPrefix(calls[i], "POST /v1/"+want[i]) {
				t.Errorf("asked\n%s\nwant\n%s", strings.Join(calls, "\n"), strings.Join(want, "\n"))
				break
			}
		}
		ends++
		if end := r.awaitEnds(ends); end["session"] != session {
			t.Errorf("session %v, want %s", end["session"], session)
		}
	}
	open := `apps/agent/users/user/sessions?key=1 {"sessionId":"s1"`
	run := func(text string) string {
		return `run_sse?key=1 {"appName":"agent","userId":"user","sessionId":"s1","newMessage":{"role":"user","parts":[{"text":"` + text + `"}]}`
	}
	f(aguiBody("t", turn1), "created", open+"}", run("hello"))
	f(aguiBody("t", aguiUser("u0", "hello")), "known", open+"}", run("hello")) // the client has forgotten what was said
	f(aguiBody("t", turn2), "known", run("more"))
	k.forget()
	f(aguiBody("t", strings.ReplaceAll(turn2, "u2", "u3")), "created", run("more"), open+`,"events":[`, run("more"))
}

// TestInterruptsAreAnswered by clients of several dialects: what they decide reaches the thread as a command. A thread that is gone
// waits for no answer.
func TestInterruptsAreAnswered(t *testing.T) {
	const id = "7d911103a863499226035757253dd7d6"
	wire := "event: metadata\ndata: {\"run_id\":\"r-1\"}\n\nevent: messages\ndata: [{\"id\":\"m1\",\"type\":\"ai\",\"content\":\"\",\"tool_calls\":[{\"id\":\"c1\",\"name\":\"rm\",\"args\":{},\"type\":\"tool_call\"}]},{}]\n\n" +
		"event: updates\ndata: {\"__interrupt__\":[{\"id\":\"" + id + "\",\"value\":{\"action_requests\":[{\"name\":\"rm\",\"args\":{},\"description\":\"Remove?\"}],\"review_configs\":[{\"action_name\":\"rm\",\"allowed_decisions\":[\"approve\",\"reject\"]}]}}]}\n\n"
	f := func(client, first, second, question, resume string) {
		t.Helper()
		k := newKeeper(t, wire)
		r := start(t, k.config("langgraph", "", client))
		names := map[string]string{}
		if _, got := r.post("/run", first); !strings.Contains(got, question) {
			t.Errorf("%s is asked by\n%s", client, got)
		}
		k.seen(names)
		r.post("/run", second)
		want := `POST /v1/threads/s1/runs/stream?key=1 {"assistant_id":"agent","command":{"resume":{"` + id + `":{"decisions":[` + resume + `]}}},` + modes + `}`
		if got := k.seen(names); got != want {
			t.Errorf("asked\n%s\nwant\n%s", got, want)
		}
		k.forget()
		resp, _ := r.post("/run", second)
		if got := k.seen(names); resp.StatusCode != 409 || resp.Header.Get("X-Sabir-Error") != "ask_unknown" || got != want {
			t.Errorf("%s: status %d, asked\n%s", client, resp.StatusCode, got)
		}
	}
	call := `,{"id":"m1","role":"assistant","toolCalls":[{"id":"c1","type":"function","function":{"name":"rm","arguments":"{}"}}]}`
	resume := `,"resume":[{"interruptId":"` + id + `#1/1","status":"resolved","payload":{"approved":true}}]`
	asked := `"interrupts":[{"id":"` + id + `#1/1","reason":"tool_call","message":"Remove?","toolCallId":"c1"`
	f("agui", aguiBody("t", turn1), aguiBody("t", turn1+call, resume), asked, `{"type":"approve"}`)
	f("agui", aguiBody("t", turn1), aguiBody("t", turn1, resume), asked, `{"type":"approve"}`) // an agent that has said nothing before it asked
	user := `{"id":"t","trigger":"submit-message","messages":[{"id":"u1","role":"user","parts":[{"type":"text","text":"hello"}]}`
	part := `{"type":"dynamic-tool","toolName":"rm","toolCallId":"c1","state":"approval-responded","input":{},"approval":{"id":"` + id + `#1/1","approved":false,"reason":"no"}}`
	f("aisdk", user+"]}", user+`,{"id":"m1","role":"assistant","parts":[`+part+`]}]}`,
		`"type":"tool-approval-request","approvalId":"`+id+`#1/1","toolCallId":"c1"`, `{"type":"reject","message":"no"}`)
}

// TestRunsInSessionsAreCancelled where the client leaves, unless they are to go on.
func TestRunsInSessionsAreCancelled(t *testing.T) {
	f := func(options string, cancels bool) {
		t.Helper()
		k := newKeeper(t, graphAnswer)
		k.hangs = true
		r := start(t, k.config("langgraph", options, "agui"))
		c := r.dial()
		c.ask("POST", "/run", aguiBody("t", turn1), "Content-Type: application/json")
		c.response()
		c.reset()
		r.awaitEnds(1)
		names := map[string]string{}
		var all string
		await(t, "the cancel request", func() bool {
			all += k.seen(names) + "\n"
			return !cancels || strings.Contains(all, "POST /v1/threads/s1/runs/r-1/cancel?key=1 \n")
		})
		r.close()
		if all += k.seen(names); cancels != strings.Contains(all, "/cancel") {
			t.Errorf("%s: asked\n%s", options, all)
		}
	}
	f("", true)
	f(", options: {disconnect: continue}", false)
}

// TestRefusedSessions: what the server says of a session is what it says of the run.
func TestRefusedSessions(t *testing.T) {
	f := func(dialect, open, status, body string, want int, code, says string) {
		t.Helper()
		k := newKeeper(t, graphAnswer)
		k.open, k.status = open, status
		r := start(t, k.config(dialect, "", "agui"))
		resp, got := r.post("/run", body)
		if resp.StatusCode != want || resp.Header.Get("X-Sabir-Error") != code || !strings.Contains(got, says) {
			t.Errorf("%s, %s: status %d, %s\n%s", open, status, resp.StatusCode, resp.Header.Get("X-Sabir-Error"), got)
		}
	}
	f("langgraph", "", "409 Conflict", aguiBody("t", turn1), 409, "session_busy", "A turn of this conversation runs already.")
	f("langgraph", "", "422 Unprocessable Entity", aguiBody("t", turn1), 422, "upstream_bad_request", "")
	f("adk", "500 Oops", "200 OK", aguiBody("t", turn1), 502, "upstream_status", "")
	f("adk", "503 Busy", "200 OK", aguiBody("t", turn2), 503, "upstream_busy", "")
	f("adk", "200 OK", "404 Not Found", aguiBody("t", turn2), 404, "upstream_not_found", "")
}

// TestNamesInPaths: what a client calls its model leads to no other path of the server.
func TestNamesInPaths(t *testing.T) {
	k := newKeeper(t, adkAnswer)
	r := start(t, k.config("adk", "", "openai-chat"))
	for _, name := range []string{"..", "a/../b", `a\\..\\b`} {
		resp, got := r.post("/run", `{"stream":true,"model":"`+name+`","messages":[{"role":"user","content":"hello"}]}`)
		if resp.StatusCode != 400 || k.seen(map[string]string{}) != "" {
			t.Errorf("%s: status %d\n%s", name, resp.StatusCode, got)
		}
	}
	r.post("/run", `{"stream":true,"model":"a/b?c","messages":[{"role":"user","content":"hello"}]}`)
	if got := k.seen(map[string]string{}); !strings.HasPrefix(got, "POST /v1/apps/a%2Fb%3Fc/users/user/sessions?key=1 ") {
		t.Errorf("asked\n%s", got)
	}
}

// TestURLsOfRuns: a server whose URL is that of a run is asked there, as ever.
func TestURLsOfRuns(t *testing.T) {
	for _, path := range []string{"/runs/stream", "/x/runs/stream/"} {
		k := newKeeper(t, graphAnswer)
		r := start(t, strings.Replace(simple(k.base()+path, "", "", "client: agui\nrequests: {mode: translate}"), "dialect: native", "dialect: langgraph", 1))
		r.post("/run", aguiBody("t", turn2))
		if got, want := k.seen(map[string]string{}), "POST "+path+` {"assistant_id":"agent","input":{"messages":[`+whole2+`]},`+modes+`}`; got != want {
			t.Errorf("asked\n%s\nwant\n%s", got, want)
		}
	}
}

// TestNoSessions: servers that are asked in another way than by the calls of their protocol have none that Sabir opens.
func TestNoSessions(t *testing.T) {
	server := func(at string) *config.Upstream {
		u, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		return &config.Upstream{URL: config.URL{URL: *u}}
	}
	start, template := server("http://h"), server("http://h")
	start.Start, template.Request = &config.URL{}, "{}"
	for name, up := range map[string]*config.Upstream{"socket": server("ws://h"), "two requests": start, "template": template, "run": server("http://h/runs/stream")} {
		if sessionServerOf(up, &langgraph.Dialect) != nil {
			t.Errorf("%s: it has sessions", name)
		}
	}
	if sessionServerOf(server("http://h"), &langgraph.Dialect) == nil || sessionServerOf(server("http://h"), &native.Dialect) != nil {
		t.Error("only a server that keeps conversations has sessions")
	}
}
