// Package browser keeps web pages of others from running agents, and lets those that may call read the answers: origin.go judges where a
// request comes from and by which name it calls, cors.go writes what browsers ask for.
package browser

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/internal/fields"
)

// A browser sends what any web page tells it to, also to a server that only its own machine can reach. Two checks keep
// pages of others from running agents: by the origin that the browser names, and, since a page can make its own name lead
// to this server and is of the same origin then, by the host name that it called.

// CheckHost refuses a request that calls the server by a name that is not its own. local says that the listener is on a
// loopback address; listen is that address as the configuration has it, and hosts are the names that it lists.
func CheckHost(ctx *fasthttp.RequestCtx, hosts []string, local bool, listen string) *hub.Failure {
	if slices.Contains(hosts, "*") || len(hosts) == 0 && !local {
		return nil
	}
	field := string(ctx.Request.Header.Host())
	called := field
	if host := ctx.Host(); string(host) != field {
		called = string(host) // a request line may name a host of its own
	}
	for _, host := range []string{field, called} {
		bare := bareHost(host)
		if !ownHost(bare, listen, ctx.LocalAddr()) && !listedHost(hosts, bare) {
			return hub.Fail(hub.CodeBadHost, fmt.Errorf("host %q is not in hosts", clip(host)))
		}
		if called == field {
			break
		}
	}
	return nil
}

// bareHost is the host of a Host field, in small letters, without port and brackets.
func bareHost(field string) string {
	host := strings.Trim(field, "[]")
	if strings.IndexByte(field, ':') >= 0 {
		if name, _, err := net.SplitHostPort(field); err == nil {
			host = name
		}
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// ownHost reports whether a host is one that no page can make its own: none at all, which no browser sends, this machine,
// the address that was called, or what the configuration listens on.
func ownHost(host, listen string, called net.Addr) bool {
	if host == "" || host == "localhost" || host == bareHost(listen) {
		return true
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	at, _ := netip.ParseAddrPort(called.String())
	return ip.Unmap().IsLoopback() || ip.Unmap() == at.Addr().Unmap()
}

// listedHost reports whether hosts has a host, or a domain it is in.
func listedHost(hosts []string, host string) bool {
	return slices.ContainsFunc(hosts, func(h string) bool {
		domain, isDomain := strings.CutPrefix(h, "*")
		return h == host || isDomain && len(host) > len(domain) && strings.HasSuffix(host, domain)
	})
}

// IsLoopback reports whether only this machine can reach an address.
func IsLoopback(a net.Addr) bool {
	at, err := netip.ParseAddrPort(a.String())
	return err == nil && at.Addr().Unmap().IsLoopback()
}

// CheckOrigin refuses what a web page sends that is neither of the same origin nor allowed by the route. Everything that
// a route answers acts: it runs an agent.
func CheckOrigin(ctx *fasthttp.RequestCtx, cors *config.CORS, route string) *hub.Failure {
	h := &ctx.Request.Header
	origin, site := string(fields.Peek(h, "Origin")), string(fields.Peek(h, "Sec-Fetch-Site"))
	switch {
	case origin == "" && site != "cross-site", allowsOrigin(cors.Origins, origin):
		return nil
	case origin == "":
		return hub.Fail(hub.CodeBadOrigin, fmt.Errorf(`a page of another site calls without an origin; only "*" in cors.origins of route %s allows that`, route))
	case site == "same-origin" || sameOrigin(origin, string(h.Host())):
		return nil
	}
	return hub.Fail(hub.CodeBadOrigin, fmt.Errorf("origin %q is not in cors.origins of route %s", clip(origin), route))
}

// CheckOwnPage refuses what a page of another site sends, where no setting allows any.
func CheckOwnPage(ctx *fasthttp.RequestCtx) *hub.Failure {
	h := &ctx.Request.Header
	origin, site := string(fields.Peek(h, "Origin")), string(fields.Peek(h, "Sec-Fetch-Site"))
	if site == "cross-site" || site == "same-site" || site == "" && origin != "" && !sameOrigin(origin, string(h.Host())) {
		return hub.Fail(hub.CodeBadOrigin, fmt.Errorf("a page of another site calls, %q; no setting allows that here", clip(origin)))
	}
	return nil
}

// allowsOrigin reports whether the origins of a configuration have one; see [config.CORS].
func allowsOrigin(list []string, origin string) bool {
	return slices.ContainsFunc(list, func(o string) bool {
		scheme, anyHost := strings.CutSuffix(o, "://*")
		return o == "*" || o == origin && o != "" || anyHost && strings.HasPrefix(origin, scheme+"://")
	})
}

// sameOrigin reports whether a page is of the host that it calls. Its scheme does not count: who speaks TLS for this
// server, if anybody, is in front of it.
func sameOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	port := map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
	return strings.EqualFold(strings.TrimSuffix(u.Host, port), strings.TrimSuffix(host, port))
}

// clip cuts what a client has sent to a length that a line of log can bear.
func clip(s string) string {
	const most = 200
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
