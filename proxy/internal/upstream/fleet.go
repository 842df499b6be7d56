package upstream

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/config"
)

// Fleets are what is known of the addresses of all upstreams. They outlive reloads: an address that stays keeps its runs and its failures,
// and one that was taken away is shown until its last run has ended.
type Fleets struct {
	log     *zap.Logger
	metrics Metrics

	mu sync.Mutex
	by map[string]*fleet
}

// Metrics count what becomes of runs at addresses, and of requests.
type Metrics struct {
	Ejections *prometheus.CounterVec // by upstream and address
	Failovers *prometheus.CounterVec // by upstream and what became of the run
	Retries   *prometheus.CounterVec // by upstream
}

// Prepare sets what is logged to and counted by.
func (f *Fleets) Prepare(log *zap.Logger, m Metrics) { f.log, f.metrics = log, m }

// fleet are the addresses of one upstream.
type fleet struct {
	name    string
	log     *zap.Logger
	metrics *Metrics
	breaker breaker
	budget  budget

	mu     sync.Mutex
	states map[string]*state
	listed []string // that the configuration has
}

// of returns the fleet of an upstream.
func (f *Fleets) of(cfg *config.Upstream) *fleet {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.by == nil {
		f.by = map[string]*fleet{}
	}
	if f.by[cfg.Name] == nil {
		f.by[cfg.Name] = &fleet{
			name: cfg.Name, metrics: &f.metrics, states: map[string]*state{}, budget: budget{left: mostAtOnce},
			log: f.log.With(zap.String("upstream", cfg.Name)),
		}
	}
	return f.by[cfg.Name]
}

// of returns what is known of an address.
func (f *fleet) of(addr string) *state {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.states[addr] == nil {
		f.states[addr] = &state{addr: addr, fleet: f}
	}
	return f.states[addr]
}

// Follow takes over the configuration in force, and forgets addresses that it does not have, if no run is open there.
func (f *Fleets) Follow(cfg *config.Config) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, fleet := range f.by {
		fleet.mu.Lock()
		fleet.listed = nil
		if u := cfg.Upstreams[name]; u != nil {
			fleet.listed = u.Addresses
		}
		fleet.forget()
		fleet.mu.Unlock()
	}
}

// forget forgets addresses that are neither listed nor in use. The caller holds f.mu.
func (f *fleet) forget() {
	for addr, s := range f.states {
		if !slices.Contains(f.listed, addr) && s.open.Load() == 0 {
			delete(f.states, addr)
		}
	}
}

// state is what is known of one address.
type state struct {
	addr  string
	fleet *fleet
	open  atomic.Int64 // runs

	mu           sync.Mutex
	failures     int           // in a row
	ejections    int           // in a row
	ejectedFor   time.Duration // the last time
	ejectedUntil time.Time
	checked      int  // checks in a row that say the opposite of unhealthy
	unhealthy    bool // as the checks say
}

// Conditions of an address, as labels of a metric.
const (
	addressUp        = "up"
	addressEjected   = "ejected"
	addressUnhealthy = "unhealthy"
	addressDraining  = "draining"
)

var addressConditions = []string{addressUp, addressEjected, addressUnhealthy, addressDraining}

// condition is how an address is that the configuration has.
func (s *state) condition(now time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.unhealthy:
		return addressUnhealthy
	case now.Before(s.ejectedUntil):
		return addressEjected
	}
	return addressUp
}

func (s *state) serves(now time.Time) bool { return s.condition(now) == addressUp }

// succeeded notes that a run has got an answer.
func (s *state) succeeded(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures = 0
	if s.ejections > 0 && now.Sub(s.ejectedUntil) > s.ejectedFor {
		s.ejections = 0
		s.fleet.log.Info("upstream address works again", zap.String("address", s.addr))
	}
}

// failed notes that a run has got none, and reports whether the address is to be ejected.
func (s *state) failed(cfg *config.Eject, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures++
	return cfg.After > 0 && s.failures >= cfg.After && !now.Before(s.ejectedUntil)
}

// eject keeps runs away. After that one failure is enough to do so again, for longer.
func (s *state) eject(cfg *config.Eject, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ejectedFor = cfg.For
	for range s.ejections {
		s.ejectedFor = min(2*s.ejectedFor, cfg.Max)
	}
	s.fleet.log.Warn("upstream address ejected", zap.String("address", s.addr), zap.Int("failures", s.failures), zap.Duration("for", s.ejectedFor))
	s.fleet.metrics.Ejections.WithLabelValues(s.fleet.name, s.addr).Inc()
	s.ejections++
	s.ejectedUntil, s.failures = now.Add(s.ejectedFor), cfg.After-1
}

// check notes what a check has found.
func (s *state) check(cfg *config.Check, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if (err != nil) == s.unhealthy {
		s.checked = 0
		return
	}
	enough := cfg.Fall
	if s.unhealthy {
		enough = cfg.Rise
	}
	if s.checked++; s.checked < enough {
		return
	}
	s.unhealthy, s.checked = !s.unhealthy, 0
	if s.unhealthy {
		s.fleet.log.Warn("upstream address is unhealthy", zap.String("address", s.addr), zap.NamedError("cause", err))
	} else {
		s.fleet.log.Info("upstream address is healthy", zap.String("address", s.addr))
	}
}

// uncheck forgets what checks have found, where there are none any more.
func (s *state) uncheck() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unhealthy, s.checked = false, 0
}

var (
	conditionDesc = prometheus.NewDesc("sabir_upstream_address_state", "1 for the state of each address of an upstream: up, ejected (runs have failed there), unhealthy (as checks say), draining (the configuration does not have it any more).", []string{"upstream", "address", "state"}, nil)
	addressDesc   = prometheus.NewDesc("sabir_upstream_address_streams", "Runs that are open at each address of an upstream.", []string{"upstream", "address"}, nil)
)

// Describe implements [prometheus.Collector].
func (f *Fleets) Describe(to chan<- *prometheus.Desc) {
	to <- conditionDesc
	to <- addressDesc
}

// Collect implements [prometheus.Collector].
func (f *Fleets) Collect(to chan<- prometheus.Metric) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, fleet := range f.by {
		fleet.collect(to)
	}
}

// collect shows addresses that the configuration lists, and those from which it has taken runs that are still open.
func (f *fleet) collect(to chan<- prometheus.Metric) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for addr, s := range f.states {
		is := addressDraining
		switch {
		case slices.Contains(f.listed, addr):
			is = s.condition(time.Now())
		case s.open.Load() == 0:
			continue // to forget it is for follow: the table of a reload may have it already, and the list not yet
		}
		for _, condition := range addressConditions {
			value := 0.0
			if condition == is {
				value = 1
			}
			to <- prometheus.MustNewConstMetric(conditionDesc, prometheus.GaugeValue, value, f.name, addr, condition)
		}
		to <- prometheus.MustNewConstMetric(addressDesc, prometheus.GaugeValue, float64(s.open.Load()), f.name, addr)
	}
}
