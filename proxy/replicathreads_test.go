package proxy

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

// sharing is a proxy that shares conversations by a Redis server, with a route for clients of a dialect. The keys of a test begin with a
// token: those of one before it are still there.
func sharing(t *testing.T, a *agent, client, token, address string) *rig {
	t.Helper()
	top := storeYAML(address, fmt.Sprintf(", prefix: \"%s:%s:\"", t.Name(), token))
	return start(t, strings.Replace(simple(a.url(), top, "", "client: "+client+
		"\nmethods: [GET, POST, DELETE, PATCH]\nagent: {name: helper}\nrequests: {mode: translate}"), "path: /run", "path: /run/*", 1))
}

// TestTurnsWhileStoreIsAway: a client that sends only what is new gets a status and an error of its own dialect while Redis is away, and so
// does one that asks what there is. Nothing reaches the agent but turns that need nothing of Redis, and all goes on when it is back.
func TestTurnsWhileStoreIsAway(t *testing.T) {
	t.Parallel()
	const v1 = alice + "\r\nA2A-Version: 1.0"
	for _, c := range []struct{ dialect, begins, id, goesOn, asks, form string }{
		{"langgraph", "POST /run/threads/t1/runs/wait " + said("one"), "", "POST /run/threads/t1/runs/wait " + said("two"), "GET /run/threads/t1/state ", `"code":"store_unavailable"`},
		{"openai-responses", `POST /run/responses {"model":"m","input":"one"}`, `"id":"`, `POST /run/responses {"model":"m","previous_response_id":"ID","input":"two"}`, "GET /run/responses/ID ", `"code":"store_unavailable"`},
		{"anthropic", "POST /run " + threadBody("", "one"), `"id":"`, "POST /run " + threadBody("ID", "two"), "", `{"type":"error","error":{"type":"api_error",`},
		{"a2a", "POST /run " + a2aMessage("u1", "", "one"), `"contextId":"`, "POST /run " + a2aMessage("u2", "ID", "two"), "", `"reason":"store_unavailable"`},
	} {
		t.Run(c.dialect, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, streaming(smallRun))
			line := newCable(t, redisAddress(t))
			r := sharing(t, a, c.dialect, newToken(), line.Addr().String())
			id := ""
			call := func(status int, what string, want ...string) string {
				t.Helper()
				method, rest, _ := strings.Cut(strings.ReplaceAll(what, "ID", id), " ")
				path, body, _ := strings.Cut(rest, " ")
				return r.call(t, status, v1, method, path, body, want...)
			}
			first := call(200, c.begins, "Hello, world")
			if c.id != "" {
				_, id, _ = strings.Cut(first, c.id)
				id, _, _ = strings.Cut(id, `"`)
			}
			line.set(true)
			call(503, c.goesOn, c.form)
			if c.asks != "" {
				call(503, c.asks, c.form)
			}
			if n := a.connections(); n != 1 {
				t.Errorf("the agent was asked %d times", n)
			}
			if n := r.metric("sabir_resume_store_events_total", "event=error"); n == 0 {
				t.Error("no error is counted")
			}
			line.set(false)
			call(200, c.goesOn, "Hello, world")
		})
	}
}

// TestTurnEndsWhileStoreIsAway: a turn that ends while Redis is away is whole for its client, and counts as lost. The conversation is free
// when Redis is back, as it was before.
func TestTurnEndsWhileStoreIsAway(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	address := redisAddress(t)
	line := newCable(t, address)
	token := newToken()
	one, two := sharing(t, a, "langgraph", token, line.Addr().String()), sharing(t, a, "langgraph", token, address)
	one.call(t, 200, alice, "POST", "/run/threads", `{"thread_id":"t1"}`)
	run := one.dial()
	run.ask("POST", "/run/threads/t1/runs/stream", said("one"), alice)
	resp := run.response()
	firstHalf(t, resp)
	two.call(t, 200, alice, "GET", "/run/threads/t1", "", `"status":"busy"`)
	line.set(true)
	close(goOn)
	if body, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(body), "world") {
		t.Errorf("the client has %s, %v", body, err)
	}
	await(t, "the turn to be counted", func() bool { return one.metric("sabir_resume_store_events_total", "event=turn_lost") > 0 })
	line.set(false)
	await(t, "the conversation to be free", func() bool {
		return strings.Contains(two.call(t, 200, alice, "GET", "/run/threads/t1", ""), `"status":"idle"`)
	})
	two.call(t, 200, alice, "POST", "/run/threads/t1/runs/wait", said("two"), `{"messages":[{"type":"human","id":"u-two"`)
}

