package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Names of the schemes by which a client shows who it is, as routes list them.
const (
	SchemeKeys    = "keys"
	SchemeJWT     = "jwt"
	SchemeMTLS    = "mtls"
	SchemeForward = "forward"
)

// KeyName is what names of keys are, as a regular expression. Nothing of it needs quoting in YAML.
const KeyName = `[A-Za-z0-9][A-Za-z0-9._@-]{0,63}`

// EndExpired is the value of auth.jwt.expired that ends answers under way.
const EndExpired = "end"

// Principal stands in the header fields that an upstream is sent for who the client is.
const Principal = "{principal}"

// Auth says which credentials there are; the routes say with auth which of them they ask for.
type Auth struct {
	// Keys that clients send as "Authorization: Bearer KEY", in X-Api-Key or in X-Goog-Api-Key. "sabir key" makes one.
	Keys []Key `yaml:"keys"`
	// A folder with more of them, seen from the folder of the configuration file: each file holds one key and is named as its
	// client. Files whose name begins with a dot do not count. It is read again with the configuration.
	KeysDir string `yaml:"keys_dir"`
	// Tokens of an identity provider, sent as "Authorization: Bearer TOKEN".
	JWT *JWT `yaml:"jwt,omitempty"`
	// Certificates of clients, which tls.client_ca verifies.
	MTLS MTLS `yaml:"mtls"`
	// A server that is asked about each request.
	Forward *Forward `yaml:"forward,omitempty"`
	// The SHA-256, in hexadecimal, of the key that operators send for /metrics of the admin address; /healthz and /readyz need none.
	// Empty: whoever reaches the address can read them, unless admin.tls.client_ca asks for a certificate.
	AdminSHA256 string `yaml:"admin_sha256"`
	// Whether operators can profile the process at /debug/pprof/NAME of the admin address. It needs admin_sha256: profiles show memory and
	// names of files.
	AdminPprof bool `yaml:"admin_pprof"`
}

// Key is the key of one client.
type Key struct {
	// Who has the key: 1 to 64 letters, digits and . _ - @.
	Name string `yaml:"name" jsonschema:"required"`
	// The SHA-256 of the key, in hexadecimal; the key itself is nowhere in the file.
	SHA256 string `yaml:"sha256" jsonschema:"required"`
}

// JWT says which tokens are accepted. All must have an expiry. A key that is not known is fetched for those that name it (kid).
type JWT struct {
	// Who must have issued the token, its claim iss.
	Issuer string `yaml:"issuer" jsonschema:"required"`
	// Whom it must be made for, one of its claim aud.
	Audience string `yaml:"audience" jsonschema:"required"`
	// Where the public keys are, as a JSON Web Key Set: an http or https URL, or a file, seen from the folder of the configuration file.
	JWKS string `yaml:"jwks" jsonschema:"required"`
	// How far the clocks may differ.
	Leeway time.Duration `yaml:"leeway" jsonschema:"minimum=0,maximum=600000000000"`
	// How old the public keys become before they are fetched again, in the background. A token with a key that is not
	// known fetches them at once, but not more often than every 10s.
	Refresh time.Duration `yaml:"refresh" jsonschema:"minimum=10000000000"`
	// The algorithms of signatures. Those with a shared secret, and none, cannot be named.
	Algorithms []string `yaml:"algorithms" jsonschema:"minItems=1,enum=RS256,enum=RS384,enum=RS512,enum=PS256,enum=PS384,enum=PS512,enum=ES256,enum=ES384,enum=ES512,enum=EdDSA"`
	// The claim that says who the client is.
	Principal string `yaml:"principal"`
	// What becomes of answers that are under way when their token expires: finish lets them end by themselves, end ends them. In either
	// case nothing new begins on a WebSocket whose token has expired, and it is closed as soon as nothing runs on it.
	Expired string `yaml:"expired" jsonschema:"enum=finish,enum=end"`
}

// MTLS says what certificates of clients mean.
type MTLS struct {
	// What of the certificate is the client's name: cn is the common name of its subject; uri, dns and email are the first such name
	// among its alternative names; auto is the first of these that is there.
	Principal string `yaml:"principal" jsonschema:"enum=auto,enum=cn,enum=uri,enum=dns,enum=email"`
}

