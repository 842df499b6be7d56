package proxy

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/proxy/internal/threads"
)

// chatBody is what a client of Chat Completions asks: what the user and the agent have said in turns.
func chatBody(said ...string) string {
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	ms := []message{{"system", "Be kind."}}
	for i, text := range said {
		ms = append(ms, message{[]string{"user", "assistant"}[i%2], text})
	}
	all, _ := json.Marshal(ms)
	return `{"model":"m","stream":true,"messages":` + string(all) + `}`
}

// saying makes the agent answer with a text.
func (k *keeper) saying(text string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.answer = strings.Replace(adkAnswer, "Hi!", text, 1)
}

// answerWith makes the agent answer runs with a status.
func (k *keeper) answerWith(status string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.status = status
}

// TestConversationBySaid: the conversation of a client that names none goes on in the session which has received what the request shows. One that
// shows something else begins in another, which receives that.
func TestConversationBySaid(t *testing.T) {
	t.Parallel()
	k := newKeeper(t, adkAnswer)
	r := start(t, k.config("adk", "", "openai-chat"))
	b := &branches{t, k, map[string]string{}}
	b.in(r, chatBody("hello"), "s1", "")
	b.in(r, chatBody("hello", "Hi!", "more"), "s1")
	b.in(r, chatBody("hello", "Hi!", "more", "Hi!", "end"), "s1")
	b.in(r, chatBody("hello", "Hi!", "more"), "s2", "hello", "not more")                              // anew
	b.in(r, chatBody("hello", "Hi!", "more", "Hi!", "end", "Hi!", "on"), "s1")                        // in the first version
	b.in(r, chatBody("hello", "Hi!", "more", "Hi!", "other"), "s2", []string(nil)...)                 // in the second
	b.in(r, chatBody("hello", "Hi!", "edited"), "s3", "hello", "not more", "not other", "not edited") // what no session has
	b.in(r, chatBody("hello", "Hi!", "edited", "Hi!", "more"), "s3")                                  // which is then known
	b.in(r, chatBody("hello", "Hi!", "edited", "Hi!", "more", "<p>Hi!</p>", "on"), "s3")              // as the client shows it
	if n := r.metric("sabir_agent_sessions_created_total", "route=/run/*"); n != 3 {
		t.Errorf("%v sessions were counted", n)
	}
	k.forget()
	b.in(r, chatBody("hello", "Hi!", "edited", "Hi!", "more", "Hi!", "on", "Hi!", "at last"), "s3", "hello", "edited", "on", "not at last")
}

// TestConversationsAlike: conversations that begin with the same words are distinguished by what the agent said, and where that is the same,
// too, neither goes on in a session of which it is not known whose it is. Other principals have others.
func TestConversationsAlike(t *testing.T) {
	t.Parallel()
	k := newKeeper(t, "")
	r := start(t, k.config("adk", "", "openai-chat"))
	b := &branches{t, k, map[string]string{}}
	for i, said := range []string{"Hi! Ann?", "Hi! Bob?", "Hi! Cid?", "Hi! Cid?"} {
		k.saying(said)
		b.in(r, chatBody("hello"), []string{"s1", "s2", "s3", "s4"}[i], "")
	}
	b.in(r, chatBody("hello", "Hi! Bob?", "more"), "s2")
	b.in(r, chatBody("hello", "Hi! Ann?", "more"), "s1")
	b.in(r, chatBody("hello", "Hi! Cid?", "more"), "s5", "hello", "Cid")
	b.in(r, chatBody("hello", "Hi! Ann?", "else"), "s6", "hello", "Ann")

	resp, _ := r.post("/run", chatBody("hello", "Hi! Ann?", "else", "Hi! Cid?", "on"), "Authorization: Bearer eve")
	if seen := k.seen(b.names); resp.StatusCode != 200 || !strings.Contains(seen, `"sessionId":"s7"`) {
		t.Errorf("status %d, another client asked\n%s", resp.StatusCode, seen)
	}
}

// TestConversationStopped: a client that has stopped an answer shows a part of it, and there is no other session where that could be from.
func TestConversationStopped(t *testing.T) {
	t.Parallel()
	k := newKeeper(t, "")
	r := start(t, k.config("adk", "", "openai-chat"))
	b := &branches{t, k, map[string]string{}}
	k.saying("Hi! Here are a hundred words.")
	b.in(r, chatBody("hello"), "s1", "")
	b.in(r, chatBody("hello", "Hi! Here", "more"), "s1")
	b.in(r, chatBody("hello", "Hi! There", "else"), "s2", "There") // which has gone on
}

