package proxy

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/internal/fields"
)

// judge is a server that is asked. status is what it answers with; 0 is never, and 999 success with a name that is none.
func judge(t *testing.T) (url string, status *atomic.Int64, asked <-chan *http.Request) {
	t.Helper()
	questions, release := make(chan *http.Request, 32), make(chan struct{})
	status = new(atomic.Int64)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		questions <- req
		w.Header().Set("X-User", "carol")
		w.Header().Set("X-Group", "staff")
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		switch s := int(status.Load()); s {
		case 0:
			<-release
		case 999:
			w.Header().Set("X-User", "carol\x01")
		default:
			w.WriteHeader(s)
		}
	}))
	t.Cleanup(func() {
		close(release)
		srv.Close()
	})
	return srv.URL, status, questions
}

// TestForwardAuth: another server decides, is shown what it needs, and what it says of the client reaches the agent.
func TestForwardAuth(t *testing.T) {
	t.Parallel()
	judge, status, asked := judge(t)
	a, got := headerAgent(t)
	yaml := "listen: 127.0.0.1:0\nauth:\n  forward: {url: '" + judge + "/auth', timeout: 1m, headers: [X-User, X-Group]}\nupstreams:\n  agent:\n" +
		"    url: '" + a.url() + "'\n    dialect: native\n    headers: {set: {X-Who: 'user {principal}', Authorization: Bearer of-the-agent}}\nroutes:\n" +
		"  - {path: /run, upstream: agent, client: twin, auth: [forward], headers: {allow: [x-user, x-tenant]}}\n" +
		"  - {path: /open, upstream: agent, client: twin, headers: {allow: [x-who]}}\n"
	r := start(t, yaml)
	f := func(answer, want int) *http.Response {
		t.Helper()
		status.Store(int64(answer))
		resp, body := r.post("/run?q=1", "{}", "X-User: mallory", "X-Tenant: t", "Cookie: session=1", "X-Forwarded-Uri: /other", "Authorization: Bearer mine")
		if resp.StatusCode != want {
			t.Errorf("%d becomes %d, want %d: %s", answer, resp.StatusCode, want, body)
		}
		return resp
	}
	f(204, 200)
	q := <-asked
	if q.Method != "GET" || q.Header.Get("X-Forwarded-Method") != "POST" || q.Header.Get("X-Forwarded-Uri") != "/run?q=1" || q.Header.Get("Cookie") != "session=1" ||
		q.Header.Get("Authorization") != "Bearer mine" || q.ContentLength > 0 || len(q.Header.Values("X-Forwarded-Uri")) != 1 {
		t.Errorf("the other server is asked by %v", q.Header)
	}
	h := <-got
	if fmt.Sprint(h["X-User"], h["X-Group"], h["X-Who"], h["X-Tenant"], h["Authorization"], h["Cookie"]) != "[carol] [staff] [user carol] [t] [Bearer of-the-agent] []" {
		t.Errorf("the agent gets %v", h)
	}
	if resp := f(401, 401); resp.Header.Get("WWW-Authenticate") != `Basic realm="x"` {
		t.Errorf("the challenge is %v", resp.Header)
	}
	f(403, 403)
	f(302, 503)
	f(500, 503)
	f(999, 503)
	r.post("/open", "{}", "X-Who: user mallory")
	if h := <-got; h.Get("X-Who") != "" {
		t.Errorf("of an open route the agent hears %v", h)
	}
	if n := r.metric("sabir_auth_total", "scheme=forward", "result=unavailable"); n != 3 {
		t.Errorf("%v requests could not be judged", n)
	}

	r = start(t, strings.Replace(yaml, "timeout: 1m", "timeout: 300ms", 1))
	f(0, 503) // a server that hangs is not waited for for longer
	if n := r.metric("sabir_auth_total", "scheme=forward", "result=unavailable"); n != 1 {
		t.Errorf("%v requests could not be judged by a server that hangs", n)
	}
}

