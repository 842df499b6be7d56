//go:build unix

package proxy

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/sabir-proxy/sabir/config"
)

// guardDeltas is how many pieces of text a run of BenchmarkGuards has.
const guardDeltas = 100

// guardRun is the stream of a run.
func guardRun() string {
	var b strings.Builder
	b.WriteString(lineStart + "\n")
	for n := range guardDeltas {
		fmt.Fprintf(&b, `{"kind":"text.delta","id":"t","msg":"m","text":"word %d of "}`+"\n", n)
	}
	return b.String() + `{"kind":"text.end","id":"t","msg":"m"}` + "\n" + lineEnd + "\n"
}

// guardSetups are configurations by the guard that they turn on.
func guardSetups(b *testing.B) []struct{ name, top, route string } {
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	b.Cleanup(collector.Close)
	dir := b.TempDir()
	keys := "auth: {keys: [{name: web, sha256: " + config.HashKey("key-of-web") + "}]}\n"
	limits := "limits: {rate: 1000000/s, tokens_per_minute: 1000000000, principal: {rate: 1000000/s, streams: 1000, tokens_per_minute: 1000000000}}\n"
	routeLimits := "limits: {rate: 1000000/s, streams: 1000, tokens_per_minute: 1000000000, principal: {rate: 1000000/s, streams: 1000, tokens_per_minute: 1000000000}}\n"
	audit := fmt.Sprintf("audit: {path: '%s', chain: true}\n", filepath.Join(dir, "audit.jsonl"))
	trace := fmt.Sprintf("tracing: {endpoint: '%s'}\n", collector.URL)
	record := fmt.Sprintf("record: {dir: '%s', max_files: 10}\n", filepath.Join(dir, "recordings"))
	redact := "redact: {builtin: [keys, cards, emails, ips]}\n"
	cert, key := newAuthority(b).issue("localhost", 1)
	for name, data := range map[string][]byte{"cert.pem": cert, "key.pem": key} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	secure := fmt.Sprintf("tls: {cert: '%s', key: '%s'}\n", filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"))
	return []struct{ name, top, route string }{
		{"off", "", ""},
		{"keys", keys, "auth: [keys]\n"},
		{"limits", limits, routeLimits},
		{"redact", "", redact},
		{"audit", audit, ""},
		{"traces", trace, ""},
		{"traces-unsampled", trace, ""}, // by the request, which says so
		{"record", "", record},
		{"tls", secure, ""},
		{"all", secure + keys + limits + audit + trace, "auth: [keys]\n" + routeLimits + redact + record},
	}
}

// BenchmarkGuards is what a run of a hundred pieces of text costs over loopback, agent and client included, with one guard at a time. Shown is
// the time of the processor: other programs disturb it less than the time on the wall.
func BenchmarkGuards(b *testing.B) {
	run := guardRun()
	for _, setup := range guardSetups(b) {
		b.Run(setup.name, func(b *testing.B) {
			a := newAgent(b, func(p *peer) {
				for p.request() != nil {
					p.ok("Content-Type: application/x-ndjson")
					p.finish(run)
				}
			})
			_, logs := observer.New(zap.ErrorLevel)
			r := startOne(b, simple(a.url(), setup.top, "", "client: twin\n"+setup.route), zap.NewNop(), logs)
			conn := guardClient(b, r, strings.Contains(setup.top, "tls:"))
			var before time.Duration
			for n := 0; b.Loop(); n++ {
				if n == 0 {
					before = processTime(b)
				}
				conn.run(b, setup.name == "traces-unsampled")
			}
			b.ReportMetric(float64(processTime(b)-before)/float64(b.N)/1e3, "cpu-µs/run")
		})
	}
}

// processTime is how long this process has used processors.
func processTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// guardConn is a connection for one run after the other.
type guardConn struct {
	net.Conn
	br   *bufio.Reader
	body bytes.Buffer
}

func guardClient(b *testing.B, r *rig, secure bool) *guardConn {
	conn, err := net.Dial("tcp", r.addr)
	if err != nil {
		b.Fatal(err)
	}
	if secure {
		conn = tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
	}
	b.Cleanup(func() { conn.Close() })
	return &guardConn{Conn: conn, br: bufio.NewReaderSize(conn, 64<<10)}
}

// run makes one run, which must come whole.
func (c *guardConn) run(b *testing.B, unsampled bool) {
	trace := ""
	if unsampled {
		trace = "Traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00\r\n"
	}
	_, _ = io.WriteString(c, "POST /run HTTP/1.1\r\nHost: sabir\r\nX-Api-Key: key-of-web\r\n"+trace+"Content-Length: 2\r\n\r\n{}")
	resp, err := http.ReadResponse(c.br, nil)
	if err != nil {
		b.Fatal(err)
	}
	c.body.Reset()
	_, err = c.body.ReadFrom(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || bytes.Count(c.body.Bytes(), []byte("text.delta")) < guardDeltas {
		b.Fatalf("status %d, %v: %s", resp.StatusCode, err, c.body.Bytes())
	}
}
