package proxy

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/policy"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/internal/auth"
	"github.com/sabir-proxy/sabir/proxy/internal/fields"
)

// What clients and routes may use, and have used. A request counts against up to four accounts: all requests, its route, its client,
// and its client on its route. Whoever asks too much is refused by the narrowest account first, so that it does not use up what others
// have left in the wide ones.

// Scopes of accounts, as labels of a metric.
const (
	scopeAll            = "all"
	scopeRoute          = "route"
	scopePrincipal      = "principal"
	scopeRoutePrincipal = "route_principal"
)

// accountKey names an account; without a route it is of all, without a client of all clients.
type accountKey struct{ route, client string }

func (k accountKey) scope() string {
	switch {
	case k.route != "" && k.client != "":
		return scopeRoutePrincipal
	case k.client != "":
		return scopePrincipal
	case k.route != "":
		return scopeRoute
	}
	return scopeAll
}

// claim is an account that a request counts against, with what it allows.
type claim struct {
	accountKey
	quota config.Quota
}

// claims are those of a request, the narrowest first.
type claims []claim

// streams is how many runs the client may have open at the same time, by the narrowest of its own accounts; 0 is any number.
func (all claims) streams() (n int) {
	for _, c := range all {
		if c.client != "" && c.quota.Streams > 0 && (n == 0 || c.quota.Streams < n) {
			n = c.quota.Streams
		}
	}
	return n
}

// maxClaims is how many there are at most.
const maxClaims = 4

// claims are the accounts that requests of a client count against. Those without a limit are none.
func (r *route) claims(who *auth.Identity, peer string) claims {
	if !r.hasQuotas {
		return nil
	}
	l, name, client := &r.global.Limits, "", clientKey(who, peer)
	if who != nil {
		name = who.Name
	}
	all := make(claims, 0, maxClaims)
	for _, c := range [...]claim{
		{accountKey{r.name, client}, r.cfg.Limits.Principal}, {accountKey{"", client}, l.QuotaOf(name)},
		{accountKey{r.name, ""}, r.cfg.Limits.Quota()}, {accountKey{"", ""}, l.Quota()},
	} {
		if c.quota != (config.Quota{}) {
			all = append(all, c)
		}
	}
	return all
}

// hasQuotas reports whether requests of a route count against any account.
func hasQuotas(cfg *config.Config, r *config.Route) bool {
	none, l := config.Quota{}, &cfg.Limits
	return l.Quota() != none || l.Principal != none || len(l.Principals) > 0 || r.Limits.Quota() != none || r.Limits.Principal != none
}

// clientBits is how much of an IPv6 address tells one client from another: a client usually has all addresses that begin so.
const clientBits = 64

// clientKey tells clients apart: by the name that the guard has found, else by their address.
func clientKey(who *auth.Identity, peer string) string {
	if who != nil && who.Scope != "" {
		return "auth " + who.Scope
	}
	addr := fields.ParseForwarded(peer)
	if addr.Is6() {
		return netip.PrefixFrom(addr, clientBits).Masked().String()
	}
	var room [32]byte
	return string(addr.AppendTo(append(room[:0], "address "...)))
}

// countRequest counts a request, unless it ends a run, or refuses it.
func (s *Server) countRequest(ctx *fasthttp.RequestCtx, r *route, sub *subpath) *hub.Failure {
	if !r.hasQuotas || r.part == partCancel || sub.op == hub.OpStop || ctx.IsDelete() {
		return nil
	}
	return r.refuseOver(s.kept.quotas.request(r.claimsOf(ctx), time.Now()))
}

// claimsOf are the accounts that a request counts against.
func (r *route) claimsOf(ctx *fasthttp.RequestCtx) claims {
	return r.claims(senderOf(ctx).who, fields.ClientOf(&ctx.Request.Header, ctx.RemoteAddr(), r.global))
}

// mayRun refuses a request that starts a run on a stream that is open already, where tokens are overdrawn.
func (s *Server) mayRun(ctx *fasthttp.RequestCtx, r *route) *hub.Failure {
	if !r.hasQuotas {
		return nil
	}
	return r.refuseOver(s.kept.quotas.mayRun(r.claimsOf(ctx), time.Now()))
}

// claims are the accounts that a call counts against.
func (c *call) claims() claims { return c.route.claims(c.from.who, c.peer) }

