package config

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestQuotas: who has limits of its own has these alone, and all others share those of anybody.
func TestQuotas(t *testing.T) {
	ten := Rate{Count: 10, Per: time.Second}
	l := Limits{Rate: ten, Burst: 3, TokensPerMinute: 7, Principal: Quota{Streams: 1}, Principals: map[string]Quota{"a": {Streams: 2}, "": {Streams: 3}}}
	for name, want := range map[string]int{"a": 2, "b": 1, "": 1} {
		if got := l.QuotaOf(name).Streams; got != want {
			t.Errorf("%q has %d streams, want %d", name, got, want)
		}
	}
	r := RouteLimits{Rate: ten, Burst: 3, TokensPerMinute: 7, Principal: Quota{Streams: 1}}
	if want := (Quota{Rate: ten, Burst: 3, TokensPerMinute: 7}); l.Quota() != want || r.Quota() != want {
		t.Errorf("all have %+v, those of a route %+v", l.Quota(), r.Quota())
	}
	for text, want := range map[string]float64{"10/s": 10, "600/m": 10, "1800/h": 0.5} {
		var rate Rate
		if err := rate.UnmarshalText([]byte(text)); err != nil || rate.PerSecond() != want {
			t.Errorf("%s is %g a second, %v", text, rate.PerSecond(), err)
		}
		if back, err := rate.MarshalText(); string(back) != text || err != nil {
			t.Errorf("%s is written as %s, %v", text, back, err)
		}
	}
	if _, err := (Rate{Count: 1, Per: time.Millisecond}).MarshalText(); err == nil {
		t.Error("a rate of an unknown period is written")
	}
}

// TestRedactLookups: a pattern that says nothing does as its route.
func TestRedactLookups(t *testing.T) {
	for _, c := range []struct {
		route, pattern string
		want           bool
	}{
		{"mask", "default", false}, {"mask", "mask", false}, {"mask", "block", true}, {"block", "default", true}, {"block", "mask", false}, {"block", "block", true},
	} {
		if got := (&Redact{Action: c.route}).Blocks(&RedactPattern{Action: c.pattern}); got != c.want {
			t.Errorf("%s on a route that says %s: blocks %t", c.pattern, c.route, got)
		}
	}
	for _, r := range []Redact{{Builtin: []string{"keys"}}, {Patterns: make([]RedactPattern, 1)}} {
		if r.IsZero() {
			t.Errorf("%+v redacts nothing", r)
		}
	}
	if !new(Redact).IsZero() {
		t.Error("nothing redacts something")
	}
}

// TestAuthLookups: schemes of both lists are asked for.
func TestAuthLookups(t *testing.T) {
	a := RouteAuth{Any: []string{"keys"}, All: []string{"jwt", "mtls"}}
	if got := a.Schemes(); !slices.Equal(got, []string{"keys", "jwt", "mtls"}) {
		t.Errorf("%q", got)
	}
	if a.IsZero() || (RouteAuth{Any: a.Any}).IsZero() || (RouteAuth{All: a.All}).IsZero() || !(RouteAuth{}).IsZero() {
		t.Error("what asks for a scheme is open, or the other way round")
	}
	c := &Config{}
	for _, scheme := range []string{SchemeKeys, SchemeJWT, SchemeMTLS, SchemeForward, "other"} {
		if c.has(scheme) {
			t.Errorf("nothing has %s", scheme)
		}
	}
	c.TLS = &ServerTLS{}
	if c.has(SchemeMTLS) {
		t.Error("TLS without certificates of issuers identifies clients")
	}
}

// TestOptionsFor: where a route lets its clients choose, each dialect has its own options.
func TestOptionsFor(t *testing.T) {
	own := map[string]any{"reasoning": true}
	f := func(r Route, dialect string, want map[string]any) {
		t.Helper()
		if got := r.OptionsFor(dialect); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %s has %v, want %v", r.Client, dialect, got, want)
		}
	}
	f(Route{Client: "agui", Options: own}, "agui", own)
	f(Route{Client: Auto, Options: map[string]any{"agui": own}}, "agui", own)
	f(Route{Client: Auto, Options: map[string]any{"agui": own}}, "evolve", nil)
}

// TestClasses: each policy stands under the name that its key has.
func TestClasses(t *testing.T) {
	var p Policies
	v := reflect.ValueOf(&p).Elem()
	for i := range v.NumField() {
		v.Field(i).SetString(v.Type().Field(i).Tag.Get("yaml"))
	}
	classes := p.Classes()
	if len(classes) != v.NumField() {
		t.Errorf("%d classes, want %d", len(classes), v.NumField())
	}
	for name, policy := range classes {
		if name != policy {
			t.Errorf("%s has the policy of %s", name, policy)
		}
	}
}

// TestOrigins: what browsers send as an origin, and what stands for several.
func TestOrigins(t *testing.T) {
	for origin, want := range map[string]bool{
		"*": true, "file://": true, "https://a.example": true, "http://a.example:80": true, "app://*": true, "vscode-webview://*": true,
		"http://*": false, "https://*": false, "://*": false, "1a://*": false, "A://*": false, "https://A.example": false, "https://a.example/": false,
		"a.example": false, "": false, "https://": false, "https://a b": false,
	} {
		if got := isOrigin(origin); got != want {
			t.Errorf("%q: %t", origin, got)
		}
	}
}

// TestPlaces: a problem in the last line stands where it is, and an argument of a program may be empty.
func TestPlaces(t *testing.T) {
	const routes = "routes: [{path: /a, upstream: x, client: agui}]\n"
	_, err := Parse("f", []byte("listen: :0\nupstreams: {x: {url: http://h, dialect: evolve}}\n"+routes+"more: abc"), registry, env)
	if err == nil || !strings.HasPrefix(err.Error(), "f:4:1: more: ") {
		t.Errorf("%v", err)
	}
	f := func(command string, want bool) {
		t.Helper()
		_, err := Parse("f", []byte("listen: :0\nupstreams: {x: {command: "+command+", dialect: claude-cli}}\n"+routes), registry, env)
		if (err == nil) != want || err != nil && !strings.Contains(err.Error(), "must name a program") {
			t.Errorf("%s: %v", command, err)
		}
	}
	f(`[claude, ""]`, true)
	f(`["", claude]`, false)
}

// TestStoreAddresses: an address of a store says what is wrong with it, and does not repeat it.
func TestStoreAddresses(t *testing.T) {
	for text, want := range map[string]bool{
		"redis://h:1/0": true, "rediss://u:secret@h": true, "unix:///run/redis.sock": true, "http://secret": false, "redis://": false, "redis": false, "redis://%zz": false, "": true,
	} {
		u := RedisURL{}
		err := u.UnmarshalText([]byte(text))
		if (err == nil) != want || err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", text, err)
		}
	}
	u := RedisURL{}
	if err := u.UnmarshalText([]byte("rediss://u:secret@h/0?a=secret&b=secret")); err != nil {
		t.Fatal(err)
	}
	shown, err := u.MarshalText()
	if err != nil || strings.Contains(string(shown), "secret") || !strings.Contains(string(shown), "a=") || !strings.Contains(string(shown), "u:") || u.Query().Get("a") != "secret" {
		t.Errorf("shown as %s, %v", shown, err)
	}
	if err := errors.Join(u.UnmarshalText(nil)); err != nil || u.Scheme != "" {
		t.Errorf("emptied, it is %v, %v", u, err)
	}
}
