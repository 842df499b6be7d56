// Package try says how a route is tried: by a line for a shell, with a body that the client's dialect takes.
package try

import (
	"cmp"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
)

// Dialects finds a dialect by its name.
type Dialects interface {
	Lookup(name string) (*hub.Dialect, error)
}

// Route is a route with what stands around it.
type Route struct {
	*config.Route
	Upstream *config.Upstream
	client   *hub.Dialect
	agent    *hub.Dialect
	form     *hub.Dialect // of the requests that the agent takes
	flags    []string     // of curl, to reach the server and to be let in
}

// Routes are those of a configuration whose dialects are known.
func Routes(cfg *config.Config, known Dialects) (all []Route) {
	for _, r := range cfg.Routes {
		name := r.Client
		if name == config.Auto {
			name = r.Default
		}
		up := cfg.Upstreams[r.Upstream]
		client, err := known.Lookup(name)
		if err != nil {
			continue
		}
		agent, err := known.Lookup(up.Dialect)
		form, failed := known.Lookup(cmp.Or(up.RequestDialect, up.Dialect))
		if err == nil && failed == nil {
			all = append(all, Route{Route: r, Upstream: up, client: client, agent: agent, form: form, flags: flags(cfg, r)})
		}
	}
	return all
}

// flags are those of curl that a server and a route need. What the shell has to know is left to its variables.
func flags(cfg *config.Config, r *config.Route) (all []string) {
	if path, ok := config.SocketPath(cfg.Listen); ok {
		all = append(all, "--unix-socket "+Quoted(path))
	}
	schemes := r.Auth.Schemes()
	if slices.Contains(schemes, config.SchemeKeys) || slices.Contains(schemes, config.SchemeJWT) {
		all = append(all, `-H "Authorization: Bearer $KEY"`)
	}
	if slices.Contains(schemes, config.SchemeMTLS) {
		all = append(all, `--cert "$CERT" --key "$CERT_KEY"`)
	}
	return all
}

// Base is the URL of a server that listens on an address, as programs on this machine reach it, by TLS or not.
func Base(addr net.Addr, secure bool) string {
	scheme := "http://"
	if secure {
		scheme = "https://"
	}
	if addr.Network() == "unix" {
		return scheme + "localhost"
	}
	host, port, _ := net.SplitHostPort(addr.String())
	if ip, err := netip.ParseAddr(host); err != nil || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return scheme + net.JoinHostPort(host, port)
}

// URL is that of the route, of the server at base, for clients.
func (r *Route) URL(base string) string { return base + strings.TrimSuffix(r.Path, "/*") }

// Curl is the line that tries the route of the server at base; "" where no single request can. [Route.Not] says why.
func (r *Route) Curl(base string) string {
	if r.Not() != "" {
		return ""
	}
	line := strings.Join(append([]string{"curl -N"}, append(r.flags, Quoted(base+r.path()))...), " ")
	if !slices.Contains(r.Methods, "POST") {
		return line
	}
	return line + " -H 'Content-Type: application/json' -d " + Quoted(string(r.body()))
}

// Not is why no single request can try the route, "" if one can.
func (r *Route) Not() string {
	name := r.client.Name
	switch {
	case r.Start != "":
		return "clients open the stream by one request, and start the run by another"
	case r.client.NewFace != nil && r.client != r.agent:
		return "clients of " + name + " hold a connection, by WebSocket or HTTP; editors start sabir " + name + " instead"
	case r.translates() && len(r.Upstream.Command) == 0 && r.wantsHistory() && r.client.SaysNews(r.client.Hello()):
		return "requests will be refused: clients of " + name + " say only what is new, and agents of " + r.agent.Name + " keep no conversation"
	}
	return ""
}

// wantsHistory reports whether the agent needs the whole conversation.
func (r *Route) wantsHistory() bool {
	if r.Upstream.Request != "" {
		return adapters.WantsHistory(r.Upstream.Request)
	}
	return r.form.Stateless
}

// path is where clients of the route ask for a run.
func (r *Route) path() string {
	exact, below := strings.CutSuffix(r.Path, "/*")
	if below && r.client != r.agent {
		exact += r.client.RunBelow()
	}
	if exact == "" {
		return "/"
	}
	return exact
}

// body is what the client's dialect says, or what the agent takes where bodies pass as they come.
func (r *Route) body() []byte {
	candidates := [][]byte{r.client.Hello(), nil}
	if !r.translates() {
		candidates = [][]byte{r.agentBody(), r.client.Hello()}
	}
	for _, body := range candidates {
		if body != nil {
			return body
		}
	}
	return []byte(`{"prompt":"Hello"}`)
}

// translates reports whether the proxy reads the bodies of clients.
func (r *Route) translates() bool {
	differ := r.client != r.agent || r.client != r.form
	writes := len(r.Upstream.Command) > 0 || r.form.RequestWriter() != nil && differ || r.Upstream.Request != ""
	return r.Requests.Mode == config.Translate && r.client.Messages != nil && writes
}

// agentBody is what the agent takes, nil if that is not known.
func (r *Route) agentBody() []byte {
	if r.Upstream.Request == "" {
		return r.form.Hello()
	}
	body, err := adapters.HelloBy(r.Upstream.Request)
	if err != nil {
		return nil
	}
	return body
}

var plain = regexp.MustCompile(`^[A-Za-z0-9%+,./:=@_-]+$`)

// Quoted is text as one word of a POSIX shell.
func Quoted(text string) string {
	if plain.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
