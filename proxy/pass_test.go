package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// sameOnBothSides is a configuration with a path for each dialect, whose upstream speaks it as well.
func sameOnBothSides(url, route string) string {
	yaml := "listen: 127.0.0.1:0\nupstreams:\n"
	routes := "routes:\n"
	for _, d := range bothWays() {
		yaml += fmt.Sprintf("  %s: {url: '%s', dialect: %[1]s}\n", d.Name, url)
		routes += fmt.Sprintf("  - {path: /%s/*, upstream: %[1]s, client: %[1]s%s}\n", d.Name, route)
	}
	return yaml + routes
}

// bothWays are the dialects that can be read and written.
func bothWays() []*hub.Dialect {
	return slices.DeleteFunc(slices.Clone(adapters.All()), func(d *hub.Dialect) bool { return d.NewDecoder == nil || d.NewEncoder == nil })
}

// TestWhatIsNoStreamPasses as it is where both sides speak the same dialect: status, type and other fields, body.
func TestWhatIsNoStreamPasses(t *testing.T) {
	t.Parallel()
	const models = `{"object":"list","data":[{"id":"m1","object":"model"}]}` + "\n"
	rpc := `{"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":"t1","contextId":"c1","status":{"state":"completed"}}}`
	large := `{"data":"` + strings.Repeat("x", 300_000) + `"}`
	cases := []struct{ name, status, media, body string }{
		{"models", "200 OK", "application/json", models},
		{"pretty", "200 OK", "application/json; charset=utf-8", "{\n  \"data\": [\n    1\n  ]\n}"},
		{"list", "200 OK", "application/json", "[]"},
		{"JSON-RPC", "200 OK", "application/json", rpc},
		{"problem", "200 OK", "application/problem+json", `{"title":"x"}`},
		{"large", "200 OK", "application/json", large},
		{"created", "201 Created", "application/json", models},
		{"accepted", "202 Accepted", "application/json", "{}"},
		{"empty", "200 OK", "application/json", ""},
		{"page", "200 OK", "text/html; charset=utf-8", "<!DOCTYPE html><p>docs"},
		{"text", "200 OK", "text/plain; charset=utf-8", "ok"},
		{"lines", "200 OK", "text/plain", "ok\nfine\n"},
		{"file", "200 OK", "application/octet-stream", "\x89PNG\r\n\x1a\n\x00\xff"},
		{"unlabelled", "200 OK", "", models},
		{"image", "200 OK", "image/png", strings.Repeat("\x00\x01", 70_000)},
		{"range", "206 Partial Content", "text/plain", "part"},
		{"encoded", "200 OK", "application/json\r\nContent-Encoding: gzip", "\x1f\x8b no matter"},
	}
	frames := map[string]func(p *peer, body string){
		"length": func(p *peer, body string) {
			p.send("Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body)
		},
		"chunked": func(p *peer, body string) {
			p.send("Transfer-Encoding: chunked\r\n\r\n")
			for len(body) > 0 {
				n := min(len(body), 1+len(body)/2)
				p.chunk(body[:n])
				body = body[n:]
			}
			p.last()
		},
		"close": func(p *peer, body string) { p.send("Connection: close\r\n\r\n" + body) },
	}
	a := newAgent(t, func(p *peer) {
		for req := p.request(); req != nil; req = p.request() {
			c := cases[slices.IndexFunc(cases, func(c struct{ name, status, media, body string }) bool {
				return c.name == req.Header.Get("X-Request-Id")
			})]
			p.send("HTTP/1.1 " + c.status + "\r\nETag: \"e1\"\r\nSet-Cookie: a=b; Path=/\r\nSet-Cookie: c=\"d e\"\r\nX-Own: 1\r\nNo Name: x\r\nServer: inside\r\nKeep-Alive: timeout=9\r\n" +
				"Link: </p2>; rel=next\r\nLocation: /models/1\r\nContent-Location: http://10.1.2.3/x\r\n")
			if c.media != "" {
				p.send("Content-Type: " + c.media + "\r\n")
			}
			how := req.URL.Query().Get("how")
			frames[how](p, c.body)
			if how == "close" {
				return
			}
		}
	})
	r := start(t, sameOnBothSides(a.url(), ""))
	c := r.dial()
	n := 0
	for _, d := range bothWays() {
		for how := range frames {
			for _, want := range cases {
				c.ask("GET", "/"+d.Name+"/v1/models?how="+how, "", "X-Request-Id: "+want.name)
				resp, body := c.whole()
				n++
				h := resp.Header
				media, _, _ := strings.Cut(want.media, "\r\n")
				if fmt.Sprint(resp.StatusCode) != want.status[:3] || body != want.body || h.Get("Content-Type") != media {
					t.Fatalf("%s, %s, %s: %s %q, %d bytes: %.100q", d.Name, how, want.name, resp.Status, h.Get("Content-Type"), len(body), body)
				}
				if h.Get("ETag") != `"e1"` || len(h["Set-Cookie"]) != 2 || h.Get("X-Own") != "1" || h.Get("Link") == "" || h.Get("Location") != "/models/1" ||
					h.Get("Content-Location")+h.Get("Server")+h.Get("Keep-Alive") != "" || h["No Name"] != nil || h.Get("X-Request-Id") != want.name {
					t.Fatalf("%s, %s, %s: header %v", d.Name, how, want.name, h)
				}
				if how == "length" && resp.ContentLength != int64(len(want.body)) {
					t.Errorf("%s, %s: length %d", d.Name, want.name, resp.ContentLength)
				}
				if end := r.awaitEnds(n); end["ending"] != "done" || fmt.Sprint(end["passed_status"]) != want.status[:3] {
					t.Errorf("%s, %s, %s: log %v", d.Name, how, want.name, end)
				}
			}
		}
	}
}

// TestAnswersWithoutABody pass: 204, 304 and those to HEAD, after which the connections are used again.
func TestAnswersWithoutABody(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for req := p.request(); req != nil; req = p.request() {
			switch {
			case req.Method == "HEAD":
				p.answer("200 OK", "Content-Type: application/json", "Content-Length: 1234", "ETag: x")
			case strings.HasSuffix(req.URL.Path, "/304"):
				p.answer("304 Not Modified", "ETag: x")
			default:
				p.answer("204 No Content", "ETag: x")
			}
		}
	})
	r := start(t, sameOnBothSides(a.url(), "")+"  - {path: /twoways, upstream: evolve, client: agui}\n")
	c := r.dial()
	for _, d := range bothWays() {
		for _, ask := range []struct {
			method, path string
			status       int
		}{{"GET", "/204", 204}, {"POST", "/204", 204}, {"GET", "/304", 304}, {"HEAD", "/models", 200}} {
			c.ask(ask.method, "/"+d.Name+ask.path, "")
			resp, err := http.ReadResponse(c.br, &http.Request{Method: ask.method})
			if err != nil || resp.StatusCode != ask.status || resp.Header.Get("ETag") != "x" {
				t.Fatalf("%s: %s: %v %v", d.Name, ask.path, resp, err)
			}
			if ask.method == "HEAD" && (resp.ContentLength != 1234 || resp.Header.Get("Content-Type") != "application/json") {
				t.Errorf("%s: HEAD: length %d, %v", d.Name, resp.ContentLength, resp.Header)
			}
		}
	}
	c.ask("HEAD", "/twoways", "")
	if resp, err := http.ReadResponse(c.br, &http.Request{Method: "HEAD"}); err != nil || resp.StatusCode != 405 {
		t.Errorf("HEAD of a stream that is translated: %v %v", resp, err)
	}
}

