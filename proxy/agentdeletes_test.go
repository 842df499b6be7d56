package proxy

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// deleting is a route for clients that can delete conversations, in front of a server that keeps sessions.
func deleting(t *testing.T, url, dialect, client, more string) *rig {
	t.Helper()
	return deletingWith(t, url, dialect, client, more, "")
}

// deletingWith is that with another setting of the route.
func deletingWith(t *testing.T, url, dialect, client, more, route string) *rig {
	t.Helper()
	return start(t, more+"listen: 127.0.0.1:0\nupstreams:\n  a: {url: '"+url+"', dialect: "+dialect+", timeouts: {first_byte: 2s}}\nroutes:\n"+
		"  - {path: /run/*, upstream: a, client: "+client+", methods: [GET, POST, DELETE, PATCH], requests: {mode: translate}, "+route+"}\n")
}

var deletePath = regexp.MustCompile(`/(?:threads|sessions)/([^/]+)$`)

// delete is the status of the request that deletes a session.
func (k *keeper) delete(path string) string {
	id := deletePath.FindStringSubmatch(path)[1]
	switch known := k.known[id]; {
	case k.gone != "":
		return k.gone
	case !known:
		return "404 Not Found"
	}
	delete(k.known, id)
	return "200 OK"
}

// take answers a request, of whatever kind.
func (k *keeper) take(p *peer, req *http.Request) {
	if req.Method != "DELETE" {
		k.serve(p, req)
		return
	}
	k.mu.Lock()
	k.calls = append(k.calls, req.Method+" "+req.RequestURI+" "+string(p.body))
	status := k.delete(req.URL.Path)
	k.mu.Unlock()
	if status == "silence" {
		p.awaitGone()
		return
	}
	p.answer(status, "Content-Length: 2")
	p.send("{}")
}

