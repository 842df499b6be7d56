package proxy

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/config"
)

// events is native for streams alone: bodies of its requests are anything, and pass as they came.
func events() hub.Dialect {
	d := native.Dialect
	d.Messages, d.Requests = nil, nil
	return d
}

// twin is the native dialect under another name, so that a stream from native to twin is translated and not copied.
var twin = func() hub.Dialect {
	d := events()
	d.Name, d.Accept = "twin", []string{"application/vnd.twin"}
	return d
}()

// lossy is a target that can neither carry notices nor name runs.
var lossy = func() hub.Dialect {
	d := events()
	d.Name, d.Accept = "lossy", nil
	d.NewEncoder = func(o hub.Options) hub.Encoder { return lossyEncoder{native.Dialect.NewEncoder(o)} }
	return d
}()

type lossyEncoder struct{ hub.Encoder }

func (e lossyEncoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	switch ev.Kind {
	case hub.Notice:
		return hub.Dropped
	case hub.RunStart:
		return hub.Implied
	}
	return e.Encoder.Encode(out, ev)
}

// bomb goes off at records, and requests, that hold the word.
var bomb = func() hub.Dialect {
	d := events()
	d.Name, d.Accept, d.Requests = "bomb", nil, bombs{}
	d.NewDecoder = func(o hub.Options) hub.Decoder { return bombs{native.Dialect.NewDecoder(o)} }
	return d
}()

type bombs struct{ hub.Decoder }

func (b bombs) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	if bytes.Contains(rec.Data, []byte("boom")) {
		panic("boom")
	}
	return b.Decoder.Decode(dst, rec)
}

func (bombs) DecodeRequest(_ *hub.Request, body []byte) error {
	if bytes.Contains(body, []byte("boom")) {
		panic("boom")
	}
	return nil
}

func (bombs) AppendRequest(dst []byte, _ *hub.Request, _ *hub.Losses) ([]byte, error) {
	return dst, nil
}

func TestMain(m *testing.M) {
	switch os.Getenv(scriptedAgent) {
	case "":
	case "codex-cli", "gemini-cli":
		runOneTurnAgent(os.Getenv(scriptedAgent))
		return
	default:
		runScriptedAgent()
		return
	}
	dialects = func() []*hub.Dialect { return append(slices.Clip(adapters.All()), &twin, &lossy, &bomb) }
	goleak.VerifyTestMain(m,
		// These sleep up to ten seconds before they look whether their server is still there.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
	)
}

// testTimeout is how long a test waits for what must happen.
const testTimeout = 10 * time.Second

// await waits until a condition holds.
func await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for until := time.Now().Add(testTimeout); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// The lines of a small run, as native writes them.
const (
	lineStart = `{"kind":"run.start","id":"r1"}`
	lineHello = `{"kind":"text.delta","id":"p1","text":"Hello"}`
	lineWorld = `{"kind":"text.delta","id":"p1","text":", world"}`
	lineEnd   = `{"kind":"run.end","status":"done"}`
)

func lines(l ...string) string { return strings.Join(l, "\n") + "\n" }

var smallRun = lines(lineStart, lineHello, lineWorld, lineEnd)

// smallRunOut is smallRun after its translation to twin.
const smallRunOut = `{"kind":"run.start","seq":1,"id":"r1"}
{"kind":"text.start","flags":["synthetic"],"seq":2,"id":"p1"}
{"kind":"text.delta","seq":3,"id":"p1","text":"Hello"}
{"kind":"text.delta","seq":4,"id":"p1","text":", world"}
{"kind":"text.end","flags":["synthetic"],"seq":5,"id":"p1"}
{"kind":"run.end","status":"done","seq":6}
`

// rig is a proxy that runs.
type rig struct {
	*Server
	t     testing.TB
	addr  string
	logs  *observer.ObservedLogs
	cfg   *config.Config
	end   context.CancelFunc
	ended chan error
}

// parse reads a configuration.
func parse(t testing.TB, yaml string) *config.Config {
	t.Helper()
	cfg, err := config.Parse("sabir.yaml", []byte(yaml), nil, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, yaml)
	}
	if !strings.Contains(yaml, "hosts:") {
		cfg.Hosts = []string{"*"} // most tests call the server by a name of their own
	}
	if !strings.Contains(yaml, "request") {
		for _, r := range cfg.Routes {
			r.Requests.Mode = "pass" // most tests are about the answer, and ask with whatever body
		}
	}
	return cfg
}

