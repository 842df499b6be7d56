package proxy

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"strings"

	"github.com/valyala/fasthttp"
	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/internal/auth"
	"github.com/sabir-proxy/sabir/proxy/internal/fields"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
	"github.com/sabir-proxy/sabir/proxy/internal/urls"
)

// A route with auth asks who sends a request before anything else is looked at: its body is not read, and nothing is opened.

// sender is who a request comes from.
type sender struct {
	net.Addr
	secure bool                // it came by TLS
	chain  []*x509.Certificate // of the client, as the handshake has verified it; none: it has shown none
	shaken *tls.Config         // of that handshake
	guard  *auth.Guard         // that has let it in; nil for an open route
	who    *auth.Identity      // as that has found; nil for an open route
}

// senderKey is where a request has its sender, once that is known.
type senderKey struct{}

// senderOf is who sent a request.
func senderOf(ctx *fasthttp.RequestCtx) sender {
	if from, ok := ctx.UserValue(senderKey{}).(*sender); ok {
		return *from
	}
	return sender{Addr: ctx.RemoteAddr(), secure: inbound.ConnOf(ctx).Secure()}
}

// scopeOf is what the conversations of a request belong to.
func (r *route) scopeOf(ctx *fasthttp.RequestCtx) string {
	return r.scope(&ctx.Request.Header, senderOf(ctx).who)
}

// authenticate refuses a request whose sender may not call the route, and notes who it is.
func (s *Server) authenticate(ctx *fasthttp.RequestCtx, r *route) *hub.Failure {
	if r.guard == nil {
		return nil
	}
	from := senderOf(ctx)
	from.chain, from.shaken = inbound.ConnOf(ctx).ClientChain()
	id, a := s.identify(r, &ctx.Request.Header, &from)
	if id == nil {
		challenge(&ctx.Response.Header, &a)
		return refusedSender(&a)
	}
	from.guard, from.who = r.guard, id
	ctx.SetUserValue(senderKey{}, &from)
	return nil
}

// identify asks the guard of a route.
func (s *Server) identify(r *route, h *fasthttp.RequestHeader, from *sender) (*auth.Identity, auth.Answer) {
	req := auth.Request{Header: h, Cert: s.certOf(from), Ask: func() http.Header { return questionOf(h, from, r.global) }}
	return r.guard.Check(&req, r.metrics.authenticated)
}

// recheck judges the sender of a connection that is used for longer than a request: by the guard that is in force now, if that is
// another than the one that has let it in, or if its certificate is not trusted any more. Credentials that have expired never count again.
func (s *Server) recheck(r *route, h *fasthttp.RequestHeader, from *sender) *hub.Failure {
	if r.guard == nil {
		return nil
	}
	if f := from.expired(); f != nil || r.guard == from.guard && (len(from.chain) == 0 || s.certOf(from) != nil) {
		return f
	}
	id, a := s.identify(r, h, from)
	switch {
	case id == nil:
		return refusedSender(&a)
	case from.who == nil || id.Scope != from.who.Scope:
		return hub.Fail(hub.CodeUnauthenticated, errors.New("the client is known by another name since the configuration has changed"))
	}
	return nil
}

// refusedSender is how a refusal looks to the client. Its cause, for the log, says nothing of what was sent.
func refusedSender(a *auth.Answer) *hub.Failure {
	code := hub.CodeUnauthenticated
	switch a.Result {
	case auth.Forbidden:
		code = hub.CodeForbidden
	case auth.Unavailable:
		code = hub.CodeAuthUnavailable
	}
	return hub.Fail(code, errors.New(a.Why))
}

// challenge says what credentials are wanted, where others could help.
func challenge(h *fasthttp.ResponseHeader, a *auth.Answer) {
	if a.Result != auth.Missing && a.Result != auth.Refused {
		return
	}
	if len(a.Challenge) == 0 {
		h.Set(fasthttp.HeaderWWWAuthenticate, "Bearer")
	}
	for _, value := range a.Challenge {
		h.Add(fasthttp.HeaderWWWAuthenticate, value)
	}
}

// questionOf is the header with which another server is asked about a request: that of the request, and what it asks for.
func questionOf(from *fasthttp.RequestHeader, peer *sender, cfg *config.Config) http.Header {
	trusted := cfg.Trusts(fields.HostOf(peer.Addr))
	h := http.Header{}
	for name, value := range from.AllInOrder() {
		key := fields.Key(string(name))
		if !fields.HopByHop[key] && (trusted || !fields.ClaimsOrigin(key) && !claimsTarget(key)) {
			h.Add(string(name), string(value))
		}
	}
	var said fasthttp.RequestHeader
	fields.SetForwarded(&said, from, peer.Addr, peer.secure, cfg)
	for _, name := range []string{fields.ForHeader, fields.HostHeader, fields.ProtoHeader} {
		h.Set(name, string(said.Peek(name)))
	}
	h.Set("X-Forwarded-Method", string(from.Method()))
	h.Set("X-Forwarded-Uri", targetOf(from))
	return h
}

