package proxy

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/config"
)

// TestProfiles: profiles are for who has the key of operators, and only where they are turned on.
func TestProfiles(t *testing.T) {
	t.Parallel()
	f := func(pprof string, want map[string]int) {
		t.Helper()
		r := start(t, "listen: 127.0.0.1:0\nauth: {admin_sha256: "+config.HashKey(aliceKey)+", admin_pprof: "+pprof+"}\nupstreams:\n  agent: {url: 'http://127.0.0.1:1', dialect: native}\nroutes:\n  - {path: /run, upstream: agent, client: twin}\n")
		url, end := r.serveAdmin()
		defer end()
		for key, status := range want {
			for _, path := range []string{"/debug/pprof/goroutine?debug=1", "/debug/pprof/heap", "/debug/pprof/cmdline"} {
				req, _ := http.NewRequest(http.MethodGet, url+path, http.NoBody)
				req.Header.Set("Authorization", "Bearer "+key)
				resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				said, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				if status == http.StatusOK && (len(said) == 0 || strings.HasSuffix(path, "debug=1") && !strings.Contains(string(said), "goroutine profile")) {
					t.Errorf("%s says %.100q", path, said)
				}
				if resp.StatusCode != status {
					t.Errorf("admin_pprof %s: %s with %q has status %d, want %d", pprof, path, key, resp.StatusCode, status)
				}
			}
		}
	}
	f("true", map[string]int{"": 401, bobKey: 401, aliceKey: 200})
	f("false", map[string]int{"": 404, aliceKey: 404})
}