// simple is a configuration with one upstream and one route; more is what follows in each of its parts.
func simple(url string, top, up, route string) string {
	return "listen: 127.0.0.1:0\n" + top + "\nupstreams:\n  agent:\n    url: " + url + "\n    dialect: native\n" + indent(up, "    ") +
		"routes:\n  - path: /run\n    upstream: agent\n" + indent(route, "    ")
}

func indent(s, by string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString(by + strings.TrimRight(line, "\n") + "\n")
	}
	return b.String()
}

// start runs a proxy until the test ends.
func start(t testing.TB, yaml string) *rig {
	t.Helper()
	core, logs := observer.New(zapcore.DebugLevel)
	cfg := parse(t, yaml)
	s, err := New(cfg, zap.New(core), "test")
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &rig{Server: s, t: t, addr: ln.Addr().String(), logs: logs, cfg: cfg, end: cancel, ended: make(chan error, 1)}
	go func() { r.ended <- s.Serve(ctx, ln) }()
	t.Cleanup(r.close)
	return r
}

// close ends the proxy, and sees to it that it left nothing open.
func (r *rig) close() {
	r.end()
	select {
	case err := <-r.ended:
		r.ended <- err
		if err != nil {
			r.t.Errorf("Serve: %v", err)
		}
	case <-time.After(2 * testTimeout):
		r.t.Errorf("the server does not end")
	}
	if n := r.metric("sabir_streams_open"); n != 0 {
		r.t.Errorf("%v streams are open at the end", n)
	}
	r.logsNoContent()
}

// contentMarks stand in the streams and error bodies of many tests, and for what users have written: never in the log.
var contentMarks = []string{"Hello", ", world", "secret at", "garbage", "boom", "Q7f3-mark"}

// logsNoContent fails the test if something that users or agents have written is in the log, unless that is asked for.
func (r *rig) logsNoContent() {
	if r.cfg.Log.UpstreamErrors {
		return
	}
	for _, entry := range r.logs.All() {
		line := fmt.Sprint(entry.Message, entry.ContextMap())
		for _, mark := range contentMarks {
			if strings.Contains(line, mark) {
				r.t.Errorf("%q is in the log: %s", mark, line)
			}
		}
	}
}

// metric is the sum of a counter or gauge over all series that have the given labels, as in "kind=text.delta". For a
// histogram it is the number of observations.
func (r *rig) metric(name string, labels ...string) (sum float64) {
	r.t.Helper()
	families, err := r.metrics.registry.Gather()
	if err != nil {
		r.t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			has := map[string]bool{}
			for _, l := range m.GetLabel() {
				has[l.GetName()+"="+l.GetValue()] = true
			}
			if slices.ContainsFunc(labels, func(l string) bool { return !has[l] }) {
				continue
			}
			sum += m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return sum
}

// awaitEnds waits until n streams have ended, and returns the fields of the last one's line of log.
func (r *rig) awaitEnds(n int) map[string]any {
	r.t.Helper()
	ends := func() []observer.LoggedEntry { return r.logs.FilterMessage("stream ended").All() }
	await(r.t, strconv.Itoa(n)+" streams to end", func() bool { return len(ends()) >= n })
	return ends()[n-1].ContextMap()
}

// agent is a scripted upstream.
type agent struct {
	t    testing.TB
	ln   net.Listener
	all  sync.WaitGroup
	mu   sync.Mutex
	open map[*peer]bool
	seen int // connections so far
}

// peer is one connection of an upstream.
type peer struct {
	net.Conn
	t    testing.TB
	br   *bufio.Reader
	nth  int // connection of its agent, from 1
	body []byte
}

// newAgent runs script for each connection; the connection is closed after it.
func newAgent(t testing.TB, script func(*peer)) *agent {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{t: t, ln: ln, open: map[*peer]bool{}}
	a.all.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			p := a.enter(c)
			a.all.Go(func() {
				defer a.leave(p)
				script(p)
			})
		}
	})
	t.Cleanup(a.close)
	return a
}

func (a *agent) enter(c net.Conn) *peer {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seen++
	p := &peer{Conn: c, t: a.t, br: bufio.NewReader(c), nth: a.seen}
	a.open[p] = true
	return p
}

func (a *agent) leave(p *peer) {
	p.Close()
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.open, p)
}

func (a *agent) close() {
	a.ln.Close()
	a.mu.Lock()
	for p := range a.open {
		p.Close()
	}
	a.mu.Unlock()
	a.all.Wait()
}

