package config

import (
	"maps"
	"net"
	"net/netip"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// normalize brings values into the one form that the rest of Sabir relies on. dir is where file names are seen from.
func (c *Config) normalize(dir string) {
	c.normalizeAuth(dir)
	if a := c.Audit; a != nil && a.Path != AuditStdout && a.Path != "" && !filepath.IsAbs(a.Path) {
		a.Path = filepath.Join(dir, a.Path)
	}
	c.normalizeRecord(dir)
	for name, u := range c.Upstreams {
		u.Name = name
		for _, file := range []*string{&u.TLS.CA, &u.TLS.Cert, &u.TLS.Key} {
			if *file != "" && !filepath.IsAbs(*file) {
				*file = filepath.Join(dir, *file)
			}
		}
		if u.Process.Dir != "" && !filepath.IsAbs(u.Process.Dir) {
			u.Process.Dir = filepath.Join(dir, u.Process.Dir)
		}
	}
	if c.Store.Redis.CA != "" && !filepath.IsAbs(c.Store.Redis.CA) {
		c.Store.Redis.CA = filepath.Join(dir, c.Store.Redis.CA)
	}
	for name, file := range c.Dialects {
		if !filepath.IsAbs(file) {
			c.Dialects[name] = filepath.Join(dir, file)
		}
	}
	for i, host := range c.Hosts {
		c.Hosts[i] = strings.ToLower(strings.Trim(host, "[]"))
	}
	for _, r := range c.Routes {
		for i, field := range r.Headers.Allow {
			r.Headers.Allow[i] = strings.ToLower(field)
		}
	}
}

// validator checks what types cannot say. It expects a decoded configuration, complete or not.
type validator struct {
	*report
	c        *Config
	dialects Dialects
}

func validate(c *Config, d Dialects, r *report) {
	v := &validator{report: r, c: c, dialects: d}
	v.addresses()
	v.auth()
	v.tracing(v.c.Tracing)
	v.audit(v.c.Audit)
	v.inspected()
	v.hosts(c.Hosts)
	v.check(c.TLS == nil || !c.HTTP2.Cleartext, "http2.cleartext", "has no effect where tls is set")
	v.cors("cors", c.CORS)
	v.store(&c.Store)
	v.quotas()
	v.check(c.Limits.Bodies >= c.LargestBody(), "limits.bodies", "is less than the largest request body that is accepted, %s", c.LargestBody())
	for i, field := range c.Threads.Principal {
		v.field(index("threads.principal", i), field)
	}
	v.check(len(c.Upstreams) > 0, "upstreams", "needs at least one upstream")
	for _, name := range slices.Sorted(maps.Keys(c.Upstreams)) {
		v.upstream(join("upstreams", name), c.Upstreams[name])
	}
	v.check(len(c.Routes) > 0, "routes", "needs at least one route")
	paths := map[string]string{}
	for i, route := range c.Routes {
		at := index("routes", i)
		if v.found[at] {
			continue // not even a map of keys
		}
		v.taken(paths, at, "path", route.Path)
		v.taken(paths, at, "start", route.Start)
		v.taken(paths, at, "cancel", route.Cancel)
		v.route(at, route)
	}
}

// taken reports that a path of the route at a place is one of an earlier key as well.
func (v *validator) taken(paths map[string]string, at, key, path string) {
	if path == "" && key != "path" {
		return
	}
	where := join(at, key)
	first, twice := paths[path]
	if !twice {
		paths[path] = where
	}
	v.check(!twice, where, "is the path of %s as well", strings.TrimSuffix(first, ".path"))
}

var hostName = regexp.MustCompile(`^[A-Za-z0-9._-]*$`)

// SocketPath is the path of an address that is a unix socket.
func SocketPath(address string) (path string, ok bool) { return strings.CutPrefix(address, "unix:") }

// longestSocket is the longest path of a socket that systems take, in bytes.
const longestSocket = 100

// socket checks the path of a unix socket.
func (v *validator) socket(at, path string) {
	v.check(strings.HasPrefix(path, "/") && len(path) <= longestSocket && !strings.Contains(path, "\x00"), at,
		"must be the path of a socket from the root, such as /run/sabir.sock, of at most %d bytes", longestSocket)
}

func (v *validator) addresses() {
	if path, ok := SocketPath(v.c.Listen); ok {
		v.socket("listen", path)
	} else {
		v.address("listen", v.c.Listen)
	}
	v.admin()
}

// address checks host and port. Names are not looked up: a check must not depend on the network.
func (v *validator) address(path, s string) {
	host, port, err := net.SplitHostPort(s)
	v.check(err == nil, path, "%s is not an address such as 127.0.0.1:8080", quote(s))
	_, err = strconv.ParseUint(port, 10, 16)
	v.check(err == nil, path, "%s has no port between 0 and 65535", quote(s))
	_, err = netip.ParseAddr(host)
	v.check(err == nil || hostName.MatchString(host), path, "%s has no host name or IP address", quote(s))
}

// hosts checks the names by which clients may call.
func (v *validator) hosts(list []string) {
	v.check(!slices.Contains(list, "*") || len(list) == 1, "hosts", `"*" must stand alone`)
	for i, host := range list {
		_, err := netip.ParseAddr(host)
		name := strings.TrimPrefix(host, "*.")
		ok := host == "*" || err == nil || name != "" && hostName.MatchString(name)
		v.check(ok, index("hosts", i), "%s is not a host name such as agents.example.com, without scheme and port", quote(host))
	}
	v.distinct("hosts", list)
}

// clash reports whether two good addresses cannot be listened on together.
func clash(a, b string) bool {
	hostA, portA, _ := net.SplitHostPort(a)
	hostB, portB, _ := net.SplitHostPort(b)
	if portA != portB || portA == "0" {
		return false
	}
	everywhere := func(host string) bool {
		ip, _ := netip.ParseAddr(host)
		return host == "" || ip.IsUnspecified()
	}
	return hostA == hostB || everywhere(hostA) || everywhere(hostB)
}

// upstreamName matches what needs no quoting anywhere: in paths of problems, logs and labels of metrics.
var upstreamName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// upstream checks one agent server.
func (v *validator) upstream(at string, u *Upstream) {
	v.check(upstreamName.MatchString(u.Name), at, "must be named with at most 64 letters, digits, _ and -")
	if v.found[at] {
		return
	}
	v.dialect(at+".dialect", at+".options", u.Dialect, "upstream", u.Options)
	v.upstreamRequest(at, u)
	v.upstreamAddresses(at, u)
	if len(u.Command) > 0 {
		v.process(at, u)
		return
	}
	v.check(u.URL.Host != "" || v.found[at+".url"], at+".url", "is required, or command in its place")
	v.check(u.Process.isUsual(), at+".process", "has a meaning only with command")
	if u.Socket != "" {
		v.socket(at+".socket", u.Socket)
	}
	v.transport(at, u)
	v.upstreamStart(at, u)
	seen := map[string]string{} // small letters -> as written: fields are the same in any case
	for _, field := range slices.Sorted(maps.Keys(u.Headers.Set)) {
		where := join(at+".headers.set", field)
		v.field(where, field)
		v.check(isFieldValue(string(u.Headers.Set[field])), where, "holds a line break or another character that no header field may have")
		other, twice := seen[strings.ToLower(field)]
		v.check(!twice, where, "is the same header field as %s", quote(other))
		seen[strings.ToLower(field)] = field
	}
}

// upstreamRequest checks the form of the requests for an agent server.
func (v *validator) upstreamRequest(at string, u *Upstream) {
	v.check(u.Request == "" || u.RequestDialect == "", at+".request_dialect", "has no meaning beside request, which is a form of its own")
	checker, ok := v.dialects.(RequestChecker)
	if ok && u.Request != "" {
		err := checker.CheckRequest(u.Request)
		v.check(err == nil, at+".request", "%v", err)
	}
	if ok && u.RequestDialect != "" {
		err := checker.CheckRequestDialect(u.RequestDialect)
		v.check(err == nil, at+".request_dialect", "%v", err)
	}
}

// transport checks that scheme, framing, method and TLS of an upstream belong together.
func (v *validator) transport(at string, u *Upstream) {
	if v.found[at+".url"] {
		return
	}
	if u.URL.WebSocket() {
		v.check(u.Framing == Auto || u.Framing == "websocket", at+".framing", "must be auto or websocket for a %s URL", u.URL.Scheme)
		v.check(u.Method == "", at+".method", "has no meaning for a %s URL; a WebSocket is always opened by GET", u.URL.Scheme)
	} else {
		v.check(u.Framing != "websocket", at+".framing", "needs a ws or wss URL, not %s", u.URL.Scheme)
	}
	v.check(!u.HTTP2 || !u.URL.WebSocket(), at+".http2", "has no meaning for a %s URL", u.URL.Scheme)
	v.check((u.TLS.Cert == "") == (u.TLS.Key == ""), at+".tls", "needs cert and key together")
	v.check(u.TLS == TLS{} || u.URL.Secure(), at+".tls", "has no effect on a %s URL; use https or wss", u.URL.Scheme)
}

// route checks what clients can call.
func (v *validator) route(at string, r *Route) {
	v.path(at+".path", r.Path)
	v.routeAuth(at+".auth", r)
	v.routeStart(at, r)
	v.routeResume(at, r)
	v.recorded(at+".record", &r.Record)
	if !v.found["upstreams"] { // otherwise it is unknown which there are
		v.check(v.c.Upstreams[r.Upstream] != nil, at+".upstream", "there is no upstream %s; there is: %s",
			quote(r.Upstream), strings.Join(slices.Sorted(maps.Keys(v.c.Upstreams)), ", "))
	}
	v.client(at, r)
	v.model(at, r)
	v.processRoute(at, r)
	v.shape(at+".shape", &r.Shape)
	v.redact(at+".redact", &r.Redact)
	v.check(len(r.Methods) > 0, at+".methods", "needs at least one method")
	v.distinct(at+".methods", r.Methods)
	for i, field := range r.Headers.Allow {
		v.field(index(at+".headers.allow", i), field)
	}
	v.distinct(at+".headers.allow", r.Headers.Allow)
	v.cors(at+".cors", r.CORS)
}

// path checks that requests can match p: the server compares it with paths that are decoded and cleaned.
func (v *validator) path(at, p string) {
	v.check(strings.HasPrefix(p, "/"), at, "must begin with /")
	exact := p
	if strings.HasSuffix(p, "/*") {
		exact = p[:len(p)-1]
	}
	v.check(!strings.Contains(exact, "*"), at, "can have a * only at its end, as in /agents/*")
	v.check(!strings.ContainsAny(p, "?#%"), at, "must be a plain path, without ? and # and not percent-encoded")
	v.check(!strings.ContainsFunc(p, func(r rune) bool { return r <= ' ' || r == 0x7f }), at, "must not hold spaces or control characters")
	clean := path.Clean("/" + exact)
	v.check(exact == clean || exact == clean+"/", at, "must not hold //, . or .. as parts; requests are cleaned of them")
}

// client checks the dialects of a route: one, or with auto any that requests ask for.
func (v *validator) client(at string, r *Route) {
	if r.Client != Auto {
		v.check(r.Default == "", at+".default", "has a meaning only with client: auto")
		v.dialect(at+".client", at+".options", r.Client, "client", r.Options)
		return
	}
	v.check(r.Default != "", at+".default", "is required with client: auto")
	v.check(r.Default != Auto, at+".default", "must be a dialect")
	v.dialect(at+".default", "", r.Default, "client", nil)
	for _, name := range slices.Sorted(maps.Keys(r.Options)) {
		where := join(at+".options", name)
		options, ok := r.Options[name].(map[string]any)
		v.check(ok, where, "must be the options of a dialect; with client: auto they stand under its name")
		v.dialect(where, where, name, "client", options)
	}
}

// dialect reports what the registry says: of the name at nameAt, of each option at its own place, of all together at
// optionsAt.
func (v *validator) dialect(nameAt, optionsAt, name, side string, options map[string]any) {
	if v.dialects == nil || v.found[nameAt] || v.found[join("dialects", name)] {
		return // what is wrong has been said
	}
	said := map[string]bool{}
	ask := func(at string, options map[string]any) {
		for _, err := range v.dialects.Check(name, side, options) {
			if msg := err.Error(); !said[msg] {
				said[msg] = true
				v.add(at, "%s", msg)
			}
		}
	}
	// A problem belongs to the name if it is there without options, to an option if it is there with that one alone,
	// and otherwise to how options go together.
	ask(nameAt, nil)
	if len(options) == 0 || len(said) > 0 {
		return
	}
	readable := true
	for _, key := range slices.Sorted(maps.Keys(options)) {
		if at := join(optionsAt, key); v.foundIn(at) {
			readable = false
		} else {
			ask(at, map[string]any{key: options[key]})
		}
	}
	if readable {
		ask(optionsAt, options)
	}
}

// distinct reports entries of a list that were there before.
func (v *validator) distinct(at string, list []string) {
	for i, s := range list {
		v.check(!slices.Contains(list[:i], s), index(at, i), "%s is listed twice", quote(s))
	}
}

// reserved are the fields that Sabir writes itself, or that belong to one connection and are never passed on.
var reserved = []string{
	"accept-encoding", "connection", "content-length", "expect", "host", "keep-alive", "proxy-authenticate",
	"proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
}

var fieldName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// field checks the name of a header field.
func (v *validator) field(at, name string) {
	lower := strings.ToLower(name)
	v.check(fieldName.MatchString(name), at, "%s is not the name of a header field", quote(name))
	v.check(!slices.Contains(reserved, lower) && !strings.HasPrefix(lower, "sec-websocket-"), at, "%s cannot be chosen; Sabir sets it for each connection", name)
}

// isFieldValue reports whether s can be the value of a header field (RFC 9110 §5.5): no control characters but tab.
func isFieldValue(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

// cors checks what stands at a place itself; what a route inherits is reported at the top level.
func (v *validator) cors(at string, c CORS) {
	// Browsers refuse credentials for any origin, and a server that names each origin back would let every page in.
	anyone := slices.Contains(c.Origins, "*")
	v.check(!anyone || !c.Credentials || !v.stands(at), at+".credentials", `cannot go with "*"; list the origins that may send credentials`)
	if !v.stands(at + ".origins") {
		return
	}
	v.check(!anyone || len(c.Origins) == 1, at+".origins", `"*" must stand alone`)
	for i, origin := range c.Origins {
		v.check(isOrigin(origin), index(at+".origins", i), "%s is not an origin such as https://app.example.com: scheme, host and port in small letters", quote(origin))
	}
	v.distinct(at+".origins", c.Origins)
}

// isOrigin reports whether s is what browsers send as an origin, or stands for such. Electron sends file:// for pages
// from files.
func isOrigin(s string) bool {
	if s == "*" || s == "file://" {
		return true
	}
	if scheme, anyHost := strings.CutSuffix(s, "://*"); anyHost {
		return scheme != "http" && scheme != "https" && originScheme.MatchString(scheme)
	}
	u, err := url.Parse(s)
	return err == nil && u.Host != "" && s == strings.ToLower(u.Scheme+"://"+u.Host)
}

var originScheme = regexp.MustCompile(`^[a-z][a-z0-9+.-]*$`)

// checkFiles reports files that are named but cannot be used.
func checkFiles(c *Config, r *report) {
	if _, err := c.Store.Redis.TLS(); err != nil {
		r.add("store.redis.ca", "%s", err)
	}
	checkAuthFiles(c, r)
	for name, u := range c.Upstreams {
		at := join("upstreams", name) + ".tls"
		r.checkPool(at+".ca", u.TLS.CA)
		r.checkPair(at+".cert", u.TLS.Cert, u.TLS.Key)
		checkDirectory(join("upstreams", name)+".process.dir", u.Process.Dir, r)
	}
}
