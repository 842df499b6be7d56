package config

import (
	"net/url"
	"slices"
	"strings"
)

// Thread stands for the conversation in the paths and queries of an upstream that is asked by two requests.
const Thread = "{thread}"

// NamesThread reports whether the conversation stands in the path or in the query of the URL.
func (u *URL) NamesThread() bool {
	query, err := url.QueryUnescape(u.RawQuery)
	if err != nil {
		query = u.RawQuery
	}
	return strings.Contains(u.Path, Thread) || strings.Contains(query, Thread)
}

// upstreamStart checks the keys of an upstream that is asked by two requests.
func (v *validator) upstreamStart(at string, u *Upstream) {
	v.check(u.Cancel == nil || u.Start != nil, at+".cancel", "has a meaning only with start")
	if v.found[at+".url"] {
		return
	}
	if u.Start == nil {
		v.check(!u.URL.NamesThread(), at+".url", "can hold %s only with start", Thread)
		return
	}
	v.check(!u.URL.WebSocket(), at+".start", "has no meaning for a %s URL; a WebSocket is one request", u.URL.Scheme)
	v.sameServer(at+".start", u.Start, u)
	v.sameServer(at+".cancel", u.Cancel, u)
}

// sameServer checks that a URL can be called over the connections of the upstream.
func (v *validator) sameServer(at string, other *URL, u *Upstream) {
	if other == nil || u.URL.WebSocket() {
		return
	}
	same := other.Scheme == u.URL.Scheme && strings.EqualFold(other.Host, u.URL.Host)
	v.check(same, at, "must have the scheme, host and port of url: %s://%s", u.URL.Scheme, clip(u.URL.Host))
}

// routeStart checks the keys of a route for clients that ask by two requests.
func (v *validator) routeStart(at string, r *Route) {
	if r.Start == "" {
		v.check(r.Cancel == "", at+".cancel", "has a meaning only with start")
		return
	}
	v.check(strings.HasSuffix(r.Path, "/*"), at+".path", "must end with /* for start; what stands there is the conversation")
	v.check(slices.Contains(r.Methods, "GET"), at+".methods", "must hold GET for start; that opens the stream")
	v.part(at+".start", r.Start)
	if r.Cancel != "" {
		v.part(at+".cancel", r.Cancel)
	}
}

// part checks a path whose end is the conversation.
func (v *validator) part(at, p string) {
	v.path(at, p)
	v.check(strings.HasSuffix(p, "/*"), at, "must end with /*; what stands there is the conversation")
}
