package proxy

import (
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// children are those of a vector that one route has, by what distinguishes them. They are made on first use, so that only what happened
// is shown; afterwards, finding one takes a third of what looking up its labels does.
type children[K comparable, C prometheus.Metric] struct {
	mu sync.RWMutex
	by map[K]C
}

// get returns the child of a key. Two streams may make one at the same time; they get the same.
func (c *children[K, C]) get(key K, create func(K) C) C {
	c.mu.RLock()
	child, ok := c.by[key]
	c.mu.RUnlock()
	if ok {
		return child
	}
	child = create(key)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by == nil {
		c.by = map[K]C{}
	}
	c.by[key] = child
	return child
}

// ending is how a stream between two dialects has ended.
type ending struct{ from, to, how string }

// news is what is new in a request of a client's dialect.
type news struct{ client, what string }

// answered counts an answer of the upstream. What is no status has one label, so that an upstream cannot make many.
func (r *routeMetrics) answered(status int) {
	if status < 100 || status > 599 {
		status = 0
	}
	r.answers.get(status, func(status int) prometheus.Counter {
		label := "other"
		if status > 0 {
			label = strconv.Itoa(status)
		}
		return r.all.answers.WithLabelValues(r.route, label)
	}).Inc()
}

// turn counts a request whose conversation was read.
func (r *routeMetrics) turn(client, what string) {
	r.turns.get(news{client, what}, func(n news) prometheus.Counter {
		return r.all.turns.WithLabelValues(r.route, n.client, n.what)
	}).Inc()
}

// model returns what of a vector measures a model.
func (r *routeMetrics) model(of *children[string, prometheus.Histogram], all *prometheus.HistogramVec, model string) prometheus.Observer {
	return of.get(model, func(model string) prometheus.Histogram {
		return all.WithLabelValues(r.route, model).(prometheus.Histogram)
	})
}

// used counts the tokens of a run that has ended.
func (r *routeMetrics) used(model string, c *hub.Counts) {
	for _, n := range [...]struct {
		typ    string
		tokens int64
	}{{"input", c.In}, {"output", c.Out}, {"cached", c.Cached}, {"cache_write", c.CacheWrite}, {"reasoning", c.ReasoningTokens}} {
		if n.tokens > 0 {
			r.all.tokens.WithLabelValues(r.route, model, n.typ).Add(float64(n.tokens))
		}
	}
}

// ended records the end of a stream.
func (r *routeMetrics) ended(from, to, how string) {
	r.endings.get(ending{from, to, how}, func(e ending) prometheus.Counter {
		return r.all.streams.WithLabelValues(r.route, e.from, e.to, e.how)
	}).Inc()
}
