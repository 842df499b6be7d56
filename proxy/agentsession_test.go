package proxy

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
)

// turnsOf returns a function that asks for turns of one conversation, each with all that was said before.
func turnsOf(r *rig, thread string) func(text string) (int, string) {
	var said []string
	return func(text string) (int, string) {
		said = append(said, saidByUser(len(said)+1, text))
		return r.aguiTurn(thread, said...)
	}
}

// TestAgentThatCannotResume: a conversation goes on with an agent that cannot go on with a session: after a turn that says so it is sent
// again to a new process, or refused where that is configured.
func TestAgentThatCannotResume(t *testing.T) {
	t.Parallel()
	for history, want := range map[string]int{"preamble": http.StatusOK, "refuse": http.StatusConflict} {
		r := start(t, acpAgentConfig(t, "agui", t.TempDir(), ", idle: 20ms, history: "+history, ""))
		ask := turnsOf(r, "t1")
		status, body := ask("one")
		wantSaid(t, status, body, "Turn 1: you said one")
		await(t, "the process ends", func() bool { return r.metric("sabir_processes") == 0 })
		if status, body = ask("two"); strings.Contains(body, "RUN_FINISHED") {
			t.Errorf("status %d, a session that is gone goes on: %s", status, body)
		}
		await(t, "the process ends", func() bool { return r.metric("sabir_processes") == 0 })
		status, body = ask("three")
		if status != want {
			t.Errorf("%s: status %d: %s", history, status, body)
		}
		if want == http.StatusOK {
			wantSaid(t, status, body, "Turn 1: you said This conversation began in another session", "User: two", "three")
			continue
		}
		if !strings.Contains(body, "Begin a new one") {
			t.Errorf("%s: %s", history, body)
		}
	}
}

// TestAgentThatOpensNoSession: its turn fails, its process is ended, and the next turn begins with another.
func TestAgentThatOpensNoSession(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mark(t, dir, "refuse")
	r := start(t, acpAgentConfig(t, "agui", dir, "", ""))
	ask := turnsOf(r, "t1")
	if status, body := ask("one"); strings.Contains(body, "RUN_FINISHED") {
		t.Errorf("status %d: %s", status, body)
	}
	await(t, "the process ends", func() bool { return r.metric("sabir_processes") == 0 })
	if err := os.Remove(dir + "/refuse"); err != nil {
		t.Fatal(err)
	}
	status, body := ask("two")
	wantSaid(t, status, body, "Turn 1: you said", "two")
}

// TestPartialAfterNoSession: who says only what is new cannot go on where the agent has never opened a session.
func TestPartialAfterNoSession(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mark(t, dir, "refuse")
	r := start(t, acpAgentConfig(t, "a2a", dir, "", ""))
	r.post("/run", a2aMessage("u1", "c1", "one"))
	await(t, "the process ends", func() bool { return r.metric("sabir_processes") == 0 })
	resp, body := r.post("/run", a2aMessage("u2", "c1", "two"))
	if resp.Header.Get("X-Sabir-Error") != "upstream_reset" {
		t.Errorf("%v %s", resp.Header, body)
	}
}

// TestAgentWithdrawsQuestion: a question that is taken back waits for no answer. While its client is there the turn goes on; without one
// it ends, and the next turn says nothing of it.
func TestAgentWithdrawsQuestion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := start(t, acpAgentConfig(t, "agui", dir, "", ""))
	status, body := turnsOf(r, "t1")("withdraw at once")
	wantSaid(t, status, body, "Turn 1: you said withdraw at once", "RUN_FINISHED")
	ask := turnsOf(r, "t2")
	status, body = ask("withdraw")
	wantSaid(t, status, body, `"interrupt"`)
	if n := r.metric("sabir_sessions_waiting"); n != 1 {
		t.Errorf("%v sessions wait", n)
	}
	_ = os.Remove(dir + "/said")
	mark(t, dir, "time")
	await(t, "the agent to say the rest", func() bool { return exists(dir + "/said") })
	await(t, "the question to be gone", func() bool { return r.metric("sabir_sessions_waiting") == 0 })
	status, body = ask("next")
	wantSaid(t, status, body, "Turn 2: you said next", "RUN_FINISHED")
	if strings.Contains(body, "Never mind") {
		t.Errorf("the next turn has the rest of the one before: %s", body)
	}
}

// TestAgentFloodsWhileItWaits: what an agent says behind its question waits for the client, and the agent, which is not read from when
// much waits, is not stopped for good.
func TestAgentFloodsWhileItWaits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := start(t, acpAgentConfig(t, "agui", dir, "", ""))
	ask := func(more string) string {
		_, body := r.post("/run", `{"threadId":"t1","runId":"r","state":{},"tools":[],"context":[],"forwardedProps":{},"messages":[`+saidByUser(1, "flood")+`]`+more+`}`)
		return body
	}
	first := ask("")
	wantSaid(t, 200, first, `"interrupt"`)
	second := ask(`,"resume":[{"interruptId":"ask","status":"resolved","payload":{"approved":true}}]`)
	wantSaid(t, 200, second, "Turn 1: you said flood", "RUN_FINISHED")
	if n := strings.Count(first+second, strings.Repeat("f", 1000)); n != 1000 {
		t.Errorf("the client has got %d of 1000 texts", n)
	}
}

