package proxy

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/internal/auth"
	"github.com/sabir-proxy/sabir/proxy/internal/process"
	"github.com/sabir-proxy/sabir/proxy/internal/runlog"
	"github.com/sabir-proxy/sabir/proxy/internal/sessions"
	"github.com/sabir-proxy/sabir/proxy/internal/threads"
	"github.com/sabir-proxy/sabir/proxy/internal/threadstore"
	"github.com/sabir-proxy/sabir/proxy/internal/upstream"
)

// conversations are what Sabir keeps of them, over reloads.
type conversations struct {
	agents  agentPools         // of agents that are programs
	threads threads.Store      // of clients that say only what is new
	said    saidLocks          // of conversations without a name
	runs    runlog.Store       // that clients ask about
	memory  memory             // of this process, where those two are if replicas do not share them
	redis   *threadstore.Store // where they are if replicas do
	shared  sharedRuns         // that clients can come to
	claims  repeatClaims       // of requests that may be repeated, until their runs begin
	auth    *auth.Schemes
	quotas  quotas // of clients and routes
	dials   upstream.DialGuard
	fleets  upstream.Fleets // of addresses of upstreams
	inspect *inspector      // the page of operators
	files   *recordingFiles
}

// prepare sets what all of it logs to and counts by.
func (k *conversations) prepare(log *zap.Logger, m *metrics) *conversations {
	k.agents.log, k.agents.metrics = log, m
	k.dials.Prepare(log, m.denied)
	k.fleets.Prepare(log, upstream.Metrics{Ejections: m.ejections, Failovers: m.failovers, Retries: m.retries})
	return k
}

// agentPools are the sessions of the agents that are programs. They outlive a reload that does not change how the agent is run.
type agentPools struct {
	log     *zap.Logger
	metrics *metrics

	mu      sync.Mutex
	by      map[string]agentPool
	retired []retiredPool // that a reload has replaced
}

// retiredPool is a pool of an upstream that may still have processes.
type retiredPool struct {
	*sessions.Pool
	upstream string
}

type agentPool struct {
	cfg    *config.Upstream
	record config.Size // the longest line
	stderr bool        // is logged
	pool   *sessions.Pool
	seen   *agentObserver
}

// of returns the pool of an upstream, nil for a server.
func (a *agentPools) of(u *config.Upstream, global *config.Config, d *hub.Dialect, options hub.Options) *sessions.Pool {
	if len(u.Command) == 0 {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	old, ok := a.by[u.Name]
	if ok && reflect.DeepEqual(old.cfg, u) && old.record == global.Limits.Record && old.stderr == global.Log.UpstreamErrors {
		return old.pool
	}
	if ok {
		a.retire(u.Name, old.pool)
	}
	p := u.Process
	seen := &agentObserver{log: a.log.With(zap.String("upstream", u.Name)), metrics: a.metrics, upstream: u.Name, logStderr: global.Log.UpstreamErrors}
	pool := sessions.NewPool(sessions.Config{
		Command: u.Command, Dialect: d, Options: options, Dir: p.Dir, Env: environment(&p), MaxLine: int(global.Limits.Record),
		Max: p.Max, Idle: p.Idle, Keep: p.Keep, Sessions: p.Sessions, Memory: int64(p.Memory), Preamble: p.History == "preamble",
		Observer: seen,
	})
	if a.by == nil {
		a.by = map[string]agentPool{}
	}
	a.by[u.Name] = agentPool{u, global.Limits.Record, global.Log.UpstreamErrors, pool, seen}
	return pool
}

// follow keeps the agents to which routes of a table lead, and makes what they write to stderr be masked as these routes say.
func (a *agentPools) follow(t *table) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.retired = slices.DeleteFunc(a.retired, retiredPool.empty)
	for name, p := range a.by {
		if up := t.upstreams[name]; up == nil || up.Agents != p.pool {
			a.retire(name, p.pool)
			delete(a.by, name)
			continue
		}
		routes := t.redacting[name]
		p.seen.routes.Store(&routes)
	}
}

