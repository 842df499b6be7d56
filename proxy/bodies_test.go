package proxy

import (
	"fmt"
	"io"
	"net"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// heap is what is live, in bytes.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse)
}

// TestPromisedBodies costs nothing for a body that does not come, however it is announced, on both listeners. It runs
// alone: it measures the heap.
func TestPromisedBodies(t *testing.T) {
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "limits: {request_body: 64MiB}\n", "", "client: twin\n"))
	adminURL, endAdmin := r.serveAdmin()
	defer endAdmin()
	const each = 20 << 10 // header and body buffers, goroutines and sockets of both ends
	open := func(name, addr, request string, n int) {
		t.Helper()
		before := heap()
		conns := make([]net.Conn, n)
		for i := range conns {
			c, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			conns[i] = c
			if _, err := c.Write([]byte(request)); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(300 * time.Millisecond)                               // until they were read
		if grown := heap() - before; grown > int64(max(n*each, 4<<20)) { // of a few connections, less than what else goes on may show
			t.Errorf("%s: %d connections that have sent next to nothing cost %d KiB each", name, n, grown>>10/int64(n))
		}
	}
	const size = 64 << 20
	length := "Content-Length: " + strconv.Itoa(size) + "\r\n"
	head := "POST /run HTTP/1.1\r\nHost: h\r\n"
	open("length", r.addr, head+length+"\r\nx", 300)
	open("multipart", r.addr, head+length+"Content-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\n", 300)
	open("chunk", r.addr, head+"Transfer-Encoding: chunked\r\n\r\n"+fmt.Sprintf("%x", size)+"\r\nx", 300)
	open("asked first", r.addr, head+length+"Expect: 100-continue\r\n\r\n", 300)
	open("half a header", r.addr, head, 300)
	open("operators", strings.TrimPrefix(adminURL, "http://"), "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n"+length+"\r\nx", adminConnections)
	if used := r.bodies.Used.Load(); used > 900*(4<<10) {
		t.Errorf("%d bytes of the budget are used", used)
	}
}

// TestBodyBudget refuses a body that does not fit beside the others, and has room again when they are gone: sent, given
// up, or too slow.
func TestBodyBudget(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "limits: {request_body: 64KiB, bodies: 64KiB}\ntimeouts: {read: 5s}\n", "", "client: twin\n"))
	half := strings.Repeat("x", 40<<10)
	slow := r.dial()
	slow.send("POST /run HTTP/1.1\r\nHost: h\r\nContent-Length: 65536\r\n\r\n" + half)
	await(t, "the first body", func() bool { return r.bodies.Used.Load() >= 40<<10 })
	for _, frame := range []string{"", "Transfer-Encoding: chunked\r\n"} {
		c := r.dial()
		request := "POST /run HTTP/1.1\r\nHost: h\r\nContent-Length: " + strconv.Itoa(len(half)) + "\r\n\r\n" + half
		if frame != "" {
			request = "POST /run HTTP/1.1\r\nHost: h\r\n" + frame + "\r\n" + fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(half), half)
		}
		c.send(request)
		resp, body := c.whole()
		if resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" || !strings.Contains(body, "too_many_bodies") || !resp.Close {
			t.Errorf("%q: status %d, %v, %s", frame, resp.StatusCode, resp.Header, body)
		}
	}
	if resp, _ := slow.whole(); resp.StatusCode != 408 {
		t.Errorf("the slow body: status %d", resp.StatusCode)
	}
	await(t, "the budget to be free", func() bool { return r.bodies.Used.Load() == 0 })
	for range 3 {
		if resp, body := r.post("/run", half); resp.StatusCode != 200 {
			t.Errorf("after it: status %d, %s", resp.StatusCode, body)
		}
	}
	left := r.dial()
	left.send("POST /run HTTP/1.1\r\nHost: h\r\nContent-Length: 65536\r\n\r\n" + half)
	left.reset()
	await(t, "the budget to be free again", func() bool { return r.bodies.Used.Load() == 0 })
	if n := r.metric("sabir_requests_rejected_total", "code=too_many_bodies"); n != 2 {
		t.Errorf("%v are counted", n)
	}
}