// wantCalls fails unless those calls came to the server since the last time.
func (k *keeper) wantCalls(t *testing.T, names map[string]string, want ...string) {
	t.Helper()
	if got := k.seen(names); got != strings.Join(want, "\n") {
		t.Errorf("asked\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// wantDeletions fails unless so many sessions were deleted, and so many not, each of which the log tells of.
func wantDeletions(t *testing.T, r *rig, done, failed int) {
	t.Helper()
	for result, want := range map[string]int{deletionDone: done, deletionFailed: failed} {
		if n := r.metric("sabir_agent_session_deletions_total", "upstream=a", "result="+result); int(n) != want {
			t.Errorf("%v sessions count as %s, want %d", n, result, want)
		}
	}
	n := 0
	for _, line := range r.logs.FilterMessage("sessions of a conversation that its client has deleted stay at the agent server").All() {
		fields := line.ContextMap()
		if fields["hint"] == "" || fields["request_id"] == "" || fields["error"] == nil {
			t.Errorf("the line says %v", fields)
		}
		n += int(fields["sessions"].(int64))
	}
	if n != failed {
		t.Errorf("the log tells of %d sessions, want %d", n, failed)
	}
}

// TestDeletedAtADK: the session of a conversation goes with it, by the names that it was opened with. A conversation of its name begins in one that
// is opened, and empty. No other client deletes it.
func TestDeletedAtADK(t *testing.T) {
	t.Parallel()
	k, names := newKeeper(t, adkAnswer), map[string]string{}
	r := deleting(t, k.base()+"/v1?key=1", "adk", "langgraph", "")
	const open = `POST /v1/apps/helper/users/user/sessions?key=1 {"sessionId":"s1"}`
	run := func(text string) string {
		return `POST /v1/run_sse?key=1 {"appName":"helper","userId":"user","sessionId":"s1","newMessage":{"role":"user","parts":[{"text":"` + text + `"}]},"streaming":true}`
	}
	for range 2 {
		r.call(t, 200, alice, "POST", "/run/threads", `{"thread_id":"t1"}`)
		r.call(t, 200, alice, "POST", "/run/threads/t1/runs/wait", said("one"), "Hi!")
		k.wantCalls(t, names, open, run("one"))
		r.call(t, 200, alice, "POST", "/run/threads/t1/runs/wait", said("two"), "Hi!")
		k.wantCalls(t, names, run("two"))
		r.call(t, 404, bob, "DELETE", "/run/threads/t1", "")
		k.wantCalls(t, names)
		r.call(t, 200, alice, "DELETE", "/run/threads/t1", "")
		k.wantCalls(t, names, "DELETE /v1/apps/helper/users/user/sessions/s1?key=1 ")
		r.call(t, 404, alice, "DELETE", "/run/threads/t1", "")
		k.wantCalls(t, names)
	}
	wantDeletions(t, r, 2, 0)
}

// TestDeletedAtLangGraph: likewise of a thread, and of one that the server does not have any more.
func TestDeletedAtLangGraph(t *testing.T) {
	t.Parallel()
	k, names := newKeeper(t, graphAnswer), map[string]string{}
	r := deleting(t, k.base()+"/v1", "langgraph", "openai-responses", "")
	for _, known := range []bool{true, false} {
		id := idIn(t, r.call(t, 200, alice, "POST", "/run/conversations", `{}`))
		r.call(t, 200, alice, "POST", "/run/responses", `{"model":"helper","input":"one","conversation":"`+id+`"}`, "Hi!")
		k.seen(names)
		if !known {
			k.forget()
		}
		r.call(t, 200, alice, "DELETE", "/run/conversations/"+id, "")
		k.wantCalls(t, names, "DELETE /v1/threads/s"+fmt.Sprint(len(names))+" ")
	}
	wantDeletions(t, r, 2, 0)
}

// TestDeletedAnswers: the session of answers that go on from each other goes with the last of them, and none with one from which another has gone on.
func TestDeletedAnswers(t *testing.T) {
	t.Parallel()
	for _, shared := range []bool{false, true} {
		k, names, more := newKeeper(t, adkAnswer), map[string]string{}, ""
		if shared {
			more = storeYAML(redisAddress(t), prefixed(t))
		}
		r := deleting(t, k.base()+"/v1", "adk", "openai-responses", more)
		say := func(from, session string) string {
			t.Helper()
			id := idIn(t, r.call(t, 200, alice, "POST", "/run/responses", `{"model":"helper",`+from+`"input":"one"}`, "Hi!"))
			if got := k.seen(names); !strings.Contains(got, `"sessionId":"`+session+`","newMessage"`) {
				t.Errorf("asked\n%s\nwant session %s", got, session)
			}
			return id
		}
		forget := func(id string, want ...string) {
			t.Helper()
			r.call(t, 200, alice, "DELETE", "/run/responses/"+id, "")
			k.wantCalls(t, names, want...)
		}
		one := say("", "s1")
		two := say(previous(one), "s1")
		fork := say(previous(one), "s2")
		three := say(previous(two), "s1")
		forget(one)
		forget(three, "DELETE /v1/apps/helper/users/user/sessions/s1 ")
		say(previous(two), "s3")
		forget(fork, "DELETE /v1/apps/helper/users/user/sessions/s2 ")
		wantDeletions(t, r, 2, 0)
	}
}

// TestBegunOnceMore: a conversation that is begun by the name of one that was deleted has a context of its own at a server that deletes none.
func TestBegunOnceMore(t *testing.T) {
	t.Parallel()
	agent, asked := a2aAgent(t, "text/event-stream", a2aWorking+a2aSays+a2aDone)
	r := deleting(t, strings.TrimSuffix(agent.url(), "/stream"), "a2a", "langgraph", "")
	say := func() (context string) {
		t.Helper()
		r.call(t, 200, alice, "POST", "/run/threads/t1/runs/wait", said("one"), "Hello")
		_, context, _ = strings.Cut((<-asked).body, `"contextId":"`)
		context, _, _ = strings.Cut(context, `"`)
		return context
	}
	r.call(t, 200, alice, "POST", "/run/threads", `{"thread_id":"t1"}`)
	first := say()
	if again := say(); first != "t1" || again != first {
		t.Errorf("the turns are in the contexts %q and %q", first, again)
	}
	r.call(t, 200, alice, "DELETE", "/run/threads/t1", "")
	r.call(t, 200, alice, "POST", "/run/threads", `{"thread_id":"t1"}`)
	if other := say(); other == "" || other == first {
		t.Errorf("the conversation that is begun once more is in the context %q, that before in %q", other, first)
	} else if again := say(); again != other {
		t.Errorf("its second turn is in %q, the first in %q", again, other)
	}
	wantDeletions(t, r, 0, 0)
}

// TestDeletedAtOpenCode: likewise of the session of a server that tells of all its runs on one stream.
func TestDeletedAtOpenCode(t *testing.T) {
	t.Parallel()
	o, names := newOpenCode(t, saysHi), map[string]string{}
	r := deleting(t, strings.TrimSuffix(o.url(), "/stream")+"/?directory=/p", "opencode", "langgraph", "")
	for range 2 {
		r.call(t, 200, alice, "POST", "/run/threads", `{"thread_id":"t1"}`)
		r.call(t, 200, alice, "POST", "/run/threads/t1/runs/wait", said("one"), "Hi!")
		if first := o.seen(names); strings.Count(first, "POST /api/session") != 1 || !strings.Contains(first, `{"id":"s1"`) {
			t.Errorf("the first turn asked\n%s", first)
		}
		r.call(t, 200, alice, "DELETE", "/run/threads/t1", "")
		if got, want := o.seen(names), "DELETE /session/s1?directory=/p"; got != want {
			t.Errorf("asked\n%s\nwant %s", got, want)
		}
	}
	wantDeletions(t, r, 2, 0)
}

// TestSessionThatStays: the client's deletion is done though the server does not delete the session, or does not answer; the log and a metric say
// that it stays. A conversation of that name goes on in another session, and its deletion tries again.
func TestSessionThatStays(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"500 Internal Server Error", "405 Method Not Allowed", "silence"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			k, names := newKeeper(t, adkAnswer), map[string]string{}
			r := deleting(t, k.base()+"/v1", "adk", "langgraph", "")
			begin := func(session string) {
				t.Helper()
				r.call(t, 200, alice, "POST", "/run/threads", `{"thread_id":"t1"}`)
				r.call(t, 200, alice, "POST", "/run/threads/t1/runs/wait", said("one"), "Hi!")
				r.call(t, 200, alice, "POST", "/run/threads/t1/runs/wait", said("two"), "Hi!")
				got := k.seen(names)
				if strings.Count(got, "/sessions {") != 1 || strings.Count(got, `"sessionId":"`+session+`"`) != 3 {
					t.Errorf("asked\n%s\nwant session %s to be opened and used", got, session)
				}
			}
			begin("s1")
			k.mu.Lock()
			k.gone = how
			k.mu.Unlock()
			r.call(t, 200, alice, "DELETE", "/run/threads/t1", "")
			k.wantCalls(t, names, "DELETE /v1/apps/helper/users/user/sessions/s1 ")
			wantDeletions(t, r, 0, 1)
			r.call(t, 404, alice, "GET", "/run/threads/t1", "")
			begin("s2")
			k.mu.Lock()
			k.gone = ""
			k.mu.Unlock()
			r.call(t, 200, alice, "DELETE", "/run/threads/t1", "")
			got := k.seen(names)
			for _, session := range []string{"s1", "s2"} {
				if strings.Count(got, "/sessions/"+session+" ") != 1 {
					t.Errorf("asked\n%s\nwant %s to be deleted", got, session)
				}
			}
			begin("s1")
		})
	}
}