// Forward is a server that is asked about each request, by GET with the header of that request, its method and URI in
// X-Forwarded-Method and X-Forwarded-Uri, and without its body. A status of 200 to 299 lets the request in; 401 and 403 are passed
// on; everything else counts as a fault of that server, and the request gets status 503.
type Forward struct {
	// Where the server is: http or https.
	URL URL `yaml:"url" jsonschema:"required"`
	// How long it may take.
	Timeout time.Duration `yaml:"timeout" jsonschema:"minimum=1"`
	// Fields of its answer that are set on the request to the upstream. What the client sends in them never gets there. The first
	// says who the client is.
	Headers []string `yaml:"headers"`
}

// RouteAuth are the schemes that a route asks for: any of a list, or all.
type RouteAuth struct {
	// One of these is enough.
	Any []string `yaml:"any" jsonschema:"enum=keys,enum=jwt,enum=mtls,enum=forward"`
	// Each of these is needed. The first says who the client is.
	All []string `yaml:"all" jsonschema:"enum=keys,enum=jwt,enum=mtls,enum=forward"`
}

var routeAuthType = reflect.TypeFor[RouteAuth]()

// IsZero reports whether the route is open.
func (a RouteAuth) IsZero() bool { return len(a.Any)+len(a.All) == 0 }

// Schemes are all that are named.
func (a RouteAuth) Schemes() []string { return slices.Concat(a.Any, a.All) }

// MarshalYAML implements yaml.Marshaler.
func (a RouteAuth) MarshalYAML() (any, error) {
	if len(a.All) > 0 {
		return map[string][]string{"all": a.All}, nil
	}
	return a.Any, nil
}

// routeAuth decodes the schemes of a route: a list, or a map.
func (d *decoder) routeAuth(n *yaml.Node, v reflect.Value, path string) {
	field, _ := routeAuthType.FieldByName("Any")
	_, r := ruleOf(field)
	switch n.Kind {
	case yaml.SequenceNode:
		d.sequence(n, v.FieldByName("Any"), path, r)
	case yaml.MappingNode:
		d.structure(n, v, path)
	default:
		d.add(path, "must be a list such as [keys], or {all: [keys, mtls]}")
	}
}

func (j *JWT) inherit(*Config) {
	j.Leeway, j.Refresh, j.Principal, j.Expired = 30*time.Second, time.Hour, "sub", "finish"
	j.Algorithms = []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}
}

func (f *Forward) inherit(*Config) { f.Timeout = 5 * time.Second }

// normalizeAuth brings the names of files and the hashes into one form.
func (c *Config) normalizeAuth(dir string) {
	seen := func(file *string) {
		if *file != "" && !filepath.IsAbs(*file) {
			*file = filepath.Join(dir, *file)
		}
	}
	for _, t := range []*ServerTLS{c.TLS, c.Admin.TLS} {
		if t != nil {
			seen(&t.Cert)
			seen(&t.Key)
			seen(&t.ClientCA)
		}
	}
	a := &c.Auth
	seen(&a.KeysDir)
	a.AdminSHA256 = strings.ToLower(a.AdminSHA256)
	for i := range a.Keys {
		a.Keys[i].SHA256 = strings.ToLower(a.Keys[i].SHA256)
	}
	if a.JWT != nil && !a.JWT.Remote() {
		seen(&a.JWT.JWKS)
	}
}

// Remote reports whether the public keys are at a URL.
func (j *JWT) Remote() bool { return strings.Contains(j.JWKS, "://") }

// has reports whether a scheme can be asked for.
func (c *Config) has(scheme string) bool {
	switch a := &c.Auth; scheme {
	case SchemeKeys:
		return len(a.Keys) > 0 || a.KeysDir != ""
	case SchemeJWT:
		return a.JWT != nil
	case SchemeMTLS:
		return c.TLS != nil && c.TLS.ClientCA != ""
	case SchemeForward:
		return a.Forward != nil
	}
	return false
}

var (
	keyName  = regexp.MustCompile(`^` + KeyName + `$`)
	emptyKey = HashKey("")
)

