//go:build unix

package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// child is the program as a process of its own, whose outputs are pipes.
type child struct {
	*exec.Cmd
	stdout, stderr *os.File // our ends
	clients, admin string
	ended          chan error
}

// newChild starts the program and returns when it listens. Standard error is left alone.
func newChild(t *testing.T, args ...string) *child {
	t.Helper()
	return newChildAt(t, addresses, exec.Command(os.Args[0], args...))
}

// newChildAt starts a command that says where it listens.
func newChildAt(t *testing.T, said *regexp.Regexp, cmd *exec.Cmd) *child {
	t.Helper()
	c := &child{Cmd: cmd, ended: make(chan error, 1)}
	if c.Env == nil {
		c.Env = os.Environ()
	}
	c.Env = append(c.Env, childVariable+"=1")
	var theirs [2]*os.File
	var err error
	for i, ours := range []**os.File{&c.stdout, &c.stderr} {
		if *ours, theirs[i], err = os.Pipe(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { (*ours).Close() })
	}
	c.Stdout, c.Stderr = theirs[0], theirs[1]
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for _, f := range theirs {
		f.Close()
	}
	go func() { c.ended <- c.Wait() }()
	t.Cleanup(func() {
		_ = c.Process.Kill()
		<-c.ended
	})
	line, _ := bufio.NewReader(c.stdout).ReadString('\n')
	m := said.FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("got %q", line)
	}
	c.clients, c.admin = "http://"+m[1], "http://"+m[2]
	return c
}

// stops sends SIGTERM and waits for a good end.
func (c *child) stops(t *testing.T) {
	t.Helper()
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	c.ends(t)
}

// ends waits for a good end.
func (c *child) ends(t *testing.T) {
	t.Helper()
	select {
	case err := <-c.ended:
		c.ended <- err
		if err != nil {
			t.Errorf("it ends with %v", err)
		}
	case <-time.After(testTimeout):
		t.Fatal("the process does not end")
	}
}

// chatter makes the child write more of log than a pipe and all buffers hold.
func (c *child) chatter(t *testing.T) {
	t.Helper()
	path := c.clients + "/nowhere/" + strings.Repeat("x", 8<<10)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				if status, _ := get(t, path); status != http.StatusNotFound {
					t.Errorf("status %d", status)
				}
			}
		})
	}
	all.Wait()
}

// streams runs more streams to their end than may be open at a time.
func (c *child) streams(t *testing.T) {
	t.Helper()
	for range 20 {
		if status, body := get(t, c.clients+"/agui"); status != http.StatusOK || !strings.Contains(body, `"RUN_FINISHED"`) {
			t.Fatalf("status %d, body\n%s", status, body)
		}
	}
	await(t, "no stream to be open", func() bool {
		_, body := get(t, c.admin+"/metrics")
		return strings.Contains(body, "\nsabir_streams_open{route=\"/agui\"} 0\n")
	})
}

func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for until := time.Now().Add(testTimeout); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

func (c *child) dropsLines(t *testing.T) bool {
	t.Helper()
	_, body := get(t, c.admin+"/metrics")
	if !strings.Contains(body, "\nsabir_log_lines_dropped_total ") {
		t.Fatal("dropped lines have no metric")
	}
	return !strings.Contains(body, "\nsabir_log_lines_dropped_total 0\n")
}

// A log that is not read stops nothing: streams run to their end and leave, and SIGTERM ends the process.
func TestLogPipeFull(t *testing.T) {
	t.Parallel()
	agent := newAgent(t)
	agent.let()
	c := newChild(t, "serve", "--config", write(t, "sabir.yaml", configFor(agent, "limits: {streams: 2}", "/agui")))
	if c.dropsLines(t) {
		t.Error("lines are dropped before there are many")
	}
	c.chatter(t)
	c.streams(t)
	if !c.dropsLines(t) {
		t.Error("no line is dropped")
	}
	c.stops(t)
}

// When a full log is read again it goes on, and says what it lost.
func TestLogPipeReadAgain(t *testing.T) {
	t.Parallel()
	agent := newAgent(t)
	agent.let()
	c := newChild(t, "serve", "--config", write(t, "sabir.yaml", configFor(agent, "", "/agui")))
	c.chatter(t)
	c.streams(t)
	text, read := newConsole(), make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(text, c.stderr)
	}()
	at := text.await(t, 0, `"msg":"log lines were dropped, because the output is not read","lines":`)
	c.stops(t)
	text.await(t, at, `"msg":"stopped"`)
	<-read
}

// A log whose reader has gone ends nothing: neither the streams that run nor those that come.
func TestLogPipeClosed(t *testing.T) {
	t.Parallel()
	agent := newAgent(t)
	c := newChild(t, "serve", "--config", write(t, "sabir.yaml", configFor(agent, "log: {level: debug}", "/agui")))
	running := open(t, c.clients+"/agui")
	c.stdout.Close()
	c.stderr.Close()
	// A child that another test starts just now may hold the pipe open for a moment, so one line is not enough.
	await(t, "the loss to be counted", func() bool {
		get(t, c.clients+"/nowhere") // which is logged
		return c.dropsLines(t)
	})
	agent.let()
	if body := rest(t, running); !strings.Contains(body, `"RUN_FINISHED"`) {
		t.Errorf("the running stream ends with\n%s", body)
	}
	c.streams(t)
	c.stops(t)
}