// TestBranchesAreDeleted: of a conversation that has gone on in several sessions all are deleted, also where a run was refused in one, in the app
// in which each was opened.
func TestBranchesAreDeleted(t *testing.T) {
	t.Parallel()
	k, names := newKeeper(t, adkAnswer), map[string]string{}
	r := deleting(t, k.base()+"/v1", "adk", "auto, default: agui", "")
	const agui, graph = alice + "\r\nX-Sabir-Dialect: agui", alice + "\r\nX-Sabir-Dialect: langgraph"
	r.call(t, 200, graph, "POST", "/run/threads", `{"thread_id":"t1"}`)
	one, a1 := aguiUser("u1", "hello"), aguiAgent("a1", "Hi!")
	r.call(t, 200, agui, "POST", "/run", aguiBody("t1", one), "Hi!")
	r.call(t, 200, agui, "POST", "/run", aguiBody("t1", one+a1+aguiUser("u2", "more")), "Hi!")
	r.call(t, 200, agui, "POST", "/run", aguiBody("t1", one+a1+aguiUser("u3", "other")), "Hi!")
	k.mu.Lock()
	k.status = "400 Bad Request"
	k.mu.Unlock()
	r.call(t, 400, agui, "POST", "/run", aguiBody("t1", one+a1+aguiUser("u4", "last")))
	k.seen(names)
	r.call(t, 200, graph, "DELETE", "/run/threads/t1", "")
	got := k.seen(names)
	for _, session := range []string{"s1", "s2", "s3"} {
		if strings.Count(got, "DELETE /v1/apps/agent/users/user/sessions/"+session+" ") != 1 {
			t.Errorf("asked\n%s\nwant %s to be deleted", got, session)
		}
	}
	wantDeletions(t, r, 3, 0)
}

