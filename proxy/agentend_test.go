package proxy

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestAgentDies: a process that ends in the middle is no clean end, and the conversation can go on in another one.
func TestAgentDies(t *testing.T) {
	r := start(t, agentConfig(t, "agui", t.TempDir(), "", ""))
	status, body := r.aguiTurn("t1", saidByUser(1, "one"))
	wantSaid(t, status, body, "Turn 1")
	if status, body = r.aguiTurn("t1", saidByUser(1, "one"), saidByUser(2, "die")); strings.Contains(body, "RUN_FINISHED") {
		t.Errorf("status %d, a clean end: %s", status, body)
	}
	status, body = r.aguiTurn("t1", saidByUser(1, "one"), saidByUser(2, "die"), saidByUser(3, "again"))
	wantSaid(t, status, body, "Turn 3: you said again")
	if n := r.metric("sabir_session_turns_total", "session=resumed"); n != 1 {
		t.Errorf("%v turns in a session that was resumed", n)
	}
}

// TestAgentLeavesChild: a process that ends in the middle has ended, though one that it has started holds its output open.
func TestAgentLeavesChild(t *testing.T) {
	t.Parallel()
	r := start(t, agentConfig(t, "agui", t.TempDir(), "", ""))
	status, body := r.aguiTurn("t1", saidByUser(1, "orphan die"))
	wantSaid(t, status, body, `"RUN_ERROR"`)
	status, body = r.aguiTurn("t1", saidByUser(1, "orphan die"), saidByUser(2, "again"))
	wantSaid(t, status, body, "Turn 2: you said again")
}

// TestAgentKilledBetweenTurns: the turn after it goes on in another process, though one that the first has started holds the output
// open, and takes its time to end.
func TestAgentKilledBetweenTurns(t *testing.T) {
	t.Parallel()
	r := start(t, agentConfig(t, "agui", t.TempDir(), "", ""))
	var body string
	for n := range 6 { // the end of a process is noticed a moment later
		thread := fmt.Sprintf("t%d", n)
		first := saidByUser(1, fmt.Sprintf("who is orphan %d", n))
		_, body = r.aguiTurn(thread, first)
		agent, err := os.FindProcess(pidOfScripted(t, body))
		if err != nil {
			t.Fatal(err)
		}
		if err := agent.Kill(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(n*n) * 5 * time.Millisecond)
		if _, body = r.aguiTurn(thread, first, saidByUser(2, "again")); strings.Contains(body, "Turn 2: you said again") {
			return
		}
	}
	t.Errorf("the turn did not go on: %s", body)
}

// pidOfScripted is the number of the process that was asked who it is: its session ends in it.
func pidOfScripted(t *testing.T, body string) int {
	t.Helper()
	_, rest, ok := strings.Cut(body, "11111111-2222-4333-8444-")
	if !ok {
		t.Fatalf("no session in %s", body)
	}
	pid, err := strconv.Atoi(rest[:12])
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// TestAgentMemory: a process that holds too much is killed, its turn fails, and the conversation goes on in another one.
func TestAgentMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what processes hold is known on Linux only")
	}
	r := start(t, agentConfig(t, "agui", t.TempDir(), ", memory: 192MiB", ""))
	status, body := r.aguiTurn("t1", saidByUser(1, "one"))
	wantSaid(t, status, body, "Turn 1")
	status, body = r.aguiTurn("t1", saidByUser(1, "one"), saidByUser(2, "grow"))
	wantSaid(t, status, body, "Growing.", `"RUN_ERROR"`)
	if n := r.metric("sabir_processes_outgrown_total", "upstream=coder"); n != 1 {
		t.Errorf("%v processes have outgrown their bound", n)
	}
	if n := r.logs.FilterMessage("agent process is killed").Len(); n != 1 {
		t.Errorf("%d lines say that a process is killed", n)
	}
	status, body = r.aguiTurn("t1", saidByUser(1, "one"), saidByUser(2, "grow"), saidByUser(3, "again"))
	wantSaid(t, status, body, "Turn 3: you said again")
}

// TestAgentIdle: a process without a turn is ended, and its conversation goes on in a new one.
func TestAgentIdle(t *testing.T) {
	r := start(t, agentConfig(t, "agui", t.TempDir(), ", idle: 20ms", ""))
	status, body := r.aguiTurn("t1", saidByUser(1, "one"))
	wantSaid(t, status, body, "Turn 1")
	await(t, "the process ends", func() bool { return r.metric("sabir_processes") == 0 })
	status, body = r.aguiTurn("t1", saidByUser(1, "one"), saidByAgent(1, "x"), saidByUser(2, "two"))
	wantSaid(t, status, body, "Turn 2: you said two")
}

// leaveTurn leaves when the agent has begun to speak.
func (r *rig) leaveTurn(thread string, messages ...string) {
	r.t.Helper()
	c := r.dial()
	c.ask("POST", "/run", fmt.Sprintf(`{"threadId":%q,"runId":"r","state":{},"tools":[],"context":[],"forwardedProps":{},"messages":[%s]}`, thread, strings.Join(messages, ",")))
	resp := c.response()
	for said := ""; !strings.Contains(said, "waiting"); {
		piece := make([]byte, 1)
		if _, err := io.ReadFull(resp.Body, piece); err != nil {
			r.t.Fatal(err)
		}
		said += string(piece)
	}
	c.reset()
}

