package proxy

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// a2aServer is an A2A agent whose tasks go on when their client leaves.
type a2aServer struct {
	*agent
	mu    sync.Mutex
	asked []string
}

func newA2AServer(t *testing.T) *a2aServer {
	s := new(a2aServer)
	s.agent = newAgent(t, func(p *peer) {
		for req := p.request(); req != nil; req = p.request() {
			s.mu.Lock()
			s.asked = append(s.asked, req.RequestURI+" "+req.Header.Get("A2A-Version")+" "+string(p.body))
			s.mu.Unlock()
			if body := string(p.body); strings.Contains(body, `"message"`) {
				p.ok("Content-Type: text/event-stream")
				p.chunk(a2aWorking + a2aSays)
				p.awaitGone()
				return
			}
			p.answer("200 OK", "Content-Length: 2")
			p.send("{}")
		}
	})
	return s
}

func (s *a2aServer) all() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.asked, "\n")
}

// TestA2ATasksAreCancelled: a task goes on when its stream is closed, so that it is cancelled by its name, in the version and the binding that it was
// asked for; unless tasks are to go on.
func TestA2ATasksAreCancelled(t *testing.T) {
	t.Parallel()
	f := func(path, upstream, want string) {
		t.Helper()
		s := newA2AServer(t)
		url := strings.TrimSuffix(s.url(), "/stream") + path
		r := start(t, a2aRoute(url, upstream, "client: agui\nrequests: {mode: translate}"))
		c := r.dial()
		c.ask("POST", "/run", aguiHello, "Content-Type: application/json")
		readSome(t, c.response(), "Hello")
		c.reset()
		r.awaitEnds(1)
		if want != "" {
			await(t, "the cancel request", func() bool { return strings.Contains(s.all(), "\n") })
		}
		r.close()
		if _, got, _ := strings.Cut(s.all(), "\n"); got != want {
			t.Errorf("%s: asked %s\nwant %s", upstream, got, want)
		}
	}
	f("/rpc", "", `/rpc 1.0 {"jsonrpc":"2.0","id":1,"method":"CancelTask","params":{"id":"t1"}}`)
	f("/rpc", `options: {version: "0.3"}`, `/rpc  {"jsonrpc":"2.0","id":1,"method":"tasks/cancel","params":{"id":"t1"}}`)
	f("/a/message:stream?k=1", `options: {binding: rest}`, `/a/tasks/t1:cancel?k=1 1.0 {}`)
	f("/a/message:send?k=1", "whole: true\noptions: {binding: rest}", `/a/tasks/t1:cancel?k=1 1.0 {}`)
	f("/rpc", `options: {disconnect: continue}`, "")
}

// TestA2AContextsThatAreNew: where the client goes on from an answer from which another request has gone on, or names no conversation, the context
// is a new one, which gets what was said before as text.
func TestA2AContextsThatAreNew(t *testing.T) {
	t.Parallel()
	agent, asked := a2aAgent(t, "text/event-stream", a2aWorking+a2aSays+a2aDone)
	r := start(t, strings.Replace(a2aRoute(agent.url(), "", "client: openai-responses\nrequests: {mode: translate}"), "path: /run", "path: /run/*", 1))
	ask := func(more, input string) (context, text string) {
		t.Helper()
		_, got := r.post("/run/responses", `{"model":"m","input":"`+input+`"`+more+`}`)
		sent := (<-asked).body
		_, id, _ := strings.Cut(got, `"id":"`)
		id, _, _ = strings.Cut(id, `"`)
		_, context, _ = strings.Cut(sent, `"contextId":"`)
		context, _, _ = strings.Cut(context, `"`)
		_, text, _ = strings.Cut(sent, `"parts":[{"text":"`)
		text, _, _ = strings.Cut(text, `"}`)
		return id + " " + context, text
	}
	first, _ := ask("", "one")
	id, context, _ := strings.Cut(first, " ")
	const before = `This conversation began in another session. What was said there:\n\n<conversation>\nUser: one\n\nAssistant: Hello\n\n</conversation>\n\nGo on from there. The user says:\n\n`
	for i, want := range []string{"two", before + "other"} {
		said := strings.TrimPrefix(want, before)
		got, text := ask(`,"previous_response_id":"`+id+`"`, said)
		if _, own, _ := strings.Cut(got, " "); text != want || own == "" || own == context != (i == 0) {
			t.Errorf("in context %s, which was %s: %s\nwant %s", own, context, text, want)
		}
	}
}

