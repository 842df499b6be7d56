package proxy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	dto "github.com/prometheus/client_model/go"
)

// countsAgree fails the test if the log and the metrics of a server that has ended say different things of its streams and refusals: both are
// part of the manual, and few tests look at more than one of them.
func (r *rig) countsAgree() {
	r.t.Helper()
	if r.partOfLog {
		return
	}
	families, err := r.metrics.registry.Gather()
	if err != nil {
		r.t.Error(err)
	}
	counted, l := map[string]*dto.MetricFamily{}, r.readLog()
	for _, f := range families {
		counted[strings.TrimPrefix(f.GetName(), namespace+"_")] = f
	}
	r.refusals.countedBy(r.t, series(counted["requests_rejected_total"], "", []string{"code"}), series(counted["streams_total"], "", []string{"ending"}), l.readers)
	for _, c := range []struct {
		metric, of, by string // its name, a label that is looked at alone, and those by which the rest is compared
		logged         map[string]float64
		more           bool // the metric counts also what the log does not say
	}{
		{"streams_total", "", "from to ending", l.endings, false},
		{"stream_duration_seconds", "", "", l.sum("streams"), false},
		{"first_event_seconds", "", "", l.sum("first_event"), false},
		{"bytes_total", "direction=in", "", l.sum("bytes_in"), false},
		{"bytes_total", "direction=out", "", l.sum("written"), true}, // also signs of life before a run
		{"events_total", "direction=in", "", l.sum("events_in"), false},
		{"events_total", "direction=out", "", l.sum("events_out"), false},
		{"event_losses_total", "fate=dropped", "", l.sum("dropped"), true}, // also of those who read a run beside the first
		{"repairs_total", "", "", l.sum("repairs"), false},
		{"record_errors_total", "", "", l.sum("record_errors"), false},
		{"records_unrecognised_total", "", "", l.sum("unrecognised"), false},
		{"tokens_total", "type=input", "", l.sum("tokens_in"), false},
		{"tokens_total", "type=output", "", l.sum("tokens_out"), false},
		{"redactions_total", "", "", l.sum("redactions"), true}, // also of what is logged
		{"turns_total", "", "client new", l.turns, false},
		{"request_losses_total", "", "field", l.losses, false},
		{"partial_answers_total", "", "", l.sum("partial"), false},
		{"asks_total", "outcome=asked", "", l.sum("asks"), false},
		{"query_parameters_dropped_total", "", "", l.sum("parameters"), false},
		{"requests_rejected_total", "", "code", l.refused, true}, // also peers of WebSockets that break its rules
	} {
		if got := series(counted[c.metric], c.of, strings.Fields(c.by)); !agree(got, c.logged, c.more) {
			r.t.Errorf("sabir_%s{%s} by %q is %v, and the log says %v", c.metric, c.of, c.by, got, c.logged)
		}
	}
}

// refusals are the codes of refusals that clients have read, with how often.
type refusals struct {
	mu   sync.Mutex
	read map[string]float64
}

func (f *refusals) note(code string) {
	if code == "too_many_connections" || code == "plain_http" {
		return // they are of connections, which other metrics count
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.read == nil {
		f.read = map[string]float64{}
	}
	f.read[code]++
}

// countedBy fails the test if clients have read more refusals of a code than a server knows of.
func (f *refusals) countedBy(t testing.TB, counts ...map[string]float64) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	for code, n := range f.read {
		known := 0.0
		for _, c := range counts {
			known += c[code]
		}
		if known < n {
			t.Errorf("clients have read %v refusals with %s, of which %v are counted", n, code, known)
		}
	}
}

// keepsRuns reports whether a route keeps runs for those who come back to them.
func (r *rig) keepsRuns() bool {
	t, keeps := r.table.Load(), func(rt *route) bool { return rt.tape != nil }
	return slices.ContainsFunc(t.prefixes, keeps) || slices.ContainsFunc(slices.Collect(maps.Values(t.exact)), keeps)
}

// agree compares two counts, of which the first may be more.
func agree(got, want map[string]float64, more bool) bool {
	none := func(_ string, n float64) bool { return n == 0 }
	maps.DeleteFunc(got, none)
	maps.DeleteFunc(want, none)
	if !more {
		return maps.Equal(got, want)
	}
	for key, n := range want {
		if got[key] < n {
			return false
		}
	}
	return true
}

// series adds up the series of a metric that have a label, by the values of others.
func series(f *dto.MetricFamily, of string, by []string) map[string]float64 {
	sums := map[string]float64{}
	for _, m := range f.GetMetric() {
		labels := map[string]string{}
		for _, l := range m.GetLabel() {
			labels[l.GetName()] = l.GetValue()
		}
		if name, value, _ := strings.Cut(of, "="); labels[name] != value {
			continue
		}
		var key []string
		for _, name := range by {
			key = append(key, labels[name])
		}
		sums[strings.Join(key, " ")] += m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
	}
	return sums
}

// logSums is what the log says of the streams and refusals of a server.
type logSums struct{ endings, refused, readers, turns, losses, sums map[string]float64 }

func (l *logSums) sum(name string) map[string]float64 { return map[string]float64{"": l.sums[name]} }

func (r *rig) readLog() *logSums {
	l := &logSums{map[string]float64{}, map[string]float64{}, map[string]float64{}, map[string]float64{}, map[string]float64{}, map[string]float64{}}
	for _, entry := range r.logs.All() {
		switch said := entry.ContextMap(); entry.Message {
		case "stream ended":
			l.ended(said)
		case "run read": // what was written of the run itself went to the memory that its readers have it from
			l.readers[fmt.Sprint(said["ending"])]++
			l.sums["read"] += number(said["bytes_out"])
		case "request rejected":
			l.refused[fmt.Sprint(said["code"])]++
		case "query parameters dropped":
			l.sums["parameters"] += number(said["parameters"])
		}
	}
	if l.sums["written"] = l.sums["bytes_out"]; l.sums["read"] > 0 || r.keepsRuns() {
		l.sums["written"] = l.sums["read"]
	}
	return l
}

// ended adds the line of a stream.
func (l *logSums) ended(said map[string]any) {
	l.sums["streams"]++
	l.endings[fmt.Sprint(said["from"], " ", said["to"], " ", said["ending"])]++
	for name, v := range said {
		l.sums[name] += number(v)
	}
	if fmt.Sprint(said["first_event"]) != "0s" && said["passed_status"] == nil {
		l.sums["first_event"]++
	}
	if said["new"] != nil {
		l.turns[fmt.Sprint(said["to"], " ", said["new"])]++
	}
	if said["answers_kept"] != nil {
		l.sums["partial"]++
	}
	if list, ok := said["request_losses"].([]any); ok {
		for _, field := range list {
			l.losses[fmt.Sprint(field)]++
		}
	}
}

// number is a field of the log as one, 0 for others.
func number(v any) float64 {
	switch n := v.(type) {
	case int64:
		return float64(n)
	case uint64:
		return float64(n)
	}
	return 0
}
