package proxy

import (
	"bufio"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/proxy/internal/urls"
)

// TestEndingsThatAreNoFailures: a run that ended well, but not as done, is logged and counted as it ended.
func TestEndingsThatAreNoFailures(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"length", "refused", "filtered"} {
		a := newAgent(t, streaming(lines(lineStart, lineHello, `{"kind":"run.end","status":"`+status+`"}`)))
		r := start(t, simple(a.url(), "", "", "client: twin\n"))
		r.post("/run", "{}")
		if end := r.awaitEnds(1); end["ending"] != status || r.metric("sabir_streams_total", "ending="+status) != 1 {
			t.Errorf("%s: log %v", status, end)
		}
	}
}

// TestPauseOfTokens: the time between two tokens is that of the texts alone, whenever they began; one token has none.
// The agent waits until the client has read what it sent, so that a slow machine makes pauses longer alone.
func TestPauseOfTokens(t *testing.T) {
	t.Parallel()
	const before, pause = 400 * time.Millisecond, 50 * time.Millisecond
	f := func(tokens int, want uint64) {
		t.Helper()
		read := make(chan struct{})
		a := newAgent(t, func(p *peer) {
			p.request()
			p.ok()
			p.chunk(lineStart + "\n")
			<-read
			time.Sleep(before)
			p.chunk(lineHello + "\n")
			<-read
			time.Sleep(pause)
			p.finish(lines(lineWorld, lineUsage(0, tokens), lineEnd))
		})
		r := start(t, simple(a.url(), "", "", "client: twin\n"))
		readStepwise(r, read)
		r.awaitEnds(1)
		_, whole := r.histogram("sabir_stream_duration_seconds")
		n, sum := r.histogram("sabir_token_gap_seconds")
		if n != want || sum > whole-before.Seconds() || n > 0 && sum < pause.Seconds()/float64(tokens-1) {
			t.Errorf("%d tokens: %d pauses, %g s", tokens, n, sum)
		}
		if n, sum := r.histogram("sabir_event_gap_seconds"); n != 2 || sum < (before+pause).Seconds() || sum > whole {
			t.Errorf("%d tokens: %d pauses of the agent, %g of %g s", tokens, n, sum, whole)
		}
		if n, sum := r.histogram("sabir_first_token_seconds"); n != 1 || sum < before.Seconds() {
			t.Errorf("%d tokens: %d first ones, %g s", tokens, n, sum)
		}
	}
	f(1, 0)
	f(2, 1)
	f(3, 1)
}

// readStepwise reads a run to its end, and says so when each of its first two records has come.
func readStepwise(r *rig, read chan<- struct{}) {
	r.t.Helper()
	c := r.dial()
	defer c.Close()
	c.ask("POST", "/run", "{}")
	body := bufio.NewReader(c.response().Body)
	for range 2 {
		line(r.t, body)
		read <- struct{}{}
	}
	if _, err := io.Copy(io.Discard, body); err != nil {
		r.t.Error(err)
	}
}

// histogram is how many values were observed, and their sum.
func (r *rig) histogram(name string) (n uint64, sum float64) {
	r.t.Helper()
	families, err := r.metrics.registry.Gather()
	if err != nil {
		r.t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name {
				n, sum = n+m.GetHistogram().GetSampleCount(), sum+m.GetHistogram().GetSampleSum()
			}
		}
	}
	return n, sum
}

// TestTokensOfOneSide: of an agent that counts only what it read, or only what it wrote, log and audit say nothing of the other.
func TestTokensOfOneSide(t *testing.T) {
	t.Parallel()
	for usage, want := range map[string][2]any{`{"in":3}`: {3.0, nil}, `{"out":4}`: {nil, 4.0}, `{"in":0}`: {0.0, nil}, `{"out":0}`: {nil, 0.0}, `{"total":5}`: {nil, nil}} {
		a := newAgent(t, streaming(lines(lineStart, lineHello, `{"kind":"usage","scope":"run","usage":`+usage+`}`, lineEnd)))
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		r := start(t, simple(a.url(), "audit: {path: "+path+"}\n", "", "client: twin\n"))
		r.post("/run", "{}")
		end, line := r.awaitEnds(1), auditLines(t, path, 1)[0]
		for i, key := range []string{"tokens_in", "tokens_out"} {
			logged := end[key]
			if n, said := logged.(int64); said {
				logged = float64(n)
			}
			if logged != want[i] || line[key] != want[i] {
				t.Errorf("%s: %s is %v in the log, %v in the audit, want %v", usage, key, logged, line[key], want[i])
			}
		}
	}
}

// TestRunsWithoutTokens: a run in which the agent does not speak is no sample of how soon it does. What was first for the client counts once.
func TestRunsWithoutTokens(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok()
			p.chunk(lineStart + "\n")
			time.Sleep(20 * time.Millisecond)
			p.chunk(`{"kind":"notice","level":"info","text":"x"}` + "\n")
			time.Sleep(20 * time.Millisecond)
			p.finish(lines(lineUsage(3, 4), lineEnd))
		}
	})
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	r.post("/run", "{}")
	r.awaitEnds(1)
	for name, want := range map[string]float64{"first_token_seconds": 0, "token_gap_seconds": 0, "first_event_seconds": 1, "stream_duration_seconds": 1} {
		if n := r.metric("sabir_" + name); n != want {
			t.Errorf("%s has %v samples, want %v", name, n, want)
		}
	}
	if in, out := r.metric("sabir_tokens_total", "type=input"), r.metric("sabir_tokens_total", "type=output"); in != 3 || out != 4 {
		t.Errorf("%v and %v tokens", in, out)
	}
}

// TestFirstTokenOfACall: what an agent writes for a tool is a token as well.
func TestFirstTokenOfACall(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(lines(lineStart, `{"kind":"tool.start","id":"c1","name":"look_up"}`, `{"kind":"tool.args","id":"c1","text":"{}"}`, lineEnd)))
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	r.post("/run", "{}")
	r.awaitEnds(1)
	if n := r.metric("sabir_first_token_seconds"); n != 1 {
		t.Errorf("%v first tokens", n)
	}
}

// TestCanonicalPaths: paths that are plainly the same are one, and a slash at the end makes another.
func TestCanonicalPaths(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/": "/", "/a//b": "/a/b", "/a/b/": "/a/b/", "//a/": "/a/", "/a%62c/%7e": "/abc/~", "/a%2Fb": "/a%2Fb", "/a//": "/a/", "/a///b//c": "/a/b/c",
	} {
		p, err := urls.Parse(path)
		if got := p.Canonical(); got != want || err != nil || strings.Contains(got, "//") {
			t.Errorf("%s: got %s, want %s, %v", path, got, want, err)
		}
	}
}