// TestErrorsPass as they are where the route exposes them, but for those about credentials of the configuration, and redirects.
func TestErrorsPass(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.answer(string(p.body)+" No", "Content-Type: application/problem+json", "Content-Length: 9", "Retry-After: 3", "Location: http://10.1.2.3/")
			p.send(`{"a": 12}`)
		}
	})
	f := func(up, expose string, status int, passes bool) {
		t.Helper()
		r := start(t, simple(a.url(), "", up, "client: native\nerrors: {expose: "+expose+"}\n"))
		resp, body := r.post("/run", fmt.Sprint(status))
		if got := body == `{"a": 12}` && resp.StatusCode == status && resp.Header.Get("Content-Type") == "application/problem+json"; got != passes {
			t.Errorf("%s%s: %d: %s %s", up, expose, status, resp.Status, body)
		}
		r.close()
	}
	for _, status := range []int{400, 401, 403, 404, 409, 422, 429, 500, 503} {
		f("", "true", status, true)
		f("", "false", status, false)
	}
	f("headers: {set: {Authorization: x}}\n", "true", 401, false)
	f("headers: {set: {Authorization: x}}\n", "true", 422, true)
	f("", "true", 302, false)
}

// TestStreamsStayStreams whatever they are labelled as, as long as their first record says so.
func TestStreamsStayStreams(t *testing.T) {
	t.Parallel()
	f := func(d *hub.Dialect, media, body string) {
		t.Helper()
		a := newAgent(t, func(p *peer) {
			p.request()
			header := []string{"Transfer-Encoding: chunked"}
			if media != "" {
				header = append(header, "Content-Type: "+media)
			}
			p.answer("200 OK", header...)
			p.chunk(body)
			p.reset()
		})
		r := start(t, sameOnBothSides(a.url(), ""))
		got := r.demand("/" + d.Name + "/x")
		if got.status != 200 || got.cut || !strings.HasPrefix(got.body, strings.TrimRight(body, "\n")) || len(got.body) <= len(body) {
			t.Errorf("%s as %q: %d, cut %v: %q", d.Name, media, got.status, got.cut, got.body)
		}
		if end := r.awaitEnds(1); end["ending"] != "upstream_reset" || end["passed_status"] != nil {
			t.Errorf("%s as %q: log %v", d.Name, media, end)
		}
		r.close()
	}
	for _, d := range bothWays() {
		framing := d.Framing
		if framing != wire.SSE && framing != wire.NDJSON {
			continue
		}
		out := wire.NewOut(framing)
		enc := d.NewEncoder(d.Defaults())
		for _, ev := range []hub.Event{
			{Kind: hub.RunStart, ID: []byte("r1")}, {Kind: hub.TextStart, ID: []byte("p1")}, {Kind: hub.TextDelta, ID: []byte("p1"), Text: []byte("some text")},
		} {
			enc.Encode(out, &ev)
		}
		body := string(out.Buf)
		if body == "" {
			continue
		}
		f(d, framing.ContentType(), body)
		f(d, "", body)
		f(d, "text/plain", body)
		if framing == wire.NDJSON {
			f(d, "application/json", body)
		}
	}
}

