package proxy

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/upstream"
)

// TestStatusesThatAreNoSuccess: what the client gets for each status of an upstream that is no success.
func TestStatusesThatAreNoSuccess(t *testing.T) {
	t.Parallel()
	challenge := []string{`WWW-Authenticate: Bearer realm="agent"`, "WWW-Authenticate: Basic", "Retry-After: 7", "Allow: PUT"}
	f := func(up string, said, want int, code hub.Code, fields ...string) {
		t.Helper()
		a := newAgent(t, func(p *peer) {
			for p.request() != nil {
				p.answer(fmt.Sprint(said, " No"), append(challenge, "Content-Type: application/json; charset=utf-8", "Content-Length: 22")...)
				p.send(`{"input":"Q7f3-mark"} `)
			}
		})
		r := start(t, simple(a.url(), "", up, "client: twin\n"))
		got := r.demand("/run")
		if got.status != want || got.header.Get("X-Sabir-Error") != string(code) {
			t.Errorf("%d: status %d, code %s", said, got.status, got.header.Get("X-Sabir-Error"))
		}
		var passed []string
		for _, name := range []string{"Www-Authenticate", "Retry-After", "Allow"} {
			for _, value := range got.header[name] {
				passed = append(passed, name+": "+value)
			}
		}
		if strings.Join(passed, "|") != strings.Join(fields, "|") {
			t.Errorf("%d: got %q", said, passed)
		}
		got.never(t, a.url())
		if strings.Contains(got.raw, "Q7f3") {
			t.Errorf("%d: the client reads the upstream's text", said)
		}
		cause := toString(r.awaitEnds(1)["cause"])
		if !strings.Contains(cause, fmt.Sprintf("status %d (application/json, 22 bytes)", said)) {
			t.Errorf("%d: log %q", said, cause)
		}
		if own := strings.Contains(cause, "the credentials that the configuration sets"); own != (code == hub.CodeCredentials) {
			t.Errorf("%d: log %q", said, cause)
		}
		r.close()
	}
	who := []string{`Www-Authenticate: Bearer realm="agent"`, "Www-Authenticate: Basic"}
	f("", 401, 401, hub.CodeUnauthorized, who...)
	f("", 403, 403, hub.CodeUnauthorized, who...)
	for _, set := range []string{"authorization: x", "Cookie: a=b", "X-Api-Key: x", "api-key: x", "x-goog-api-key: x", "PRIVATE-TOKEN: x", "X-Auth-Token: x"} {
		f("headers: {set: {"+set+"}}\n", 401, 502, hub.CodeCredentials)
		f("headers: {set: {"+set+"}}\n", 403, 502, hub.CodeCredentials)
	}
	f("headers: {set: {X-Tenant: x, Idempotency-Key: y}}\n", 401, 401, hub.CodeUnauthorized, who...)
	for _, same := range []int{400, 402, 405, 406, 409, 410, 411, 412, 413, 414, 415, 416, 417, 422, 423, 424, 428, 431, 451} {
		if same == 405 {
			f("", 405, 405, hub.CodeBadRequest, "Allow: PUT")
			continue
		}
		f("", same, same, hub.CodeBadRequest)
	}
	f("", 404, 404, hub.CodeNotFound)
	f("", 408, 504, hub.CodeTimeout)
	f("", 429, 429, hub.CodeBusy, "Retry-After: 7")
	f("", 503, 503, hub.CodeBusy, "Retry-After: 7")
	for _, odd := range []int{407, 421, 426, 500, 501, 504, 599} {
		f("", odd, 502, hub.CodeStatus)
	}
	f("", 418, 400, hub.CodeBadRequest)
	f("", 499, 400, hub.CodeBadRequest)
}

// TestExposedRefusals: where the route exposes errors, the client learns why its request was refused.
func TestExposedRefusals(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.answer(string(p.body)+" No", "Content-Length: 26")
			p.send("{\"detail\":\"secret \x01at \u00e9\"}")
		}
	})
	f := func(route, up string, status int, want string) {
		t.Helper()
		r := start(t, simple(a.url(), "", up, "client: agui\n"+route))
		resp, body := r.post("/run", fmt.Sprint(status))
		if resp.StatusCode < 400 || !json.Valid([]byte(body)) || strings.Contains(body, "It said") != (want != "") || !strings.Contains(body, want) {
			t.Errorf("%s %d: status %d %s, want %s", route, status, resp.StatusCode, body, want)
		}
	}
	f("errors: {expose: true}", "", 422, `The agent server did not accept the request. It said: {\"detail\":\"secret \u0001at é\"}`)
	f("errors: {expose: false}", "", 422, "")
	f("errors: {expose: true}", "headers: {set: {Authorization: x}}", 401, "")
}

