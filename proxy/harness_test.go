package proxy

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
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

// bomb goes off at records, texts and requests that hold the word.
var bomb = func() hub.Dialect {
	d := events()
	d.Name, d.Accept, d.Requests, d.WriteRequest = "bomb", nil, bombs{}, bombs{}.AppendRequest
	d.NewDecoder = func(o hub.Options) hub.Decoder { return bombs{native.Dialect.NewDecoder(o)} }
	d.NewEncoder = func(o hub.Options) hub.Encoder { return bombEncoder{native.Dialect.NewEncoder(o)} }
	return d
}()

type bombEncoder struct{ hub.Encoder }

func (e bombEncoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	if bytes.Contains(ev.Text, []byte("boom")) {
		panic("boom")
	}
	return e.Encoder.Encode(out, ev)
}

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

func (bombs) AppendRequest(dst []byte, asked *hub.Request, _ *hub.Losses) ([]byte, error) {
	for _, m := range asked.Messages {
		for _, p := range m.Parts {
			if bytes.Contains(p.Text, []byte("boom")) {
				panic("boom")
			}
		}
	}
	return dst, nil
}

func TestMain(m *testing.M) {
	switch os.Getenv(scriptedAgent) {
	case "":
	case "codex-cli", "cursor-cli", "gemini-cli", "opencode":
		runOneTurnAgent(os.Getenv(scriptedAgent))
		return
	case "acp":
		runACPAgent()
		return
	case "copilot":
		runCopilotAgent()
		return
	case "flood", "flood-http", "paced", "paced-http":
		runFloodAgent(floods[os.Getenv(scriptedAgent)])
		return
	default:
		runScriptedAgent()
		return
	}
	runMoreAtOnce()
	dialects = func() []*hub.Dialect { return append(slices.Clip(adapters.All()), &twin, &lossy, &bomb) }
	goleak.VerifyTestMain(m,
		// These sleep up to ten seconds before they look whether their server is still there.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
	)
}

// runMoreAtOnce runs three tests for each processor in parallel, unless -parallel says how many: most of them wait nearly all the time.
func runMoreAtOnce() {
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		_ = f.Value.Set(strconv.Itoa(3 * runtime.GOMAXPROCS(0)))
	}
}

// testTimeout is how long a test waits for what must happen: long, as it says nothing of the program but that the machine is busy.
const testTimeout = 2 * time.Minute

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

// emptyConversations are those of a server that has just begun.
func emptyConversations() *conversations {
	return new(conversations).prepare(zap.NewNop(), newMetrics("test"))
}

// rig is a proxy that runs.
type rig struct {
	*Server
	t     testing.TB
	addr  string
	logs  *observer.ObservedLogs
	cfg   *config.Config
	end   context.CancelFunc
	ended chan error
	all   []*rig // replicas, this one among them; each connection goes to the next
	dials atomic.Int64

	refusals  refusals // that clients have read
	partOfLog bool     // the log has lines of another server as well, or some were taken out

	bridged string // where it is reached by HTTP/2; "" where it is not
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
	if os.Getenv(testReplicas) != "" {
		return startReplicas(t, yaml)
	}
	core, logs := observer.New(zapcore.DebugLevel)
	return startOne(t, yaml, zap.New(core), logs)
}

// startOne starts a proxy, or a replica, with a log.
func startOne(t testing.TB, yaml string, log *zap.Logger, logs *observer.ObservedLogs) *rig {
	t.Helper()
	cfg := parse(t, yaml)
	cfg.HTTP2.Cleartext = cfg.HTTP2.Cleartext || os.Getenv(testHTTP2) != ""
	s, err := New(cfg, log, "test")
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
	r.bridge()
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
	if n := r.ownMetric("sabir_streams_open"); n != 0 {
		r.t.Errorf("%v streams are open at the end", n)
	}
	r.leavesNothing()
	r.countsAgree()
	r.logsNoContent()
	r.logsNoBug()
}

// logsNoBug fails the test if Sabir has logged a fault of its own, unless a dialect of the test is there to make it do so.
func (r *rig) logsNoBug() {
	for _, up := range r.cfg.Upstreams {
		if up.Dialect == bomb.Name {
			return
		}
	}
	if slices.ContainsFunc(r.cfg.Routes, func(rc *config.Route) bool { return rc.Client == bomb.Name }) {
		return
	}
	for _, entry := range r.logs.FilterMessage("BUG: please report this").All() {
		r.t.Errorf("the log has a fault of the program: %v", entry.ContextMap()["panic"])
	}
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
	for _, other := range r.all {
		sum += other.ownMetric(name, labels...)
	}
	if len(r.all) > 0 {
		return sum
	}
	return r.ownMetric(name, labels...)
}

// ownMetric is metric without the other replicas.
func (r *rig) ownMetric(name string, labels ...string) (sum float64) {
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

// noStreams reports whether no stream is left, of those that do not count any more either.
func (r *rig) noStreams() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.streams) == 0
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
