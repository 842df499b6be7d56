package proxy

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/internal/runlog"
	"github.com/sabir-proxy/sabir/proxy/internal/threads"
	"github.com/sabir-proxy/sabir/proxy/internal/threadstore"
)

// memory is where this process remembers conversations, and runs that clients ask about.
type memory struct {
	threads threads.Log
	runs    runlog.Log
}

// share makes replicas remember conversations together; nil: in this process alone.
func (k *conversations) share(store *threadstore.Store) {
	k.threads, k.runs = &k.memory.threads, &k.memory.runs
	if k.redis = store; store != nil {
		k.threads, k.runs = store, threadstore.Runs{Store: store}
	}
}

// limit sets the limits of what is remembered.
func (k *conversations) limit(cfg *config.Threads) {
	if k.redis != nil {
		k.redis.Limit(threadstore.Limits{Names: cfg.Max, Scope: cfg.PerClient, Bytes: int(cfg.Memory), Keep: cfg.Keep})
		return
	}
	k.memory.threads.Limit(threads.Limits{Threads: cfg.Max, Scope: cfg.PerClient, Bytes: int(cfg.Memory), Keep: cfg.Keep})
	k.memory.runs.Limit(runlog.Limits{Runs: cfg.Max, Scope: cfg.PerClient, Bytes: int(cfg.Memory), Keep: cfg.Keep})
}

// threadCollector shows what is remembered when metrics are read.
type threadCollector struct{ kept *conversations }

var (
	threadsDesc = prometheus.NewDesc("sabir_threads", "Conversations that this process remembers for clients that say only what is new.", nil, nil)
	memoryDesc  = prometheus.NewDesc("sabir_threads_bytes", "About how many bytes of memory these conversations take.", nil, nil)
	evictedDesc = prometheus.NewDesc("sabir_threads_evicted_total", "Conversations that were forgotten because there was no room for them, or because they were not used for threads.keep.", nil, nil)
)

// Describe implements [prometheus.Collector].
func (c threadCollector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{threadsDesc, memoryDesc, evictedDesc} {
		to <- d
	}
}

// Collect implements [prometheus.Collector].
func (c threadCollector) Collect(to chan<- prometheus.Metric) {
	n, bytes, evicted := c.kept.memory.threads.Counts()
	if c.kept.redis != nil {
		evicted += c.kept.redis.Evicted()
	}
	to <- prometheus.MustNewConstMetric(threadsDesc, prometheus.GaugeValue, float64(n))
	to <- prometheus.MustNewConstMetric(memoryDesc, prometheus.GaugeValue, float64(bytes))
	to <- prometheus.MustNewConstMetric(evictedDesc, prometheus.CounterValue, float64(evicted))
}
