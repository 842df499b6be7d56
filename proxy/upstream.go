package proxy

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
	"github.com/sabir-proxy/sabir/proxy/internal/sessions"
	"github.com/sabir-proxy/sabir/proxy/internal/urls"
)

// upstream is an agent server, which may run at several addresses.
type upstream struct {
	cfg    *config.Upstream
	own    bool // the configuration has credentials for it
	bodies bool // what it says of errors may be logged
	tls    *tls.Config
	header int // largest response header
	dialer *net.Dialer
	agents *sessions.Pool // of an agent that is a program; nil for a server

	retries prometheus.Counter // requests that were sent again

	sets  map[string]bool // header fields that the configuration sets, by fieldKey
	query map[string]bool // names of the parameters that stand in its URLs

	instances []*instance // where it runs; none of a program
	fleet     *fleet      // what is known of them, over reloads
	turn      atomic.Uint32
	checks    checks
}

// newUpstream makes ready what dialing needs.
func newUpstream(cfg *config.Upstream, global *config.Config, m *metrics, dials *dialGuard, fleets *fleets) (*upstream, error) {
	u := &upstream{
		cfg: cfg, header: int(global.Limits.Header), own: hasCredentials(cfg),
		bodies: global.Log.UpstreamErrors, retries: m.retries.WithLabelValues(cfg.Name),
		dialer: dials.dialer(cfg.Name), sets: map[string]bool{}, query: map[string]bool{},
	}
	if len(cfg.Command) > 0 {
		return u, nil
	}
	for name := range cfg.Headers.Set {
		u.sets[fields.Key(name)] = true
	}
	for _, url := range []*config.URL{&cfg.URL, cfg.Start, cfg.Cancel} {
		if url != nil {
			maps.Copy(u.query, urls.QueryNames(url.RawQuery))
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

func (u *upstream) secure() bool { return u.cfg.URL.Scheme == "https" || u.cfg.URL.Scheme == "wss" }

func (u *upstream) webSocket() bool { return u.cfg.URL.Scheme == "ws" || u.cfg.URL.Scheme == "wss" }

// cut closes a connection at once. TLS would say goodbye first, and wait for a peer that does not read.
func cut(c net.Conn) {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	_ = c.Close()
}

// dialFailure is what it means that no connection stands.
func dialFailure(err error) *hub.Failure {
	var denied deniedError
	switch {
	case errors.As(err, &denied):
		return hub.Fail(hub.CodeDenied, denied)
	case errors.Is(err, syscall.ECONNREFUSED):
		return hub.Fail(hub.CodeRefused, err)
	case isTimeout(err):
		return hub.Fail(hub.CodeTimeout, err)
	}
	return hub.Fail(hub.CodeUnreachable, err)
}

// isTimeout recognises the timeouts of sockets, of contexts and of fasthttp alike.
func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}
