package proxy

import (
	"strings"
	"testing"
)

// TestForeignPages run no agent: what a page of another origin sends is refused, whatever it is, and the log says which
// setting allows it.
func TestForeignPages(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "", "", "client: twin\nmethods: [GET, POST, PUT, PATCH, DELETE]\ncors: {origins: ['https://a.example', 'vscode-webview://*', 'file://']}\n"))
	ask := func(method string, status int, header ...string) {
		t.Helper()
		c := r.dial()
		defer c.Close()
		c.ask(method, "/run", "{}", header...)
		resp := c.response()
		if resp.StatusCode != status {
			t.Errorf("%s %q: status %d, want %d", method, header, resp.StatusCode, status)
		}
		if code := resp.Header.Get("X-Sabir-Error"); status == 403 && code != "origin_not_allowed" {
			t.Errorf("%s %q: %s", method, header, code)
		}
	}
	const socket = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eHh4eHh4eHh4eHh4eHh4eA=="
	for _, origin := range []string{
		"Origin: http://localhost:3000", "Origin: null", "Origin: https://a.example.evil", "Origin: https://proxy.example:8443",
		"Origin: vscode-webview-evil://x", "Sec-Fetch-Site: cross-site",
	} {
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "GET", "OPTIONS"} {
			ask(method, 403, origin, "Content-Type: text/plain")
		}
		ask("GET", 403, origin, socket)
	}
	for _, origin := range []string{
		"Origin: https://a.example\r\nSec-Fetch-Site: cross-site", "Origin: http://proxy.example", "Origin: https://proxy.example",
		"Origin: vscode-webview://0a1b2c", "Origin: file://", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: none",
		"Origin: https://agents.example\r\nSec-Fetch-Site: same-origin", "User-Agent: curl",
	} {
		ask("POST", 200, origin)
		ask("GET", 101, origin, socket)
	}
	want := `origin "http://localhost:3000" is not in cors.origins of route /run`
	for _, line := range r.logs.FilterMessage("request rejected").All() {
		if cause, _ := line.ContextMap()["cause"].(string); cause == want {
			return
		}
	}
	t.Errorf("the log does not say %s", want)
}

// TestForeignHosts are refused on a loopback address, for operators as well: a page may let its own name point there.
func TestForeignHosts(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	f := func(hosts string, good, bad []string) {
		t.Helper()
		r := start(t, simple(a.url(), hosts, "", "client: twin\n"))
		adminURL, endAdmin := r.serveAdmin()
		defer endAdmin()
		ask := func(addr, request string) int {
			c := (&rig{t: t, addr: addr}).dial()
			defer c.Close()
			c.send(request)
			return c.response().StatusCode
		}
		status := func(host string) (clients, admin int) {
			field := "Host: " + host + "\r\n\r\n"
			return ask(r.addr, "GET /run HTTP/1.1\r\n"+field), ask(strings.TrimPrefix(adminURL, "http://"), "GET /metrics HTTP/1.1\r\n"+field)
		}
		for _, host := range good {
			if clients, admin := status(host); clients != 200 || admin != 200 {
				t.Errorf("%s: %s gets %d and %d", hosts, host, clients, admin)
			}
		}
		for _, host := range bad {
			if clients, admin := status(host); clients != 421 || admin != 421 {
				t.Errorf("%s: %s gets %d and %d", hosts, host, clients, admin)
			}
		}
		if got := ask(r.addr, "GET http://evil.example/run HTTP/1.1\r\nHost: localhost\r\n\r\n"); bad != nil && got != 421 {
			t.Errorf("a foreign host in the request line gets %d", got)
		}
	}
	own := []string{"localhost", "localhost:8080", "LOCALHOST.", "127.0.0.1", "127.0.0.1:1", "127.0.0.2", "[::1]:8080"}
	foreign := []string{"evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "192.0.2.1"}
	f("hosts: []", own, foreign)
	f("hosts: [agents.example, '*.in.example']", append(own, "agents.example:80", "a.in.example"), append(foreign, "in.example", "a.agents.example"))
	f(`hosts: ["*"]`, append(own, foreign...), nil)
}
