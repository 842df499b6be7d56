package bench_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"

	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy"
)

// BenchmarkWholeAnswers asks for answers in one piece, in a closed loop of 16 connections: an OpenAI client in front of an agent that
// streams AG-UI. The load and the agent run in the same process; direct is what they cost without the proxy, relayed with one that
// looks at nothing: what the second pair of sockets costs in Go.
func BenchmarkWholeAnswers(b *testing.B) {
	agent := wholeAgent(b)
	b.Run("direct", func(b *testing.B) { loopWhole(b, agent, `"delta":"Hello"`) })
	b.Run("relayed", func(b *testing.B) { loopWhole(b, relayWhole(b, agent), `"delta":"Hello"`) })
	b.Run("translated", func(b *testing.B) { loopWhole(b, serveWhole(b, agent), `"content":"Hello, world"`) })
}

// mostWholeAllocations is how often one exchange may allocate, the reading of the load and the agent and what the runtime does meanwhile
// included.
const mostWholeAllocations = 75

// TestWholeAnswerAllocations holds what the exchange of a whole answer allocates.
func TestWholeAnswerAllocations(t *testing.T) {
	if raceEnabled {
		t.Log("the race detector allocates: nothing to count")
		return
	}
	const exchanges = 1000
	addr := serveWhole(t, wholeAgent(t))
	ask := func() {
		if err := askWhole(addr, wholeRequest(), []byte(`"content":"Hello, world"`), exchanges); err != nil {
			t.Fatal(err)
		}
	}
	ask() // what is kept for further ones is made once
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ask()
	runtime.ReadMemStats(&after)
	if n := (after.Mallocs - before.Mallocs) / exchanges; n > mostWholeAllocations {
		t.Errorf("an exchange allocates %d times, want at most %d", n, mostWholeAllocations)
	}
}

// wholeRequest is a request for a whole answer.
func wholeRequest() []byte {
	const body = `{"model":"m","messages":[{"role":"user","content":"Hi"}]}`
	return fmt.Appendf(nil, "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

// loopWhole asks addr in a loop of 16 connections, and wants each answer to hold a text.
func loopWhole(b *testing.B, addr, want string) {
	const loop = 16
	request := wholeRequest()
	var loops sync.WaitGroup
	each := b.N/loop + 1
	cpu := cpuTime()
	b.ResetTimer()
	for range loop {
		loops.Go(func() {
			if err := askWhole(addr, request, []byte(want), each); err != nil {
				b.Error(err)
			}
		})
	}
	loops.Wait()
	b.StopTimer()
	n := float64(each * loop)
	b.ReportMetric(float64((cpuTime()-cpu).Microseconds())/n, "cpu-µs/answer")
	b.ReportMetric(n/b.Elapsed().Seconds(), "answers/s")
}

// askWhole asks n times, and wants each answer to hold a text.
func askWhole(addr string, request, want []byte, n int) error {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	r := bufio.NewReader(conn)
	var body []byte
	for range n {
		if _, err := conn.Write(request); err != nil {
			return err
		}
		if body, err = readMessage(r, body); err != nil {
			return err
		}
		if !bytes.Contains(body, want) {
			return fmt.Errorf("got %s", body)
		}
	}
	return nil
}

// readMessage reads an HTTP message with a length or in chunks, and returns its body in buf.
func readMessage(r *bufio.Reader, buf []byte) ([]byte, error) {
	length, chunked, err := readFields(r)
	if err != nil {
		return nil, err
	}
	if !chunked {
		return readPiece(r, buf[:0], length)
	}
	buf = buf[:0]
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		size, err := strconv.ParseUint(string(bytes.TrimSpace(line)), 16, 31)
		if err != nil {
			return nil, err
		}
		if buf, err = readPiece(r, buf, int(size)+2); err != nil {
			return nil, err
		}
		if buf = buf[:len(buf)-2]; size == 0 {
			return buf, nil
		}
	}
}

// readFields reads the first line and the header of a message, and returns how long the body is.
func readFields(r *bufio.Reader) (length int, chunked bool, err error) {
	for {
		line, err := r.ReadSlice('\n')
		if err != nil || len(line) <= 2 {
			return length, chunked, err
		}
		name, value, _ := bytes.Cut(line, []byte(": "))
		switch {
		case bytes.EqualFold(name, []byte("content-length")):
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, false, err
			}
		case bytes.EqualFold(name, []byte("transfer-encoding")):
			chunked = true
		}
	}
}

// readPiece appends n bytes to buf.
func readPiece(r *bufio.Reader, buf []byte, n int) ([]byte, error) {
	from := len(buf)
	buf = slices.Grow(buf, n)[:from+n]
	_, err := io.ReadFull(r, buf[from:])
	return buf, err
}

// wholeAgent is an agent whose runs say Hello, world in two deltas.
func wholeAgent(b testing.TB) (addr string) {
	const run = `data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}` + "\n\n" +
		`data: {"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}` + "\n\n" +
		`data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"Hello"}` + "\n\n" +
		`data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":", world"}` + "\n\n" +
		`data: {"type":"TEXT_MESSAGE_END","messageId":"m"}` + "\n\n" + `data: {"type":"RUN_FINISHED","threadId":"t","runId":"r"}` + "\n\n"
	answer := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n%s", len(run), run)
	return acceptWhole(b, func(conn net.Conn) {
		r := bufio.NewReader(conn)
		var body []byte
		for err := error(nil); err == nil; _, err = conn.Write(answer) {
			if body, err = readMessage(r, body); err != nil {
				return
			}
		}
	})
}

// relayWhole passes what comes from each connection to one of its own to the agent, and back.
func relayWhole(b testing.TB, agent string) (addr string) {
	return acceptWhole(b, func(client net.Conn) {
		server, err := net.Dial("tcp", agent)
		if err != nil {
			return
		}
		defer server.Close()
		buf := make([]byte, 4096)
		for pass(server, client, buf) && pass(client, server, buf) {
		}
	})
}

// pass passes what one read yields: a whole message, as each is written at once and is shorter than buf.
func pass(to io.Writer, from io.Reader, buf []byte) bool {
	n, err := from.Read(buf)
	if err == nil {
		_, err = to.Write(buf[:n])
	}
	return err == nil
}

// acceptWhole serves each connection in a goroutine.
func acceptWhole(b testing.TB, serve func(net.Conn)) (addr string) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				serve(conn)
			}()
		}
	}()
	return ln.Addr().String()
}

// serveWhole starts the proxy in front of the agent.
func serveWhole(b testing.TB, agent string) (addr string) {
	cfg, err := config.Parse("bench.yaml", []byte("listen: 127.0.0.1:0\nupstreams:\n  agent: {url: 'http://"+agent+"/run', dialect: agui}\n"+
		"routes:\n  - {path: /v1/*, upstream: agent, client: openai-chat}\n"), nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	s, err := proxy.New(cfg, zap.NewNop(), "bench")
	if err != nil {
		b.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, ln) }()
	b.Cleanup(func() { cancel(); <-ended })
	return ln.Addr().String()
}
