package proxy

import (
	"io"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// shows counts the series that who reads the metrics sees with a value of a label, and adds up those of one name.
func (r *rig) shows(label, name, of string) (series int, sum float64) {
	r.t.Helper()
	families, err := r.showMetrics()
	if err != nil {
		r.t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if l.GetName() != label || l.GetValue() != name {
					continue
				}
				if series++; f.GetName() == of {
					sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
				}
			}
		}
	}
	return series, sum
}

// TestSeriesOfGoneRoute: the series of a route that a reload has taken away are shown until its stream is over, once more with all that it
// counts, and then no more. A route of the same name that comes again goes on with them as long as they are shown, and begins anew then.
func TestSeriesOfGoneRoute(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	old := simple(a.url(), "", "", "client: agui\nrequests: {mode: translate}")
	next := strings.Replace(old, "path: /run", "path: /next", 1)
	r := start(t, old)
	r.metrics.keepGone = 0
	r.partOfLog = true // the metrics do not have all that it says
	reload := func(yaml string) {
		t.Helper()
		if err := r.Reload(parse(t, yaml)); err != nil {
			t.Fatal(err)
		}
	}
	begin := func() io.ReadCloser {
		c := r.dial()
		c.ask("POST", "/run", resumeClients[0].body)
		resp := c.response()
		firstHalf(t, resp)
		return resp.Body
	}
	wants := func(when, route, name string, many bool, want float64) {
		t.Helper()
		if n, sum := r.shows("route", route, name); many != (n > 0) || sum != want {
			t.Errorf("%s: %s has %d series, and %s is %v", when, route, n, name, sum)
		}
	}
	first := begin()
	reload(next)
	for range 2 {
		wants("its stream goes on", "/run", "sabir_streams_open", true, 1)
	}
	wants("it has no stream yet", "/next", "sabir_streams_open", true, 0)
	reload(old)
	second := begin()
	wants("it is there again", "/run", "sabir_streams_open", true, 2)
	wants("it is gone before anything was asked of it", "/next", "", false, 0)
	reload(next)
	close(goOn)
	for _, body := range []io.ReadCloser{first, second} {
		if rest, err := io.ReadAll(body); err != nil || !strings.Contains(string(rest), "world") {
			t.Errorf("%v: %s", err, rest)
		}
	}
	await(t, "the streams to be over", r.noStreams)
	wants("its streams are over", "/run", "sabir_streams_total", true, 2)
	wants("they were shown", "/run", "", false, 0)
	r.metrics.reject(string(hub.CodeLimit)) // what has no route stays
	wants("they were shown", "/next", "sabir_streams_open", true, 0)
	reload(old)
	if _, err := io.ReadAll(begin()); err != nil {
		t.Error(err)
	}
	await(t, "the stream to be over", r.noStreams)
	wants("it comes again", "/run", "sabir_streams_total", true, 1)
	wants("it comes again", "/run", "sabir_streams_total", true, 1)
}

// TestSeriesOfGoneSession: the series of a route stay while a client is connected that may begin another run on it.
func TestSeriesOfGoneSession(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	yaml := simple(a.url(), "", "", "client: twin\n")
	r := start(t, yaml)
	r.metrics.keepGone = 0
	r.partOfLog = true
	c := r.dialWS("/run")
	c.say("{}")
	c.run()
	r.awaitEnds(1) // a client has the last record before the stream counts
	if err := r.Reload(parse(t, strings.Replace(yaml, "path: /run", "path: /next", 1))); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if n, sum := r.shows("route", "/run", "sabir_streams_total"); n == 0 || sum != 1 {
			t.Errorf("while its client is there, it has %d series, and counts %v streams", n, sum)
		}
	}
	_ = c.Close()
	await(t, "the client to be gone", func() bool { n, _ := r.shows("route", "/run", ""); return n == 0 })
}

// TestSeriesOfGoneRouteForSeveral: whoever reads the metrics gets the last values of a route that is gone, and not only who reads them first.
func TestSeriesOfGoneRouteForSeveral(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	yaml := simple(a.url(), "", "", "client: twin\n")
	r := start(t, yaml)
	r.partOfLog = true
	r.call(t, 200, "", "POST", "/run", "{}")
	r.awaitEnds(1)
	if err := r.Reload(parse(t, strings.Replace(yaml, "path: /run", "path: /next", 1))); err != nil {
		t.Fatal(err)
	}
	shown := func(when string, want float64) {
		t.Helper()
		if _, sum := r.shows("route", "/run", "sabir_streams_total"); sum != want {
			t.Errorf("%s: it counts %v streams, want %v", when, sum, want)
		}
	}
	shown("to the first", 1)
	shown("to the second", 1)
	if err := r.Reload(parse(t, yaml)); err != nil {
		t.Fatal(err)
	}
	shown("where it is there again", 1)
	if n := len(r.metrics.goneSince); n != 1 { // the route that is gone now
		t.Errorf("%d are taken for gone", n)
	}
	r.metrics.keepGone = 0
	if n, _ := r.shows("route", "/next", ""); n == 0 {
		t.Error("the last values of the other route were not shown")
	}
	if n, _ := r.shows("route", "/next", ""); n != 0 || len(r.metrics.goneSince) != 0 {
		t.Errorf("%d series are left, and %d are taken for gone", n, len(r.metrics.goneSince))
	}
}

// TestSeriesOfRefusedReload: a configuration that is refused leaves no series of its routes.
func TestSeriesOfRefusedReload(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	yaml := simple(a.url(), "", "", "client: twin\n")
	r := start(t, yaml)
	r.metrics.keepGone = 0
	bad := strings.Replace(yaml, "path: /run", "path: /next", 1) + "  - {path: /bad, upstream: agent, client: unknown}\n"
	cfg := parse(t, strings.Replace(bad, "unknown", "twin", 1))
	cfg.Routes[1].Client = "unknown"
	if err := r.Reload(cfg); err == nil {
		t.Fatal("it is taken")
	}
	r.shows("route", "/next", "")
	if n, _ := r.shows("route", "/next", ""); n != 0 {
		t.Errorf("%d series are left", n)
	}
	if n, _ := r.shows("route", "/run", ""); n == 0 {
		t.Error("those of the route in force are gone")
	}
}

// TestSeriesOfGoneProgram: a program that no route leads to any more is shown as long as its turn lasts.
func TestSeriesOfGoneProgram(t *testing.T) {
	t.Parallel()
	yaml := agentConfig(t, "agui", t.TempDir(), "", "")
	r := start(t, yaml)
	r.metrics.keepGone = 0
	r.partOfLog = true
	c := r.dial()
	c.ask("POST", "/run", slowTurn)
	halfUntil(t, c.response(), "waiting")
	if err := r.Reload(parse(t, simple("http://127.0.0.1:1", "", "", "client: twin\n"))); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if n, sum := r.shows("upstream", "coder", "sabir_processes"); n == 0 || sum != 1 {
			t.Errorf("%v processes in %d series", sum, n)
		}
	}
	c.reset()
	await(t, "nothing of it to be shown", func() bool { n, _ := r.shows("upstream", "coder", ""); return n == 0 })
}
