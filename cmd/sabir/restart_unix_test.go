//go:build unix

package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
)

var servingPID = regexp.MustCompile(`"msg":"serving","version":"[^"]*","pid":([0-9]+)`)

// restarts asks for a hot restart, and returns the process that serves after it.
func (c *child) restarts(t *testing.T, log *console) (pid int) {
	t.Helper()
	at := len(log.String())
	if err := c.Process.Signal(syscall.SIGUSR2); err != nil {
		t.Fatal(err)
	}
	log.await(t, at, "the new process serves")
	log.await(t, at, `"msg":"serving"`) // by the other process, whose log is its own
	m := servingPID.FindStringSubmatch(log.String()[at:])
	if m == nil {
		t.Fatalf("no new process serves:\n%s", log)
	}
	pid, _ = strconv.Atoi(m[1])
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	if pid == c.Process.Pid {
		t.Error("it is the same process")
	}
	return pid
}

// logged copies what the child logs.
func (c *child) logged(t *testing.T) *console {
	text, read := newConsole(), make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(text, c.stderr)
	}()
	t.Cleanup(func() { c.stderr.Close(); <-read })
	text.await(t, 0, `"msg":"limits"`) // which follows that it serves
	return text
}

// hammer asks without pause until stop is called, which returns how many requests were answered, and how many not.
func hammer(t *testing.T, url string) (stop func() (answered, failed int)) {
	end := make(chan struct{})
	over := sync.OnceFunc(func() { close(end) })
	t.Cleanup(over)
	var all sync.WaitGroup
	answered, failed := 0, 0
	all.Go(func() {
		for {
			select {
			case <-end:
				return
			default:
			}
			resp, err := client.Get(url)
			if err != nil || resp.StatusCode != http.StatusNotFound {
				failed++
				continue
			}
			resp.Body.Close()
			answered++
		}
	})
	return func() (int, int) { over(); all.Wait(); return answered, failed }
}

// TestHotRestart: the new process has the sockets, the old one ends the streams that it has, and no client is refused in between.
func TestHotRestart(t *testing.T) {
	t.Parallel()
	agent := newAgent(t)
	path := write(t, "sabir.yaml", configFor(agent, "", "/agui"))
	c := newChild(t, "serve", "--config", path)
	log := c.logged(t)
	running := open(t, c.clients+"/agui")
	stop := hammer(t, c.clients+"/nowhere")
	c.restarts(t, log)
	select {
	case err := <-c.ended:
		t.Fatalf("the old process has ended, %v, and a stream is open", err)
	case <-time.After(50 * time.Millisecond):
	}
	later := open(t, c.clients+"/agui")
	if _, text := get(t, c.admin+"/metrics"); !strings.Contains(text, `sabir_streams_open{route="/agui"} 1`) {
		t.Error("operators do not see the new process")
	}
	agent.let()
	for _, resp := range []*http.Response{running, later} {
		if body := rest(t, resp); !strings.Contains(body, `"RUN_FINISHED"`) {
			t.Errorf("a stream ends with\n%s", body)
		}
	}
	c.ends(t)
	answered, failed := stop()
	if failed > 0 || answered == 0 {
		t.Errorf("%d requests were not answered, %d were", failed, answered)
	}
	c.streams(t)
}

