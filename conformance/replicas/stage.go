//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	replicas = 3
	lease    = time.Second
	grace    = 20 * time.Second
	words    = 60 // of a run
	pace     = 25 * time.Millisecond
)

// stage is what a trial plays on.
type stage struct {
	folder, program, config string
	agent                   *agent
	store                   string      // the servers of Redis, as in a configuration
	redis                   []*exec.Cmd // the first is the one that trials freeze
	redisPort               int         // of the only one
	replicas                [replicas]*exec.Cmd
	addresses               [replicas]string
}

func newStage(ctx context.Context, folder, program string, redis func(context.Context, *stage) error) (*stage, error) {
	s := &stage{folder: folder, program: program, config: filepath.Join(folder, "sabir.yaml"), agent: newAgent()}
	if err := redis(ctx, s); err != nil {
		return s, err
	}
	if err := os.WriteFile(s.config, []byte(s.yaml()), 0o600); err != nil {
		return s, err
	}
	for i := range s.replicas {
		s.addresses[i] = fmt.Sprintf("127.0.0.1:%d", freePort())
		if err := s.start(ctx, i); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (s *stage) yaml() string {
	yaml := fmt.Sprintf("listen: \"${LISTEN}\"\nadmin: \"\"\ntimeouts: {drain: 20s}\nstore: {redis: {%s, lease: %s}}\n", s.store, lease)
	yaml += fmt.Sprintf("upstreams:\n  agent: {url: %q, dialect: openai-chat}\nroutes:\n", s.agent.url())
	yaml += fmt.Sprintf("  - {path: /run, upstream: agent, client: auto, default: agui, resume: {grace: %s}}\n", grace)
	yaml += fmt.Sprintf("  - {path: /openai/*, upstream: agent, client: openai-responses, resume: {grace: %s}}\n", grace)
	return yaml + "  - {path: /graph/*, upstream: agent, client: langgraph, methods: [GET, POST]}\n" // its runs end with their clients
}

// dialects are those of the clients. The first is that of the client that begins a run.
var dialects = []string{"agui", "aisdk", "openai-responses", "anthropic", "langgraph", "gemini", "datastream", "a2a"}

// log is the file that a replica logs to, in this trial and in those before.
func (s *stage) log(i int) string { return filepath.Join(s.folder, fmt.Sprintf("replica%d.log", i)) }

func (s *stage) start(ctx context.Context, i int) error {
	log, err := os.OpenFile(s.log(i), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.CommandContext(ctx, s.program, "serve", "--config", s.config)
	cmd.Env = append(os.Environ(), "LISTEN="+s.addresses[i])
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return err
	}
	s.replicas[i] = cmd
	return awaitPort(s.addresses[i])
}

// signal sends a signal to a replica.
func (s *stage) signal(i int, sig os.Signal) error { return s.replicas[i].Process.Signal(sig) }

// wait waits for a replica to end.
func (s *stage) wait(i int) error {
	err := s.replicas[i].Wait()
	s.replicas[i] = nil
	return err
}

// close ends everything, and says what did not end well.
func (s *stage) close() (err error) {
	for i, cmd := range s.replicas {
		if cmd == nil {
			continue
		}
		_ = cmd.Process.Signal(syscall.SIGCONT)
		_ = cmd.Process.Signal(syscall.SIGTERM)
		timer := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
		if e := cmd.Wait(); e != nil {
			err = errors.Join(err, fmt.Errorf("replica %d: %w", i, e))
		}
		timer.Stop()
	}
	s.stopRedis()
	s.agent.close()
	return err
}

func freePort() int {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer ln.Close()
	return ln.Addr().(*net.TCPAddr).Port
}

func awaitPort(address string) error {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if conn, err := net.Dial("tcp", address); err == nil {
			return conn.Close()
		}
	}
	return fmt.Errorf("no server listens on %s", address)
}

// agent is a server of OpenAI's chat dialect that says the same in each run.
type agent struct {
	ln   net.Listener
	http *http.Server
	runs atomic.Int64
	left atomic.Int64 // runs whose client has left before their end
	asks sync.Map     // of []string: the messages of requests, by the last of them
}

func newAgent() *agent {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	a := &agent{ln: ln}
	a.http = &http.Server{Handler: http.HandlerFunc(a.serve), ReadHeaderTimeout: time.Minute}
	go func() { _ = a.http.Serve(ln) }()
	return a
}

func (a *agent) url() string { return "http://" + a.ln.Addr().String() + "/v1/chat/completions" }

func (a *agent) close() { _ = a.http.Close() }

// text is what each run says.
func text() string {
	var b strings.Builder
	for i := range words {
		fmt.Fprintf(&b, "word%d ", i)
	}
	return b.String()
}

func (a *agent) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	a.remember(body)
	n := a.runs.Add(1)
	w.Header().Set("Content-Type", "text/event-stream")
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for i := range words {
		fmt.Fprintf(w, "data: {\"id\":\"run%d\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word%d \"},\"finish_reason\":null}]}\n\n", n, i)
		w.(http.Flusher).Flush()
		select {
		case <-tick.C:
		case <-r.Context().Done():
			a.left.Add(1)
			return
		}
	}
	fmt.Fprintf(w, "data: {\"id\":\"run%d\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", n)
}
