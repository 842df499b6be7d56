package proxy

import (
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// A reload may take away a route or an upstream, whose streams go on. Its series are shown until the last of them is over, once more with
// all that was counted, and no longer. Who reads the metrics finds that out, so that streams count as if nothing was ever taken away.

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
	s.metrics.forget(families, used)
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

// forget removes the series that are shown of what is not in use.
func (m *metrics) forget(families []*dto.MetricFamily, used map[value]bool) {
	for _, f := range families {
		for _, series := range f.GetMetric() {
			for _, l := range series.GetLabel() {
				if v := (value{l.GetName(), l.GetValue()}); m.byLabel[v.label] != nil && !used[v] {
					used[v] = true // it is removed once
					m.remove(v)
				}
			}
		}
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
