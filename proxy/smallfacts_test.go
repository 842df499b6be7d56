package proxy

import (
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/internal/runlog"
	"github.com/sabir-proxy/sabir/proxy/internal/upstream"
)

// TestStatusesThatPass: an answer that is no success passes where errors are exposed, unless it is about credentials that the client has not
// given; redirects do not, and "not modified" does in any case.
func TestStatusesThatPass(t *testing.T) {
	t.Parallel()
	const never, always, exposed, unlessOurs = "never", "always", "exposed", "exposed, without credentials"
	for status, when := range map[int]string{
		302: never, 304: always, 307: never, 399: never, 400: exposed, 401: unlessOurs, 402: exposed, 403: unlessOurs, 404: exposed, 500: exposed,
	} {
		for _, expose := range []bool{false, true} {
			for _, ours := range []bool{false, true} {
				x := &stream{engine: new(engine.Copier), call: &call{route: &route{
					cfg: &config.Route{Errors: config.Errors{Expose: expose}}, up: &upstream.Upstream{Cfg: new(config.Upstream)},
				}}}
				want := when == always || when == exposed && expose || when == unlessOurs && expose && !ours
				if got := x.passesStatus(&upstream.Upstream{HasCredentials: ours}, status, new(httpSink)); got != want {
					t.Errorf("%d, exposed %t, credentials %t: it passes: %t", status, expose, ours, got)
				}
				if x.passesStatus(new(upstream.Upstream), status, wsSink{}) {
					t.Errorf("%d passes to a client that reads no HTTP", status)
				}
			}
		}
	}
}

// putRuns keeps what was put last.
type putRuns struct {
	runlog.Store
	last runlog.Run
}

func (p *putRuns) Put(_ runlog.Key, run runlog.Run) error {
	p.last = run
	return nil
}

func (*putRuns) Trim(string, string, int) (int, error) { return 0, nil }

// TestQuestionsHaveASize: what is remembered of a question counts with the form of its answer, which may be large, where that is kept.
func TestQuestionsHaveASize(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind   hub.AskKind
		schema string
		want   int
	}{{hub.AskInput, strings.Repeat("x", 1000), briefRun + 1000}, {hub.AskInput, "x", briefRun + 1}, {hub.AskInput, "", briefRun}, {hub.AskPermission, "x", briefRun}} {
		var runs putRuns
		ask := &call{unique: []byte("u"), route: &route{sessions: &hub.SessionServer{AnswersByName: true}, runs: &runs}}
		ask.rememberAsk(&hub.Event{Kind: hub.Ask, ID: []byte("q"), AskKind: c.kind, More: &hub.More{Schema: []byte(c.schema)}})
		if kept := len(runs.last.Asks) > 0; runs.last.Size != c.want || kept != (c.want > briefRun) || runs.last.Thread != "u" || runs.last.Began == 0 {
			t.Errorf("%v with a schema of %d bytes: %+v", c.kind, len(c.schema), runs.last)
		}
	}
}

// TestCancelByName: a run that is ended by its name can be, once its stream has said it, however short that is.
func TestCancelByName(t *testing.T) {
	t.Parallel()
	cfg := parse(t, simple("http://agent/base", "", "", "client: native\n"))
	c := &call{route: &route{up: &upstream.Upstream{Cfg: cfg.Upstreams["agent"]}}}
	r := &cancelRequest{request: new(fasthttp.Request), named: func(run []byte) hub.SessionCall {
		return hub.SessionCall{Path: []string{"runs", string(run)}, Body: run}
	}}
	r.find = func(*lateAnswer, time.Time) (*hub.SessionCall, error) { return nil, nil }
	if r.isNamed() {
		t.Error("a run without a name can be ended")
	}
	for kind, id := range map[hub.Kind]string{hub.TextDelta: "p1", hub.RunStart: ""} {
		if r.note(&hub.Event{Kind: kind, ID: []byte(id)}) {
			t.Errorf("%v with the id %q names a run", kind, id)
		}
	}
	if !r.note(&hub.Event{Kind: hub.RunStart, ID: []byte("7")}) || !r.isNamed() {
		t.Error("a run that was named cannot be ended")
	}
	what := r.named(r.run)
	if r.address(c, &what) != nil || string(r.body("")) != "7" || string(r.request.Header.RequestURI()) != "/base/runs/7" {
		t.Errorf("it is ended by %s with %q", r.request.Header.RequestURI(), r.run)
	}
	if r = new(cancelRequest); !r.isNamed() {
		t.Error("a run that is ended without its name cannot be")
	}
}

// countedWrites is a connection that counts what is written.
type countedWrites struct {
	net.Conn
	n int
}

func (c *countedWrites) Write(p []byte) (int, error) {
	c.n++
	return len(p), nil
}

func (c *countedWrites) SetWriteDeadline(time.Time) error { return nil }

// TestEventsBeatAmongReplicas: among replicas a reader looks often for a run, and gets signs of life no more often than its route says.
func TestEventsBeatAmongReplicas(t *testing.T) {
	t.Parallel()
	for beat, want := range map[time.Duration]int{0: 0, 5 * remoteLook: 4, 20 * remoteLook: 1} {
		synctest.Test(t, func(t *testing.T) {
			var conn countedWrites
			x := &eventsReader{
				call:  &call{route: &route{cfg: &config.Route{Timeouts: config.RouteTimeouts{Keepalive: beat}}}, target: &target{dialect: &twin}},
				sink:  &httpSink{conn: &clientConn{Conn: &conn, writeTimeout: time.Hour}, began: true},
				alive: time.Now(), left: make(chan struct{}),
			}
			s := &Server{replicas: new(replicas), leaving: make(chan struct{})}
			for range 20 {
				if over, f := s.awaitRunOf(x, make(chan struct{})); over || f != nil {
					t.Fatalf("it is over: %t, %v", over, f)
				}
			}
			if conn.n != want {
				t.Errorf("with a pause of %s there are %d signs of life in %s, want %d", beat, conn.n, 20*remoteLook, want)
			}
		})
	}
}