// connections is how many the agent has seen.
func (a *agent) connections() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.seen
}

// opened is how many are open.
func (a *agent) opened() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.open)
}

func (a *agent) url() string { return "http://" + a.ln.Addr().String() + "/stream" }

// request reads one request with its body; nil at the end of the connection.
func (p *peer) request() *http.Request {
	req, err := http.ReadRequest(p.br)
	if err != nil {
		return nil
	}
	p.body, err = io.ReadAll(req.Body)
	if err != nil {
		return nil
	}
	return req
}

// send writes; what becomes of it is the proxy's affair.
func (p *peer) send(s string) { _, _ = io.WriteString(p, s) }

// ok begins a chunked answer.
func (p *peer) ok(header ...string) {
	p.answer("200 OK", append(header, "Transfer-Encoding: chunked")...)
}

func (p *peer) answer(status string, header ...string) {
	p.send("HTTP/1.1 " + status + "\r\n" + strings.Join(append(header, ""), "\r\n") + "\r\n")
}

func (p *peer) chunk(s string) { p.send(fmt.Sprintf("%x\r\n%s\r\n", len(s), s)) }

// finish sends the last piece of a body together with its end.
func (p *peer) finish(s string) { p.send(fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(s), s)) }

func (p *peer) last() { p.send("0\r\n\r\n") }

// reset breaks the connection off.
func (p *peer) reset() {
	_ = p.Conn.(*net.TCPConn).SetLinger(0)
	p.Close()
}

// awaitGone waits until the proxy closes the connection.
func (p *peer) awaitGone() time.Time {
	_, _ = io.Copy(io.Discard, p.br)
	return time.Now()
}

// streaming answers each request with pieces of a chunked body.
func streaming(pieces ...string) func(*peer) {
	return func(p *peer) {
		for p.request() != nil {
			p.ok("Content-Type: application/x-ndjson")
			for _, s := range pieces {
				p.chunk(s)
			}
			p.last()
		}
	}
}

// client is a connection to a proxy.
type client struct {
	net.Conn
	t  testing.TB
	br *bufio.Reader
}

func (r *rig) dial() *client {
	r.t.Helper()
	c, err := net.Dial("tcp", r.addr)
	if err != nil {
		r.t.Fatal(err)
	}
	_ = c.SetDeadline(time.Now().Add(6 * testTimeout))
	r.t.Cleanup(func() { c.Close() })
	return &client{Conn: c, t: r.t, br: bufio.NewReader(c)}
}

func (c *client) send(s string) {
	c.t.Helper()
	if _, err := io.WriteString(c, s); err != nil {
		c.t.Fatal(err)
	}
}

// ask sends a request with a body and more header lines.
func (c *client) ask(method, path, body string, header ...string) {
	c.t.Helper()
	c.send(method + " " + path + " HTTP/1.1\r\nHost: proxy.example\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n" +
		strings.Join(append(header, ""), "\r\n") + "\r\n" + body)
}

// response reads the header of a response; its body is read as it comes.
func (c *client) response() *http.Response {
	c.t.Helper()
	resp, err := http.ReadResponse(c.br, nil)
	if err != nil {
		c.t.Fatalf("no response: %v", err)
	}
	return resp
}

// whole reads a response with its whole body, which must be complete.
func (c *client) whole() (*http.Response, string) {
	c.t.Helper()
	resp := c.response()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatalf("the body is cut: %v after %q", err, body)
	}
	return resp, string(body)
}

// reset breaks the connection off.
func (c *client) reset() {
	_ = c.Conn.(*net.TCPConn).SetLinger(0)
	c.Close()
}

// post asks on a new connection and returns the whole answer.
func (r *rig) post(path, body string, header ...string) (*http.Response, string) {
	r.t.Helper()
	c := r.dial()
	defer c.Close()
	c.ask("POST", path, body, header...)
	return c.whole()
}

// line reads one line of a body.
func line(t testing.TB, br *bufio.Reader) string {
	t.Helper()
	s, err := br.ReadString('\n')
	if err != nil {
		t.Fatalf("no line: %v after %q", err, s)
	}
	return strings.TrimSuffix(s, "\n")
}

// recorder keeps all that is read through it.
type recorder struct {
	net.Conn
	mu  sync.Mutex
	all bytes.Buffer
}

func (r *recorder) Read(p []byte) (int, error) {
	n, err := r.Conn.Read(p)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all.Write(p[:n])
	return n, err
}

func (r *recorder) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all.String()
}
