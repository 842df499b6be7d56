package proxy

import (
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/config"
)

const denyLoopback = "dial: {deny: [127.0.0.0/8]}\n"

// TestDeniedAddresses: no connection is made to an address that is denied, whoever wants it, and a reload changes that.
func TestDeniedAddresses(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	ws := strings.Replace(a.url(), "http", "ws", 1)
	r := start(t, denyLoopback+simple(a.url(), "", "", "client: twin\n"))
	for _, url := range []string{a.url(), strings.Replace(a.url(), "127.0.0.1", "localhost", 1), strings.Replace(a.url(), "127.0.0.1", "[::ffff:127.0.0.1]", 1), ws} {
		if err := r.Reload(parse(t, denyLoopback+simple("'"+url+"'", "", "", "client: twin\n"))); err != nil {
			t.Fatal(err)
		}
		before := r.metric("sabir_dials_denied_total", "target=agent")
		resp, body := r.post("/run", "{}")
		if resp.StatusCode != 502 || !strings.Contains(body, `"upstream_denied"`) || strings.Contains(body, "127.0") {
			t.Errorf("%s: status %d: %s", url, resp.StatusCode, body)
		}
		if r.metric("sabir_dials_denied_total", "target=agent") == before {
			t.Errorf("%s: not counted", url)
		}
	}
	if n := a.connections(); n != 0 {
		t.Errorf("%d connections", n)
	}
	if err := r.Reload(parse(t, simple(a.url(), "", "", "client: twin\n"))); err != nil {
		t.Fatal(err)
	}
	r.allowed("/run")
	if r.logs.FilterMessage("connection denied").Len() < 4 {
		t.Error("denied connections are not logged")
	}
}

// TestRefusedReloadKeepsWhatIsDenied: of a configuration that is refused, the addresses that it denies are reached as before.
func TestRefusedReloadKeepsWhatIsDenied(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) { // one request on each connection
		p.request()
		p.ok("Connection: close")
		p.finish(smallRun)
	})
	files := newPKI(t)
	r := start(t, simple(a.url(), files.adminYAML(false), "", "client: twin\n"))
	refused := func(spoil func(*config.Config)) {
		t.Helper()
		cfg := parse(t, denyLoopback+simple(a.url(), files.adminYAML(false), "", "client: twin\n"))
		spoil(cfg)
		if err := r.Reload(cfg); err == nil {
			t.Error("the configuration is taken over")
		}
		if resp, body := r.post("/run", "{}"); resp.StatusCode != 200 {
			t.Errorf("status %d: %s", resp.StatusCode, body)
		}
	}
	refused(func(cfg *config.Config) { cfg.Upstreams["agent"].Dialect = "no-such" })
	_, strange := files.issue("other", 2)
	files.write("server.key", strange)
	refused(func(*config.Config) {})
}

// TestDeniedJudges: servers that say who a client is are no exception, and without them no client is let in.
func TestDeniedJudges(t *testing.T) {
	t.Parallel()
	judge, a := newAgent(t, streaming("")), newAgent(t, streaming(smallRun))
	port := a.ln.Addr().(*net.TCPAddr).Port
	agent := "http://127.0.0.1:" + strconv.Itoa(port)
	f := func(auth, scheme, target string, header ...string) {
		t.Helper()
		r := start(t, "dial: {allow: [127.0.0.0/8], deny: [127.0.0.2]}\n"+simple(agent, auth, "", "client: twin\nauth: ["+scheme+"]\n"))
		if resp, body := r.post("/run", "{}", header...); resp.StatusCode != 503 {
			t.Errorf("%s: status %d: %s", target, resp.StatusCode, body)
		}
		await(t, target+" to be denied", func() bool { return r.metric("sabir_dials_denied_total", "target="+target) > 0 })
	}
	there := "http://127.0.0.2:" + strconv.Itoa(judge.ln.Addr().(*net.TCPAddr).Port)
	f("auth: {forward: {url: '"+there+"'}}\n", "forward", "auth.forward")
	f("auth: {jwt: {issuer: i, audience: a, jwks: '"+there+"'}}\n", "jwt", "auth.jwt", "Authorization: Bearer a.b.c")
	if judge.connections()+a.connections() != 0 {
		t.Error("connections were made")
	}
}

// TestRebinding: a name that stands for an allowed address when it is looked up, and for another when it is called, leads to neither but
// what was judged.
func TestRebinding(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	port := strconv.Itoa(a.ln.Addr().(*net.TCPAddr).Port)
	dns := newNameServer(t, [4]byte{127, 0, 0, 1})
	yaml := "dial: {deny: [127.0.0.1]}\n" + simple("http://rebinding.test:"+port, "", "", "client: twin\n")
	r := start(t, yaml)
	dns.resolves(r)
	for range 4 {
		dns.becomes([4]byte{127, 0, 0, 9}, [4]byte{127, 0, 0, 1}) // nothing listens there, and it is allowed
		for range 2 {
			r.post("/run", "{}")
		}
	}
	if n := a.connections(); n != 0 {
		t.Errorf("%d connections to the denied address", n)
	}
	if denied := r.metric("sabir_dials_denied_total"); denied != 4 {
		t.Errorf("%v of 8 calls are denied", denied)
	}
}
