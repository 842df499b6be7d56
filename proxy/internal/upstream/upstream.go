// Package upstream is what an upstream is: the addresses at which it runs, what is known of them, its connections, and its answers.
//
// upstream.go has what the configuration says of one, instance.go an address with its idle connections, dialguard.go the addresses that may
// be called, and http2.go the connections of HTTP/2. balance.go chooses the address of a run by what fleet.go, breaker.go and
// checks.go know. exchange.go sends a request and reads the header of the answer, body.go its body, and refusal.go an answer that is no
// success. wake.go leaves an answer to another reader when its stream was canceled.
package upstream

import (
	"crypto/tls"
	"errors"
	"maps"
	"net"
	"sync/atomic"
	"syscall"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/internal/fields"
	"github.com/sabir-proxy/sabir/proxy/internal/rawio"
	"github.com/sabir-proxy/sabir/proxy/internal/sessions"
	"github.com/sabir-proxy/sabir/proxy/internal/urls"
)

// Upstream is an agent server, which may run at several addresses.
type Upstream struct {
	Cfg            *config.Upstream
	HasCredentials bool // the configuration has credentials for it
	bodies         bool // what it says of errors may be logged
	tls            *tls.Config
	MaxHeader      int // largest response header
	Dialer         *net.Dialer
	Agents         *sessions.Pool // of an agent that is a program; nil for a server

	retries prometheus.Counter // requests that were sent again

	Sets  map[string]bool // header fields that the configuration sets, by fieldKey
	Query map[string]bool // names of the parameters that stand in its URLs

	Instances []*Instance // where it runs; none of a program
	fleet     *fleet      // what is known of them, over reloads
	turn      atomic.Uint32
	checks    checks
}

// New makes ready what dialing needs.
func New(cfg *config.Upstream, global *config.Config, dials *DialGuard, fleets *Fleets) (*Upstream, error) {
	u := &Upstream{
		Cfg: cfg, MaxHeader: int(global.Limits.Header), HasCredentials: hasCredentials(cfg),
		bodies: global.Log.UpstreamErrors, retries: fleets.metrics.Retries.WithLabelValues(cfg.Name),
		Dialer: dials.Dialer(cfg.Name), Sets: map[string]bool{}, Query: map[string]bool{},
	}
	if len(cfg.Command) > 0 {
		return u, nil
	}
	for name := range cfg.Headers.Set {
		u.Sets[fields.Key(name)] = true
	}
	for _, url := range []*config.URL{&cfg.URL, cfg.Start, cfg.Cancel} {
		if url != nil {
			maps.Copy(u.Query, urls.QueryNames(url.RawQuery))
		}
	}
	if u.secure() {
		t, err := cfg.TLS.Client()
		if err != nil {
			return nil, err
		}
		if t.ServerName == "" {
			t.ServerName = cfg.URL.Hostname()
		}
		if cfg.HTTP2 {
			t.NextProtos = []string{config.ProtoHTTP2}
		}
		u.tls = t
	}
	u.runAt(fleets)
	return u, nil
}

func (u *Upstream) secure() bool { return u.Cfg.URL.Scheme == "https" || u.Cfg.URL.Scheme == "wss" }

func (u *Upstream) WebSocket() bool { return u.Cfg.URL.Scheme == "ws" || u.Cfg.URL.Scheme == "wss" }

// Cut closes a connection at once. TLS would say goodbye first, and wait for a peer that does not read.
func Cut(c net.Conn) {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	_ = c.Close()
}

// DialFailure is what it means that no connection stands.
func DialFailure(err error) *hub.Failure {
	var denied deniedError
	switch {
	case errors.As(err, &denied):
		return hub.Fail(hub.CodeDenied, denied)
	case errors.Is(err, syscall.ECONNREFUSED):
		return hub.Fail(hub.CodeRefused, err)
	case rawio.IsTimeout(err):
		return hub.Fail(hub.CodeTimeout, err)
	}
	return hub.Fail(hub.CodeUnreachable, err)
}