// TestHotRestartReplicas: with Redis, who comes back after a hot restart has the new process, and sees there the run that the old one reads,
// from its beginning and live; it is there, too, when the old one has ended. The agent is asked once.
func TestHotRestartReplicas(t *testing.T) {
	t.Parallel()
	agent := newAgent(t)
	store := miniredis.RunT(t)
	yaml := configFor(agent, "store: {redis: {url: 'redis://"+store.Addr()+"'}}", "/agui")
	yaml = strings.NewReplacer("dialect: native}", `dialect: native, request: '{"q":"$input"}'}`, "client: agui}", "client: agui, resume: {grace: 30s}}").Replace(yaml)
	c := newChild(t, "serve", "--config", write(t, "sabir.yaml", yaml))
	log := c.logged(t)
	ask := func(run string) *http.Response {
		t.Helper()
		const body = `{"threadId":"t1","runId":"r1","messages":[{"id":"m","role":"user","content":"Hi"}],"tools":[],"context":[],"state":null,"forwardedProps":null}`
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.clients+"/agui", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if run != "" {
			req.Header.Set("X-Sabir-Run", run)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return resp
	}
	running := ask("")
	run := running.Header.Get("X-Sabir-Run")
	if run == "" {
		t.Fatalf("the run has no name, status %d", running.StatusCode)
	}
	c.restarts(t, log)
	live := ask(run)
	agent.let()
	if body := rest(t, running); !strings.Contains(body, `"RUN_FINISHED"`) {
		t.Errorf("the client that stayed has\n%s", body)
	}
	c.ends(t)
	for when, resp := range map[string]*http.Response{"came back": live, "came back after the end": ask(run)} {
		if body := rest(t, resp); resp.StatusCode != http.StatusOK || strings.Count(body, "Hello") != 1 || strings.Count(body, `"RUN_FINISHED"`) != 1 {
			t.Errorf("a client that %s has status %d and\n%s", when, resp.StatusCode, body)
		}
	}
	if n := agent.asked.Load(); n != 1 {
		t.Errorf("the agent was asked %d times", n)
	}
}

// TestHotRestartRefused: a new process that cannot serve changes nothing.
func TestHotRestartRefused(t *testing.T) {
	t.Parallel()
	agent := newAgent(t)
	agent.let()
	path := write(t, "sabir.yaml", configFor(agent, "", "/agui"))
	c := newChild(t, "serve", "--config", path)
	log := c.logged(t)
	if err := os.WriteFile(path, []byte("routes: ["), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.Process.Signal(syscall.SIGUSR2); err != nil {
		t.Fatal(err)
	}
	log.await(t, 0, "the new process does not serve; this one goes on")
	c.streams(t)
	c.stops(t)
}

// TestHotRestartStops: SIGTERM ends a replaced process within timeouts.drain, whatever is open.
func TestHotRestartStops(t *testing.T) {
	t.Parallel()
	agent := newAgent(t)
	c := newChild(t, "serve", "--config", write(t, "sabir.yaml", configFor(agent, "timeouts: {drain: 10ms}", "/agui")))
	log := c.logged(t)
	running := open(t, c.clients+"/agui")
	c.restarts(t, log)
	c.stops(t)
	if body := rest(t, running); !strings.Contains(body, "shutting_down") {
		t.Errorf("the stream ends with\n%s", body)
	}
}

// TestHotRestartSocket: the file of a unix socket stays while processes take it over, and goes with the last.
func TestHotRestartSocket(t *testing.T) {
	t.Parallel()
	agent := newAgent(t)
	agent.let()
	socket := filepath.Join(t.TempDir(), "sabir.sock")
	text := strings.Replace(configFor(agent, "", "/agui"), "listen: 127.0.0.1:0", "listen: unix:"+socket, 1)
	path := write(t, "sabir.yaml", text)
	c := newChildAt(t, regexp.MustCompile(`^sabir listens on (.*); for operators: (.*)\n`), exec.Command(os.Args[0], "serve", "--config", path))
	log := c.logged(t)
	answers := func() error {
		conn, err := net.Dial("unix", socket)
		if err == nil {
			conn.Close()
		}
		return err
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	rewrite := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rewrite(strings.Replace(text, "admin: 127.0.0.1:0", "admin: "+taken.Addr().String(), 1))
	if err := c.Process.Signal(syscall.SIGUSR2); err != nil {
		t.Fatal(err)
	}
	log.await(t, 0, "the new process does not serve; this one goes on")
	taken.Close()
	if err := answers(); err != nil {
		t.Error("the file of the socket is gone: ", err)
	}
	rewrite(text)
	pid := c.restarts(t, log)
	c.ends(t)
	if err := answers(); err != nil {
		t.Error(err)
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	await(t, "the file of the socket to be removed", func() bool { _, err := os.Lstat(socket); return os.IsNotExist(err) })
}

// TestSystemdSockets: sockets that systemd has opened are used in place of the addresses of the configuration, and systemd learns when
// the process serves.
func TestSystemdSockets(t *testing.T) {
	t.Parallel()
	agent := newAgent(t)
	agent.let()
	notify, err := net.ListenPacket("unixgram", filepath.Join(t.TempDir(), "notify"))
	if err != nil {
		t.Fatal(err)
	}
	defer notify.Close()
	var files [2]*os.File
	var urls [2]string
	for i := range files {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		urls[i] = "http://" + ln.Addr().String()
		if files[i], err = ln.(*net.TCPListener).File(); err != nil {
			t.Fatal(err)
		}
		ln.Close()
		defer files[i].Close()
	}
	// The shell has the process id that LISTEN_PID wants, and becomes the program.
	cmd := exec.Command("/bin/sh", "-c", `LISTEN_PID=$$ exec "$0" "$@"`, os.Args[0], "serve", "--config", write(t, "sabir.yaml", configFor(agent, "", "/agui")))
	cmd.Env = append(os.Environ(), "LISTEN_FDS=2", "LISTEN_FDNAMES=sabir.socket:admin", "NOTIFY_SOCKET="+notify.LocalAddr().String())
	cmd.ExtraFiles = files[:]
	c := newChildAt(t, addresses, cmd)
	if c.clients != urls[0] || c.admin != urls[1] {
		t.Errorf("it listens on %s and %s, not on %v", c.clients, c.admin, urls)
	}
	says := func(want string) {
		t.Helper()
		buf := make([]byte, 1024)
		_ = notify.SetReadDeadline(time.Now().Add(testTimeout))
		n, _, err := notify.ReadFrom(buf)
		if err != nil || !strings.HasPrefix(string(buf[:n]), want) {
			t.Errorf("systemd got %q %v, want %s", buf[:n], err, want)
		}
	}
	says("READY=1\nMAINPID=" + strconv.Itoa(c.Process.Pid))
	c.streams(t)
	log := c.logged(t)
	pid := c.restarts(t, log)
	says("READY=1\nMAINPID=" + strconv.Itoa(pid))
	c.ends(t)
	c.streams(t)
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	says("STOPPING=1")
}

// TestSocketsByKey: one socket for clients and one for operators, and no second one.
func TestSocketsByKey(t *testing.T) {
	var ln [3]net.Listener
	for i := range ln {
		ln[i] = &net.TCPListener{}
	}
	by, err := byKey(map[string][]net.Listener{"sabir.socket": {ln[0]}, adminSocket: {ln[1]}})
	if err != nil || by["listen"] != ln[0] || by["admin"] != ln[1] {
		t.Errorf("%v %v", by, err)
	}
	if by, err := byKey(nil); err != nil || len(by) != 0 {
		t.Errorf("%v %v", by, err)
	}
}
