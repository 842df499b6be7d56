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
	"sync"
	"sync/atomic"
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
	f(0, 0, 1<<30, (1<<30-1<<26-reservedFiles)/2)
	f(0, 0, 1<<30+1, 0) // as good as none
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
	r, admin := startShortOfFiles(t, a)
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

// startShortOfFiles starts a process with few open files in front of an agent.
func startShortOfFiles(t *testing.T, a *agent) (r *rig, admin string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestFewFiles$")
	cmd.Env = append(os.Environ(), shortOfFiles+"="+a.url())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	r = &rig{t: t}
	if _, err := fmt.Fscanln(bufio.NewReader(out), &r.addr, &admin); err != nil {
		t.Fatal(err)
	}
	return r, admin
}

// TestFewFilesHTTP2: many requests on few connections take no more files than there are either, and those that are served are whole.
func TestFewFilesHTTP2(t *testing.T) {
	t.Parallel()
	end := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok()
			p.chunk(lines(lineStart, lineHello))
			<-end
			p.finish(strings.TrimPrefix(smallRun, lines(lineStart, lineHello)))
		}
	})
	letEnd := sync.OnceFunc(func() { close(end) })
	t.Cleanup(letEnd)
	r, admin := startShortOfFiles(t, a)
	most := connectionLimit(config.Limits{}, fewFiles)
	c := http2Client(t, nil)
	// net/http opens a connection for each request that comes before the first one is ready, and those beyond the limit of connections are closed.
	if resp, err := c.Get("http://" + r.addr + "/elsewhere"); err != nil || resp.Body.Close() != nil || resp.StatusCode != http.StatusNotFound {
		t.Fatal(resp, err)
	}
	var all sync.WaitGroup
	var served, refused, other atomic.Int64
	for range 2 * fewFiles {
		all.Go(func() {
			req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+r.addr+"/run", strings.NewReader("{}")) // never fails
			resp, err := c.Do(req)
			if err != nil {
				t.Error(err)
				other.Add(1)
				return
			}
			defer resp.Body.Close()
			switch body, err := io.ReadAll(resp.Body); {
			case resp.StatusCode == 503 && resp.Header.Get("X-Sabir-Error") == "too_many_streams" && resp.Header.Get("Retry-After") != "":
				refused.Add(1)
			case err == nil && resp.StatusCode == 200 && string(body) == smallRunOut:
				served.Add(1)
			default:
				t.Errorf("status %d, %v, %v: %s", resp.StatusCode, resp.Header, err, body)
				other.Add(1)
			}
		})
	}
	await(t, "the others are refused", func() bool { return refused.Load()+other.Load() == int64(2*fewFiles-most) })
	if got := get(t, "http://"+admin+"/metrics"); !strings.Contains(got, fmt.Sprintf(`sabir_limited_total{code="too_many_streams",route="/run",scope="all"} %d`, refused.Load())) {
		t.Error("the refused runs are not counted")
	}
	letEnd()
	all.Wait()
	if served.Load() != int64(most) || other.Load() != 0 {
		t.Errorf("%d were served, %d refused, %d failed otherwise; want %d served", served.Load(), refused.Load(), other.Load(), most)
	}
}

const fewFiles = 200

func serveShortOfFiles(t *testing.T, url string) {
	few := syscall.Rlimit{Cur: fewFiles / 2, Max: fewFiles}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	s, err := New(parse(t, simple(url, "http2: {cleartext: true, streams: 1000}\n", "", "client: twin\n")), zap.NewNop(), "test")
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
