package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stubborn is an agent that listens to nothing, nor does what it starts.
const stubborn = `#!/bin/sh
trap '' TERM INT HUP
setsid sh -c 'trap "" TERM INT HUP; echo $$ > "$1"; while sleep 1; do :; done' sh "$1" &
echo '{"type":"system","subtype":"init","session_id":"s1","model":"m","tools":[]}'
read line
echo '{"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"Hello"}]},"session_id":"s1"}'
while sleep 1; do :; done
`

// TestSecondSignal: a second signal ends the process at once, by that signal, the log says so and how many streams it cuts, and
// nothing that an agent has started outlives it.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program, number := filepath.Join(dir, "agent"), filepath.Join(dir, "pid")
	writeProgram(t, program, stubborn)
	file := write(t, "sabir.yaml", `{listen: "127.0.0.1:0", admin: "127.0.0.1:0", timeouts: {drain: 1h}, upstreams: {p: {command: [`+program+`, `+number+`], dialect: claude-cli}},
		routes: [{path: /run, upstream: p, client: agui}]}`)
	c := newChild(t, "serve", "--config", file)
	resp, err := http.Post(c.clients+"/run", "application/json", strings.NewReader(`{"threadId":"t1","runId":"r1","messages":[{"id":"m1","role":"user","content":"hi"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var pid int
	await(t, "what the agent starts", func() bool {
		text, _ := os.ReadFile(number)
		pid, _ = strconv.Atoi(strings.TrimSpace(string(text)))
		return pid > 0
	})
	defer func() { _ = syscall.Kill(pid, syscall.SIGKILL) }()
	for _, ready := range []int{503, 0} {
		if err := c.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if ready > 0 {
			await(t, "the server to drain", func() bool { status, _ := get(t, c.admin+"/readyz"); return status == ready })
		}
	}
	said := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(c.stderr)
		said <- string(text)
	}()
	select {
	case err := <-c.ended:
		if c.ended <- err; err == nil || err.Error() != "signal: terminated" {
			t.Errorf("it ends with %v", err)
		}
	case <-time.After(testTimeout):
		t.Fatal("the process does not end")
	}
	if text := <-said; !strings.Contains(text, `"msg":"ended at once by a second signal","streams":1`) {
		t.Errorf("the log is %s", text)
	}
	await(t, "what the agent has started to be gone", func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH || isZombie(pid) })
}

// isZombie reports whether a process is dead, and whoever adopted it has not noticed yet.
func isZombie(pid int) bool {
	stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, state, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(state, "Z")
}
