package bench_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy"
)

// BenchmarkWholeAnswers asks for answers in one piece, in a closed loop of 16 connections: an OpenAI client in front of an agent that
// streams AG-UI. The load and the agent run in the same process, as cheaply as they can, so that cpu-µs/answer is an upper bound.
func BenchmarkWholeAnswers(b *testing.B) {
	const loop = 16
	addr := serveWhole(b, wholeAgent(b))
	const body = `{"model":"m","messages":[{"role":"user","content":"Hi"}]}`
	request := fmt.Appendf(nil, "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	var loops sync.WaitGroup
	each := b.N/loop + 1
	cpu := cpuTime()
	b.ResetTimer()
	for range loop {
		loops.Go(func() {
			if err := askWhole(addr, request, each); err != nil {
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

// askWhole asks n times, and wants each answer whole.
func askWhole(addr string, request []byte, n int) error {
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
		if !strings.Contains(string(body), `"content":"Hello, world"`) {
			return fmt.Errorf("got %s", body)
		}
	}
	return nil
}

// readMessage reads an HTTP message with a length or in chunks, and returns its body in buf.
func readMessage(r *bufio.Reader, buf []byte) ([]byte, error) {
	length, chunked := 0, false
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		if len(line) <= 2 {
			break
		}
		name, value, _ := strings.Cut(strings.ToLower(strings.TrimSpace(string(line))), ": ")
		switch name {
		case "content-length":
			_, err = fmt.Sscan(value, &length)
		case "transfer-encoding":
			chunked = true
		}
		if err != nil {
			return nil, err
		}
	}
	buf = buf[:0]
	for {
		if chunked {
			line, err := r.ReadSlice('\n')
			if err != nil {
				return nil, err
			}
			if _, err := fmt.Sscanf(string(line), "%x", &length); err != nil {
				return nil, err
			}
		}
		from, framing := len(buf), 0
		if chunked {
			framing = 2
		}
		buf = append(buf, make([]byte, length+framing)...)
		if _, err := io.ReadFull(r, buf[from:]); err != nil {
			return nil, err
		}
		if buf = buf[:len(buf)-framing]; !chunked || length == 0 {
			return buf, nil
		}
	}
}

// wholeAgent is an agent whose runs say Hello, world in two deltas.
func wholeAgent(b *testing.B) (addr string) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { ln.Close() })
	const run = `data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}` + "\n\n" +
		`data: {"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}` + "\n\n" +
		`data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"Hello"}` + "\n\n" +
		`data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":", world"}` + "\n\n" +
		`data: {"type":"TEXT_MESSAGE_END","messageId":"m"}` + "\n\n" + `data: {"type":"RUN_FINISHED","threadId":"t","runId":"r"}` + "\n\n"
	answer := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n%s", len(run), run)
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				r := bufio.NewReader(conn)
				var body []byte
				for {
					if body, err = readMessage(r, body); err != nil {
						return
					}
					if _, err := conn.Write(answer); err != nil {
						return
					}
				}
			}()
		}
	}()
	return ln.Addr().String()
}

// serveWhole starts the proxy in front of the agent.
func serveWhole(b *testing.B, agent string) (addr string) {
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
