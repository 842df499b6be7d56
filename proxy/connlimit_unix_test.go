//go:build unix

package proxy

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/config"
)

// TestConnectionLimit refuses connections beyond the limit, counts them, and takes new ones when others have gone.
func TestConnectionLimit(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "limits: {connections: 3}\n", "", "client: twin\n"))
	first := r.dial()
	r.dial()
	r.dial()
	await(t, "three connections", func() bool { return r.metric("sabir_connections_open", "listener=clients") == 3 })
	for range 5 {
		c := r.dial()
		resp, body := c.whole()
		if resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" || !resp.Close || !strings.Contains(body, "too_many_connections") {
			t.Errorf("status %d, %v, %s", resp.StatusCode, resp.Header, body)
		}
	}
	first.ask("POST", "/run", "{}")
	if resp, _ := first.whole(); resp.StatusCode != 200 {
		t.Errorf("one that was accepted: status %d", resp.StatusCode)
	}
	first.Close()
	await(t, "a place", func() bool { return r.metric("sabir_connections_open", "listener=clients") == 2 })
	if resp, _ := r.post("/run", "{}"); resp.StatusCode != 200 {
		t.Errorf("after one has left: status %d", resp.StatusCode)
	}
	if n := r.metric("sabir_connections_refused_total", "listener=clients"); n != 5 {
		t.Errorf("%v are counted", n)
	}
}

func TestConnectionLimitOf(t *testing.T) {
	t.Parallel()
	f := func(connections, streams int, files uint64, want int) {
		t.Helper()
		if got := connectionLimit(config.Limits{Connections: connections, Streams: streams}, files); got != want {
			t.Errorf("%d, %d streams, %d files: %d, want %d", connections, streams, files, got, want)
		}
	}
	f(0, 10_000, 1<<20, 20_000)
	f(0, 10_000, 1024, 448)
	f(0, 10, 1<<20, leastConnections)
	f(0, 0, 0, 0)
	f(0, 0, 1024, 448)
	f(50, 10_000, 1024, 50)
	f(5000, 10_000, 1024, 448)
	f(5000, 10_000, ^uint64(0), 5000)
	f(0, 10_000, 64, 16)
	f(0, 10_000, 1, 1)
}

// shortOfFiles names the environment variable that makes this program a proxy with few open files, in front of the agent
// at its value.
const shortOfFiles = "SABIR_TEST_SHORT_OF_FILES"

// TestFewFiles lets clients take no file that an upstream needs.
func TestFewFiles(t *testing.T) {
	t.Parallel()
	if url := os.Getenv(shortOfFiles); url != "" {
		serveShortOfFiles(t, url)
		return
	}
	a := newAgent(t, streaming(smallRun))
	cmd := exec.Command(os.Args[0], "-test.run", "^TestFewFiles$")
	cmd.Env = append(os.Environ(), shortOfFiles+"="+a.url())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	var addr, admin string
	if _, err := fmt.Fscanln(bufio.NewReader(out), &addr, &admin); err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, addr: addr}
	var open []*client
	for range 300 {
		c := r.dial()
		c.send("POST /run HTTP/1.1\r\nHost: 127.0.0.1\r\n")
		open = append(open, c)
	}
	served, refused := 0, 0
	for _, c := range open {
		_, _ = io.WriteString(c, "Content-Length: 2\r\n\r\n{}") // some are closed
		_ = c.SetReadDeadline(time.Now().Add(testTimeout))
		resp, err := http.ReadResponse(c.br, nil)
		switch {
		case err == nil && resp.StatusCode == 200:
			body, _ := io.ReadAll(resp.Body)
			if string(body) != smallRunOut {
				t.Errorf("got %s", body)
			}
			served++
		case err != nil || resp.StatusCode == 503 && resp.Header.Get("X-Sabir-Error") == "too_many_connections":
			refused++
		default:
			t.Errorf("status %d, %v", resp.StatusCode, resp.Header)
		}
	}
	want := connectionLimit(config.Limits{Streams: 10_000}, fewFiles)
	if served != want || refused != 300-want {
		t.Errorf("%d were served, %d refused; want %d served", served, refused, want)
	}
	if got := get(t, "http://"+admin+"/metrics"); !strings.Contains(got, fmt.Sprintf(`sabir_connections_refused_total{listener="clients"} %d`, refused)) {
		t.Error("the refused connections are not counted")
	}
}

const fewFiles = 200

func serveShortOfFiles(t *testing.T, url string) {
	few := syscall.Rlimit{Cur: fewFiles / 2, Max: fewFiles}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	s, err := New(parse(t, simple(url, "", "", "client: twin\n")), zap.NewNop(), "test")
	if err != nil {
		t.Fatal(err)
	}
	var lns [2]net.Listener
	for i := range lns {
		if lns[i], err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
	}
	go func() { _ = s.ServeAdmin(context.Background(), lns[1]) }()
	fmt.Fprintln(os.Stdout, lns[0].Addr(), lns[1].Addr())
	_ = s.Serve(context.Background(), lns[0]) // until it is killed
}