// TestCutAnswersStayCut: an answer that passes gets no error of Sabir's behind it; its connection breaks off.
func TestCutAnswersStayCut(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]func(*peer){
		"length":  func(p *peer) { p.answer("200 OK", "Content-Type: text/html", "Content-Length: 100"); p.send("<p>half") },
		"chunked": func(p *peer) { p.ok("Content-Type: text/html"); p.chunk("<p>half") },
	} {
		a := newAgent(t, func(p *peer) {
			p.request()
			script(p)
			time.Sleep(50 * time.Millisecond) // so that the first half is on its way
			p.reset()
		})
		r := start(t, simple(a.url(), "", "", "client: native\n"))
		got := r.demand("/run")
		if got.status != 200 && got.status != 502 || got.status == 200 && (!got.cut || got.body != "<p>half") {
			t.Errorf("%s: %d, cut %v: %q", name, got.status, got.cut, got.body)
		}
		if end := r.awaitEnds(1); end["ending"] != "upstream_reset" {
			t.Errorf("%s: log %v", name, end)
		}
		r.close()
	}
}

// TestPassedAnswersAreLive and bounded: what came leaves at once, and a client that does not read holds the upstream back.
func TestPassedAnswersAreLive(t *testing.T) {
	t.Parallel()
	more := make(chan struct{})
	sent := make(chan int, 1)
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok("Content-Type: text/csv")
		p.chunk("first\n")
		<-more
		piece, n := strings.Repeat("x", 64<<10), 0
		for ; n < 1<<10; n++ {
			_ = p.SetWriteDeadline(time.Now().Add(500 * time.Millisecond))
			if _, err := fmt.Fprintf(p, "%x\r\n%s\r\n", len(piece), piece); err != nil {
				break
			}
		}
		sent <- n
	})
	r := start(t, simple(a.url(), "", "", "client: native\ntimeouts: {write: 3s}\n"))
	c := r.dial()
	c.ask("GET", "/run", "")
	resp := c.response()
	if got := line(t, bufio.NewReader(resp.Body)); got != "first" || resp.Header.Get("Content-Type") != "text/csv" {
		t.Errorf("got %q, %v", got, resp.Header)
	}
	close(more)
	if n := <-sent; n == 1<<10 {
		t.Error("64 MiB were taken from the upstream while no client read them")
	}
	c.Close()
	r.awaitEnds(1)
}

