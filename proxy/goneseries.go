package proxy

import (
	"maps"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// A reload may take away a route or an upstream, whose streams go on. Its series are shown until the last of them is over, then for
// keepGone with all that was counted, and no longer: several may read the metrics, each from time to time. Reading them finds that out, so
// that streams count as if nothing was ever taken away.

// keepGone is how long what is gone is still shown. Metrics are read at least once a minute, as a rule.
const keepGone = 5 * time.Minute

// Labels whose values come from the configuration in force.
const (
	labelRoute    = "route"
	labelUpstream = "upstream"
)

// partly is a metric whose series can be removed by one of their labels.
type partly interface {
	DeletePartialMatch(labels prometheus.Labels) int
}

// value is one of a label.
type value struct{ label, name string }

// labelled notes that a metric has these labels.
func (m *metrics) labelled(v partly, labels []string) {
	for _, label := range labels {
		if label == labelRoute || label == labelUpstream {
			m.byLabel[label] = append(m.byLabel[label], v)
		}
	}
}

// showMetrics gathers the metrics for who reads them, and removes series of routes and upstreams that are gone. While a reload goes on,
// which may need them again, all stay.
func (s *Server) showMetrics() ([]*dto.MetricFamily, error) {
	if !s.reloading.TryLock() {
		return s.metrics.shown()
	}
	defer s.reloading.Unlock()
	used := s.valuesInUse() // before they are gathered: a stream that ends in between has not shown all that it counts
	families, err := s.metrics.shown()
	s.metrics.forget(families, used, time.Now())
	return families, err
}

// valuesInUse are the routes and upstreams of the configuration, and those that something goes on with.
func (s *Server) valuesInUse() map[value]bool {
	used := map[value]bool{}
	add := func(r *route) {
		used[value{labelRoute, r.name}] = true
		used[value{labelUpstream, r.up.Cfg.Name}] = true
	}
	cfg := s.table.Load().cfg
	for _, r := range cfg.Routes {
		used[value{labelRoute, r.Path}] = true
	}
	for name := range cfg.Upstreams {
		used[value{labelUpstream, name}] = true
	}
	for name := range s.kept.agents.counts() {
		used[value{labelUpstream, name}] = true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, held := range s.streams {
		add(held.route)
	}
	for _, r := range s.sessions {
		add(r)
	}
	return used
}

// forget removes the series that are shown of what is not in use, and has not been for long enough.
func (m *metrics) forget(families []*dto.MetricFamily, used map[value]bool, now time.Time) {
	maps.DeleteFunc(m.goneSince, func(v value, _ time.Time) bool { return used[v] })
	for _, f := range families {
		for _, series := range f.GetMetric() {
			for _, l := range series.GetLabel() {
				if v := (value{l.GetName(), l.GetValue()}); m.byLabel[v.label] != nil && !used[v] {
					used[v] = true // it is looked at once
					m.forgetOne(v, now)
				}
			}
		}
	}
}

// forgetOne removes what was gone before for as long as it is to be shown, or notes that it is gone.
func (m *metrics) forgetOne(v value, now time.Time) {
	since, known := m.goneSince[v]
	if !known {
		since, m.goneSince[v] = now, now
	}
	if now.Sub(since) >= m.keepGone {
		delete(m.goneSince, v)
		m.remove(v)
	}
}

func (m *metrics) remove(v value) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if v.label == labelRoute {
		delete(m.byRoute, v.name)
	}
	for _, of := range m.byLabel[v.label] {
		of.DeletePartialMatch(prometheus.Labels{v.label: v.name})
	}
}