// TestForwardAuthTarget: the other server judges the path that is served, however the client writes it, and hears of no other.
func TestForwardAuthTarget(t *testing.T) {
	t.Parallel()
	judge, status, asked := judge(t)
	status.Store(403)
	r := start(t, "listen: 127.0.0.1:0\nauth:\n  forward: {url: '"+judge+"/auth'}\nupstreams:\n  agent: {url: 'http://127.0.0.1:1/', dialect: native}\n"+
		"routes:\n  - {path: /private/*, upstream: agent, client: twin, auth: [forward]}\n")
	f := func(target, want string) {
		t.Helper()
		c := r.dial()
		c.ask("POST", target, "{}", "X-Original-Url: http://x/public", "X_Original_Uri: /public", "X-Rewrite-URL: /public")
		if resp := c.response(); resp.StatusCode != 403 {
			t.Fatalf("%s: status %d", target, resp.StatusCode)
		}
		h := (<-asked).Header
		if got := h.Get("X-Forwarded-Uri"); got != want {
			t.Errorf("%s is judged as %q, want %q", target, got, want)
		}
		for name := range h {
			if claimsTarget(fields.Key(name)) {
				t.Errorf("the other server hears %s from the client", name)
			}
		}
	}
	f("/private/a?q=/public", "/private/a?q=/public")
	f("/public/../private/a", "/private/a")
	f("/public/%2e%2e/private/a", "/private/a")
	f("//private//a/", "/private/a/")
	f("/%70rivate/a%2fb%20c?x=%41", "/private/a%2Fb%20c?x=%41")
	f("http://elsewhere/private/a?q=1", "/private/a?q=1")
}

// TestAdminKey: with a key, metrics are for who has it; probes need none.
func TestAdminKey(t *testing.T) {
	t.Parallel()
	r := start(t, "listen: 127.0.0.1:0\nauth: {admin_sha256: "+config.HashKey(aliceKey)+"}\nupstreams:\n  agent: {url: 'http://127.0.0.1:1', dialect: native}\nroutes:\n  - {path: /run, upstream: agent, client: twin}\n")
	url, end := r.serveAdmin()
	defer end()
	for _, want := range []struct {
		path, key string
		status    int
	}{{"/metrics", "", 401}, {"/metrics", bobKey, 401}, {"/metrics", aliceKey, 200}, {"/healthz", "", 200}, {"/readyz", "", 200}} {
		req, _ := http.NewRequest(http.MethodGet, url+want.path, http.NoBody)
		req.Header.Set("Authorization", "Bearer "+want.key)
		resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want.status {
			t.Errorf("%s with %q: status %d, want %d", want.path, want.key, resp.StatusCode, want.status)
		}
	}
}

// TestFieldsOfTheGuard: a field that the other server may set is never the client's, though the route lets the client send it; all fields of
// the configuration are set, but those that need a name there is none of.
func TestFieldsOfTheGuard(t *testing.T) {
	t.Parallel()
	judge := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-User", "carol") }))
	t.Cleanup(judge.Close)
	a, got := headerAgent(t)
	const set = "X-Who: '{principal}', X-A: a, X-B: b, X-C: c, X-D: d, X-E: e, X-F: f"
	r := start(t, "listen: 127.0.0.1:0\nauth:\n  forward: {url: '"+judge.URL+"/auth', headers: [X-User, X-Group]}\n"+strings.TrimPrefix(keysYAML(), "auth:\n")+
		"upstreams:\n  agent: {url: '"+a.url()+"', dialect: native, headers: {set: {"+set+"}}}\nroutes:\n"+
		"  - {path: /run, upstream: agent, client: twin, auth: [forward], headers: {allow: [x-user, x-group, x-tenant]}}\n"+
		"  - {path: /keys, upstream: agent, client: twin, auth: [keys], headers: {allow: [x-user, x-group, x-tenant]}}\n"+
		"  - {path: /open, upstream: agent, client: twin, headers: {allow: [x-user, x-group, x-tenant]}}\n")
	for path, want := range map[string]string{"/run": "[carol] [] [t] [carol]", "/keys": "[mallory] [admins] [t] [alice]", "/open": "[mallory] [admins] [t] []"} {
		r.allowed(path, asAlice, "X-User: mallory", "X-Group: admins", "X-Tenant: t")
		h := <-got
		if fields := fmt.Sprint(h["X-User"], h["X-Group"], h["X-Tenant"], h["X-Who"]); fields != want {
			t.Errorf("%s: the agent gets %s, want %s", path, fields, want)
		}
		if all := h.Get("X-A") + h.Get("X-B") + h.Get("X-C") + h.Get("X-D") + h.Get("X-E") + h.Get("X-F"); all != "abcdef" {
			t.Errorf("%s: of the fields that are set the agent gets %s", path, all)
		}
	}
}