// countMessage counts a call that has come by a connection for longer than a request, or refuses it.
func (s *Server) countMessage(c *call) *hub.Failure {
	if !c.route.hasQuotas {
		return nil
	}
	return c.route.refuseOver(s.kept.quotas.request(c.claims(), time.Now()))
}

// admitRun takes a run in, or says why not. See [Server.admit].
func (s *Server) admitRun(c *call, st *canceler) *hub.Failure {
	held := tenancy{client: clientKey(c.from.who, c.peer)}
	if !c.route.hasQuotas {
		return s.admit(c.route, st, held)
	}
	held.claims = c.claims()
	if f := c.route.refuseOver(s.kept.quotas.begin(held.claims, time.Now())); f != nil {
		return f
	}
	f := s.admit(c.route, st, held)
	if f != nil {
		s.kept.quotas.end(held.claims)
	}
	return f
}

// refuseOver is the failure that a limit is, nil for none.
func (r *route) refuseOver(over *limitError) *hub.Failure {
	if over == nil {
		return nil
	}
	f := r.metrics.limited(over.code, over.scope)
	if f.Status, f.RetryAfter = fasthttp.StatusTooManyRequests, max(over.wait, 1); over.wait > 0 {
		f.Note = fmt.Sprintf("Try again in %d s.", over.wait)
	}
	return f
}

// charge takes the tokens that a run has used.
func (x *stream) charge(tokens *hub.Counts) {
	if n := max(tokens.In, 0) + max(tokens.Out, 0); n > 0 && x.call.route.hasQuotas {
		x.server.kept.quotas.charge(x.call.claims(), n, time.Now())
	}
}

// longest is how long the stream of a call may last; 0 is no limit.
func (c *call) longest() time.Duration {
	longest := c.route.cfg.Timeouts.Stream
	for _, held := range c.claims() {
		if own := held.quota.Stream; own > 0 && (longest == 0 || own < longest) {
			longest = own
		}
	}
	return longest
}

// limitsTokens reports whether the tokens of a route's runs count against an account.
func (r *route) limitsTokens() bool {
	l := &r.global.Limits
	limited := l.TokensPerMinute+l.Principal.TokensPerMinute+r.cfg.Limits.TokensPerMinute+r.cfg.Limits.Principal.TokensPerMinute > 0
	for _, q := range l.Principals {
		limited = limited || q.TokensPerMinute > 0
	}
	return limited
}

// measure lets a copier read the tokens of a run, where they are limited.
func (r *route) measure(c *engine.Copier) {
	if r.hasQuotas && r.limitsTokens() {
		c.Meter = policy.NewDecoder(r.source, r.options)
	}
}

// quotaMetrics are those of limits.
func (m *metrics) quotaMetrics() {
	m.limits = m.counter("limited_total", "Requests and runs that were refused because of a limit, by the code of the refusal and the scope of the limit (all, route, principal, route_principal).", "route", "code", "scope")
	m.denied = m.counter("dials_denied_total", "Connections that were not made because dial does not allow their address, by who wanted them: an upstream, auth.forward or auth.jwt.", "target")
}

// limited counts what a limit refuses, and is the failure that it is.
func (r *routeMetrics) limited(code hub.Code, scope string) *hub.Failure {
	r.all.limits.WithLabelValues(r.route, string(code), scope).Inc()
	return hub.Fail(code, fmt.Errorf("limit of scope %s", scope))
}

var (
	accountsDesc  = prometheus.NewDesc("sabir_limit_accounts", "Clients whose use of limits is known, once for each scope.", nil, nil)
	forgottenDesc = prometheus.NewDesc("sabir_limit_accounts_forgotten_total", "Clients whose use was forgotten before it had recovered, because there were too many.", nil, nil)
)

// Describe implements [prometheus.Collector].
func (q *quotas) Describe(to chan<- *prometheus.Desc) {
	to <- accountsDesc
	to <- forgottenDesc
}

// Collect implements [prometheus.Collector].
func (q *quotas) Collect(to chan<- prometheus.Metric) {
	q.mu.Lock()
	defer q.mu.Unlock()
	to <- prometheus.MustNewConstMetric(accountsDesc, prometheus.GaugeValue, float64(len(q.clients)))
	to <- prometheus.MustNewConstMetric(forgottenDesc, prometheus.CounterValue, q.forgotten)
}
