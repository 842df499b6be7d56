package proxy

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// TestHistogramBuckets: dashboards and alerts count on where buckets end.
func TestHistogramBuckets(t *testing.T) {
	t.Parallel()
	m := newMetrics("test")
	for _, h := range []struct {
		name                string
		vec                 *prometheus.HistogramVec
		labels              []string
		first, second, last float64
		buckets             int
	}{
		{"sabir_first_event_seconds", m.firstEvent, []string{"/run"}, 0.005, 0.01, 40.96, 14},
		{"sabir_event_gap_seconds", m.gap, []string{"/run"}, 0.001, 0.004, 65.536, 9},
		{"sabir_first_token_seconds", m.firstToken, []string{"/run", "m"}, 0.005, 0.01, 40.96, 14},
		{"sabir_token_gap_seconds", m.tokenGap, []string{"/run", "m"}, 0.0005, 0.001, 4.096, 14},
		{"sabir_stream_duration_seconds", m.duration, []string{"/run"}, 0.05, 0.15, 984.15, 10},
	} {
		h.vec.WithLabelValues(h.labels...).Observe(1)
		families, err := m.registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, f := range families {
			if f.GetName() != h.name {
				continue
			}
			found = true
			b := f.GetMetric()[0].GetHistogram().GetBucket()
			if len(b) != h.buckets || !near(b[0].GetUpperBound(), h.first) || !near(b[1].GetUpperBound(), h.second) || !near(b[len(b)-1].GetUpperBound(), h.last) {
				t.Errorf("%s: %d buckets, %v", h.name, len(b), b)
			}
		}
		if !found {
			t.Errorf("there is no %s", h.name)
		}
	}
}

func near(a, b float64) bool { return a > b*0.999 && a < b*1.001 }
