package proxy

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
)

// snipped is what a proxy sends to Redis by a connection, until a word comes by that the cable does not carry: the connection ends there.
type snipped struct {
	net.Conn
	cable *cable
}

// Read implements io.Reader.
func (s snipped) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	if s.cable.refuses(p[:n]) {
		_ = s.Conn.Close()
		return 0, io.EOF
	}
	s.cable.hold(p[:n])
	return n, err
}

// delay is how long the cable holds up what has a word in it, and how often it has.
type delay struct {
	word  string // "" for nothing
	by    time.Duration
	times int
}

// hold holds up what is sent to Redis.
func (c *cable) hold(sent []byte) {
	c.mu.Lock()
	by := time.Duration(0)
	if c.delay.word != "" && bytes.Contains(bytes.ToLower(sent), []byte(c.delay.word)) {
		by = c.delay.by
		c.delay.times++
	}
	c.mu.Unlock()
	time.Sleep(by)
}

// slow holds up from now on what has a word in it: a store that answers late.
func (c *cable) slow(word string, by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.delay = delay{word: word, by: by}
}

// held is how often something was held up.
func (c *cable) held() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.delay.times
}

func (c *cable) refuses(sent []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.word == "" || !bytes.Contains(bytes.ToLower(sent), []byte(c.word)) {
		return false
	}
	if c.once {
		c.word = ""
	}
	return true
}

// refuseOnce lets what has a word in it not pass a single time: a connection that is lost, and a store that answers by the next one.
func (c *cable) refuseOnce(word string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.word, c.once = word, true
}

// refused reports whether what [cable.refuseOnce] waits for has come.
func (c *cable) refused() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.word == ""
}

// refuse lets nothing pass any more with a word in it: a store that answers one question of a request, and not the next.
func (c *cable) refuse(word string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.word, c.once = word, false
}

// TestStoreLosesConnection: where a connection to the store is lost, whichever question of a request it carries, that is asked again by another
// one, and the client notices nothing.
func TestStoreLosesConnection(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	line := newCable(t, redisAddress(t))
	r := sharing(t, a, "openai-responses", newToken(), line.Addr().String())
	for _, key := range []string{":hold:", ":thread:", ":next:", ":said:", ":names:", ":used:"} {
		said := r.call(t, 200, alice, "POST", "/run/responses", `{"model":"m","input":"one"}`)
		_, id, _ := strings.Cut(said, `"id":"`)
		id, _, _ = strings.Cut(id, `"`)
		r.call(t, 200, alice, "POST", "/run/conversations", `{}`)
		line.refuseOnce(key)
		r.call(t, 200, alice, "GET", "/run/responses/"+id, "", id)
		r.call(t, 200, alice, "POST", "/run/responses", `{"model":"m","previous_response_id":"`+id+`","input":"two"}`)
		r.call(t, 200, alice, "POST", "/run/conversations", `{}`)
		if !line.refused() {
			t.Errorf("nothing is asked of %s", key)
		}
	}
	if n := r.metric("sabir_resume_store_events_total", "event=error"); n != 0 {
		t.Errorf("%v errors are counted: %v", n, r.logs.FilterMessageSnippet("store").All())
	}
}

// TestStopInSlowStore: the client of a run that is ended at another replica reads its end however long the store takes to note it.
func TestStopInSlowStore(t *testing.T) {
	t.Parallel()
	a, _, gone := gatedAgent(t)
	address, token := redisAddress(t), newToken()
	line := newCable(t, address)
	one, two := sharing(t, a, "langgraph", token, line.Addr().String()), sharing(t, a, "langgraph", token, address)
	one.call(t, 200, alice, "POST", "/run/threads", `{"thread_id":"t1"}`)
	c := one.dial()
	c.ask("POST", "/run/threads/t1/runs/stream", said("one"), alice)
	resp := c.response()
	_, run, _ := strings.Cut(firstHalf(t, resp), `"run_id":"`)
	run, _, _ = strings.Cut(run, `"`)
	line.slow("*", inbound.FinalWriteTimeout+inbound.FinalWriteTimeout/2) // whatever is sent
	two.post("/run/threads/t1/runs/"+run+"/cancel", "", alice)            // the answer of the other may come too late for this
	<-gone
	if got := rest(t, resp); !strings.Contains(got, "event: e") {
		t.Errorf("the stream ends with %s", got)
	}
}

// TestUnknownRunInSlowStore: a run that is not known is looked for again for a while only, however slow the store is.
func TestUnknownRunInSlowStore(t *testing.T) {
	t.Parallel()
	line := newCable(t, redisAddress(t))
	r := replica(t, newAgent(t, streaming(smallRun)), "agui", "grace: 1m", line.Addr().String())
	line.slow(":head:", 2*lookMost)
	r.call(t, 404, alice+"\r\nX-Sabir-Run: 00000000000000000000000000000000", "GET", "/run", "", "run_unknown")
	if n := line.held(); n != 1 {
		t.Errorf("it is looked for %d times", n)
	}
}

// TestThreadInFailingStore: a store that could not say what is known of a conversation is not waited for once more, for its runs.
func TestThreadInFailingStore(t *testing.T) {
	t.Parallel()
	line := newCable(t, redisAddress(t))
	r := sharing(t, newAgent(t, streaming(smallRun)), "langgraph", newToken(), line.Addr().String())
	line.refuse(":thread:")
	line.slow(":runs:", time.Millisecond)
	for _, ask := range []string{"GET", "DELETE"} {
		r.call(t, 503, alice, ask, "/run/threads/t1", "", "store_unavailable")
	}
	if n := line.held(); n != 0 {
		t.Errorf("its runs are asked for %d times", n)
	}
}

