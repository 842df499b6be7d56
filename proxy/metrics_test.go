package proxy

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"go.uber.org/zap/zapcore"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
	"github.com/sabir-proxy/sabir/proxy/internal/overload"
)

// counts are all counters and gauges of Sabir that are not zero, as "name{label=value,…}", but for times.
func (r *rig) counts() map[string]float64 {
	r.t.Helper()
	families, err := r.metrics.registry.Gather()
	if err != nil {
		r.t.Fatal(err)
	}
	all := map[string]float64{}
	for _, f := range families {
		name, ok := strings.CutPrefix(f.GetName(), "sabir_")
		if !ok || strings.HasSuffix(name, "timestamp_seconds") {
			continue
		}
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			v := m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
			if v != 0 {
				all[name+"{"+strings.Join(labels, ",")+"}"] = v
			}
		}
	}
	return all
}

// TestMetrics are exact after known streams.
func TestMetrics(t *testing.T) {
	t.Parallel()
	in := lines(lineStart, "{broken", lineHello, lineWorld,
		`{"kind":"tool.update","id":"t1","status":"running"}`,
		`{"kind":"notice","level":"info","text":"x"}`,
		`{"kind":"tool.start","id":"t1","name":"bash"}`,
		`{"kind":"tool.end","id":"t1","status":"ok","text":""}`,
		lineEnd)
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			if string(p.body) == "cut" {
				p.ok()
				p.finish(lines(lineStart, lineHello))
				continue
			}
			p.ok()
			p.finish(in)
		}
	})
	yaml := simple(a.url(), "", "", "client: lossy\n") + "  - {path: /copy, upstream: agent, client: native}\n"
	r := start(t, yaml)
	var out, copied int
	for range 2 {
		_, body := r.post("/run", "{}")
		out += len(body)
	}
	_, body := r.post("/run", "cut")
	out += len(body)
	_, body = r.post("/copy", "{}")
	copied += len(body)
	r.post("/nowhere", "")
	r.awaitEnds(4)

	want := map[string]float64{
		"build_info{version=test}": 1, "config_last_reload_successful{}": 1,
		"streams_total{ending=done,from=native,route=/run,to=lossy}":               2,
		"streams_total{ending=upstream_truncated,from=native,route=/run,to=lossy}": 1,
		"streams_total{ending=done,from=native,route=/copy,to=native}":             1,
		"requests_rejected_total{code=no_route}":                                   1,
		"records_copied_total{route=/copy}":                                        9,
		"bytes_total{direction=in,route=/copy}":                                    float64(len(in)),
		"bytes_total{direction=out,route=/copy}":                                   float64(copied),
		"bytes_total{direction=in,route=/run}":                                     float64(2*len(in) + len(lines(lineStart, lineHello))),
		"bytes_total{direction=out,route=/run}":                                    float64(out),
		"record_errors_total{reason=syntax,route=/run}":                            2,
		"records_unrecognised_total{from=native,route=/run}":                       2,
		"event_losses_total{fate=dropped,kind=notice,route=/run}":                  2,
		"repairs_total{repair=held,route=/run}":                                    2,
		"repairs_total{repair=ready_made,route=/run}":                              2,
		"repairs_total{repair=truncated,route=/run}":                               1,
		"upstream_responses_total{route=/run,status=200}":                          3,
		"upstream_responses_total{route=/copy,status=200}":                         1,
		"first_token_seconds{model=other,route=/run}":                              3,
		"first_event_seconds{route=/run}":                                          3,
		"first_event_seconds{route=/copy}":                                         1,
		"stream_duration_seconds{route=/run}":                                      3,
		"stream_duration_seconds{route=/copy}":                                     1,
	}
	for kind, n := range map[string]float64{
		"run.start": 3, "text.delta": 5, "tool.update": 2, "notice": 2, "tool.start": 2, "tool.end": 2, "run.end": 2,
	} {
		want["events_total{direction=in,kind="+kind+",route=/run}"] = n
		want["events_total{direction=out,kind="+kind+",route=/run}"] = n
	}
	for _, kind := range []string{"text.start", "text.end", "tool.args", "tool.ready"} {
		want["events_total{direction=out,kind="+kind+",route=/run}"] = 2
	}
	want["events_total{direction=out,kind=text.start,route=/run}"] = 3
	want["events_total{direction=out,kind=text.end,route=/run}"] = 3
	want["events_total{direction=out,kind=run.end,route=/run}"] = 3
	// What the sequencer counts beyond that is its own affair, and how busy the machine is.
	ignore := cmpopts.IgnoreMapEntries(func(name string, _ float64) bool {
		return strings.HasPrefix(name, "repairs_total") && want[name] == 0 || strings.HasPrefix(name, "event_gap") ||
			strings.HasPrefix(name, "connections_open") || strings.HasPrefix(name, "scheduling_delay")
	})
	if diff := cmp.Diff(want, r.counts(), ignore); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestLogLine has one line per stream, with what the operator wants to know.
