package proxy

import (
	"regexp"
	"strings"
	"testing"
)

// branches is a conversation of a client that tells all of it, with an agent that keeps sessions.
type branches struct {
	*testing.T
	k     *keeper
	names map[string]string
}

var (
	messageID = regexp.MustCompile(`"messageId":"([^"]+)"`)
	adkRun    = regexp.MustCompile(`run_sse\?key=1 .*"sessionId":"(s\d)"`)
	adkOpened = regexp.MustCompile(`/sessions\?key=1 \{"sessionId":"(s\d)"(.*)`)
)

// in wants a run in a session, which is opened with a conversation that holds some texts; none: it is there. It returns the id of the answer.
func (b *branches) in(r *rig, body, session string, opened ...string) (id string) {
	b.Helper()
	resp, got := r.post("/run", body)
	if resp.StatusCode != 200 || !strings.Contains(got, "Hi!") {
		b.Fatalf("status %d\n%s", resp.StatusCode, got)
	}
	seen := b.k.seen(b.names)
	if ran := adkRun.FindStringSubmatch(seen); ran == nil || ran[1] != session {
		b.Errorf("%s\nran in %q, want %s\n%s", body, ran, session, seen)
	}
	switch open := adkOpened.FindStringSubmatch(seen); {
	case open == nil && opened == nil:
	case open == nil || open[1] != session:
		b.Errorf("%s\nopened %q, want %s", body, open, session)
	default:
		for _, text := range opened {
			if not, ok := strings.CutPrefix(text, "not "); strings.Contains(open[2], strings.TrimPrefix(text, "not ")) == ok && not != "" {
				b.Errorf("%s\nopened with %s\nwant %s", body, open[2], text)
			}
		}
	}
	if m := messageID.FindStringSubmatch(got); m != nil {
		id = m[1]
	}
	return id
}

func aguiUser(id, text string) string {
	return `{"id":"` + id + `","role":"user","content":"` + text + `"}`
}

func aguiAgent(id, text string) string {
	return `,{"id":"` + id + `","role":"assistant","content":"` + text + `"},`
}

// TestTakenBack: what a client takes back is not left in the session of its conversation, whether its dialect says so or not; the conversation goes on
// in a session that receives the rest.
func TestTakenBack(t *testing.T) {
	t.Parallel()
	k := newKeeper(t, adkAnswer)
	r := start(t, k.config("adk", "", "agui"))
	b := &branches{t, k, map[string]string{}}
	u1, u2, u3 := aguiUser("u1", "hello"), aguiUser("u2", "more"), aguiUser("u3", "end")
	a1 := aguiAgent(b.in(r, aguiBody("t", u1), "s1", ""), "Hi!")
	first := b.in(r, aguiBody("t", u1+a1+u2), "s1")
	anew := b.in(r, aguiBody("t", u1+a1+u2), "s2", "hello", "not more")
	if strings.Contains(first, "~") || !strings.Contains(anew, "~") {
		t.Errorf("the ids of the answers are %s and %s", first, anew)
	}
	a2 := aguiAgent(anew, "Hi!")
	b.in(r, aguiBody("t", u1+a1+u2+a2+u3), "s2")
	edited := aguiUser("u4", "other")
	b.in(r, aguiBody("t", u1+a1+edited), "s3", "hello", "not more", "not other")
	b.in(r, aguiBody("t", u1+a1+edited+aguiAgent("a4", "Hi!")+u3), "s3")                     // ids that an application has made
	b.in(r, aguiBody("t", u1+a1+u2+a2+u3+aguiAgent("a5", "Hi!")+aguiUser("u6", "on")), "s2") // which has it all
	b.in(r, aguiBody("other", u1), "s4", "")
	if n := r.metric("sabir_agent_sessions_created_total", "route=/run/*"); n != 4 {
		t.Errorf("%v sessions were counted", n)
	}

	again := start(t, k.config("adk", "", "agui")) // remembers nothing
	b.in(again, aguiBody("t", u1+a1+u2+a2+aguiUser("u7", "there")), "s2")
}