// HashKey is how a key stands in a configuration.
func HashKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// auth checks which credentials there are.
func (v *validator) auth() {
	v.keys(v.c.Auth.Keys)
	if sum := v.c.Auth.AdminSHA256; sum != "" {
		v.hash("auth.admin_sha256", sum)
	}
	v.check(!v.c.Auth.AdminPprof || v.c.Auth.AdminSHA256 != "", "auth.admin_pprof", "needs auth.admin_sha256")
	v.check(!v.c.Auth.AdminPprof || v.c.Admin.Listen != "", "auth.admin_pprof", "needs an admin address")
	if j := v.c.Auth.JWT; j != nil {
		v.jwt("auth.jwt", j)
	}
	if f := v.c.Auth.Forward; f != nil {
		v.check(!f.URL.WebSocket(), "auth.forward.url", "must be an http or https URL")
		for i, field := range f.Headers {
			v.field(index("auth.forward.headers", i), field)
		}
		v.distinct("auth.forward.headers", f.Headers)
	}
}

// keys checks the keys of the file.
func (v *validator) keys(keys []Key) {
	names, sums := map[string]bool{}, map[string]string{}
	for i, key := range keys {
		at := index("auth.keys", i)
		if v.foundIn(at) {
			continue
		}
		v.check(keyName.MatchString(key.Name), at+".name", "must be 1 to 64 letters, digits and . _ - @")
		v.check(!names[key.Name], at+".name", "%s is the name of an earlier key", quote(key.Name))
		v.hash(at+".sha256", key.SHA256)
		first, twice := sums[key.SHA256]
		v.check(!twice, at+".sha256", "is the key of %s as well", quote(first))
		names[key.Name], sums[key.SHA256] = true, key.Name
	}
}

// hash checks the hash of a key. It is not repeated: it may be the key itself.
func (v *validator) hash(at, sum string) {
	raw, err := hex.DecodeString(sum)
	v.check(err == nil && len(raw) == sha256.Size, at, `is not a SHA-256 in hexadecimal, 64 digits; "sabir key" prints one`)
	v.check(sum != emptyKey, at, "is that of an empty key")
}

func (v *validator) jwt(at string, j *JWT) {
	for key, value := range map[string]string{"issuer": j.Issuer, "audience": j.Audience, "jwks": j.JWKS, "principal": j.Principal} {
		v.check(value != "" || !v.stands(at+"."+key), at+"."+key, "must not be empty")
	}
	v.check(len(j.Algorithms) > 0, at+".algorithms", "needs at least one algorithm")
	v.distinct(at+".algorithms", j.Algorithms)
	if j.Remote() {
		u, err := url.Parse(j.JWKS)
		v.check(err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "", at+".jwks", "is neither an http or https URL nor a file")
		v.check(err != nil || u.User == nil, at+".jwks", "must not hold a user or password")
	}
}

// routeAuth checks what a route asks for. A route is open only if it says nothing at all.
func (v *validator) routeAuth(at string, r *Route) {
	if !v.stands(at) {
		v.check(!r.AuthPass, strings.TrimSuffix(at, ".auth")+".auth_pass", "has a meaning only with auth")
		return
	}
	if v.foundIn(at) {
		return
	}
	v.check(!r.Auth.IsZero(), at, "needs at least one scheme; a route without auth is open to everybody")
	v.check(len(r.Auth.Any) == 0 || len(r.Auth.All) == 0, at, "can have any or all, not both")
	for _, list := range []struct {
		at    string
		names []string
	}{{at, r.Auth.Any}, {at + ".all", r.Auth.All}} {
		if v.stands(at + ".any") {
			list.at = strings.TrimSuffix(list.at, ".all") + ".any"
		}
		v.distinct(list.at, list.names)
		for i, name := range list.names {
			v.check(v.c.has(name), index(list.at, i), "%s is not set up; %s", name, missing[name])
		}
	}
}

// missing says what a scheme needs.
var missing = map[string]string{
	SchemeKeys:    "it needs auth.keys or auth.keys_dir",
	SchemeJWT:     "it needs auth.jwt",
	SchemeMTLS:    "it needs tls.client_ca",
	SchemeForward: "it needs auth.forward",
}

// Warnings are what is allowed and probably not meant, each a sentence.
func (c *Config) Warnings() (list []string) {
	if c.exposed() {
		list = append(list, fmt.Sprintf("admin: %s can be reached from other machines, and /metrics needs no key there; set auth.admin_sha256, admin.tls.client_ca, or a loopback address", c.Admin.Listen))
	}
	return append(list, c.Doubts...)
}

// isLoopback reports whether only this machine can reach a good address.
func isLoopback(address string) bool {
	host, _, _ := net.SplitHostPort(address)
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}