// TestAgentClientLeaves: a client that leaves cancels the turn, and the next one begins when that is over.
func TestAgentClientLeaves(t *testing.T) {
	dir := t.TempDir()
	r := start(t, agentConfig(t, "agui", dir, "", ""))
	r.leaveTurn("t1", saidByUser(1, "slow"))
	await(t, "the agent is interrupted", func() bool { _, err := os.Stat(dir + "/interrupted"); return err == nil })
	status, body := r.aguiTurn("t1", saidByUser(1, "slow"), saidByUser(2, "next"))
	wantSaid(t, status, body, "Turn 2: you said next")
}

// TestAgentLeaves: a process that is being ended makes room, too, as soon as it has ended.
func TestAgentLeaves(t *testing.T) {
	dir := t.TempDir()
	r := start(t, agentConfig(t, "agui", dir, ", max: 1, idle: 1ms", ""))
	status, body := r.aguiTurn("t1", saidByUser(1, "linger"))
	wantSaid(t, status, body, "Turn 1: you said linger")
	await(t, "the process leaves", func() bool { _, err := os.Stat(filepath.Join(dir, "leaving")); return err == nil })
	status, body = r.aguiTurn("t2", saidByUser(1, "one"))
	wantSaid(t, status, body, "Turn 1: you said one")
}

// TestAgentForgets: a conversation that is not continued is forgotten, with its directory.
func TestAgentForgets(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	r := start(t, agentConfig(t, "agui", "", ", idle: 10ms, keep: 10ms", ""))
	status, body := r.aguiTurn("t1", saidByUser(1, "one"))
	wantSaid(t, status, body, "Turn 1")
	await(t, "it is forgotten", func() bool {
		left, _ := os.ReadDir(tmp)
		return r.metric("sabir_sessions") == 0 && r.metric("sabir_processes") == 0 && len(left) == 0
	})
}

// TestAgentHostile: an agent that says what it must not ends its own turns, and no others.
func TestAgentHostile(t *testing.T) {
	r := start(t, "limits: {record: 64KiB}\n"+agentConfig(t, "agui", t.TempDir(), "", ""))
	for word, want := range map[string]string{"garbage": "RUN_FINISHED", "endless": "RUN_ERROR", "flood": "Turn 1: flooded", "requests": "Turn 1: you said requests"} {
		status, body := r.aguiTurn("t-"+word, saidByUser(1, word))
		wantSaid(t, status, body, want)
	}
	status, body := r.aguiTurn("t-garbage", saidByUser(1, "garbage"), saidByUser(2, "two"))
	wantSaid(t, status, body, "Turn 2: you said two")
}

// processesOf are the processes that work in a directory.
func processesOf(dir string) (pids []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range all {
		if at, err := os.Readlink(link); err == nil && at == dir {
			pids = append(pids, link)
		}
	}
	return pids
}

// TestAgentUnanswered: what is said in place of an answer is counted, and a request that is refused leaves the question as it is.
func TestAgentUnanswered(t *testing.T) {
	r := start(t, agentConfig(t, "agui", t.TempDir(), "", ", asks: {wait: 300ms}"))
	status, body := r.aguiTurn("t1", saidByUser(1, "delete"))
	wantSaid(t, status, body, `"interrupt"`)
	_, body = r.post("/run", `{"threadId":"t1","runId":"r","state":{},"tools":[],"context":[],"forwardedProps":{},"messages":[`+saidByUser(1, "delete")+
		`],"resume":[{"interruptId":"another","status":"resolved","payload":{"approved":true}}]}`)
	if !strings.Contains(body, "request_unreadable") && !strings.Contains(body, "ask_unknown") {
		t.Errorf("an answer to nothing: %s", body)
	}
	await(t, "the question expires all the same", func() bool { return r.metric("sabir_asks_total", "outcome=expired") == 1 })

	r = start(t, agentConfig(t, "agui", t.TempDir(), "", ""))
	status, body = r.aguiTurn("t2", saidByUser(1, "delete"))
	wantSaid(t, status, body, `"interrupt"`)
	status, body = r.aguiTurn("t2", saidByUser(1, "delete"), saidByUser(2, "no, leave it"))
	wantSaid(t, status, body, "Turn 2: you said no, leave it")
	if n := r.metric("sabir_asks_total", "outcome=dropped"); n != 1 {
		t.Errorf("%v questions were dropped", n)
	}
}

// TestAgentNotThere: a program that cannot be started is an error with a status.
func TestAgentNotThere(t *testing.T) {
	r := start(t, strings.Replace(agentConfig(t, "agui", "", "", ""), "command: [", "command: [/no/such/program, ", 1))
	if status, body := r.aguiTurn("t1", saidByUser(1, "one")); status != http.StatusBadGateway || strings.Contains(body, "/no/such") {
		t.Errorf("status %d: %s", status, body)
	}
	if n := r.metric("sabir_sessions"); n != 0 {
		t.Errorf("%v sessions", n)
	}
}

// TestAgentsEnd: nothing is left when the server ends, not even a question that waits.
func TestAgentsEnd(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	r := start(t, agentConfig(t, "agui", "", "", ""))
	r.aguiTurn("t1", saidByUser(1, "delete"))
	r.aguiTurn("t2", saidByUser(1, "one"))
	begun := time.Now()
	r.close()
	if took := time.Since(begun); took > testTimeout {
		t.Errorf("took %s", took)
	}
	if n := r.metric("sabir_processes") + r.metric("sabir_sessions"); n != 0 {
		t.Errorf("%v sessions and processes are left", n)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
