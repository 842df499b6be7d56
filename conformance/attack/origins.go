package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

func originAttacks() []*attack {
	return []*attack{{
		name:  "origin/cross-site",
		tries: "requests as web pages of other sites send them: simple POSTs with a foreign Origin, and names that were rebound",
		holds: "none of them runs an agent, reads a metric, or opens a socket",
		run:   crossSite,
	}, {
		name:  "origin/configured-wins",
		tries: "clients that repeat, respell and hide what the configuration sets: credentials, cookies, the query",
		holds: "the upstream sees what the configuration says, once, and nothing of the client's beside it",
		run:   configuredWins, alone: true,
	}, {
		name:  "origin/paths",
		tries: "dot segments, %2f, %00, doubled slashes, backslashes below a route with /*",
		holds: "no path leaves what the route's upstream is for",
		run:   paths, alone: true,
	}}
}

// crossSite asks as a page of another site can.
func crossSite(t *trial) {
	s := t.rig.agent.add(func(p *peer) {
		if p.req.Header.Get("Upgrade") != "" {
			p.upgrade()
			p.text(p.goodMessages()...)
			return
		}
		p.ok()
		p.chunk(p.good())
		p.chunk("")
	})
	defer s.remove()
	target := byHTTP + usualPairs[0].String() + "?script=" + s.id
	_, port, _ := strings.Cut(t.rig.process.addr, ":")
	const upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
	local := t.rig.process.addr
	forms := []struct{ name, addr, text string }{
		{"a simple POST", local, post(target, local, "Origin: http://evil.example", "Content-Type: text/plain")},
		{"a form", local, post(target, local, "Origin: https://evil.example", "Content-Type: application/x-www-form-urlencoded")},
		{"an opaque origin", local, post(target, local, "Origin: null", "Content-Type: text/plain")},
		{"an origin that begins alike", local, post(target, local, "Origin: http://"+local+".evil.example")},
		{"an origin on another port", local, post(target, local, "Origin: http://127.0.0.1:1")},
		{"fetch metadata of another site", local, post(target, local, "Origin: http://evil.example", "Sec-Fetch-Site: cross-site")},
		{"a rebound name", local, post(target, "evil.example:"+port, "Origin: http://evil.example:"+port)},
		{"a rebound name without an origin", local, post(target, "evil.example:"+port)},
		{"a name that begins alike", local, post(target, "127.0.0.1.evil.example:"+port)},
		{"a GET by a rebound name", local, "GET " + target + " HTTP/1.1\r\nHost: evil.example\r\n\r\n"},
		{"a socket from another site", local, "GET " + target + " HTTP/1.1\r\nHost: " + local + "\r\nOrigin: http://evil.example\r\n" + upgrade + "\r\n"},
		{"a socket by a rebound name", local, "GET " + target + " HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\n" + upgrade + "\r\n"},
		{"metrics by a rebound name", t.rig.process.admin, "GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n"},
		{"an absolute target", local, strings.Replace(post(target, local, "Origin: http://evil.example"), "POST ", "POST http://evil.example", 1)},
	}
	t.each(len(forms), 8, func(i int) {
		f := forms[i]
		conn, err := dialPatiently(f.addr)
		if err != nil {
			t.fault("%s: %v", f.name, err)
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, f.text)
		_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		t.count(1)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			return // not even answered
		}
		defer resp.Body.Close()
		if resp.StatusCode < 400 {
			t.fault("%s: it is served, status %d", f.name, resp.StatusCode)
		}
	})
	if n := s.called.Load(); n > 0 {
		t.fault("the agent was run %d times", n)
	}
}

func post(target, host string, fields ...string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\n%s\r\nContent-Length: 2\r\n\r\n{}", target, host, strings.Join(append(fields, "X-Page: 1"), "\r\n"))
}