// TestStatusesInEveryDialect have the status and a body in the form of the client's dialect.
func TestStatusesInEveryDialect(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.answer(string(p.body)+" No", "WWW-Authenticate: Bearer", "Content-Length: 0")
		}
	})
	yaml := "listen: 127.0.0.1:0\nupstreams:\n  agent: {url: " + a.url() + ", dialect: native}\nroutes:\n"
	for _, d := range adapters.All() {
		if d.NewEncoder != nil {
			yaml += fmt.Sprintf("  - {path: /%s, upstream: agent, client: %[1]s}\n", d.Name)
		}
	}
	r := start(t, yaml)
	c := r.dial()
	for _, d := range adapters.All() {
		if d.NewEncoder == nil {
			continue
		}
		for _, status := range []int{401, 403, 409, 413, 422, 429} {
			c.ask("POST", "/"+d.Name, fmt.Sprint(status))
			resp, body := c.whole()
			f := (&upstream.Upstream{}).Refused(&upstream.Refusal{Status: status, Header: new(fasthttp.ResponseHeader)})
			form := hub.AppendFailure
			if d.AppendFailure != nil {
				form = d.AppendFailure
			}
			if resp.StatusCode != status || body != string(form(nil, f)) || (status < 404) != (resp.Header.Get("WWW-Authenticate") == "Bearer") {
				t.Errorf("%s: %d became %d %s", d.Name, status, resp.StatusCode, body)
			}
		}
	}
}

// TestErrorBodiesInTheLog stand there only if the configuration says so.
func TestErrorBodiesInTheLog(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.answer("422 No", "Content-Length: 9")
			p.send("Q7f3-mark")
		}
	})
	for _, url := range []string{a.url(), strings.Replace(a.url(), "http:", "ws:", 1)} {
		for keys, want := range map[string]bool{"": false, "log: {upstream_errors: true}\n": true, "log: {level: debug}\n": false} {
			r := start(t, simple(url, keys, "", "client: twin\n"))
			r.demand("/run")
			if cause := toString(r.awaitEnds(1)["cause"]); strings.Contains(cause, "Q7f3-mark") != want || !strings.Contains(cause, "status 422") {
				t.Errorf("%s%s: log %q", keys, url, cause)
			}
			r.close()
		}
	}
}

// TestRedirects are followed once, on the same server, where method and body stay. The log names where the others lead.
func TestRedirects(t *testing.T) {
	t.Parallel()
	const mark = "Q7f3-mark"
	other := newAgent(t, func(p *peer) { t.Error("another origin was asked"); p.request() })
	f := func(name, status, location, method string, want int, log string) {
		t.Helper()
		var host string
		a := newAgent(t, func(p *peer) {
			for req := p.request(); req != nil; req = p.request() {
				if req.URL.Path != "/there" {
					p.answer(status+" Moved", "Location: "+strings.ReplaceAll(location, "HOST", host), "Content-Length: 5")
					p.send("moved")
					continue
				}
				if req.Method != method || method == "POST" && string(p.body) != "{}" {
					t.Errorf("%s: asked for by %s with %q", name, req.Method, p.body)
				}
				p.ok()
				p.finish(smallRun)
			}
		})
		host = a.ln.Addr().String()
		r := start(t, simple(a.url(), "", "", "client: twin\n"))
		c := r.dial()
		c.ask(method, "/run", map[string]string{"POST": "{}"}[method])
		resp, body := c.whole()
		if resp.StatusCode != want || want == 200 && body != smallRunOut {
			t.Errorf("%s: %d %s", name, resp.StatusCode, body)
		}
		said := fmt.Sprint(r.awaitEnds(1))
		if !strings.Contains(said, log) {
			t.Errorf("%s: log %s", name, said)
		}
		r.close()
	}
	there := "http://HOST/there?q=" + mark + "#" + mark
	f("307", "307", there, "POST", 200, "/there?[11 bytes of query]")
	f("308", "308", "/there", "POST", 200, "redirected_to:http")
	f("307 of GET", "307", "there", "GET", 200, "redirected_to:http")
	f("twice", "307", "/again", "POST", 502, "redirects to http://")
	for _, status := range []string{"300", "301", "302", "303", "305"} {
		f(status, status, there, "POST", 502, "/there?[11 bytes of query]")
		f(status+" of GET", status, there, "GET", 502, "/there?[11 bytes of query]")
	}
	elsewhere := "http://" + other.ln.Addr().String() + "/there?" + mark
	f("another port", "307", elsewhere, "POST", 502, "redirects to http://"+other.ln.Addr().String()+"/there?[9 bytes of query]")
	f("another scheme", "308", "https://HOST/there", "POST", 502, "redirects to https://")
	f("with a user", "307", "http://"+mark+":"+mark+"@HOST/there", "POST", 502, "redirects to http://127")
	f("nowhere", "307", "http://%zz/"+mark, "POST", 502, "redirects to nowhere")
	f("no location", "307", "", "POST", 502, "redirects to nowhere")
}