// TestConversationRefused: a refusal of the agent takes nothing from a session: it is found again by all that its agent has said, and by a part.
func TestConversationRefused(t *testing.T) {
	t.Parallel()
	const answer = "Hi! Here are a hundred words."
	for _, shown := range []string{answer, "Hi! Here"} {
		k := newKeeper(t, "")
		r := start(t, k.config("adk", "", "openai-chat"))
		b := &branches{t, k, map[string]string{}}
		k.saying(answer)
		b.in(r, chatBody("hello"), "s1", "")
		k.answerWith("500 Internal Server Error")
		if resp, got := r.post("/run", chatBody("hello", shown, "more")); resp.StatusCode < 500 {
			t.Errorf("%q is shown: status %d\n%s", shown, resp.StatusCode, got)
		}
		k.seen(b.names)
		k.answerWith("200 OK")
		b.in(r, chatBody("hello", shown, "more"), "s1")
	}
}

// TestConversationOtherInstructions: a conversation with other instructions, which is not known to have begun, does not go on in a session whose
// agent has said something else. In one whose agent has said the same it does: instructions may have the date.
func TestConversationOtherInstructions(t *testing.T) {
	t.Parallel()
	k := newKeeper(t, "")
	r := start(t, k.config("adk", "", "openai-chat"))
	b := &branches{t, k, map[string]string{}}
	instructed := func(who, body string) string { return strings.Replace(body, "Be kind.", "The user is "+who+".", 1) }
	k.saying("Hi! Ann?")
	b.in(r, instructed("Ann", chatBody("hello")), "s1", "")
	b.in(r, instructed("Bob", chatBody("hello", "Hi! Bob?", "more")), "s2", "hello", "Bob", "not Ann")
	b.in(r, instructed("Ann at noon", chatBody("hello", "Hi! Ann?", "more")), "s1")
}

// TestConversationBySaidAtReplicas: a session is found at another replica. While the store is away each turn has another.
func TestConversationBySaidAtReplicas(t *testing.T) {
	t.Parallel()
	address := redisAddress(t)
	c := newCable(t, strings.Split(address, ",")[0])
	k := newKeeper(t, adkAnswer)
	b := &branches{t, k, map[string]string{}}
	prefix := prefixed(t)
	one := start(t, storeYAML(address, prefix)+k.config("adk", "", "openai-chat"))
	two := start(t, storeYAML(address, prefix)+k.config("adk", "", "openai-chat"))
	three := start(t, storeYAML(c.Addr().String(), prefix+", timeout: 2s")+k.config("adk", "", "openai-chat"))
	b.in(one, chatBody("hello"), "s1", "")
	b.in(two, chatBody("hello", "Hi!", "more"), "s1")
	b.in(one, chatBody("hello", "Hi!", "more"), "s2", "hello", "not more")
	b.in(one, chatBody("hello", "Hi!", "more", "Hi!", "end", "Hi!", "on"), "s3", "end") // of which two have received a part
	b.in(two, chatBody("hello", "Hi!", "more", "Hi!", "end", "Hi!", "on", "Hi!", "at last"), "s3")
	c.set(true)
	b.in(three, chatBody("hello", "Hi!", "more", "Hi!", "end", "Hi!", "on", "Hi!", "at last", "Hi!", "really"), "s4", "at last")
}

// TestConversationAtOnce: the session is found by a client which asks at once when it has got the answer, whatever its API.
func TestConversationAtOnce(t *testing.T) {
	t.Parallel()
	bodies := map[string]struct {
		path, agent string
		body        func(role, text string) string
	}{
		"openai-chat": {"/run/v1/chat/completions", "assistant", func(role, text string) string { return `{"role":"` + role + `","content":"` + text + `"}` }},
		"anthropic":   {"/run/v1/messages", "assistant", func(role, text string) string { return `{"role":"` + role + `","content":"` + text + `"}` }},
		"gemini":      {"/run/v1beta/models/m:streamGenerateContent?alt=sse", "model", func(role, text string) string { return `{"role":"` + role + `","parts":[{"text":"` + text + `"}]}` }},
	}
	for dialect, c := range bodies {
		k := newKeeper(t, adkAnswer)
		r := start(t, k.config("adk", "", dialect))
		var said []string
		for turn := range 50 {
			said = append(said, c.body("user", "turn "+strconv.Itoa(turn)))
			list := "[" + strings.Join(said, ",") + "]"
			resp, got := r.post(c.path, `{"model":"m","max_tokens":9,"stream":true,"messages":`+list+`,"contents":`+list+`}`)
			if resp.StatusCode != 200 || !strings.Contains(got, "Hi!") {
				t.Fatalf("%s: status %d\n%s", dialect, resp.StatusCode, got)
			}
			said = append(said, c.body(c.agent, "Hi!"))
		}
		if n := r.metric("sabir_agent_sessions_created_total", "route=/run/*"); n != 1 {
			t.Errorf("%s: %v sessions", dialect, n)
		}
	}
}

