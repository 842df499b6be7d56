package proxy

import (
	"strings"
	"testing"
)

// TestGuardIsAskedOnce: a client that was let in is not judged anew with each message, until the guard is another one.
func TestGuardIsAskedOnce(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	text := guarded(a.url(), "/run twin")
	r := start(t, text)
	c := r.dialWS("/run", asAlice)
	for n, want := range []float64{1, 1, 2} {
		if n == 2 {
			if err := r.Reload(parse(t, text)); err != nil {
				t.Fatal(err)
			}
		}
		c.say("{}")
		c.run()
		if got := r.metric("sabir_auth_total", "route=/run", "result=ok"); got != want {
			t.Errorf("by message %d the client was judged %v times, want %v", n+1, got, want)
		}
	}
}

// TestCommandsForWhichThereIsNoRoom: a command that a limit refuses says so, and leaves its conversation free.
func TestCommandsForWhichThereIsNoRoom(t *testing.T) {
	t.Parallel()
	a, goOn := heldAgent(t)
	yaml := simple(a.url(), "", "", "client: langgraph\nmethods: [GET, POST]\nrequests: {mode: translate}\nlimits: {principal: {streams: 1}}")
	r := start(t, strings.Replace(yaml, "path: /run", "path: /run/*", 1))
	r.call(t, 200, alice, "POST", "/run/threads/t1/commands", commandOf("run.start", said("one")))
	for range 2 {
		r.call(t, 429, alice, "POST", "/run/threads/t2/commands", commandOf("run.start", said("two")), `{"type":"error","id":7,"error":"too_many_streams"`)
	}
	goOn()
	r.awaitEnds(1)
	await(t, "room for another run", func() bool { return r.metric("sabir_streams_open") == 0 })
	r.call(t, 200, alice, "POST", "/run/threads/t2/commands", commandOf("run.start", said("two")), `"type":"success"`)
	r.awaitEnds(2)
}

// TestStopElsewhere: a run of AG-UI that is its client's alone is ended at another replica by its thread, and only by its principal.
func TestStopElsewhere(t *testing.T) {
	t.Parallel()
	a, _, gone := gatedAgent(t)
	address, token := redisAddress(t), newToken()
	one, two := sharing(t, a, "agui", token, address), sharing(t, a, "agui", token, address)
	c := one.dial()
	c.ask("POST", "/run/agent/helper/run", `{"threadId":"t-1","runId":"r-1","messages":[{"id":"u","role":"user","content":"hi"}]}`, alice)
	firstHalf(t, c.response())
	const stop = "/run/agent/helper/stop/t-1"
	two.call(t, 404, bob, "POST", stop, "{}")
	two.call(t, 404, alice, "POST", stop, `{"runId":"another"}`)
	two.call(t, 200, alice, "POST", stop, `{"runId":"r-1"}`)
	if t.Failed() {
		return // it goes on
	}
	<-gone
	if end := one.awaitEnds(1); end["ending"] != "cancelled" {
		t.Errorf("%v", end)
	}
}
