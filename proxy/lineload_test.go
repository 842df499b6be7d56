package proxy

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const editorRoute = "client: acp\nrequests: {mode: translate}\nresume: {grace: 1m}"

// editors are two proxies for editors: replicas, or one twice where there is no store.
func editors(t *testing.T, a *agent, stored bool) (one, two *rig) {
	t.Helper()
	top := "threads: {principal: [Authorization]}\n"
	if !stored {
		one = start(t, simple(a.url(), top, "", editorRoute))
		return one, one
	}
	top += storeYAML(redisAddress(t), prefixed(t))
	return start(t, simple(a.url(), top, "", editorRoute)), start(t, simple(a.url(), top, "", editorRoute))
}

func editorOf(r *rig) *editor {
	e := r.dialEditor("/run", alice)
	e.call("initialize", `"protocolVersion":1,"clientCapabilities":{}`)
	return e
}

// TestEditorLoadsTurn: an editor that has lost its connection while the agent works comes back to the conversation, at any replica, and gets
// what was said before, what it has said in the turn, what the agent has said so far, and the rest as it comes.
func TestEditorLoadsTurn(t *testing.T) {
	t.Parallel()
	for name, stored := range map[string]bool{"memory": false, "replicas": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			goOn := make(chan struct{})
			var asked atomic.Int64
			a := newAgent(t, func(p *peer) {
				for p.request() != nil {
					asked.Add(1)
					p.ok("Content-Type: application/x-ndjson")
					p.chunk(lines(lineStart, lineHello))
					if strings.Contains(string(p.body), "second words") && !strings.Contains(string(p.body), "third") {
						<-goOn
					}
					p.finish(lines(lineWorld, lineEnd))
				}
			})
			one, two := editors(t, a, stored)
			e := editorOf(one)
			session := e.begin()
			e.holds(e.prompt(session, "first words"), "Hello", "end_turn")
			e.ask(session, "second words")
			e.await("Hello")
			e.in.Close()
			await(t, "the editor to be gone", func() bool { return one.logs.FilterMessage("run read").Len() == 2 })

			same := sameSession(session)
			bob := two.dialEditor("/run", bob)
			bob.holds(bob.call("session/load", same), "-32002")
			again := editorOf(two)
			history := again.call("session/load", same)
			for _, want := range []string{"first words", "Hello, world", "second words"} {
				if strings.Count(history, want) != 1 {
					t.Errorf("%q is not once in\n%s", want, history)
				}
			}
			so := again.await("Hello")
			again.holds(again.prompt(session, "too early"), `"error"`)
			close(goOn)
			so += again.await("world")
			if strings.Contains(so, "stopReason") || strings.Count(so, "Hello") != 1 {
				t.Errorf("the turn is\n%s", so)
			}
			await(t, "the turn to end", func() bool {
				return two.logs.FilterMessage("run read").Len() == map[bool]int{false: 3, true: 1}[stored]
			})
			third := ""
			await(t, "the next turn", func() bool {
				third = again.prompt(session, "third words")
				return !strings.Contains(third, "error")
			})
			again.holds(third, "Hello", "end_turn")
			if n := asked.Load(); n != 3 {
				t.Errorf("the agent was asked %d times", n)
			}
		})
	}
}

// TestEditorCancelsTurn: one that has come back cancels the turn, and one that does not come back lets it go on for grace alone.
func TestEditorCancelsTurn(t *testing.T) {
	t.Parallel()
	a, _, gone := gatedAgent(t)
	_, r := editors(t, a, false)
	e := editorOf(r)
	session := e.begin()
	e.ask(session, "words")
	e.await("Hello")
	e.in.Close()
	again := editorOf(r)
	again.holds(again.call("session/load", sameSession(session)), "words", `"result":{}`)
	again.await("Hello")
	again.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`, session))
	<-gone

	b, _, left := gatedAgent(t)
	short := start(t, strings.Replace(simple(b.url(), "", "", editorRoute), "1m", "50ms", 1))
	e = editorOf(short)
	e.ask(e.begin(), "words")
	e.await("Hello")
	e.in.Close()
	select {
	case <-left:
	case <-time.After(testTimeout):
		t.Error("the agent works for no one")
	}
}

// TestEditorAnswersTurn: a question of an agent that waits for the answer in its turn goes to the editor that has come back, which answers it.
func TestEditorAnswersTurn(t *testing.T) {
	t.Parallel()
	r := start(t, agentConfig(t, "acp", t.TempDir(), "", ", asks: {wait: 20s}, resume: {grace: 1m}")+"threads: {principal: [Authorization]}\n")
	e := editorOf(r)
	session := e.begin()
	e.ask(session, "delete")
	e.await("session/request_permission")
	e.in.Close()
	await(t, "the editor to be gone", func() bool { return r.logs.FilterMessage("run read").Len() == 1 })
	again := editorOf(r)
	again.holds(again.call("session/resume", sameSession(session)), `"result":{}`)
	var question struct{ ID string }
	all := strings.Split(strings.TrimSpace(again.await("session/request_permission")), "\n")
	if err := json.Unmarshal([]byte(all[len(all)-1]), &question); err != nil {
		t.Fatal(err)
	}
	again.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":{"outcome":{"outcome":"selected","optionId":"allow"}}}`, question.ID))
	again.await("allowed true")
}