func TestLogLine(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(lines(lineStart, "{broken", `{"kind":"notice","level":"info","text":"x"}`, lineEnd)))
	r := start(t, simple(a.url(), "", "", "client: lossy\n"))
	c := r.dial()
	c.ask("POST", "/run", "{}", "X-Request-Id: id-1")
	_, body := c.whole()
	got := r.awaitEnds(1)
	if first, total := got["first_event"].(time.Duration), got["total"].(time.Duration); first <= 0 || first > total {
		t.Errorf("first event after %v of %v", first, total)
	}
	delete(got, "first_event")
	delete(got, "total")
	want := map[string]any{
		"route": "/run", "upstream": "agent", "from": "native", "to": "lossy", "ending": "done", "request_id": "id-1",
		"peer": c.LocalAddr().String(), "records": int64(4), "events_in": int64(3), "events_out": int64(3), "repairs": uint64(0),
		"dropped": int64(1), "bytes_in": int64(len(lines(lineStart, "{broken", `{"kind":"notice","level":"info","text":"x"}`, lineEnd))),
		"bytes_out": int64(len(body)), "record_errors": int64(1), "first_error": got["first_error"],
		"unrecognised": int64(1), "unrecognised_share": 0.25,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if n := r.logs.FilterMessage("stream ended").Len(); n != 1 {
		t.Errorf("%d lines", n)
	}
	if level := r.logs.FilterMessage("stream ended").All()[0].Level; level != zapcore.InfoLevel {
		t.Errorf("level %v", level)
	}
}

// TestFamiliesDiffer: OpenMetrics names a family of counters without _total, so that a gauge may not have that name.
func TestFamiliesDiffer(t *testing.T) {
	t.Parallel()
	families, err := newMetrics("test").shown()
	if err != nil || len(families) < 20 {
		t.Fatalf("%d families: %v", len(families), err)
	}
	seen := map[string]string{}
	for _, f := range families {
		name := strings.TrimSuffix(f.GetName(), "_total")
		if other, twice := seen[name]; twice {
			t.Errorf("%s and %s are one family in OpenMetrics", other, f.GetName())
		}
		seen[name] = f.GetName()
	}
}