// TestRunOfReplicaGone: clients that ask for a run whose replica is gone get that it has failed, alone and in the list.
func TestRunOfReplicaGone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ dialect, begins, list, one, runs, failed string }{
		{"langgraph", "/run/threads/t1/runs/stream " + said("one"), "/run/threads/t1/runs", "/run/threads/t1/runs/ID", `"status":"running"`, `"status":"error"`},
		{"a2a", "/run " + strings.Replace(a2aMessage("u1", "", "one"), "SendMessage", "SendStreamingMessage", 1), "", "/run/tasks/ID", "TASK_STATE_WORKING", "TASK_STATE_FAILED"},
	} {
		t.Run(c.dialect, func(t *testing.T) {
			t.Parallel()
			const v1 = alice + "\r\nA2A-Version: 1.0"
			a, goOn, _ := gatedAgent(t)
			address := redisAddress(t)
			line := newCable(t, address)
			token := newToken()
			one, two := sharing(t, a, c.dialect, token, line.Addr().String()), sharing(t, a, c.dialect, token, address)
			path, body, _ := strings.Cut(c.begins, " ")
			run := one.dial()
			run.ask("POST", path, body, v1)
			resp := run.response()
			had := firstHalf(t, resp)
			id := ""
			for _, before := range []string{`"run_id":"`, `"task":{"id":"`} {
				if _, after, ok := strings.Cut(had, before); ok {
					id, _, _ = strings.Cut(after, `"`)
				}
			}
			paths := []string{strings.Replace(c.one, "ID", id, 1)}
			if c.list != "" {
				paths = append(paths, c.list)
			}
			for _, path := range paths {
				two.call(t, 200, v1, "GET", path, "", c.runs, id)
			}
			line.set(true)
			for _, path := range paths {
				await(t, "the run to have failed", func() bool { return strings.Contains(two.call(t, 200, v1, "GET", path, ""), c.failed) })
			}
			close(goOn)
			if body, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(body), "world") {
				t.Errorf("its client has %s, %v", body, err)
			}
		})
	}
}

// TestRedisLog: what the client of Redis has to say stands in the log of operators who want to know everything, and not on stderr. It is
// not parallel, as that client has one log for the process.
func TestRedisLog(t *testing.T) {
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = gone.Close()
	r := sharing(t, newAgent(t, streaming(smallRun)), "langgraph", newToken(), gone.Addr().String())
	said := func() []observer.LoggedEntry { return r.logs.FilterMessage("the client of Redis").All() }
	await(t, "a line of the client", func() bool { return len(said()) > 0 })
	if line := said()[0]; line.Level != zapcore.DebugLevel || !strings.Contains(fmt.Sprint(line.ContextMap()["says"]), gone.Addr().String()) {
		t.Errorf("it says %+v", line)
	}
	await(t, "the line that all operators get", func() bool {
		return r.logs.FilterMessage("the store of runs has failed").FilterLevelExact(zapcore.WarnLevel).Len() > 0
	})
}

// TestCommandsAtReplicas: the events of a turn that was begun by a command have, at another replica as at its own, states with what was said
// before the turn.
func TestCommandsAtReplicas(t *testing.T) {
	t.Parallel()
	address := redisAddress(t)
	agent := newAgent(t, streaming(smallRun))
	one, two := replica(t, agent, "langgraph", "grace: 1m", address), replica(t, agent, "langgraph", "grace: 1m", address)
	begin := func(text string) {
		one.call(t, 200, alice, "POST", "/run/threads/t1/commands", commandOf("run.start", said(text)))
	}
	const ended = `"event":"completed"`
	begin("one")
	here, there := one.events(t, alice, "t1", everyEvent), two.events(t, alice, "t1", everyEvent)
	eventsUntil(t, here, ended)
	eventsUntil(t, there, ended)
	begin("two")
	for where, stream := range map[string]*http.Response{"its own": here, "another": there} {
		got := eventsUntil(t, stream, ended)
		for _, want := range []string{`"content":"one"`, `"content":"two"`, `"content":"Hello, world"}]}}`} {
			if !strings.Contains(got, want) {
				t.Errorf("at %s replica there is no %s in %s", where, want, got)
			}
		}
	}
}