// TestTooLargeIsSaidAtOnce answers before the body comes, and does not invite it.
func TestTooLargeIsSaidAtOnce(t *testing.T) {
	t.Parallel()
	r := start(t, simple(refusing(t), "limits: {request_body: 1KiB}\n", "", "client: twin\n"))
	for _, expect := range []string{"", "Expect: 100-continue\r\n"} {
		c := r.dial()
		c.send("POST /run HTTP/1.1\r\nHost: h\r\n" + expect + "Content-Length: 1025\r\n\r\n")
		if resp, _ := c.whole(); resp.StatusCode != 413 {
			t.Errorf("%q: status %d", expect, resp.StatusCode)
		}
	}
	// A refusal with a small body leaves the connection as it was.
	c := r.dial()
	for range 2 {
		c.ask("POST", "/nowhere", strings.Repeat("x", 2000))
		if resp, _ := c.whole(); resp.StatusCode != 404 || resp.Close {
			t.Errorf("status %d, closes %v", resp.StatusCode, resp.Close)
		}
	}
}

// TestRefusedBodiesAreRead: a client whose body is refused while it sends gets the answer and then the end of the connection, and no
// reset, which would take the answer with it where the client has not read it yet.
func TestRefusedBodiesAreRead(t *testing.T) {
	t.Parallel()
	r := start(t, simple(refusing(t), "limits: {request_body: 1KiB}", "", "client: native\n"))
	c := r.dial()
	c.send("POST /run HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n" + strings.Repeat("x", 500_000))
	if resp, _ := c.whole(); resp.StatusCode != 413 {
		t.Errorf("status %d", resp.StatusCode)
	}
	if rest, err := io.ReadAll(c.br); err != nil || len(rest) > 0 {
		t.Errorf("after the answer: %q, %v", rest, err)
	}
}

// wideWindow is {} in zstd: eleven bytes, of which one says that what comes may repeat what is up to 512 MiB back.
const wideWindow = "\x28\xb5\x2f\xfd\x00\x98\x11\x00\x00{}"

// TestCompressedBodiesCost what they hold, and not what they say that they will, and the plain form of one counts as the memory of a body. It runs
// alone: it measures what is allocated.
func TestCompressedBodiesCost(t *testing.T) {
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "limits: {request_body: 64KiB, bodies: 96KiB}\n", "", "client: agui\nrequests: {mode: translate}\n"))
	packer, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := func(size int) string {
		body := strings.Replace(aguiHello, `"Hi"`, `"`+strings.Repeat("x", size)+`"`, 1)
		return string(packer.EncodeAll([]byte(body), nil))
	}
	r.call(t, 200, "Content-Encoding: zstd", "POST", "/run", packed(1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r.call(t, 400, "Content-Encoding: zstd", "POST", "/run", wideWindow, "request_unreadable")
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 32<<20 {
		t.Errorf("a body of %d bytes costs %d MiB", len(wideWindow), (after.TotalAlloc-before.TotalAlloc)>>20)
	}
	r.call(t, 415, "Content-Encoding: zstd", "POST", "/run", packed(64<<10))
	r.bodies.Used.Add(64 << 10) // of another client
	r.call(t, 200, "Content-Encoding: zstd", "POST", "/run", packed(1<<10))
	r.call(t, 503, "Content-Encoding: zstd", "POST", "/run", packed(48<<10), "too_many_bodies")
	r.bodies.Used.Add(32 << 10)
	r.call(t, 400, "Content-Encoding: zstd", "POST", "/run", "", "request_unreadable") // nothing, in any coding
	r.bodies.Used.Add(-96 << 10)
	r.awaitEnds(2)
	await(t, "the memory of the bodies", func() bool { return r.bodies.Used.Load() == 0 })
}
