package browser

import (
	"net"
	"strings"
	"testing"
)

// TestHostNames: which hosts a server answers to, by its own address and by the list.
func TestHostNames(t *testing.T) {
	t.Parallel()
	for field, want := range map[string]string{
		"": "", "A.example": "a.example", "a.example:80": "a.example", "a.example.": "a.example", "[::1]:80": "::1", "[::1]": "::1", "::1": "::1",
	} {
		if got := bareHost(field); got != want {
			t.Errorf("host %q: got %q, want %q", field, got, want)
		}
	}
	called := &net.TCPAddr{IP: net.ParseIP("10.0.0.7"), Port: 80}
	for host, want := range map[string]bool{
		"": true, "localhost": true, "127.0.0.1": true, "::1": true, "10.0.0.7": true, "::ffff:10.0.0.7": true, "agent.example": true,
		"10.0.0.8": false, "b.example": false, "localhost.b.example": false,
	} {
		if got := ownHost(host, "agent.example:80", called); got != want {
			t.Errorf("%q is its own: %t", host, got)
		}
	}
	hosts := []string{"a.example", "*.b.example"}
	for host, want := range map[string]bool{
		"a.example": true, "x.a.example": false, "b.example": false, ".b.example": false, "x.b.example": true, "x.y.b.example": true, "xb.example": false,
	} {
		if got := listedHost(hosts, host); got != want {
			t.Errorf("%q is listed: %t", host, got)
		}
	}
}

// TestOriginNames: which pages may call, by the list and by the host that they call.
func TestOriginNames(t *testing.T) {
	t.Parallel()
	listed := func(origin string, want bool, list ...string) {
		t.Helper()
		if got := allowsOrigin(list, origin); got != want {
			t.Errorf("%q in %q: %t", origin, list, got)
		}
	}
	listed("http://a", false)
	listed("http://a", true, "https://b", "http://a")
	listed("http://a", true, "*")
	listed("", false, "")
	listed("", true, "*")
	listed("http://a:1", true, "http://*")
	listed("https://a", false, "http://*")
	listed("httpx://a", false, "http://*")

	same := func(origin, host string, want bool) {
		t.Helper()
		if got := sameOrigin(origin, host); got != want {
			t.Errorf("%q calls %q: %t", origin, host, got)
		}
	}
	same("http://A:80", "a", true)
	same("http://a", "a:80", true)
	same("https://a:443", "a", true)
	same("https://a", "a:80", false)
	same("http://a", "a:443", false)
	same("http://a:8080", "a:8080", true)
	same("http://a:8080", "a", false)
	same("null", "null", false)
	same("http://", "", false)
	same("http://a b", "a b", false)

	for _, n := range []int{0, 200} {
		if text := strings.Repeat("x", n); clip(text) != text {
			t.Errorf("%d bytes are cut", n)
		}
	}
	if got := clip(strings.Repeat("x", 201)); got != strings.Repeat("x", 200)+"…" {
		t.Errorf("201 bytes become %d", len(got))
	}
}

// TestHostsElsewhere leaves an address alone that others than this machine can reach, unless hosts are listed; then the
// address itself still works, as probes call it.
func TestHostsElsewhere(t *testing.T) {
	t.Parallel()
	if !ownHost("192.0.2.7", "0.0.0.0:80", fakeAddr("192.0.2.7:80")) || ownHost("192.0.2.8", "0.0.0.0:80", fakeAddr("192.0.2.7:80")) {
		t.Error("the address that was called is not known")
	}
	if IsLoopback(fakeAddr("[::]:80")) || IsLoopback(fakeAddr("10.0.0.1:80")) || !IsLoopback(fakeAddr("[::1]:80")) {
		t.Error("loopback addresses are not known")
	}
}

type fakeAddr string

func (fakeAddr) Network() string  { return "tcp" }
func (a fakeAddr) String() string { return string(a) }
