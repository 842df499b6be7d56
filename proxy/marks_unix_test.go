//go:build unix

package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkProcessStream is what an event of a process costs, and the same event by HTTP, in CPU of this process, which is the client, too:
// the agent is another one. It speaks as fast as it can, or one event after the other.
func BenchmarkProcessStream(b *testing.B) {
	for _, pace := range []string{"flood", "paced"} {
		b.Run(pace+"/process", func(b *testing.B) {
			yaml := fmt.Sprintf("listen: 127.0.0.1:0\nupstreams:\n  coder:\n    command: [%q]\n    dialect: claude-cli\n    process: {set_env: {%s: %s}}\n", ownProgram(b), scriptedAgent, pace)
			benchFlood(b, yaml, floods[pace].events)
		})
		b.Run(pace+"/http", func(b *testing.B) {
			url := startFloodServer(b, pace+"-http")
			benchFlood(b, "listen: 127.0.0.1:0\nupstreams:\n  coder: {url: '"+url+"', dialect: claude-cli}\n", floods[pace].events)
		})
	}
}

func ownProgram(b *testing.B) string {
	program, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	return program
}

// startFloodServer starts a streaming agent that is reached by HTTP, and returns its URL.
func startFloodServer(b *testing.B, kind string) string {
	agent := exec.Command(ownProgram(b))
	agent.Env = append(os.Environ(), scriptedAgent+"="+kind)
	in, err := agent.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := agent.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := agent.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = in.Close(); _ = agent.Wait() })
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(url)
}

// benchFlood reads turns of a streaming agent as a client of AG-UI.
func benchFlood(b *testing.B, upstream string, events int) {
	r := start(b, upstream+"routes:\n  - {path: /run, upstream: coder, client: agui, requests: {mode: translate}}\n")
	said := ""
	turn := func(n int) {
		c := r.dial()
		defer c.Close()
		said += "," + saidByUser(n, "go")
		c.ask("POST", "/run", `{"threadId":"t1","runId":"r","state":{},"tools":[],"context":[],"forwardedProps":{},"messages":[`+said[1:]+`]}`)
		resp := c.response()
		buf, size := make([]byte, 64<<10), 0
		for {
			n, err := resp.Body.Read(buf)
			if size += n; err == io.EOF {
				break
			} else if err != nil {
				b.Fatal(err)
			}
		}
		if size < events*len("some words ") {
			b.Fatalf("%d bytes came", size)
		}
	}
	turn(0)
	before, n := cpuOfSelf(b), 0
	for b.Loop() {
		n++
		turn(n)
	}
	b.ReportMetric(float64(cpuOfSelf(b)-before)/float64(time.Microsecond)/float64(n)/float64(events), "µs-CPU/event")
}

// cpuOfSelf is how long the threads of this process have run.
func cpuOfSelf(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// askingShell speaks as Claude Code does: it asks, and waits for the answer. It is a small program: many fit on a machine.
const askingShell = `read -r line
echo '{"type":"system","subtype":"init","session_id":"s","model":"m","tools":[]}'
echo '{"type":"assistant","message":{"id":"m1","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"c1","name":"Bash","input":{}}]},"session_id":"s"}'
echo '{"type":"control_request","request_id":"q1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{},"tool_use_id":"c1"}}'
read -r line
while read -r line; do :; done`

// BenchmarkParked is what a run holds that waits for an answer, in this process: its heap and its stacks.
func BenchmarkParked(b *testing.B) {
	yaml := fmt.Sprintf("listen: 127.0.0.1:0\nupstreams:\n  coder:\n    command: [sh, -c, %q]\n    dialect: claude-cli\n    process: {max: 10000, sessions: 10000}\n"+
		"routes:\n  - {path: /run, upstream: coder, client: agui, requests: {mode: translate}, asks: {wait: 10m}}\n", askingShell)
	r := start(b, yaml)
	park := func(n int) {
		resp, body := r.post("/run", fmt.Sprintf(`{"threadId":"t%d","runId":"r","state":{},"tools":[],"context":[],"forwardedProps":{},"messages":[%s]}`, n, saidByUser(1, "go")))
		if resp.StatusCode != http.StatusOK || !strings.Contains(body, `"interrupt"`) {
			b.Fatalf("%s %s", resp.Status, body)
		}
	}
	park(-1)
	r.logs.TakeAll()
	before := held()
	for n := range b.N {
		park(n)
	}
	r.logs.TakeAll()
	if n := r.metric("sabir_sessions_waiting"); n != float64(b.N+1) {
		b.Fatalf("%v runs wait", n)
	}
	b.ReportMetric(float64(held()-before)/float64(b.N)/1e3, "KB/run")
}

// held is what objects and the stacks of goroutines hold.
func held() int64 {
	runtime.GC()
	runtime.GC() // what pools hold goes by the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