// TestA2AContextsOfPrincipals: clients that the route tells apart are not in one context, however they name their conversations. Without a guard
// the context has the name that the client gives it: the agent knows by what it is sent who asks.
func TestA2AContextsOfPrincipals(t *testing.T) {
	t.Parallel()
	agent, asked := a2aAgent(t, "text/event-stream", a2aWorking+a2aSays+a2aDone)
	said := 0
	context := func(r *rig, who string) string {
		t.Helper()
		said++ // the same message once more asks for another answer
		r.call(t, 200, who, "POST", "/run", strings.Replace(aguiHello, `"id":"1"`, fmt.Sprintf(`"id":"%d"`, said), 1), `"threadId":"th"`)
		_, context, _ := strings.Cut((<-asked).body, `"contextId":"`)
		context, _, _ = strings.Cut(context, `"`)
		return context
	}
	const route = "client: agui\nrequests: {mode: translate}"
	guarded := start(t, keysYAML()+a2aRoute(agent.url(), "", route+"\nauth: [keys]"))
	first, again, other := context(guarded, asAlice), context(guarded, asAlice), context(guarded, asBob)
	if first != again || first == other || first == "th" || other == "th" {
		t.Errorf("contexts %s, %s and %s", first, again, other)
	}
	if open := context(start(t, a2aRoute(agent.url(), "", route)), alice); open != "th" {
		t.Errorf("without a guard: %s", open)
	}
}

// TestA2ATasksOfPrincipals: a client that the route has named goes on with no task of another's, whatever it calls it: by answering its question, by
// a message into it, or by naming it beside. Without a guard the agent knows by what it is sent who asks.
func TestA2ATasksOfPrincipals(t *testing.T) {
	t.Parallel()
	agent, asked := a2aAgent(t, "text/event-stream", a2aWorking+a2aAsks)
	const translated = "requests: {mode: translate}\nauth: [keys]"
	r := start(t, keysYAML()+a2aRoute(agent.url(), "", "client: agui\n"+translated))
	answer := strings.Replace(aguiHello, `"tools"`, `"resume":[{"interruptId":"t1#m1","status":"resolved","payload":"Oslo"}],"tools"`, 1)
	r.call(t, 200, asAlice, "POST", "/run", aguiHello, `"id":"t1#m1"`)
	<-asked
	r.call(t, 409, asBob, "POST", "/run", answer, "ask_unknown")
	r.call(t, 200, asAlice, "POST", "/run", answer)
	if sent := (<-asked).body; !strings.Contains(sent, `"taskId":"t1","role":"ROLE_USER","parts":[{"text":"Oslo"}]`) {
		t.Errorf("the agent got %s", sent)
	}

	message := func(more string) string {
		return `{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{"message":{"messageId":"u",` + more + `"role":"ROLE_USER","parts":[{"text":"one"},{"text":"two"}]}}}`
	}
	versions := a2aRoute(agent.url(), `options: {version: "0.3"}`, "client: a2a\noptions: {version: '1.0'}\n"+translated)
	r = start(t, keysYAML()+versions)
	for _, named := range []string{`"taskId":"t1",`, `"task_id":"t1",`, `"contextId":"x","taskId":"t1",`} {
		r.call(t, 404, asBob, "POST", "/run", message(named), `"TASK_NOT_FOUND"`)
	}
	began := r.call(t, 200, asBob, "POST", "/run", message(""))
	<-asked
	_, own, _ := strings.Cut(began, `"task":{"id":"`)
	own, _, _ = strings.Cut(own, `"`)
	r.call(t, 200, asBob, "POST", "/run", message(`"taskId":"t1","task_id":"`+own+`","referenceTaskIds":["t1"],`))
	if sent := (<-asked).body; strings.Contains(sent, `"t1"`) {
		t.Errorf("the agent got %s", sent)
	}
	open := start(t, strings.Replace(versions, "auth: [keys]", "", 1))
	open.post("/run", message(`"contextId":"x","taskId":"t1",`))
	if sent := (<-asked).body; !strings.Contains(sent, `"taskId":"t1"`) {
		t.Errorf("without a guard the agent got %s", sent)
	}
}