// retire ends the processes of a pool that have no turn, now and when their turns end. The caller holds a.mu.
func (a *agentPools) retire(upstream string, p *sessions.Pool) {
	a.retired = append(a.retired, retiredPool{p, upstream})
	go p.Retire()
}

func (p retiredPool) empty() bool { return p.Counts() == sessions.Counts{} }

// counts are what the pools hold at a time, by upstream.
func (a *agentPools) counts() map[string]sessions.Counts {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := map[string]sessions.Counts{}
	for name, p := range a.by {
		all[name] = p.pool.Counts()
	}
	for _, p := range a.retired {
		if now := p.Counts(); now.Processes > 0 { // else no client comes back to what it keeps
			all[p.upstream] = all[p.upstream].Add(now)
		}
	}
	return all
}

// close ends all processes.
func (a *agentPools) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all sync.WaitGroup
	for _, p := range a.by {
		all.Go(p.pool.Close)
	}
	for _, p := range a.retired {
		all.Go(p.Close)
	}
	all.Wait()
}

// environment is what processes see of Sabir's own, and what is set.
func environment(p *config.Process) (env []string) {
	for _, name := range p.Env {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	for name, value := range p.SetEnv {
		env = slices.DeleteFunc(env, func(s string) bool { return strings.HasPrefix(s, name+"=") })
		env = append(env, name+"="+string(value))
	}
	return env
}

// agentObserver logs and counts what agents do beside turns.
type agentObserver struct {
	log       *zap.Logger
	metrics   *metrics
	upstream  string
	logStderr bool // it may hold what users have said

	routes atomic.Pointer[[]*route] // to the upstream that say what must not leave; nil: none

	mu      sync.Mutex
	since   time.Time
	written int
}

// Process implements [sessions.Observer].
func (o *agentObserver) Process(started bool, how string) {
	if started {
		o.metrics.processes.WithLabelValues(o.upstream).Inc()
		return
	}
	o.log.Info("agent process ended", zap.String("exit", how))
}

// Outgrown implements [sessions.Observer].
func (o *agentObserver) Outgrown(why error) {
	o.metrics.outgrown.WithLabelValues(o.upstream).Inc()
	o.log.Warn("agent process is killed", zap.Error(why))
}

// Asks implements [sessions.Observer].
func (o *agentObserver) Asks(outcome string, n int) {
	o.metrics.asks.WithLabelValues(o.upstream, outcome).Add(float64(n))
}

// poolCollector shows what the pools hold when metrics are read.
type poolCollector struct{ pools *agentPools }

var (
	sessionsDesc  = prometheus.NewDesc("sabir_sessions", "Conversations that are kept with agents that are programs.", []string{"upstream"}, nil)
	processesDesc = prometheus.NewDesc("sabir_processes", "Processes of agents that run.", []string{"upstream"}, nil)
	waitingDesc   = prometheus.NewDesc("sabir_sessions_waiting", "Conversations whose agent waits for an answer.", []string{"upstream"}, nil)
)

// Describe implements [prometheus.Collector].
func (c poolCollector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{sessionsDesc, processesDesc, waitingDesc} {
		to <- d
	}
}

// Collect implements [prometheus.Collector].
func (c poolCollector) Collect(to chan<- prometheus.Metric) {
	for name, n := range c.pools.counts() {
		to <- prometheus.MustNewConstMetric(sessionsDesc, prometheus.GaugeValue, float64(n.Sessions), name)
		to <- prometheus.MustNewConstMetric(processesDesc, prometheus.GaugeValue, float64(n.Processes), name)
		to <- prometheus.MustNewConstMetric(waitingDesc, prometheus.GaugeValue, float64(n.Waiting), name)
	}
}

// KillAgents kills all agents that are programs, of all servers of this process, with everything that they have started. It is for a process
// that has to end at once.
func KillAgents() { process.KillAll() }
