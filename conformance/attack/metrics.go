package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
)

func metricsAttacks() []*attack {
	return []*attack{{
		name:  "metrics/lint",
		tries: "/metrics after all that, as text for promlint and as OpenMetrics, line by line",
		holds: "promlint finds nothing; the grammar of OpenMetrics 1.0, its order and its rules for each type are kept",
		run:   lintMetrics,
	}}
}

// lintMetrics reads the metrics in both forms.
func lintMetrics(t *trial) {
	s := t.rig.agent.add(func(p *peer) { p.ok(); p.chunk(p.good()); p.chunk("") })
	t.rig.ask(byHTTP+usualPairs[0].String(), s) // so that there is a run, if nothing was tried before
	s.remove()
	kind, text, err := t.scrape("text/plain; version=0.0.4")
	if err != nil || !strings.HasPrefix(kind, "text/plain") {
		t.fault("%s: %v", kind, err)
		return
	}
	problems, err := promlint.New(bytes.NewReader(text)).Lint()
	for _, p := range problems {
		if strings.HasPrefix(p.Metric, "sabir_") {
			t.fault("%s: %s", p.Metric, p.Text)
		}
	}
	kind, open, err2 := t.scrape("application/openmetrics-text; version=1.0.0")
	if err != nil || err2 != nil || !strings.HasPrefix(kind, "application/openmetrics-text") {
		t.fault("%s: %v %v", kind, err, err2)
		return
	}
	o := openMetrics{trial: t, families: map[string]bool{}, series: map[string]bool{}, buckets: map[string]bucket{}}
	o.check(string(open))
	t.count(bytes.Count(text, []byte("\n")) + bytes.Count(open, []byte("\n")))
	t.figure("families", "%d", len(o.families))
	t.figure("series", "%d", len(o.series))
}

// scrape reads the metrics in a form.
func (t *trial) scrape(accept string) (kind string, text []byte, err error) {
	req, err := http.NewRequest(http.MethodGet, "http://"+t.rig.process.admin+"/metrics", nil)
	if err != nil {
		return "", nil, err
	}
	req.Header.Set("Accept", accept)
	c := http.Client{Timeout: 10 * time.Second}
	resp, err := c.Do(req)
	if err != nil {
		return "", nil, err
	}
	defer resp.Body.Close()
	text, err = io.ReadAll(resp.Body)
	return resp.Header.Get("Content-Type"), text, err
}

// openMetrics checks a text of OpenMetrics 1.0.
type openMetrics struct {
	*trial
	families map[string]bool
	series   map[string]bool
	buckets  map[string]bucket // of histograms, the last of each series
	name     string            // of the family that is being read
	kind     string
}

type bucket struct{ le, count float64 }

var (
	metaLine   = regexp.MustCompile(`^# (HELP|TYPE|UNIT) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$`)
	labelPart  = `(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\\\|\\"|\\n)*")`
	labelSet   = `\{(?:` + labelPart + `(?:,` + labelPart + `)*)?\}`
	numberPart = `(?:[-+]?(?:[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?|Inf)|NaN)`
	sampleLine = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(` + labelSet + `)? (` + numberPart + `)(?: ` + numberPart + `)?(?: # (` + labelSet + `) ` + numberPart + `(?: ` + numberPart + `)?)?$`)
	bucketEdge = regexp.MustCompile(`,?le="([^"]*)"`)
)

// suffixes of the samples of a type.
var suffixes = map[string][]string{
	"counter": {"_total", "_created"}, "gauge": {""}, "histogram": {"_bucket", "_count", "_sum", "_created"}, "summary": {"", "_count", "_sum", "_created"},
	"info": {"_info"}, "unknown": {""}, "stateset": {""}, "gaugehistogram": {"_bucket", "_gcount", "_gsum"},
}

func (o *openMetrics) check(text string) {
	if !strings.HasSuffix(text, "\n# EOF\n") || strings.Count(text, "# EOF") != 1 {
		o.fault("it does not end with one # EOF")
	}
	for lines := bufio.NewScanner(strings.NewReader(strings.TrimSuffix(text, "# EOF\n"))); lines.Scan(); {
		line := lines.Text()
		if m := metaLine.FindStringSubmatch(line); m != nil {
			o.meta(m[1], m[2], m[3])
		} else if m := sampleLine.FindStringSubmatch(line); m != nil {
			o.sample(line, m)
		} else {
			o.fault("no line of OpenMetrics: %q", line)
		}
	}
}

// meta begins a family, or goes on to describe it.
func (o *openMetrics) meta(what, name, value string) {
	if name != o.name {
		if o.families[name] {
			o.fault("the lines of %s are not beside each other", name)
		}
		o.families[name], o.name, o.kind = true, name, ""
	}
	if what == "TYPE" {
		if _, known := suffixes[value]; !known || o.kind != "" {
			o.fault("%s has the type %q after %q", name, value, o.kind)
		}
		o.kind = value
	}
}

// sample checks one value: m are its name, labels, value and the labels of its exemplar.
func (o *openMetrics) sample(line string, m []string) {
	suffix, ofFamily := strings.CutPrefix(m[1], o.name)
	if !ofFamily || !slices.Contains(suffixes[o.kind], suffix) {
		o.fault("%q does not belong to %s, a %s", line, o.name, o.kind)
	}
	if o.series[m[1]+m[2]] {
		o.fault("%s%s is there twice", m[1], m[2])
	}
	o.series[m[1]+m[2]] = true
	value, err := strconv.ParseFloat(m[3], 64)
	if err != nil || (suffix == "_total" || suffix == "_count" || suffix == "_bucket") && (value < 0 || math.IsNaN(value)) {
		o.fault("%q counts %v: %v", line, value, err)
	}
	const exemplarRunes = 128
	if m[4] != "" && (suffix != "_bucket" && suffix != "_total" || len(m[4]) > exemplarRunes) {
		o.fault("%q has an exemplar that may not be there", line)
	}
	if suffix == "_bucket" {
		o.bucket(m[2], value)
	}
}

// bucket checks that the edges of a histogram rise, and its counts do not fall.
func (o *openMetrics) bucket(labels string, count float64) {
	edge := bucketEdge.FindStringSubmatch(labels)
	if edge == nil {
		o.fault("a bucket of %s has no le: %s", o.name, labels)
		return
	}
	le, err := strconv.ParseFloat(edge[1], 64)
	series := o.name + bucketEdge.ReplaceAllString(labels, "")
	if last, ok := o.buckets[series]; err != nil || ok && !math.IsInf(last.le, 1) && (le <= last.le || count < last.count) {
		o.fault("the buckets of %s do not rise: %s %v after %v: %v", o.name, labels, count, fmt.Sprint(last), err)
	}
	o.buckets[series] = bucket{le, count}
}
