package main

import (
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
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

// TestHealthTLS: an admin address with TLS is asked by it, and its certificate is judged.
func TestHealthTLS(t *testing.T) {
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) }))
	defer srv.Close()
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	addr := srv.Listener.Addr().String()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	sabir(t, "", "health", "--admin", "https://"+addr, "--ca", ca).want(t, exitOK, "ok\n", "")
	sabir(t, "", "health", "--admin", "https://"+addr, "--ca", ca, "--server-name", "example.com").want(t, exitOK, "ok\n", "")
	sabir(t, "", "health", "--admin", "https://"+addr, "--ca", ca, "--server-name", "other.test").want(t, exitFailed, "", "not other.test")
	sabir(t, "", "health", "--admin", "https://"+addr).want(t, exitFailed, "", "unknown authority")
	sabir(t, "", "health", "--admin", "https://"+addr, "--ca", ca+"x").want(t, exitUsage, "", "--ca: cannot read")
	sabir(t, "", "health", "--admin", addr, "--ca", ca).want(t, exitUsage, "", "need --admin https://"+addr)
	sabir(t, "", "health", "--admin", addr).want(t, exitFailed, "", addr+" answers 400")
}