// TestContentStaysOutOfTheLog, whatever an upstream does with it; the check is that of every test, when its proxy ends.
func TestContentStaysOutOfTheLog(t *testing.T) {
	t.Parallel()
	const mark = "Q7f3-mark"
	raw := map[string]string{
		"no HTTP":       mark + "\r\n\r\n",
		"bad header":    "HTTP/1.1 200 OK\r\n" + mark + "\r\n\r\n",
		"cut header":    "HTTP/1.1 200 OK\r\nX-Echo: " + mark + "\r\n",
		"large header":  "HTTP/1.1 200 OK\r\nX-Echo: " + strings.Repeat(mark, 4000) + "\r\n\r\n",
		"status text":   "HTTP/1.1 500 " + mark + "\r\nContent-Length: 0\r\n\r\n",
		"encoding":      "HTTP/1.1 200 OK\r\nContent-Encoding: " + strings.Repeat(mark, 9) + "\r\n\r\n" + mark,
		"content type":  "HTTP/1.1 500 No\r\nContent-Type: " + mark + "\r\nContent-Length: 0\r\n\r\n",
		"type's detail": "HTTP/1.1 500 No\r\nContent-Type: text/plain; echo=" + mark + "\r\nContent-Length: 0\r\n\r\n",
		"bad chunk":     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + mark + "\r\n",
		"prefix":        "HTTP/1.1 200 OK\r\n\r\n\x00\x00\x00\x10" + mark,
		"location":      "HTTP/1.1 302 No\r\nLocation: https://a.example/?" + mark + "\r\nContent-Length: 0\r\n\r\n",
	}
	for _, body := range []string{
		mark, `"` + mark + `"`, `{"kind":"` + mark + `"}`, `{"` + mark + `":1}`, `{"type":"` + mark + `","` + mark + `":{}}`, `{"kind":"` + mark,
		`{"kind":"text.delta","id":{"` + mark + `":1},"text":["` + mark + `"]}`, "data: " + mark + "\n\n", "event: " + mark + "\ndata: {}\n\n",
		`{"jsonrpc":"2.0","method":"` + mark + `","params":{"update":{"sessionUpdate":"` + mark + `"}}}`,
		`{"kind":"run.start"}` + "\n" + `{"kind":"run.end","status":"` + mark + `","err":"` + mark + `","err_code":"` + mark + `"}`,
		`{"choices":"` + mark + `"}`, `{"candidates":{"` + mark + `":2}}`, "Content-Length: " + mark + "\r\n\r\n{}",
	} {
		raw[body] = "HTTP/1.1 200 OK\r\n\r\n" + body
	}
	answers := make(chan string, 1)
	a := newAgent(t, func(p *peer) {
		if p.request() != nil {
			p.send(<-answers)
		}
	})
	for _, d := range adapters.All() {
		if d.NewDecoder == nil {
			continue
		}
		yaml := strings.Replace(simple(a.url(), "log: {level: debug}\n", "", "client: twin\n"), "dialect: native", "dialect: "+d.Name, 1)
		if d.NewEncoder != nil {
			yaml += "  - {path: /copy, upstream: agent, client: " + d.Name + "}\n"
		}
		r := start(t, yaml)
		for _, answer := range raw {
			answers <- answer
			r.demand("/run?q="+mark, "X-Echo: "+mark, "Cookie: a="+mark)
			if d.NewEncoder != nil {
				answers <- answer
				r.demand("/copy?q="+mark, "X-Echo: "+mark)
			}
		}
		r.close()
	}
}
