package upstream

import (
	"errors"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/sabir-proxy/sabir/config"
)

// countsOfFleets are counters of their own.
func countsOfFleets() Metrics {
	vec := func(labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "n"}, labels)
	}
	return Metrics{Ejections: vec("upstream", "address"), Failovers: vec("upstream", "result"), Retries: vec("upstream")}
}

// oneState is an address of an upstream, with the log.
func oneState() (*fleet, *state, *observer.ObservedLogs) {
	core, logs := observer.New(zapcore.DebugLevel)
	all := &Fleets{log: zap.New(core), metrics: countsOfFleets()}
	f := all.of(&config.Upstream{Name: "agent"})
	return f, f.of("10.0.0.1:80"), logs
}

// TestEjectionsGrow: each ejection lasts twice as long as the one before, up to a bound, until the address has served for as long.
func TestEjectionsGrow(t *testing.T) {
	t.Parallel()
	_, s, logs := oneState()
	cfg := &config.Eject{After: 3, For: time.Second, Max: 5 * time.Second}
	now := time.Unix(1000, 0)
	for i := range 3 {
		if got := s.failed(cfg, now); got != (i == 2) {
			t.Errorf("failure %d ejects: %t", i+1, got)
		}
	}
	for _, want := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 5 * time.Second, 5 * time.Second} {
		s.eject(cfg, now)
		end := now.Add(want)
		if s.ejectedFor != want || s.serves(end.Add(-1)) || !s.serves(end) || s.condition(now) != addressEjected {
			t.Errorf("ejected for %s, want %s", s.ejectedFor, want)
		}
		if s.failed(cfg, end.Add(-1)) { // of a run that began before
			t.Error("it is ejected twice")
		}
		if now = end; !s.failed(cfg, now) {
			t.Error("a failure after that does not eject at once")
		}
	}
	s.succeeded(now.Add(5 * time.Second))
	if s.failures != 0 || s.ejections != 5 {
		t.Errorf("%d failures, %d ejections", s.failures, s.ejections)
	}
	s.succeeded(now.Add(5*time.Second + 1))
	if n := logs.FilterMessage("upstream address works again").Len(); s.ejections != 0 || n != 1 {
		t.Errorf("%d ejections, said %d times", s.ejections, n)
	}
	s.succeeded(now.Add(time.Hour))
	if n := logs.FilterMessage("upstream address works again").Len(); n != 1 {
		t.Errorf("said %d times", n)
	}
	if s.failed(&config.Eject{}, now) {
		t.Error("it is ejected though that is off")
	}
}

// TestChecksInARow: so many checks in a row that say otherwise change the state; one that agrees begins the count anew.
func TestChecksInARow(t *testing.T) {
	t.Parallel()
	_, s, _ := oneState()
	cfg, bad, now := &config.Check{Rise: 2, Fall: 3}, errors.New("status 500"), time.Now()
	for i, c := range []struct {
		err  error
		want string
	}{
		{bad, addressUp}, {bad, addressUp}, {nil, addressUp}, {bad, addressUp}, {bad, addressUp}, {bad, addressUnhealthy},
		{nil, addressUnhealthy}, {bad, addressUnhealthy}, {nil, addressUnhealthy}, {nil, addressUp}, {bad, addressUp}, {bad, addressUp}, {bad, addressUnhealthy},
	} {
		if s.check(cfg, c.err); s.condition(now) != c.want {
			t.Errorf("after check %d: %s", i, s.condition(now))
		}
	}
	s.check(cfg, nil)
	if s.uncheck(); s.unhealthy || s.checked != 0 {
		t.Errorf("%+v", s)
	}
}

// TestForgottenAddresses: an address that the configuration does not have is kept while a run is open there.
func TestForgottenAddresses(t *testing.T) {
	t.Parallel()
	f, busy, _ := oneState()
	idle, listed := f.of("10.0.0.2:80"), f.of("10.0.0.3:80")
	busy.open.Store(1)
	all := &Fleets{by: map[string]*fleet{"agent": f}}
	all.Follow(&config.Config{Upstreams: map[string]*config.Upstream{"agent": {Addresses: []string{listed.addr}}}})
	if f.of(busy.addr) != busy || f.of(listed.addr) != listed || f.of(idle.addr) == idle {
		t.Error("the wrong addresses are kept")
	}
	busy.open.Store(0)
	all.Follow(&config.Config{})
	if len(f.states) != 0 {
		t.Errorf("%d addresses are left", len(f.states))
	}
}

// scrape counts what is shown of the addresses.
func (f *Fleets) scrape() int {
	to := make(chan prometheus.Metric, 100)
	f.Collect(to)
	return len(to)
}

// TestScrapeWhileReloading: metrics that are read between the making of a table and its coming into force take no address from it: its runs
// would not be shown, and the next reload would make it anew, without its failures.
func TestScrapeWhileReloading(t *testing.T) {
	t.Parallel()
	f, gone, _ := oneState()
	all := &Fleets{by: map[string]*fleet{"agent": f}}
	added := f.of("10.0.0.2:80")
	if n := all.scrape(); n != 0 {
		t.Errorf("%d metrics of addresses that are not in force", n)
	}
	all.Follow(&config.Config{Upstreams: map[string]*config.Upstream{"agent": {Addresses: []string{added.addr}}}})
	if f.of(added.addr) != added {
		t.Error("reading the metrics has taken an address from the table")
	}
	if n, want := all.scrape(), len(addressConditions)+1; n != want {
		t.Errorf("%d metrics of one address, want %d", n, want)
	}
	if f.of(gone.addr) == gone {
		t.Error("an address that is not in force is kept")
	}
}