// TestBackToOlder: a client may go back to what it had taken back before. No session goes on with what its client does not show there, and none
// without what it shows.
func TestBackToOlder(t *testing.T) {
	t.Parallel()
	k := newKeeper(t, adkAnswer)
	r := start(t, k.config("adk", "", "agui"))
	b := &branches{t, k, map[string]string{}}
	u2, u3, u4 := aguiUser("u2", "more"), aguiUser("u3", "end"), aguiUser("u4", "last")
	begin := aguiUser("u1", "hello") + aguiAgent("a1", "Hi!") + u2
	b.in(r, aguiBody("t", aguiUser("u1", "hello")), "s1", "")
	a2 := aguiAgent(b.in(r, aguiBody("t", begin), "s1"), "Hi!")
	a3 := aguiAgent(b.in(r, aguiBody("t", begin+a2+u3), "s1"), "Hi!")
	anew2 := aguiAgent(b.in(r, aguiBody("t", begin), "s2", "hello", "not more"), "Hi!")
	a4 := aguiAgent(b.in(r, aguiBody("t", begin+a2+u3+a3+u4), "s3", "more", "end", "not last"), "Hi!")
	b.in(r, aguiBody("t", begin+anew2+u3), "s2")
	b.in(r, aguiBody("t", begin), "s4", "hello", "not more")
	b.in(r, aguiBody("t", begin+anew2+aguiUser("u5", "other")), "s5", "more", "not end", "not other")
	b.in(r, aguiBody("t", begin+a2+u3+a3+aguiUser("u6", "first")), "s1") // marks come back, and here is none
	b.in(r, aguiBody("t", begin+a2+u3+a3+u4+a4+aguiUser("u7", "third")), "s3")
}

// TestBackToOlderInPlace: a thread of LangGraph's that was written anew is written anew with what it has not.
func TestBackToOlderInPlace(t *testing.T) {
	t.Parallel()
	k := newKeeper(t, graphAnswer)
	r := start(t, k.config("langgraph", "", "agui"))
	longer := turn2 + aguiAgent("a2", "Hi!") + aguiUser("u3", "end")
	longest := longer + aguiAgent("a3", "Hi!") + aguiUser("u4", "on")
	last := longest + aguiAgent("a4", "Hi!") + aguiUser("u5", "off")
	for i, turn := range []string{turn1, turn2, longer, turn2, longest, last} {
		r.post("/run", aguiBody("t", turn))
		if got := k.seen(map[string]string{}); strings.Contains(got, "__remove_all__") != (i == 3 || i == 4) || i == 4 && !strings.Contains(got, `"content":"end"`) {
			t.Errorf("turn %d asked\n%s", i+1, got)
		}
	}
}

// TestEditedAtOnce: each of several clients that edit a conversation goes on in the branch that it has begun.
func TestEditedAtOnce(t *testing.T) {
	t.Parallel()
	k := newKeeper(t, adkAnswer)
	r := start(t, k.config("adk", "", "agui"))
	b := &branches{t, k, map[string]string{}}
	b.in(r, aguiBody("t", turn1), "s1", "")
	b.in(r, aguiBody("t", turn2), "s1")
	begin, more := turn1+aguiAgent("a1", "Hi!"), aguiUser("u4", "more")
	var edited []string
	for i := range 7 {
		edit := begin + aguiUser("e", "edit "+string(rune('a'+i)))
		edited = append(edited, edit+aguiAgent(b.in(r, aguiBody("t", edit), "s"+string(rune('2'+i)), "hello"), "Hi!"))
	}
	for i, body := range edited {
		b.in(r, aguiBody("t", body+more), "s"+string(rune('2'+i)))
	}
}

// change changes how the server behaves.
func (k *keeper) change(by func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	by()
}

// TestTakenBackUnanswered: a client that leaves before the server has answered may take back what the server has received. What it has refused it has
// not received.
func TestTakenBackUnanswered(t *testing.T) {
	t.Parallel()
	k := newKeeper(t, adkAnswer)
	r := start(t, k.config("adk", "", "agui"))
	b := &branches{t, k, map[string]string{}}
	begin := aguiUser("u1", "hello") + aguiAgent("a1", "Hi!")
	b.in(r, aguiBody("t", aguiUser("u1", "hello")), "s1", "")
	k.change(func() { k.status = "429 Too Many Requests" })
	if resp, _ := r.post("/run", aguiBody("t", begin+aguiUser("u2", "refused"))); resp.StatusCode == 200 {
		t.Errorf("status %d", resp.StatusCode)
	}
	k.change(func() { k.status, k.silent, k.calls = "200 OK", true, nil })
	c := r.dial()
	c.ask("POST", "/run", aguiBody("t", begin+aguiUser("u3", "received")))
	await(t, "the server is asked", func() bool { k.mu.Lock(); defer k.mu.Unlock(); return len(k.calls) == 1 })
	c.reset()
	r.awaitEnds(3)
	k.change(func() { k.silent = false })
	if got := k.seen(b.names); !strings.Contains(got, `run_sse?key=1`) || !strings.Contains(got, `"sessionId":"s1"`) {
		t.Errorf("asked\n%s", got)
	}
	b.in(r, aguiBody("t", begin+aguiUser("u4", "edited")), "s2", "hello", "not received", "not edited")
}

