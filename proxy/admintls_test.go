package proxy

import (
	"bufio"
	"crypto/tls"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/config"
)

// adminYAML is the part of a configuration that has operators come by TLS.
func (p *pki) adminYAML(clients bool) string {
	files := strings.TrimSuffix(p.yaml(clients), "\n")
	return "admin: {listen: '127.0.0.1:9', " + files + "}\n"
}

// operator asks the admin address of a rig by TLS.
type operator struct {
	t    testing.TB
	base string
	*http.Client
}

// operateTLS runs the side for operators, which url tells of, and returns who asks it by a configuration of TLS.
func operateTLS(t testing.TB, url string, cfg *tls.Config) *operator {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: cfg, DisableKeepAlives: true}
	t.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{Transport: transport, Timeout: 2 * testTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &operator{t, strings.Replace(url, "http://", "https://", 1), client}
}

// get asks for a path with a key, "" for none.
func (o *operator) get(path, key string) (*http.Response, string) {
	o.t.Helper()
	req, err := http.NewRequestWithContext(o.t.Context(), http.MethodGet, o.base+path, http.NoBody)
	if err != nil {
		o.t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := o.Do(req)
	if err != nil {
		o.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		o.t.Fatal(err)
	}
	return resp, string(body)
}

// wants fails the test unless a path has a status.
func (o *operator) wants(status int, path, key string) {
	o.t.Helper()
	if resp, body := o.get(path, key); resp.StatusCode != status {
		o.t.Errorf("%s has status %d, want %d: %.200s", path, resp.StatusCode, status, body)
	}
}

// TestAdminTLS: operators come by TLS with certificates of their own, which are read again without harm to those of clients.
func TestAdminTLS(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	clients, operators := newPKI(t), newPKI(t)
	clients.renew(11)
	operators.renew(21)
	r := start(t, simple(a.url(), clients.yaml(false)+operators.adminYAML(false)+"inspect: content\n", "", "client: twin\n"))
	r.InspectAlways()
	url, end := r.serveAdmin()
	defer end()
	o := operateTLS(t, url, operators.client())
	serial := func() string {
		resp, _ := o.get("/healthz", "")
		return resp.TLS.PeerCertificates[0].SerialNumber.String()
	}
	c := r.dialTLS(clients.client())
	c.ask("POST", "/run", "{}")
	if resp, body := c.whole(); resp.StatusCode != 200 || body != smallRunOut {
		t.Errorf("status %d, %s", resp.StatusCode, body)
	}
	r.awaitEnds(1)
	if got := r.serial(clients.client()) + " " + serial(); got != "11 21" {
		t.Errorf("certificates %s", got)
	}
	if resp, body := o.get("/metrics", ""); resp.StatusCode != 200 || !strings.Contains(body, `sabir_tls_certificate_expiry_timestamp_seconds{listener="admin"} 1`) {
		t.Errorf("status %d, %.300s", resp.StatusCode, body)
	}
	if resp, _ := o.get("/inspect", ""); resp.StatusCode != 302 || resp.Header.Get("Location") != "/inspect/" {
		t.Errorf("status %d, to %s", resp.StatusCode, resp.Header.Get("Location"))
	}
	if resp, body := o.get("/inspect/runs/1", ""); resp.StatusCode != 200 || !strings.Contains(body, "Hello") {
		t.Errorf("status %d, %s", resp.StatusCode, body)
	}
	o.wants(200, "/inspect/", "")
	operators.renew(22)
	r.adminCerts.Look()
	if got := r.serial(clients.client()) + " " + serial(); got != "11 22" {
		t.Errorf("after a change of files: certificates %s", got)
	}
	clients.renew(12)
	operators.renew(23)
	if err := r.Reload(r.cfg); err != nil {
		t.Error(err)
	}
	if got := r.serial(clients.client()) + " " + serial(); got != "12 23" {
		t.Errorf("after a reload: certificates %s", got)
	}
	if r.metric("sabir_tls_certificate_reads_total", "listener=admin", "result=ok") != 1 || r.metric("sabir_tls_certificate_reads_total", "listener=clients") != 0 {
		t.Error("the change is not counted for the listener")
	}
}

// TestAdminTLSFollowsTheRuns: the page gets what happens live, which takes a connection over.
func TestAdminTLSFollowsTheRuns(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	files := newPKI(t)
	r := start(t, simple(a.url(), files.adminYAML(false)+"inspect: content\n", "", "client: twin\n"))
	r.InspectAlways()
	url, end := r.serveAdmin()
	defer end()
	o := operateTLS(t, url, files.client())
	resp, err := o.Get(o.base + "/inspect/runs")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	r.post("/run", "{}")
	live := bufio.NewScanner(resp.Body)
	for live.Scan() && !strings.Contains(live.Text(), `"/run"`) {
	}
	if !strings.Contains(live.Text(), `"/run"`) {
		t.Errorf("the page does not see the run: %v", live.Err())
	}
}

// TestAdminTLSRefuses: a plain request learns what is spoken here, and a failed handshake is counted for its listener.
func TestAdminTLSRefuses(t *testing.T) {
	t.Parallel()
	files := newPKI(t)
	r := start(t, simple("http://127.0.0.1:1/", files.adminYAML(false), "", "client: twin\n"))
	url, end := r.serveAdmin()
	defer end()
	if got := get(t, url+"/metrics"); !strings.HasPrefix(got, "400 ") || !strings.Contains(got, "https://") {
		t.Errorf("a plain request gets %s", got)
	}
	await(t, "the handshake to be counted", func() bool {
		return r.metric("sabir_tls_handshake_errors_total", "listener=admin", "cause=plain_http") == 1
	})
	if n := r.metric("sabir_tls_handshake_errors_total", "listener=clients"); n != 0 {
		t.Errorf("%v handshakes are counted for clients", n)
	}
	_, strange := files.issue("other", 2)
	files.write("server.key", strange)
	if err := r.Reload(r.cfg); err == nil || !strings.Contains(err.Error(), "admin.tls: ") {
		t.Errorf("a reload takes a broken pair: %v", err)
	}
}

// TestReloadTakesAllCertificatesOrNone: where those of operators cannot be read, those of clients stay as they were.
func TestReloadTakesAllCertificatesOrNone(t *testing.T) {
	t.Parallel()
	clients, operators := newPKI(t), newPKI(t)
	r := start(t, simple("http://127.0.0.1:1/", clients.yaml(false)+operators.adminYAML(false), "", "client: twin\n"))
	was := r.certs.Current()
	_, strange := operators.issue("other", 2)
	operators.write("server.key", strange)
	if err := r.Reload(r.cfg); err == nil || r.certs.Current() != was {
		t.Errorf("half of the certificates are taken over: %v", err)
	}
	operators.renew(2)
	if err := r.Reload(r.cfg); err != nil || r.certs.Current() == was {
		t.Errorf("good ones are not taken over: %v", err)
	}
}

// TestAdminClientCertificates: with admin.tls.client_ca, what is not for everybody needs a certificate that is trusted now, and the key
// as well where there is one.
func TestAdminClientCertificates(t *testing.T) {
	t.Parallel()
	files := newPKI(t)
	const key = "key-of-operators-1"
	locked := "auth: {admin_sha256: " + config.HashKey(key) + ", admin_pprof: true}\n"
	r := start(t, simple("http://127.0.0.1:1/", files.adminYAML(true)+"inspect: content\n", "", "client: twin\n"))
	r.InspectAlways()
	url, end := r.serveAdmin()
	defer end()
	alice, anonymous := operateTLS(t, url, files.client(files.pair("alice"))), operateTLS(t, url, files.client())
	for _, path := range []string{"/healthz", "/readyz", "/", "/inspect/"} {
		anonymous.wants(200, path, "")
	}
	anonymous.wants(401, "/metrics", "")
	anonymous.wants(401, "/inspect/runs/1", "")
	alice.wants(200, "/metrics", "")
	alice.wants(404, "/inspect/runs/1", "")

	reload := func(top string) {
		t.Helper()
		if err := r.Reload(parse(t, simple("http://127.0.0.1:1/", top, "", "client: twin\n"))); err != nil {
			t.Fatal(err)
		}
	}
	reload(files.adminYAML(true) + locked)
	anonymous.wants(401, "/metrics", key)
	anonymous.wants(401, "/debug/pprof/cmdline", key)
	alice.wants(401, "/metrics", "")
	alice.wants(200, "/metrics", key)
	alice.wants(200, "/debug/pprof/cmdline", key)

	// TLS neither ends nor begins with a reload: who needed a certificate needs it until the restart.
	reload("admin: 127.0.0.1:9\n")
	anonymous.wants(401, "/metrics", "")
	reload(files.adminYAML(false))
	anonymous.wants(200, "/metrics", "")
	reload(files.adminYAML(true))
	files.write("clients.pem", newAuthority(t).pem)
	r.adminCerts.Look()
	if _, err := alice.Get(alice.base + "/metrics"); err == nil {
		t.Error("a certificate that is not trusted any more is accepted")
	}
}

// TestAdminTrustEnds: a connection of an operator outlives the trust in its certificate, but gets nothing more.
func TestAdminTrustEnds(t *testing.T) {
	t.Parallel()
	files := newPKI(t)
	r := start(t, simple("http://127.0.0.1:1/", files.adminYAML(true), "", "client: twin\n"))
	url, end := r.serveAdmin()
	defer end()
	raw, err := tls.Dial("tcp", strings.TrimPrefix(url, "http://"), files.client(files.pair("alice")))
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	_ = raw.SetDeadline(time.Now().Add(2 * testTimeout))
	c := &client{Conn: raw, t: t, br: bufio.NewReader(raw)}
	status := func() int {
		c.ask("GET", "/metrics", "")
		resp, _ := c.whole()
		return resp.StatusCode
	}
	if got := status(); got != 200 {
		t.Errorf("status %d", got)
	}
	files.write("clients.pem", newAuthority(t).pem)
	r.adminCerts.Look()
	if got := status(); got != 401 {
		t.Errorf("without trust: status %d", got)
	}
}

// TestAdminTLSNeedsRestart: a listener that began without TLS shows nothing to who should have a certificate.
func TestAdminTLSNeedsRestart(t *testing.T) {
	t.Parallel()
	files := newPKI(t)
	r := start(t, simple("http://127.0.0.1:1/", "", "", "client: twin\n"))
	url, end := r.serveAdmin()
	defer end()
	if got := get(t, url+"/metrics"); !strings.HasPrefix(got, "200 ") {
		t.Errorf("before: %.100s", got)
	}
	if err := r.Reload(parse(t, simple("http://127.0.0.1:1/", files.adminYAML(true), "", "client: twin\n"))); err != nil {
		t.Fatal(err)
	}
	if got := get(t, url+"/metrics"); !strings.HasPrefix(got, "401 ") {
		t.Errorf("after: %.100s", got)
	}
}

// TestAdminCertificatesUnderScrapes: certificates of operators change while they ask, and no answer fails.
func TestAdminCertificatesUnderScrapes(t *testing.T) {
	t.Parallel()
	files := newPKI(t)
	r := start(t, simple("http://127.0.0.1:1/", files.adminYAML(false), "", "client: twin\n"))
	url, end := r.serveAdmin()
	defer end()
	var over atomic.Bool
	var asked atomic.Int32
	done := make(chan struct{})
	go func() {
		defer close(done)
		o := operateTLS(t, url, files.client())
		for ; !over.Load(); asked.Add(1) {
			if resp, err := o.Get(o.base + "/metrics"); err != nil {
				t.Error(err)
			} else {
				if resp.StatusCode != 200 {
					t.Errorf("status %d", resp.StatusCode)
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		}
	}()
	for i := range 20 {
		files.renew(int64(100 + i))
		r.adminCerts.Look()
		before := asked.Load()
		await(t, "an answer", func() bool { return asked.Load() > before })
	}
	over.Store(true)
	<-done
}
