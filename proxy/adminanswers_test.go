package proxy

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/proxy/internal/page"
)

// TestAdminAnswersOnce: a request of operators that is refused gets that answer, and nothing of what it asked for.
func TestAdminAnswersOnce(t *testing.T) {
	t.Parallel()
	r := start(t, simple("http://127.0.0.1:1/", "hosts: [sabir.test]\n", "", "client: twin\n"))
	admin, end := r.serveAdmin()
	defer end()
	const ours, foreign = "sabir.test", "elsewhere.test"
	for _, c := range []struct {
		method, host, path string
		status             int
		begins, allow      string
	}{
		{"GET", foreign, "/metrics", 421, `{`, ""},
		{"GET", foreign, "/healthz", 421, `{`, ""},
		{"POST", ours, "/metrics", 405, "Only GET and HEAD", "GET, HEAD"},
		{"DELETE", ours, "/healthz", 405, "Only GET and HEAD", "GET, HEAD"},
		{"GET", ours, "/healthz", 200, "ok\n", ""},
		{"GET", ours, "/readyz", 200, "ready\n", ""},
		{"GET", ours, "/", 200, "Sabir, for operators: /metrics", ""},
		{"GET", ours, "/nothing", 404, "There is only /metrics", ""},
		{"GET", ours, "/debug/pprof/heap", 404, "Profiles are off", ""},
	} {
		req, err := http.NewRequest(c.method, admin+c.path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = c.host
		resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		said, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != c.status || !strings.HasPrefix(string(said), c.begins) || resp.Header.Get("Allow") != c.allow || strings.Contains(string(said), "sabir_") {
			t.Errorf("%s %s%s: status %d, %v, %.200s", c.method, c.host, c.path, resp.StatusCode, resp.Header, said)
		}
	}
}

// TestRefusalsOfOperatorsHaveIDs: a refusal of the admin port can be found in the log by the id in its answer, which is that of the request if it has one.
func TestRefusalsOfOperatorsHaveIDs(t *testing.T) {
	t.Parallel()
	r := start(t, simple("http://127.0.0.1:1/", "hosts: [sabir.test]\n", "", "client: twin\n"))
	admin, end := r.serveAdmin()
	defer end()
	for _, own := range []string{"", "mine-1"} {
		req, err := http.NewRequest("GET", admin+"/metrics", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = "elsewhere.test"
		req.Header.Set("X-Request-Id", own)
		resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		id := resp.Header.Get("X-Request-Id")
		lines := r.logs.FilterMessage("request rejected").All()
		if logged := lines[len(lines)-1].ContextMap()["request_id"]; id == "" || logged != id || own != "" && id != own {
			t.Errorf("the request %q was answered as %q, and logged as %q", own, id, logged)
		}
	}
}

// TestPageIsNoOthers: what operators see of runs is no part of another page, is not kept, and tells no one where they have been.
func TestPageIsNoOthers(t *testing.T) {
	t.Parallel()
	r := start(t, simple("http://127.0.0.1:1/", "inspect: content\n", "", "client: twin\n"))
	admin, end := r.serveAdmin()
	defer end()
	for _, path := range []string{"/inspect/", "/inspect/runs/9"} {
		resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(httptest.NewRequest("GET", admin+path, http.NoBody))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		for name, want := range map[string]string{
			"Content-Security-Policy": page.Policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
		} {
			if got := resp.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
	}
}