// TestNotTakenBack: who tells only what is new, or the end of a long conversation, takes nothing back; nor does who says the same once more, or answers
// a question.
func TestNotTakenBack(t *testing.T) {
	t.Parallel()
	k := newKeeper(t, adkAnswer)
	r := start(t, k.config("adk", "", "agui"))
	b := &branches{t, k, map[string]string{}}
	const answer = `,"resume":[{"interruptId":"adk-1","status":"resolved","payload":{"approved":true}}]`
	u1, a1, u2 := aguiUser("u1", "hello"), aguiAgent("a1", "Hi!"), aguiUser("u2", "more")
	b.in(r, aguiBody("t", u1), "s1", "")
	b.in(r, aguiBody("t", u1, answer), "s1")
	b.in(r, aguiBody("t", u2), "s1", "")
	b.in(r, aguiBody("t", aguiUser("u3", "more")), "s1", "")
	b.in(r, aguiBody("t", u1+a1+u2+aguiAgent("a2", "Hi!")+aguiUser("u4", "more")), "s1")
	b.in(r, aguiBody("t", u2+aguiAgent("a2", "Hi!")+aguiUser("u5", "end")), "s1")
}

// TestTakenBackByName: clients of the AI SDK say that they take something back. Where nothing is remembered, the ids of messages alone tell where the
// conversation goes on.
func TestTakenBackByName(t *testing.T) {
	t.Parallel()
	k := newKeeper(t, adkAnswer)
	r := start(t, "threads: {max: 0}\n"+k.config("adk", "", "aisdk"))
	b := &branches{t, k, map[string]string{}}
	chat := func(more string, messages ...string) string {
		return `{"id":"t",` + more + `"messages":[` + strings.Join(messages, ",") + `]}`
	}
	says := func(id, role, text string) string {
		return `{"id":"` + id + `","role":"` + role + `","parts":[{"type":"text","text":"` + text + `"}]}`
	}
	u1 := says("u1", "user", "hello")
	const anew, edit = `"trigger":"regenerate-message",`, `"trigger":"submit-message","messageId":"u1",`
	b.in(r, chat("", u1), "s1", "")
	a1 := says(b.in(r, chat(anew, u1), "s2", "not hello"), "assistant", "Hi!")
	b.in(r, chat("", u1, a1, says("u2", "user", "more")), "s2")
	b.in(r, chat(anew, u1, a1, says("u2", "user", "more")), "s3", "hello", "not more")
	b.in(r, chat(edit, says("u1", "user", "others")), "s4", "not hello")
}

// TestTakenBackInPlace: a thread of LangGraph's is written anew.
func TestTakenBackInPlace(t *testing.T) {
	t.Parallel()
	k := newKeeper(t, graphAnswer)
	r := start(t, k.config("langgraph", "", "agui"))
	names := map[string]string{}
	const forgets = `{"type":"remove","id":"__remove_all__","content":""},`
	edited := strings.ReplaceAll(turn2, "u2", "u3")
	for _, turn := range [][2]string{{turn1, human1}, {turn2, human2}, {turn2, forgets + whole2}, {strings.ReplaceAll(edited, "more", "less"), forgets + human1}} {
		r.post("/run", aguiBody("t", turn[0]))
		if got := k.seen(names); !strings.HasPrefix(got, `POST /v1/threads/s1/runs/stream?key=1 {"assistant_id":"agent","input":{"messages":[`+turn[1]) || strings.Contains(got, "\n") {
			t.Errorf("%s\nasked %s\nwant %s", turn[0], got, turn[1])
		}
	}
}

