package proxy

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// TestMetricsAreDescribed: what is collected when metrics are read is what was promised when they were registered.
func TestMetricsAreDescribed(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	top := "limits: {principal: {rate: 100/s, streams: 10, tokens_per_minute: 1000}}\n" + keysYAML()
	r := start(t, strings.Replace(simple(a.url(), top, "breaker: {failures: 2, pause: 1m}\n", "client: agui\nauth: [keys]\nrequests: {mode: translate}\nresume: {grace: 1m}\n"),
		"path: /run", "path: /run/*", 1))
	r.call(t, 200, asAlice, "POST", "/run", resumeClients[0].body, "RUN_FINISHED")
	for name, c := range map[string]prometheus.Collector{
		"pools": poolCollector{&r.kept.agents}, "threads": threadCollector{&r.kept}, "shared": sharedCollector{&r.kept.shared},
		"quotas": &r.kept.quotas, "fleets": &r.kept.fleets, "load": loadCollector{&r.shed},
	} {
		strict := prometheus.NewPedanticRegistry()
		if err := strict.Register(c); err != nil {
			t.Fatal(err)
		}
		promised := make(chan *prometheus.Desc, 100)
		c.Describe(promised)
		if _, err := strict.Gather(); err != nil || len(promised) == 0 {
			t.Errorf("%s: %d promised, %v", name, len(promised), err)
		}
	}
}