// targetOf is what a request asks for: its path as routes are compared with it, in one of the many forms in which a client can write
// it, and its query. So the other server judges the path that is served.
func targetOf(h *fasthttp.RequestHeader) string {
	var u fasthttp.URI
	if err := u.Parse(h.Host(), h.RequestURI()); err != nil {
		return ""
	}
	path, err := urls.Parse(string(u.PathOriginal()))
	if err != nil {
		return ""
	}
	target := path.Canonical()
	if query := u.QueryString(); len(query) > 0 {
		target += "?" + string(query)
	}
	return target
}

// claimsTarget reports whether a header field, by fieldKey, says what a request asks for: some servers that judge requests believe such
// a field before X-Forwarded-Uri.
func claimsTarget(key string) bool {
	return strings.HasPrefix(key, "x-original-") || key == "x-rewrite-url"
}

// setIdentity writes what is known of the client into the request to the upstream.
func (c *call) setIdentity(h *fasthttp.RequestHeader) {
	if who := c.from.who; who != nil {
		for _, field := range who.Set {
			h.Del(field.Name)
			fields.Add(h, field.Name, []byte(field.Value))
		}
	}
	name := c.principal()
	for field, value := range c.route.up.Cfg.Headers.Set {
		h.Del(field)
		text := string(value)
		if name == "" && strings.Contains(text, config.Principal) {
			continue
		}
		fields.Add(h, field, []byte(strings.ReplaceAll(text, config.Principal, name)))
	}
}

// principal is the name of the client, "" if nothing has named it.
func (c *call) principal() string {
	if c.from.who == nil {
		return ""
	}
	return c.from.who.Name
}

// about is what lines of log say of who was refused, beside the address.
func (from sender) about() []zap.Field {
	if from.who == nil || from.who.Name == "" {
		return nil
	}
	return []zap.Field{zap.String("principal", from.who.Name)}
}

// isNamed reports whether the guard of the route has named the client.
func (c *call) isNamed() bool { return c.from.who != nil && c.from.who.Scope != "" }

// consumed reports whether a header field of the client, by fieldKey, has done its work with the guard, or is set by it.
func (c *call) consumed(key string) bool {
	if c.from.who == nil {
		return false
	}
	if c.route.vouched[key] {
		return true
	}
	for _, used := range c.from.who.Used {
		if used == key {
			return !c.route.cfg.AuthPass
		}
	}
	return false
}

// vouchedFields are the fields of a route that only its guard may set.
func vouchedFields(cfg *config.Config, rc *config.Route) map[string]bool {
	vouched := map[string]bool{}
	for _, scheme := range rc.Auth.Schemes() {
		if scheme != config.SchemeForward || cfg.Auth.Forward == nil {
			continue
		}
		for _, name := range cfg.Auth.Forward.Headers {
			vouched[fields.Key(name)] = true
		}
	}
	return vouched
}

// newSchemes makes the schemes of a configuration; public keys that were fetched for the last one go on to count.
func newSchemes(cfg *config.Config, m *metrics, kept *conversations) (*auth.Schemes, error) {
	log := kept.agents.log
	dials := auth.Dialers{Forward: kept.dials.Dialer("auth.forward").DialContext, JWKS: kept.dials.Dialer("auth.jwt").DialContext}
	return auth.New(cfg, kept.auth, dials, func(err error) {
		if m.fetched(err); err != nil {
			log.Warn("the public keys of auth.jwt.jwks cannot be fetched; those that are known stay", zap.Error(err))
		}
	})
}

// operatorMay says what a request on the admin address lacks of what the configuration wants, nil if nothing. Each of a key and a
// certificate is needed where it is set up: to set up one more makes the address no more open.
func (s *Server) operatorMay(ctx *fasthttp.RequestCtx) error {
	cfg := s.table.Load().cfg
	if !s.operatorVerified(cfg, inbound.ConnOf(ctx)) {
		return errors.New("a certificate that admin.tls.client_ca trusts is wanted")
	}
	if cfg.Auth.AdminSHA256 == "" {
		return nil
	}
	key, err := auth.KeyOf(cfg.Auth.AdminSHA256)
	if err != nil || key.Check(&auth.Request{Header: &ctx.Request.Header}).Result != auth.OK {
		return errors.New("the key of auth.admin_sha256 is wanted")
	}
	return nil
}

// operatorVerified reports whether a connection has the certificate that operators need, if they do. A reload neither turns TLS on nor
// off, so both the configuration and the listener are asked: whoever has no certificate stays out until the restart.
func (s *Server) operatorVerified(cfg *config.Config, c *inbound.Conn) bool {
	wanted := cfg.Admin.TLS != nil && cfg.Admin.TLS.ClientCA != ""
	if s.adminCerts != nil && s.adminCerts.Current().ClientCAs != nil {
		wanted = true
	}
	return !wanted || s.adminCerts.Trusted(c.ClientChain())
}