// TestTakenBackFromOpenCode: another session of it receives what is left, as text.
func TestTakenBackFromOpenCode(t *testing.T) {
	t.Parallel()
	o := newOpenCode(t, saysHi)
	r := start(t, o.config("agui"))
	names := map[string]string{}
	for i, turn := range []string{turn1, turn2, turn2} {
		r.post("/run", aguiBody("t", turn))
		got := o.seen(names)
		if opened, retold := strings.Contains(got, `{"id":"s2"`), strings.Contains(got, `session/s2/prompt_async`) && strings.Contains(got, "User: hello"); opened != (i == 2) || retold != opened {
			t.Errorf("turn %d asked\n%s", i+1, got)
		}
	}
}

// TestTakenBackFromA2A: another context of it receives what is left, as text; the client's thread stays.
func TestTakenBackFromA2A(t *testing.T) {
	t.Parallel()
	agent, asked := a2aAgent(t, "text/event-stream", a2aWorking+a2aSays+a2aDone)
	r := start(t, a2aRoute(agent.url(), "", "client: agui\nrequests: {mode: translate}"))
	context := regexp.MustCompile(`"contextId":"([^"]+)"`)
	ask := func(r *rig, turn string) (at, body, id string) {
		t.Helper()
		_, got := r.post("/run", aguiBody("t1", turn))
		if !strings.Contains(got, `"threadId":"t1"`) || !strings.Contains(got, "RUN_FINISHED") {
			t.Fatalf("%s\n%s", turn, got)
		}
		body = (<-asked).body
		return context.FindStringSubmatch(body)[1], body, messageID.FindStringSubmatch(got)[1]
	}
	for _, turn := range []string{turn1, turn2} {
		if at, body, _ := ask(r, turn); at != "t1" || strings.Contains(body, "User: hello") {
			t.Errorf("%s asked\n%s", turn, body)
		}
	}
	branch, body, id := ask(r, turn2)
	if branch == "t1" || !strings.Contains(body, "User: hello") {
		t.Errorf("asked\n%s", body)
	}
	next := turn2 + aguiAgent(id, "Hi!") + aguiUser("u3", "end")
	again := start(t, a2aRoute(agent.url(), "", "client: agui\nrequests: {mode: translate}")) // remembers nothing
	if at, body, _ := ask(again, next); at != branch || strings.Contains(body, "User: hello") {
		t.Errorf("in %s, want %s\n%s", at, branch, body)
	}
}

// TestBranchesForgotten: with a conversation that its client deletes it is forgotten where that goes on.
func TestBranchesForgotten(t *testing.T) {
	t.Parallel()
	k := newKeeper(t, adkAnswer)
	r := start(t, strings.ReplaceAll(k.config("adk", "", "langgraph"), "/run/*,", "/run/*, methods: [GET, POST, DELETE],"))
	r.call(t, 200, alice, "POST", "/run/threads", `{"thread_id":"t1"}`)
	r.call(t, 200, alice, "POST", "/run/threads/t1/runs/wait", said("one"), "Hi!")
	if n := r.metric("sabir_threads"); n != 2 {
		t.Errorf("%v names are remembered, want that of the conversation and where it goes on", n)
	}
	r.call(t, 200, alice, "DELETE", "/run/threads/t1", "")
	if n := r.metric("sabir_threads"); n != 0 {
		t.Errorf("%v names are left", n)
	}
}

// TestBranchesOfReplicas: what was said at one replica is known at another. While the store is away conversations go on, and the log says what that may
// cost.
func TestBranchesOfReplicas(t *testing.T) {
	t.Parallel()
	address := redisAddress(t)
	c := newCable(t, strings.Split(address, ",")[0])
	k := newKeeper(t, adkAnswer)
	b := &branches{t, k, map[string]string{}}
	prefix := prefixed(t)
	one := start(t, storeYAML(address, prefix)+k.config("adk", "", "agui"))
	two := start(t, storeYAML(c.Addr().String(), prefix+", timeout: 2s")+k.config("adk", "", "agui"))
	b.in(one, aguiBody("t", turn1), "s1", "")
	b.in(one, aguiBody("t", turn2), "s1")
	b.in(two, aguiBody("t", turn2), "s2", "hello", "not more")
	b.in(one, aguiBody("t", turn2+aguiAgent("a2", "Hi!")+aguiUser("u3", "end")), "s2")
	c.set(true)
	b.in(two, aguiBody("t3", turn1), "s3", "")
	if two.logs.FilterMessageSnippet("what a client takes back may not be noticed").Len() != 1 {
		t.Errorf("logged %v", two.logs.All())
	}
}