// TestOldClientsOfPassedAnswers read up to the end of the connection, or the length.
func TestOldClientsOfPassedAnswers(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok("Content-Type: text/html")
			p.finish("<p>all")
		}
	})
	r := start(t, simple(a.url(), "", "", "client: native\n"))
	c := r.dial()
	c.send("GET /run HTTP/1.0\r\nHost: h\r\n\r\n")
	all, err := io.ReadAll(c.br)
	if err != nil || !strings.HasSuffix(string(all), "\r\n\r\n<p>all") || strings.Contains(strings.ToLower(string(all)), "chunked") {
		t.Errorf("%v %q", err, all)
	}
}

// TestErrorsThatLookLikeAnswers do not expose what the agent says in a single answer with status 200, and keep its type.
func TestErrorsThatLookLikeAnswers(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.answer("200 OK", "Content-Type: application/json", "Content-Length: "+strconv.Itoa(len(p.body)))
			p.send(string(p.body))
		}
	})
	const body = `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"at db.internal"}}`
	for _, dialect := range []string{"a2a", "acp"} {
		r := start(t, strings.ReplaceAll(simple(a.url(), "", "", "client: "+dialect+"\n"), "dialect: native", "dialect: "+dialect))
		resp, got := r.post("/run", body)
		if strings.Contains(got, "internal") || !strings.Contains(got, `"error":`) || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %s %v %s", dialect, resp.Status, resp.Header, got)
		}
		r.close()
	}
}

// TestSilentAnswersAreStreams: an answer whose label says nothing, and in which nothing comes, is taken for a stream: its client gets
// signs of life, and what comes at last is copied.
func TestSilentAnswersAreStreams(t *testing.T) {
	t.Parallel()
	more := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok("Content-Type: text/plain")
		<-more
		p.chunk("data: {\"type\":\"start\"}\n\ndata: {\"type\":\"finish\"}\n\ndata: [DONE]\n\n")
		p.last()
	})
	r := start(t, "listen: 127.0.0.1:0\nupstreams:\n  agent: {url: '"+a.url()+"', dialect: aisdk}\nroutes:\n"+
		"  - {path: /run, upstream: agent, client: aisdk, timeouts: {keepalive: 20ms}}\n")
	c := r.dial()
	c.ask("POST", "/run", "{}")
	resp := c.response()
	if _, err := io.ReadFull(resp.Body, make([]byte, 1)); err != nil {
		t.Errorf("no sign of life: %v", err)
	}
	close(more)
	rest, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(rest), "[DONE]") {
		t.Errorf("%v: %q", err, rest)
	}
	if end := r.awaitEnds(1); end["ending"] != "done" {
		t.Errorf("log %v", end)
	}
	if h := resp.Header; h.Get("Content-Type") != "text/event-stream" || h.Get("X-Vercel-Ai-Ui-Message-Stream") != "v1" {
		t.Errorf("header %v", h)
	}
}