// TestConversationsByKeyInURL: clients that send their keys in the URL, as those of Google's APIs may, do not go on in each other's sessions.
func TestConversationsByKeyInURL(t *testing.T) {
	t.Parallel()
	k := newKeeper(t, adkAnswer)
	r := start(t, k.config("adk", "", "gemini"))
	said := func(role, text string) string { return `{"role":"` + role + `","parts":[{"text":"` + text + `"}]}` }
	first := said("user", "hello")
	f := func(key, contents string, sessions float64) {
		t.Helper()
		resp, got := r.post("/run/v1beta/models/m:streamGenerateContent?alt=sse&key="+key, `{"contents":[`+contents+`]}`)
		if n := r.metric("sabir_agent_sessions_created_total", "route=/run/*"); resp.StatusCode != 200 || n != sessions {
			t.Errorf("%s: status %d, %v sessions, want %v\n%s", key, resp.StatusCode, n, sessions, got)
		}
	}
	more := first + "," + said("model", "Hi!") + "," + said("user", "more")
	f("alice", first, 1)
	f("bob", more, 2)
	f("alice", more, 2)
}

// TestConversationBySaidForgotten: where nothing is to be remembered, and after it is forgotten, the conversation is given to another session.
func TestConversationBySaidForgotten(t *testing.T) {
	t.Parallel()
	k := newKeeper(t, adkAnswer)
	for _, threads := range []string{"threads: {max: 0}\n", "threads: {keep: 1s}\n"} {
		r := start(t, threads+k.config("adk", "", "openai-chat"))
		b := &branches{t, k, map[string]string{}}
		b.in(r, chatBody("hello"), "s1", "")
		time.Sleep(1200 * time.Millisecond)
		b.in(r, chatBody("hello", "Hi!", "more"), "s2", "hello")
	}
}

// TestConversationBySeveral: of requests that go on from the same words at once, one alone goes on in their session.
func TestConversationBySeveral(t *testing.T) {
	t.Parallel()
	store, locks := new(threads.Log), new(saidLocks)
	store.Limit(threads.Limits{Threads: 1000, Bytes: 1 << 20, Keep: time.Hour})
	for round := range 200 {
		key := threads.Key{Scope: "s", Kind: threads.Unnamed, Name: strconv.Itoa(round)}
		first := unnamedTurn{store: store, locks: locks, to: key, session: []byte("one"), accepted: true}
		first.end()
		var took atomic.Int32
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				u := unnamedTurn{store: store, locks: locks, from: key}
				if u.take(conversation.Link{}); u.found != nil {
					took.Add(1)
				}
			})
		}
		all.Wait()
		if n := took.Load(); n != 1 {
			t.Fatalf("round %d: %d turns took the session", round, n)
		}
	}
}

// hungStore is a store that does not answer what is asked of one key.
type hungStore struct {
	threads.Store
	key    threads.Key
	asked  chan struct{}
	answer chan struct{}
}

func (s *hungStore) Look(key threads.Key) (threads.View, error) {
	if key == s.key {
		s.asked <- struct{}{}
		<-s.answer
	}
	return s.Store.Look(key)
}

// TestConversationsOfHungStore: turns do not wait in a line for a store that does not answer: those of other words not at all, and those of the
// same go on without what they do not get to know.
func TestConversationsOfHungStore(t *testing.T) {
	t.Parallel()
	key := func(name string) threads.Key { return threads.Key{Scope: "s", Kind: threads.Unnamed, Name: name} }
	store := &hungStore{Store: new(threads.Log), key: key("hello"), asked: make(chan struct{}, 1), answer: make(chan struct{})}
	store.Store.(*threads.Log).Limit(threads.Limits{Threads: 10_000, Bytes: 10 << 20, Keep: time.Hour})
	locks := new(saidLocks)
	turn := func(from, to threads.Key) {
		u := unnamedTurn{store: store, locks: locks, from: from, to: to, accepted: true}
		u.take(conversation.Link{})
		u.end()
	}
	var first, rest sync.WaitGroup
	first.Go(func() { turn(store.key, key("hung")) })
	<-store.asked
	for i := range 1000 {
		rest.Go(func() { turn(key("from "+strconv.Itoa(i)), key("to "+strconv.Itoa(i))) })
	}
	for i := range 10 {
		rest.Go(func() { turn(store.key, key("same "+strconv.Itoa(i))) })
	}
	rest.Wait()
	close(store.answer)
	first.Wait()
	if len(locks.held) != 0 {
		t.Errorf("%d locks are kept", len(locks.held))
	}
}
