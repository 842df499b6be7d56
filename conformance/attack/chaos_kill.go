//go:build linux

package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func killAttacks() []*attack {
	return []*attack{
		{
			name: "chaos/agent-killed", tries: "the agent server dies under streams, is away, and comes back at the same address",
			holds: "each stream ends with an error; requests meanwhile are refused; those after it are answered", run: agentKilled,
		}, {
			name: "chaos/program-killed", tries: "SIGKILL to programs that are agents, in the middle of their turns",
			holds: "each turn ends with an error, and no process is left; the next turn is answered", run: programKilled,
		}, {
			name: "chaos/sabir-killed", tries: "SIGKILL to Sabir under streams, and a new process with the same files",
			holds: "no client sees a clean end; the chain of the audit goes on; no half recording has a name", run: sabirKilled,
		}, {
			name: "chaos/auth-killed", tries: "the server that is asked about each request, and the one with the public keys, die and come back",
			holds: "running streams end whole; requests are refused with 503 where they cannot be judged, and only there", run: authKilled,
		},
	}
}

// agentKilled takes the agent server away.
func agentKilled(t *trial) {
	w := t.chaos(chaosConfig{}, processOptions{})
	if w == nil {
		return
	}
	if err := w.canary.finish(); err != nil { // it would not survive
		t.fault("%v", err)
	}
	defer t.rig.close()
	a := t.rig.agent
	ends, away, back := t.newCrowd(1000, 100*time.Millisecond), t.newCrowd(1, 0), t.newCrowd(5, 10*time.Millisecond)
	rounds, n := t.pick(2, 10), t.pick(50, 300)
	for range rounds {
		ends.begin(n)
		a.ln.Close()
		a.dropAll()
		ends.wait()
		away.settle(10)
		ln, err := net.Listen("tcp", a.addr)
		if err != nil {
			t.fault("%v", err)
			return
		}
		a.ln = ln
		go a.accept(ln)
		back.settle(20)
	}
	ends.judge("when it dies", endHonest)
	away.judge("while it is away", endRefused)
	back.judge("when it is back")
	if ends.ended(endHonest) != n*rounds || away.ended(endRefused) != 10*rounds {
		t.fault("a stream ended whole whose agent had died")
	}
	var err error
	if w.canary, err = t.rig.startCanary(); err != nil {
		t.fault("%v", err)
		return
	}
	w.judge(t)
}

// program is an agent as a program: it speaks for as long as the prompt does not say that it is short.
const program = `#!/bin/sh
read -r prompt
echo '{"type":"init","timestamp":"2026-11-21T11:29:14.112Z","session_id":"s","model":"m"}'
n=0
while [ $n -lt 100 ]; do
  echo '{"type":"message","timestamp":"2026-11-21T11:29:14.112Z","role":"assistant","content":"'$n' ","delta":true}'
  n=$((n+1))
  case "$prompt" in *short*) [ $n -lt 3 ] || break;; *) sleep 0.2;; esac
done
echo '{"type":"result","timestamp":"2026-11-21T11:29:14.112Z","status":"success","stats":{}}'
`

// programKilled kills programs.
func programKilled(t *trial) {
	file := filepath.Join(t.suite.dir, "program")
	if err := os.WriteFile(file, []byte(program), 0o700); err != nil { //nolint:gosec // it is run
		t.fault("%v", err)
		return
	}
	n := t.pick(6, 20)
	w := t.chaos(chaosConfig{
		others: fmt.Sprintf("  program: {command: [%s], dialect: gemini-cli, process: {max: %d}}\n", file, 2*n),
		more:   "  - {path: /program, upstream: program, client: agui}\n",
	}, processOptions{})
	if w == nil {
		return
	}
	defer w.end(t)
	killed, next := 0, 0
	for round := range t.pick(2, 10) {
		answers := make([]*answer, n)
		done := make(chan struct{})
		go func() {
			defer close(done)
			t.each(n, n, func(i int) { answers[i] = t.turn(fmt.Sprintf("long-%d-%d", round, i), "long") })
		}()
		if !eventually(t.ctx, 30*time.Second, func() bool { return len(programs(file)) >= n }) {
			t.fault("%d programs should run, and %d do", n, len(programs(file)))
		}
		time.Sleep(500 * time.Millisecond)
		for _, pid := range programs(file) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			killed++
		}
		<-done
		for _, a := range answers {
			t.count(1)
			if err := a.honest("agui"); err != nil || a.err != nil {
				t.fault("its program was killed: %v %v", err, a.err)
			}
		}
		if a := t.turn(fmt.Sprintf("short-%d", round), "short"); !strings.Contains(string(a.body), "RUN_FINISHED") {
			t.fault("the next turn: status %d, %s", a.status, clip(string(a.body), 300))
		} else {
			next++
		}
	}
	t.figure("programs killed", "%d, each turn ended with an error; %d turns after that whole", killed, next)
	if left := programs(file); len(left) > 0 {
		t.fault("%d programs are left", len(left))
	}
}

// turn asks the program.
func (t *trial) turn(thread, text string) *answer {
	return t.rig.process.ask("/program", fmt.Sprintf(`{"threadId":%q,"runId":%q,"messages":[{"id":"u","role":"user","content":%q}],"tools":[],"context":[],"state":{},"forwardedProps":{}}`, thread, thread, text))
}

// programs are the processes that run a program.
func programs(file string) (pids []int) {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, line := range lines {
		said, _ := os.ReadFile(line) // it may have ended, or belong to others
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(line)))
		if err == nil && strings.HasPrefix(string(said), "/bin/sh\x00"+file+"\x00") {
			pids = append(pids, pid)
		}
	}
	return pids
}

// sabirKilled kills the process itself.
func sabirKilled(t *trial) {
	audit, recordings := filepath.Join(t.suite.dir, "killed.jsonl"), filepath.Join(t.suite.dir, "killed")
	c := chaosConfig{
		top:   fmt.Sprintf("audit: {path: '%s', chain: true}\n", audit),
		route: fmt.Sprintf(", record: {dir: '%s'}", recordings),
	}
	cut, after := t.newCrowd(1000, 50*time.Millisecond), t.newCrowd(5, 10*time.Millisecond)
	written := 0
	for range t.pick(2, 8) {
		w := t.chaos(c, processOptions{})
		if w == nil {
			return
		}
		after.settle(20)
		cut.begin(t.pick(50, 300))
		t.rig.process.kill()
		cut.wait()
		<-w.canary.done
		t.rig.agent.close()
		lines, _ := t.auditLines(audit)
		if lines <= written {
			t.fault("a process that served adds no line to the audit")
		}
		written = lines
		for _, half := range halfRecordings(recordings) {
			_ = os.Remove(half) // which a killed process may leave, under a name that is none of a recording
		}
	}
	cut.judge("when it is killed", endCut)
	after.judge("before that")
	t.figure("lines of the audit", "%d, in one chain", written)
	t.figure("recordings", "%d, all whole", t.recordingsOf(recordings))
}

// halfRecordings are the files of recordings that were being written.
func halfRecordings(dir string) []string {
	files, _ := filepath.Glob(filepath.Join(dir, ".*-*"))
	return files
}