// configuredWins sends what the configuration sets as well.
func configuredWins(t *trial) {
	seen := make(chan *http.Request, 1)
	r, play, err := t.ownRig(func(a *agent, s *script) string {
		return fmt.Sprintf(`listen: 127.0.0.1:0
admin: 127.0.0.1:0
upstreams:
  up:
    url: http://%s/openai-chat?script=%s&key=server
    dialect: openai-chat
    headers: {set: {Authorization: Bearer server, Cookie: session=server, X-Tenant: server}}
routes:
  - {path: /x, upstream: up, client: agui, requests: {mode: pass}, headers: {allow: [authorization, cookie, x-tenant, x-request-id]}}
`, a.addr, s.id)
	}, func(p *peer) { seen <- p.req })
	if err != nil {
		t.fault("%v", err)
		return
	}
	defer r.close()
	defer play.remove()
	tries := [][]string{
		{"Authorization: Bearer client"}, {"Authorization: Bearer client", "Authorization: Bearer client"}, {"authorization: Bearer client", "AUTHORIZATION: Bearer client"},
		{"Cookie: session=client"}, {"Cookie: session=client", "Cookie: b=client"}, {"X-Tenant: client", "x-tenant: client"},
		{"Connection: authorization, cookie, x-tenant"}, {"Connection: close, X-Tenant", "X-Tenant: client"}, {"X_Tenant: client", "X-Tenant: client"},
	}
	for _, query := range []string{"", "?key=client", "?key=client&key=client", "?%6bey=client", "?KEY=x&key=client", "?x=1;key=client"} {
		for _, fields := range tries {
			r.process.ask("/x"+query, "{}", fields...)
			t.count(1)
			select {
			case req := <-seen:
				t.judgeConfigured(req, query, fields)
			case <-time.After(5 * time.Second):
				t.fault("%v %s: the upstream was not asked", fields, query)
			}
		}
	}
}

// judgeConfigured looks at what the upstream got.
func (t *trial) judgeConfigured(req *http.Request, query string, fields []string) {
	for name, want := range map[string]string{"Authorization": "Bearer server", "Cookie": "session=server", "X-Tenant": "server"} {
		if got := req.Header.Values(name); len(got) != 1 || got[0] != want {
			t.fault("%v: the upstream sees %s: %q, want %q alone", fields, name, got, want)
		}
	}
	if n := len(req.Header.Values("X-Request-Id")); n != 1 {
		t.fault("%v: the upstream sees %d request ids", fields, n)
	}
	if got := req.URL.Query()["key"]; len(got) != 1 || got[0] != "server" {
		t.fault("%s: the upstream sees key=%q", query, got)
	}
}

// ownRig starts a process of its own whose one upstream answers with a script.
func (t *trial) ownRig(config func(*agent, *script) string, look func(*peer)) (*rig, *script, error) {
	a, err := newAgent()
	if err != nil {
		return nil, nil, err
	}
	s := a.add(func(p *peer) {
		look(p)
		p.ok()
		p.chunk(speak("openai-chat", hello))
		p.chunk("")
	})
	r, err := t.suite.rigWith(a, config(a, s), processOptions{})
	return r, s, err
}

// paths asks for what lies beside the upstream of a route.
func paths(t *trial) {
	seen := make(chan *http.Request, 1)
	r, play, err := t.ownRig(func(a *agent, s *script) string {
		return fmt.Sprintf(`listen: 127.0.0.1:0
admin: 127.0.0.1:0
upstreams:
  up: {url: 'http://%s/agents/public?script=%s', dialect: openai-chat}
routes:
  - {path: /x/*, upstream: up, client: agui, requests: {mode: pass}}
`, a.addr, s.id)
	}, func(p *peer) { seen <- p.req })
	if err != nil {
		t.fault("%v", err)
		return
	}
	defer r.close()
	defer play.remove()
	for _, rest := range []string{
		"../secret", "%2e%2e/secret", "a/../../secret", "a/%2e%2e/%2e%2e/secret", "..%2fsecret", "%2e%2e%2fsecret", "a%2f..%2f..%2fsecret",
		"..;/secret", "..\\secret", "%5c..%5csecret", "//evil.example/", "a//b", "./a", "a/.", "%00", "a%00b", "a%0d%0aX-Evil:%201", "a%20HTTP/1.1%0d%0a",
		"%252e%252e%252fsecret", "..%c0%afsecret", "a?script=other", "a#b", "http://evil.example/", "%3f", "a%2fb",
	} {
		r.process.ask("/x/"+rest, "{}")
		t.count(1)
		select {
		case req := <-seen:
			t.judgePath(rest, req)
		case <-time.After(300 * time.Millisecond): // refused
		}
	}
}

// judgePath looks at the path that the upstream was asked for.
func (t *trial) judgePath(rest string, req *http.Request) {
	path := req.URL.EscapedPath()
	if !strings.HasPrefix(path, "/agents/public") || strings.Contains(req.URL.Path+"/", "/../") || req.Header.Get("X-Evil") != "" || strings.Contains(path, "HTTP") && !strings.Contains(path, "%") {
		t.fault("%s: the upstream was asked for %s", rest, req.RequestURI)
	}
	if strings.Contains(strings.ToLower(rest), "a%2fb") && !strings.Contains(strings.ToLower(path), "%2f") {
		t.fault("%s: %%2f became a slash on the way: %s", rest, req.RequestURI)
	}
}