// TestAgentLeftInAQuestion: what came behind a question does not stand in the turn of a client that says something else in place of an
// answer, nor in one that goes on after the process has died.
func TestAgentLeftInAQuestion(t *testing.T) {
	t.Parallel()
	leave := func(r *rig, what string, happened func(*rig) bool) {
		t.Helper()
		ask := turnsOf(r, "t1")
		status, body := ask("aside")
		wantSaid(t, status, body, `"interrupt"`)
		await(t, what, func() bool { return happened(r) })
		status, body = ask("next")
		wantSaid(t, status, body, "Turn 2: you said next", "RUN_FINISHED")
		if strings.Contains(body, "By the way") {
			t.Errorf("the next turn has the rest of the one before: %s", body)
		}
	}
	dir := t.TempDir()
	r := start(t, acpAgentConfig(t, "agui", dir, "", ""))
	leave(r, "the agent to say more", func(*rig) bool { return exists(dir + "/aside") })
	if n := r.metric("sabir_asks_total", "outcome=dropped"); n != 1 {
		t.Errorf("%v questions were dropped", n)
	}
	leave(start(t, agentConfig(t, "agui", t.TempDir(), "", "")), "the process to end", func(r *rig) bool { return r.metric("sabir_processes") == 0 })
}

// TestAgentThatDoesNotStop: a turn that was cancelled keeps the next one waiting, as long as that may; in the end the process is given up.
func TestAgentThatDoesNotStop(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	yaml := acpAgentConfig(t, "agui", dir, "", "")
	r := start(t, yaml)
	r.leaveTurn("t1", saidByUser(1, "stubborn"))
	await(t, "the agent to be asked to stop", func() bool { return exists(dir + "/asked") })
	if err := r.Reload(parse(t, strings.Replace(yaml, "client: agui", "client: agui, timeouts: {stream: 200ms}", 1))); err != nil {
		t.Fatal(err)
	}
	ask := func() (int, string) { return r.aguiTurn("t1", saidByUser(1, "stubborn"), saidByUser(2, "next")) }
	if status, body := ask(); strings.Contains(body, "RUN_FINISHED") {
		t.Errorf("status %d, a turn beside the one that runs: %s", status, body)
	}
	if n := r.metric("sabir_processes"); n != 1 {
		t.Errorf("%v processes", n)
	}
	if err := r.Reload(parse(t, yaml)); err != nil {
		t.Fatal(err)
	}
	if status, body := ask(); strings.Contains(body, "session_busy") {
		t.Errorf("status %d, the process was not given up: %s", status, body)
	}
	await(t, "all processes but one to end", func() bool { return r.metric("sabir_processes") <= 1 })
}

// TestAgentReloadInATurn: a turn that runs while its pool is replaced goes on to its end, and its process ends with it.
func TestAgentReloadInATurn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	yaml := acpAgentConfig(t, "agui", dir, "", "")
	r := start(t, yaml)
	answer := make(chan string)
	go func() {
		_, body := r.aguiTurn("t1", saidByUser(1, "gate"))
		answer <- body
	}()
	await(t, "the turn to run", func() bool { return r.metric("sabir_processes") == 1 && r.open.Load() == 1 })
	if err := r.Reload(parse(t, strings.Replace(yaml, "{dir:", "{max: 3, dir:", 1))); err != nil {
		t.Fatal(err)
	}
	mark(t, dir, "time")
	wantSaid(t, http.StatusOK, <-answer, "Turn 1: you said gate", "RUN_FINISHED")
	await(t, "its process to end", func() bool { return len(processesOf(dir)) == 0 })
}

// TestAgentSessionsBound: of more conversations than may be kept the one that was idle longest is forgotten.
func TestAgentSessionsBound(t *testing.T) {
	t.Parallel()
	r := start(t, agentConfig(t, "agui", t.TempDir(), ", sessions: 2", ""))
	var asks []func(string) (int, string)
	for n := range 3 {
		asks = append(asks, turnsOf(r, fmt.Sprintf("t%d", n)))
		status, body := asks[n]("one")
		wantSaid(t, status, body, "Turn 1: you said one")
	}
	if n := r.metric("sabir_sessions"); n != 2 {
		t.Errorf("%v sessions", n)
	}
	for n, want := range map[int]string{2: "Turn 2: you said two", 1: "Turn 2: you said two"} {
		status, body := asks[n]("two")
		wantSaid(t, status, body, want)
	}
	status, body := asks[0]("two")
	wantSaid(t, status, body, "began in another session")
}
