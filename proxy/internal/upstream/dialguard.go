package upstream

import (
	"context"
	"net"
	"net/netip"
	"sync/atomic"
	"syscall"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/config"
)

// DialGuard judges every address before a connection to it is made: by the configuration in force, and after its name was looked up, so that
// a name cannot stand for another address when it is called.
type DialGuard struct {
	policy atomic.Pointer[config.Dial]
	log    *zap.Logger
	denied *prometheus.CounterVec
}

// Prepare sets what is logged to and counted by.
func (g *DialGuard) Prepare(log *zap.Logger, denied *prometheus.CounterVec) {
	g.log, g.denied = log, denied
}

// Follow takes over a policy, and returns the one before.
func (g *DialGuard) Follow(policy *config.Dial) (before *config.Dial) { return g.policy.Swap(policy) }

// deniedError says that an address may not be called.
type deniedError struct{ error }

// Dialer makes connections for a part of the configuration, whose name the log and the metrics have.
func (g *DialGuard) Dialer(target string) *net.Dialer {
	return &net.Dialer{ControlContext: func(_ context.Context, network, address string, _ syscall.RawConn) error {
		return g.check(target, network, address)
	}}
}

// check is called with the address that is connected to next.
func (g *DialGuard) check(target, network, address string) error {
	policy := g.policy.Load()
	if policy == nil || network == "unix" {
		return nil
	}
	addr, err := netip.ParseAddrPort(address)
	if err == nil {
		err = policy.Check(addr.Addr())
	}
	if err == nil {
		return nil
	}
	g.denied.WithLabelValues(target).Inc()
	g.log.Warn("connection denied", zap.String("target", target), zap.NamedError("cause", err))
	return deniedError{err}
}