// TestMetricsAreClean as Prometheus wants them, with labels from closed sets.
func TestMetricsAreClean(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(lines(lineStart, "{broken", lineHello, lineEnd)))
	r := start(t, simple(a.url(), "", "addresses: ['"+a.addr()+"']\n", "client: lossy\n"))
	r.post("/run", "{}", "X-Request-Id: only-in-logs")
	r.post("/only-in-logs", "")
	r.awaitEnds(1)
	families, err := r.metrics.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("%v %v", problems, err)
	}
	closed := map[string][]string{
		"route": {"/run"}, "upstream": {"agent"}, "direction": {"in", "out"}, "by": {"client", "proxy"}, "result": {"ok", "failed", "written", "dropped"}, "sink": {"page", "files"}, "version": {"test"},
		"from": {"native"}, "to": {"lossy"}, "code": slices.Clone(rejections), "status": {"200"},
		"listener": {"clients", "admin"}, "did": {"shortened", "cut"}, "model": {otherModel}, "state": {"live", "finished", "up", "ejected", "unhealthy", "draining"}, "cause": append([]string{string(overload.CauseDelay), string(overload.CauseMemory)}, inbound.HandshakeCauses...),
		"address": {a.addr()}, "target": {"agent", "auth.forward", "auth.jwt"}, "scope": {scopeAll, scopeRoute, scopePrincipal, scopeRoutePrincipal},
	}
	for _, k := range hub.Kinds() {
		closed["kind"] = append(closed["kind"], k.String())
	}
	for _, f := range hub.Dispositions() {
		closed["fate"] = append(closed["fate"], f.String())
	}
	for _, rep := range sequencer.Repairs() {
		closed["repair"] = append(closed["repair"], rep.String())
	}
	for _, reason := range hub.Reasons() {
		closed["reason"] = append(closed["reason"], string(reason))
	}
	for _, c := range hub.Codes() {
		closed["code"] = append(closed["code"], string(c))
		closed["ending"] = append(closed["ending"], string(c))
	}
	closed["ending"] = append(closed["ending"], "done", "length", "limit", "refused", "filtered", "tools", "paused", "cancelled", "failed", "truncated")
	for _, f := range families {
		if !strings.HasPrefix(f.GetName(), "sabir_") {
			continue
		}
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if !slices.Contains(closed[l.GetName()], l.GetValue()) {
					t.Errorf("%s has %s=%s", f.GetName(), l.GetName(), l.GetValue())
				}
			}
		}
	}
}

// TestNothingMixes runs many streams at once, each with texts of its own.
// Rows F18 and G8.
func TestNothingMixes(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			mark := string(p.body)
			p.ok()
			p.chunk(lines(`{"kind":"run.start","id":"run-` + mark + `"}`))
			for i := range 20 {
				p.chunk(`{"kind":"text.delta","id":"p-` + mark + `","text":"` + mark + `"}` + "\n")
				p.chunk(`{"kind":"tool.output","id":"t-` + mark + `","chan":"stdout","text":"` + mark + `"}` + "\n")
				if i == 10 && strings.HasSuffix(mark, "7") {
					p.reset()
					return
				}
			}
			p.finish(lines(`{"kind":"tool.start","id":"t-`+mark+`","name":"`+mark+`"}`, lineEnd))
		}
	})
	r := start(t, simple(a.url(), "", "", "client: twin\n")+"  - {path: /copy, upstream: agent, client: native}\n")
	var all sync.WaitGroup
	for w := range 10 {
		all.Go(func() {
			for i := range 20 {
				mark := "w" + string(rune('a'+w)) + "i" + string(rune('a'+i/10)) + string(rune('0'+i%10))
				got := r.said("/run", mark)
				if i%4 == 3 {
					got = r.said("/copy", mark)
				}
				// Every id and text is that of this stream.
				rest := strings.ReplaceAll(got, mark, "")
				for _, foreign := range []string{"iaw", "ibw", "wa", "wb", "wc", "wd", "we", "wf", "wg", "wh", "wi", "wj"} {
					if strings.Contains(rest, `"`+foreign) || strings.Contains(rest, "-"+foreign) {
						t.Errorf("the stream of %s holds something of another:\n%s", mark, got)
						break
					}
				}
				if cut := strings.HasSuffix(mark, "7"); cut == strings.Contains(got, `"status":"done"`) || !strings.Contains(got, "run.end") {
					t.Errorf("%s: %s", mark, got)
				}
			}
		})
	}
	all.Wait()
}

// said is the body of the answer to a body.
func (r *rig) said(path, body string) string {
	c := r.dial()
	defer c.Close()
	c.ask("POST", path, body)
	_, got := c.whole()
	return got
}