// TestManySessions: no more of a conversation are remembered than a bound, and how many are not is.
func TestManySessions(t *testing.T) {
	b := new(branching)
	for i := range maxOpened + 3 {
		asked := &hub.Request{Branch: []byte(fmt.Sprint(i))}
		if !b.opened(asked) || b.opened(asked) {
			t.Errorf("session %d: %v", i, b.all.Opened)
		}
	}
	if n := len(b.all.Opened); n != maxOpened || b.all.Dropped != 3 || string(b.all.Opened[0].Branch) != "3" {
		t.Errorf("%d sessions from %s on, and %d are dropped", n, b.all.Opened[0].Branch, b.all.Dropped)
	}
}

// TestDeletedAtAnotherReplica: what has to be known to delete a session is known to all replicas.
func TestDeletedAtAnotherReplica(t *testing.T) {
	t.Parallel()
	k, names := newKeeper(t, adkAnswer), map[string]string{}
	more := storeYAML(redisAddress(t), prefixed(t))
	one, two := deleting(t, k.base()+"/v1", "adk", "langgraph", more), deleting(t, k.base()+"/v1", "adk", "langgraph", more)
	one.call(t, 200, alice, "POST", "/run/threads", `{"thread_id":"t1"}`)
	one.call(t, 200, alice, "POST", "/run/threads/t1/runs/wait", said("one"), "Hi!")
	k.seen(names)
	two.call(t, 200, alice, "DELETE", "/run/threads/t1", "")
	k.wantCalls(t, names, "DELETE /v1/apps/helper/users/user/sessions/s1 ")
	wantDeletions(t, two, 1, 0)
	one.call(t, 404, alice, "GET", "/run/threads/t1", "")
}

// TestDeletionPasses: what a client names and deletes at an agent of its own dialect is the agent's: the request passes, and there is no other.
func TestDeletionPasses(t *testing.T) {
	t.Parallel()
	k := newKeeper(t, graphAnswer)
	k.known["t1"] = true
	r := deleting(t, k.base()+"/v1", "langgraph", "langgraph", "")
	r.call(t, 200, alice, "POST", "/run/threads/t1/runs/stream", said("one"), "Hi!")
	k.seen(nil)
	r.call(t, 200, alice, "DELETE", "/run/threads/t1", "")
	k.wantCalls(t, nil, "DELETE /v1/threads/t1 ")
	r.call(t, 404, alice, "DELETE", "/run/threads/t1", "")
	wantDeletions(t, r, 0, 0)
}

// TestDeletionOfOlderEntries: of sessions that were remembered in an earlier form those are deleted whose names are known.
func TestDeletionOfOlderEntries(t *testing.T) {
	all := saidThere{Sessions: []saidIn{{Branch: []byte("b1")}, {}}}
	if got := all.toDelete("m"); len(got) != 2 || got[0].Branch != nil || string(got[1].Branch) != "b1" || string(got[1].Model) != "m" {
		t.Errorf("%+v", got)
	}
}
