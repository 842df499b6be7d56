package proxy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"go.yaml.in/yaml/v3"
)

// TestDashboards: the dashboard and the alerts in deploy speak of metrics and labels that exist, and of most of those that do.
func TestDashboards(t *testing.T) {
	known := knownMetrics(t)
	var panels struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	readDeployed(t, "../deploy/grafana/sabir.json", json.Unmarshal, &panels)
	used, n := map[string]bool{}, 0
	for _, p := range panels.Panels {
		for _, target := range p.Targets {
			checkQuery(t, p.Title, target.Expr, known, used)
			n++
		}
	}
	if n < 30 {
		t.Errorf("the dashboard has %d queries", n)
	}
	var alerts struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Annotations struct{ Summary string }
			}
		}
	}
	readDeployed(t, "../deploy/prometheus/alerts.yaml", yaml.Unmarshal, &alerts)
	for _, g := range alerts.Groups {
		for _, r := range g.Rules {
			checkQuery(t, r.Alert, r.Expr, known, used)
			if r.Alert == "" || r.Annotations.Summary == "" {
				t.Errorf("alert %q has no name or no summary", r.Alert)
			}
		}
	}
	if len(used) < 30 {
		t.Errorf("%d metrics are used", len(used))
	}
	if problems := problemsOf("sum by (nowhere) (rate(sabir_none_total[5m]))", known, used); len(problems) != 2 {
		t.Errorf("of a query that is wrong twice: %v", problems)
	}
}

// TestAlertsSeeTheFirst: what an alert looks for the increase of is there before anything was counted, or it would not see the first.
func TestAlertsSeeTheFirst(t *testing.T) {
	t.Parallel()
	top := "audit: {path: " + filepath.Join(t.TempDir(), "audit.jsonl") + "}\ntracing: {endpoint: 'http://127.0.0.1:1'}\n" + storeYAML(redisAddress(t), ", prefix: \""+newToken()+":\"")
	r := start(t, simple("http://127.0.0.1:1/", top, "", "client: lossy\n"))
	rules, err := os.ReadFile("../deploy/prometheus/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	increases := regexp.MustCompile(`increase\((\w+)(?:\{(\w+)!?="(\w+)"\})?`).FindAllStringSubmatch(string(rules), -1)
	if len(increases) < 3 {
		t.Errorf("the alerts have the increases %q", increases)
	}
	families, err := r.metrics.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range append(increases, []string{"", "sabir_audit_lines_total", "result", "failed"}, []string{"", "sabir_audit_lines_total", "result", "dropped"}, []string{"", "sabir_trace_spans_total", "result", "failed"}) {
		if !shows(families, of[1], of[2], of[3]) {
			t.Errorf("there is no %s of %s %s", of[1], of[2], of[3])
		}
	}
}

// shows reports whether there is a metric, with a label if one is given.
func shows(families []*dto.MetricFamily, name, label, value string) bool {
	for _, f := range families {
		for _, m := range f.GetMetric() {
			has := slices.ContainsFunc(m.GetLabel(), func(l *dto.LabelPair) bool { return l.GetName() == label && l.GetValue() == value })
			if f.GetName() == name && (label == "" || has) {
				return true
			}
		}
	}
	return false
}

func readDeployed(t *testing.T, path string, decode func([]byte, any) error, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = decode(data, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// knownMetrics are the names of all metrics of a server, with their labels.
func knownMetrics(t *testing.T) map[string][]string {
	a := newAgent(t, streaming(lines(lineStart, lineEnd)))
	registry := start(t, simple(a.url(), "", "addresses: ['"+a.addr()+"']\n", "client: lossy\n")).metrics.registry
	descs := make(chan *prometheus.Desc, 1000)
	registry.Describe(descs)
	close(descs)
	parts := regexp.MustCompile(`fqName: "([^"]+)".*variableLabels: \{([^}]*)\}`)
	known := map[string][]string{}
	for d := range descs {
		if m := parts.FindStringSubmatch(d.String()); m != nil {
			known[m[1]] = strings.Split(m[2], ",")
		}
	}
	families, err := registry.Gather() // of what the server counts for itself
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, label := range f.GetMetric()[0].GetLabel() {
			known[f.GetName()] = append(known[f.GetName()], label.GetName())
		}
	}
	return known
}

func checkQuery(t *testing.T, where, query string, known map[string][]string, used map[string]bool) {
	t.Helper()
	for _, problem := range problemsOf(query, known, used) {
		t.Errorf("%s: %s in %s", where, problem, query)
	}
}

var (
	metricName   = regexp.MustCompile(`\b(?:sabir|go|process)_[a-z0-9_]+`)
	ofHistogram  = regexp.MustCompile(`_(?:bucket|sum|count)$`)
	grouping     = regexp.MustCompile(`by \(([^)]*)\)`)
	labelMatcher = regexp.MustCompile(`[{,]\s*(\w+)\s*[=!]`)
)

// problemsOf lists what a query has that there is not. Labels are those of any metric of the query, and those that Prometheus adds.
func problemsOf(query string, known map[string][]string, used map[string]bool) (problems []string) {
	labels := []string{"le", "job", "instance"}
	for _, name := range metricName.FindAllString(query, -1) {
		own, ok := known[name]
		if !ok {
			own, ok = known[ofHistogram.ReplaceAllString(name, "")]
		}
		if !ok {
			problems = append(problems, "no metric "+name)
		}
		used[name] = true
		labels = append(labels, own...)
	}
	wanted := []string{}
	for _, m := range grouping.FindAllStringSubmatch(query, -1) {
		wanted = append(wanted, strings.Split(strings.ReplaceAll(m[1], " ", ""), ",")...)
	}
	for _, m := range labelMatcher.FindAllStringSubmatch(query, -1) {
		wanted = append(wanted, m[1])
	}
	for _, label := range wanted {
		if !slices.Contains(labels, label) {
			problems = append(problems, "no label "+label)
		}
	}
	if strings.Count(query, "(") != strings.Count(query, ")") || strings.Count(query, "{") != strings.Count(query, "}") {
		problems = append(problems, "an open bracket")
	}
	return problems
}