// TestStoreBetweenStopQuestions: who stops a run learns that the store is away, whichever of its two questions is not answered, and not that
// the run was ended, or had ended before.
func TestStoreBetweenStopQuestions(t *testing.T) {
	t.Parallel()
	a, goOn, gone := gatedAgent(t)
	address, token := redisAddress(t), newToken()
	line := newCable(t, address)
	one, two := sharing(t, a, "langgraph", token, address), sharing(t, a, "langgraph", token, line.Addr().String())
	one.call(t, 200, alice, "POST", "/run/threads", `{"thread_id":"t1"}`)
	c := one.dial()
	c.ask("POST", "/run/threads/t1/runs/stream", said("one"), alice)
	resp := c.response()
	_, run, _ := strings.Cut(firstHalf(t, resp), `"run_id":"`)
	run, _, _ = strings.Cut(run, `"`)
	for _, question := range []string{":name:", "publish"} {
		line.refuse(question)
		two.call(t, 503, alice, "POST", "/run/threads/t1/runs/"+run+"/cancel", "", `"code":"store_unavailable"`)
	}
	close(goOn)
	if got := rest(t, resp); !strings.Contains(got, "world") || len(gone) > 0 {
		t.Errorf("the run goes on with %s", got)
	}
}

// TestStoreBetweenJoinQuestions: who waits for the end of a run that is known to go on learns that its stream cannot be found, because the store
// is away, and not that it cannot be waited for.
func TestStoreBetweenJoinQuestions(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	address := redisAddress(t)
	line := newCable(t, address)
	one, two := replica(t, a, "langgraph", "grace: 1m", address), replica(t, a, "langgraph", "grace: 1m", line.Addr().String())
	first := one.dial()
	first.ask("POST", "/run/threads/t1/runs/stream", said("hi"), alice)
	resp := first.response()
	firstHalf(t, resp)
	run := "/run" + resp.Header.Get("Content-Location")
	await(t, "the run to be known", func() bool {
		c := two.dial()
		defer c.Close()
		c.ask("GET", run, "", alice)
		return c.response().StatusCode == 200
	})
	line.refuse(":name:")
	two.call(t, 503, alice, "GET", run+"/join", "", `"code":"store_unavailable"`)
	close(goOn)
	rest(t, resp)
}

// TestStopOfForgottenTask: a task whose stream is all that is known of it is ended at another replica, and the answer says which task that was, and
// of which conversation.
func TestStopOfForgottenTask(t *testing.T) {
	t.Parallel()
	a, _, gone := gatedAgent(t)
	address := redisAddress(t)
	line := newCable(t, address)
	one, two := replica(t, a, "a2a", "grace: 1m", address), replica(t, a, "a2a", "grace: 1m", line.Addr().String())
	c := one.dial()
	c.ask("POST", "/run", strings.Replace(a2aMessage("u1", "", "one"), "SendMessage", "SendStreamingMessage", 1), alice)
	resp := c.response()
	had := firstHalf(t, resp)
	two.awaitRun(t, resp.Header.Get(runHeader))
	_, id, _ := strings.Cut(had, `"task":{"id":"`)
	id, _, _ = strings.Cut(id, `"`)
	_, context, _ := strings.Cut(had, `"contextId":"`)
	context, _, _ = strings.Cut(context, `"`)
	two.kept.runs = unknownRuns{two.kept.runs}
	if err := two.Reload(two.cfg); err != nil {
		t.Fatal(err)
	}
	cancel := a2aCall("CancelTask", `"id":"`+id+`"`)
	two.call(t, 200, bob, "POST", "/run", cancel, `"error":{"code":-32001,`)
	line.refuse("publish") // its owner is known: the others need not be asked
	two.call(t, 200, alice, "POST", "/run", cancel, `"result":{"id":"`+id+`","contextId":"`+context+`"`, `"state":"TASK_STATE_CANCELED"`)
	<-gone
	if got := rest(t, resp); !strings.Contains(got, "TASK_STATE_CANCELED") {
		t.Errorf("the stream ends with %s", got)
	}
}

// TestMultiplexStopWhileStoreIsAway: a chat that ends a run of an unreachable replica learns that the run was not ended, and not that it was.
func TestMultiplexStopWhileStoreIsAway(t *testing.T) {
	t.Parallel()
	a, goOn, stopped, _ := chatAgent(t)
	address := redisAddress(t)
	line := newCable(t, address)
	two, first := chatsAt(t, a, address, line.Addr().String())
	c := two.dialWS("/run", alice)
	c.say(resumes("back", "chat-1"))
	numbers := c.half(1)
	line.set(true)
	c.say(aborts("back"))
	got := ""
	for m := c.next(numbers); m.Type != "end"; m = c.next(numbers) {
		got += m.Type + " " + m.Chunk.Type + m.ErrorText + m.Chunk.ErrorText + "|"
	}
	if want := "chunk text-end|chunk errorThe store of conversations and runs cannot be reached. Try again later.|"; got != want {
		t.Errorf("it reads %s, want %s", got, want)
	}
	if n := two.metric("sabir_requests_rejected_total", "code=store_unavailable"); n != 1 {
		t.Errorf("%v refusals are counted", n)
	}
	close(goOn)
	if got := first.rest("one")["one"]; got != ", world|end" || len(stopped) > 0 {
		t.Errorf("the run goes on with %s", got)
	}
}