// TestCountersBeforeTheyCount: an alert on a rejection must work before the first one, and every code has its counter.
func TestCountersBeforeTheyCount(t *testing.T) {
	families, err := newMetrics("test").registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var there []string
	for _, f := range families {
		if f.GetName() == "sabir_requests_rejected_total" {
			for _, m := range f.GetMetric() {
				there = append(there, m.GetLabel()[0].GetValue())
			}
		}
	}
	source, err := os.ReadFile("codes.go")
	if err != nil {
		t.Fatal(err)
	}
	codes := regexp.MustCompile(`(?m)^\tcode\w+ += "(\w+)"$`).FindAllSubmatch(source, -1)
	if len(codes) == 0 {
		t.Error("there are no codes")
	}
	for _, code := range codes {
		if !slices.Contains(there, string(code[1])) {
			t.Errorf("%s is not in rejections", code[1])
		}
	}
	for _, code := range []hub.Code{hub.CodeNoRoute, hub.CodeBodyTooLarge, hub.CodeLimit} {
		if !slices.Contains(there, string(code)) {
			t.Errorf("%s is not in rejections", code)
		}
	}
}

// TestAttemptsBeforeTheyAreMade: both results of attempts that are rare have their counter from the start.
func TestAttemptsBeforeTheyAreMade(t *testing.T) {
	t.Parallel()
	families, err := newMetrics("test").registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				there[f.GetName()+" "+l.GetValue()] = true
			}
		}
	}
	for _, listener := range []string{"clients", "admin"} {
		if !there["sabir_tls_certificate_expiry_timestamp_seconds "+listener] || !there["sabir_tls_handshake_errors_total "+listener] {
			t.Errorf("the metrics of TLS are not there for %s", listener)
		}
	}
	for _, name := range []string{"sabir_tls_certificate_reads_total", "sabir_jwks_fetches_total"} {
		if !there[name+" ok"] || !there[name+" failed"] {
			t.Errorf("%s is not there for ok and failed", name)
		}
	}
}

// TestTokens of a run are counted once, whatever its steps have said before, and a filter for usage does not hide them.
func TestTokens(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(lines(lineStart,
		`{"kind":"usage","scope":"step","ref":"s1","usage":{"in":5,"out":1}}`,
		`{"kind":"usage","scope":"run","usage":{"in":20,"out":7,"cached":4,"reasoning":2}}`,
		`{"kind":"usage","scope":"run","usage":{"in":21,"out":8,"cached":4,"reasoning":2}}`, lineEnd)))
	r := start(t, simple(a.url(), "", "", "client: agui\nshape: {filter: {classes: [usage]}}\n"))
	r.post("/run", "{}")
	r.awaitEnds(1)
	got := r.counts()
	for typ, want := range map[string]float64{"input": 21, "output": 8, "cached": 4, "reasoning": 2, "cache_write": 0} {
		if name := "tokens_total{model=other,route=/run,type=" + typ + "}"; got[name] != want {
			t.Errorf("%s is %g, want %g", name, got[name], want)
		}
	}
	line := r.logs.FilterMessage("stream ended").All()[0].ContextMap()
	if line["tokens_in"] != int64(21) || line["tokens_out"] != int64(8) {
		t.Errorf("the log says %v in, %v out", line["tokens_in"], line["tokens_out"])
	}
}

// TestUpstreamStatuses are counted whatever becomes of them; what is no status has one label.
func TestUpstreamStatuses(t *testing.T) {
	t.Parallel()
	for status, label := range map[string]string{"204": "204", "429": "429", "777": "other"} {
		a := newAgent(t, func(p *peer) {
			if p.request() != nil {
				p.send("HTTP/1.1 " + status + " X\r\nContent-Length: 0\r\n\r\n")
			}
		})
		r := start(t, simple(a.url(), "", "", "client: agui\n"))
		r.post("/run", "{}")
		r.awaitEnds(1)
		if name := "upstream_responses_total{route=/run,status=" + label + "}"; r.counts()[name] != 1 {
			t.Errorf("status %s: %v", status, r.counts())
		}
	}
}
