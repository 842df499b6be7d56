package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestHealth(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" {
			http.Error(w, "draining", http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte("ok\n"))
	}))
	defer srv.Close()
	addr := srv.Listener.Addr().String()
	sabir(t, "", "health", "--admin", addr).want(t, exitOK, "ok\n", "")
	sabir(t, "", "health", "--ready", "--admin", addr).want(t, exitFailed, "", addr+" answers 503 Service Unavailable: draining")
	_, port, _ := net.SplitHostPort(addr)
	sabir(t, "", "health", "--admin", "0.0.0.0:"+port).want(t, exitOK, "ok\n", "")
	sabir(t, "", "health", "--admin", ":"+port).want(t, exitOK, "ok\n", "")
	sabir(t, "", "health", "--admin", "nowhere").want(t, exitUsage, "", "--admin: want HOST:PORT")

	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	got := sabir(t, "", "health", "--admin", ln.Addr().String())
	got.want(t, exitFailed, "", "no answer from "+ln.Addr().String())
	if strings.Contains(got.stderr, "http://") {
		t.Errorf("the address is said twice: %s", got.stderr)
	}
}

func TestReachable(t *testing.T) {
	f := func(listen, want string) {
		t.Helper()
		if got, err := reachable(listen); got != want || err != nil {
			t.Errorf("%s: got %s, %v", listen, got, err)
		}
	}
	f("0.0.0.0:9090", "127.0.0.1:9090")
	f("[::]:9090", "[::1]:9090")
	f(":9090", "127.0.0.1:9090")
	f("[::1]:9090", "[::1]:9090")
	f("sabir.internal:9090", "sabir.internal:9090")
}
