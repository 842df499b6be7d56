package proxy

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// reply is all that a client got.
type reply struct {
	status int
	header http.Header
	body   string
	cut    bool   // the body has no end
	raw    string // every byte
}

// demand asks on a new connection and takes whatever comes.
func (r *rig) demand(path string, header ...string) reply {
	r.t.Helper()
	return r.demandBy("POST", path, header...)
}

// demandBy does so by another method.
func (r *rig) demandBy(method, path string, header ...string) reply {
	r.t.Helper()
	c := r.dial()
	defer c.Close()
	rec := &recorder{Conn: c.Conn}
	c.br = bufio.NewReader(rec)
	c.ask(method, path, `{}`, header...)
	resp := c.response()
	body, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header, string(body), err != nil, rec.String()}
}

// never fails the test if the client learned an address of the inside.
func (p reply) never(t *testing.T, url string) {
	t.Helper()
	rest := strings.SplitN(url, "//", 2)[1]
	host, _, _ := strings.Cut(rest, "/")
	addr, port, err := net.SplitHostPort(host)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(p.raw, addr) || strings.Contains(p.raw, ":"+port) {
		t.Errorf("the client learns of %s:\n%s", host, p.raw)
	}
}

// TestEndingsBeforeTheFirstByte gives a status and a body for each way in which an upstream has no answer.
// Rows E15 and E17.
func TestEndingsBeforeTheFirstByte(t *testing.T) {
	t.Parallel()
	short := "timeouts: {connect: 150ms, first_byte: 150ms}\n"
	f := func(name, url, up string, code hub.Code, status int, cause string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, simple(url, "", up, "client: twin\n"))
			got := r.demand("/run")
			if got.status != status || got.cut {
				t.Errorf("status %d, want %d; cut %v", got.status, status, got.cut)
			}
			var body struct {
				Error struct {
					Code    hub.Code
					Message string
					Status  int
				}
			}
			if err := json.Unmarshal([]byte(got.body), &body); err != nil || body.Error.Code != code || body.Error.Status != status {
				t.Errorf("body %s (%v)", got.body, err)
			}
			if want := hub.Fail(code, nil).Text(); strings.TrimSuffix(body.Error.Message, " No record of native.") != want {
				t.Errorf("message %q", body.Error.Message)
			}
			h := got.header
			if h.Get("Content-Type") != "application/json" || h.Get("X-Sabir-Error") != string(code) || h.Get("X-Request-Id") == "" || h.Get("Cache-Control") != "no-store" {
				t.Errorf("header %v", h)
			}
			got.never(t, url)
			end := r.awaitEnds(1)
			if end["ending"] != string(code) || !strings.Contains(toString(end["cause"]), cause) {
				t.Errorf("log %v", end)
			}
			if r.metric("sabir_streams_total", "ending="+string(code)) != 1 {
				t.Error("the ending is not counted")
			}
			if n := r.metric("sabir_events_total", "direction=out"); n != 0 {
				t.Errorf("%v events out, though none left", n)
			}
		})
	}
	answer := func(status, body string) string {
		return newAgent(t, func(p *peer) {
			for p.request() != nil {
				p.answer(status, "Content-Length: "+strconv.Itoa(len(body)))
				p.send(body)
			}
		}).url()
	}
	script := func(s func(*peer)) string {
		return newAgent(t, func(p *peer) {
			p.request()
			s(p)
		}).url()
	}
	secret := "secret at 10.1.2.3"
	f("refused", refusing(t), "", hub.CodeRefused, 502, "refused")
	f("unreachable", "http://nowhere.invalid:80/", "timeouts: {connect: 1m}\n", hub.CodeUnreachable, 502, "nowhere.invalid")
	f("connect timeout", blackhole(t), short, hub.CodeTimeout, 504, "timeout")
	f("first byte timeout", script(func(p *peer) { p.awaitGone() }), short, hub.CodeTimeout, 504, "timeout")
	f("401", answer("401 No", secret), "", hub.CodeUnauthorized, 401, "status 401 (no content type, 18 bytes)")
	f("403", answer("403 No", secret), "", hub.CodeUnauthorized, 403, "status 403 (")
	f("404", answer("404 No", secret), "", hub.CodeNotFound, 404, "status 404 (")
	f("400", answer("400 No", secret), "", hub.CodeBadRequest, 400, "status 400 (")
	f("422", answer("422 No", secret), "", hub.CodeBadRequest, 422, "status 422 (")
	f("429", answer("429 No", secret), "", hub.CodeBusy, 429, "status 429 (")
	f("503", answer("503 No", secret), "", hub.CodeBusy, 503, "status 503 (")
	f("500", answer("500 No", secret), "", hub.CodeStatus, 502, "status 500 (")
	f("302", answer("302 Found", secret), "", hub.CodeStatus, 502, "status 302 (no content type, 18 bytes): redirects to nowhere")
	f("101", answer("101 Switching Protocols", ""), "", hub.CodeStatus, 502, "101")
	f("500 without its body", script(func(p *peer) { p.answer("500 No", "Content-Length: 100"); p.send(secret); p.awaitGone() }), "", hub.CodeStatus, 502, "18 bytes")
	f("reset before the header", script(func(p *peer) { p.reset() }), "", hub.CodeReset, 502, "")
	f("closed before the header", script(func(*peer) {}), "", hub.CodeReset, 502, "")
	f("closed inside the header", script(func(p *peer) { p.send("HTTP/1.1 200 OK\r\nContent-") }), "", hub.CodeReset, 502, "")
	f("no HTTP", script(func(p *peer) { p.send("220 mail.example ESMTP\r\n\r\n") }), "", hub.CodeMalformed, 502, "")
	f("header too large", script(func(p *peer) { p.answer("200 OK", "X: "+strings.Repeat("x", 20<<10)) }), "", hub.CodeMalformed, 502, "")
	f("204", answer("204 No Content", ""), "", hub.CodeTruncated, 502, "")
	f("empty", answer("200 OK", ""), "", hub.CodeTruncated, 502, "")
	f("empty, chunked", newAgent(t, streaming()).url(), "", hub.CodeTruncated, 502, "")
	f("only comments", newAgent(t, streaming(": hello\n\n: still here\n\n")).url(), "", hub.CodeTruncated, 502, "")
	f("a web page", answer("200 OK", "<!DOCTYPE html>\n<html>\n<body>10.1.2.3</body>\n</html>\n"), "", hub.CodeMalformed, 502, "native record 1")
	f("only garbage", newAgent(t, streaming("garbage\n", "more\n")).url(), "", hub.CodeMalformed, 502, "native record 1")
	f("endless garbage", script(func(p *peer) {
		p.ok()
		for range 1000 {
			p.chunk("garbage\n")
		}
		p.awaitGone()
	}), "", hub.CodeMalformed, 502, "native record 1")
	f("reset at once", script(func(p *peer) { p.ok(); p.reset() }), "", hub.CodeReset, 502, "")
	f("cut in the first record", script(func(p *peer) { p.ok(); p.chunk(lineStart[:9]); p.reset() }), "", hub.CodeReset, 502, "")
	f("ends in the first record", newAgent(t, streaming(lineStart[:9])).url(), "", hub.CodeTruncated, 502, "cut")
	f("silent", script(func(p *peer) { p.ok(); p.awaitGone() }), "timeouts: {idle: 150ms}\n", hub.CodeIdle, 504, "")
	f("unknown encoding", script(func(p *peer) { p.ok("Content-Encoding: br"); p.finish(smallRun) }), "", hub.CodeMalformed, 502, "br")
	f("bad gzip", script(func(p *peer) { p.ok("Content-Encoding: gzip"); p.finish(smallRun) }), "", hub.CodeMalformed, 502, "gzip")
	f("bad chunk", script(func(p *peer) { p.ok(); p.send("zz\r\n") }), "", hub.CodeReset, 502, "chunk")
	f("WebSocket refused", refusingWS(t), "", hub.CodeRefused, 502, "refused")
	f("WebSocket unknown", strings.Replace(answer("404 No", secret), "http:", "ws:", 1), "", hub.CodeNotFound, 404, "status 404 (")
	f("no WebSocket", strings.Replace(answer("200 OK", secret), "http:", "ws:", 1), "", hub.CodeMalformed, 502, "WebSocket")
	f("WebSocket timeout", strings.Replace(script(func(p *peer) { p.awaitGone() }), "http:", "ws:", 1), short, hub.CodeTimeout, 504, "")
	f("WebSocket reset", strings.Replace(script(func(p *peer) { p.reset() }), "http:", "ws:", 1), "", hub.CodeReset, 502, "")
	f("WebSocket without messages", newWSAgent(t, messages()).url(), "", hub.CodeTruncated, 502, "")
}

func toString(v any) string {
	s, _ := v.(string)
	return s
}

// TestEndingsAfterTheFirstByte ends streams that have begun: the client gets what came, an error in its dialect, and
// a good end of the body, but never a good end of the run.
// Rows E1, E2, E3, E12.
func TestEndingsAfterTheFirstByte(t *testing.T) {
	t.Parallel()
	f := func(name, up, route string, code hub.Code, status hub.Status, script func(*peer)) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, func(p *peer) {
				if p.request() == nil {
					return
				}
				p.ok()
				p.chunk(lines(lineStart, lineHello))
				script(p)
			})
			for _, client := range []string{"twin", "native"} {
				r := start(t, simple(a.url(), "limits: {record: 200KB}", up, "client: "+client+"\n"+route))
				got := r.demand("/run")
				if got.status != 200 || got.cut {
					t.Errorf("%s: status %d, cut %v", client, got.status, got.cut)
				}
				all := records(t, "ndjson", got.body)
				var last struct {
					Kind, Status, Err string
					Code              hub.Code `json:"err_code"`
				}
				if err := json.Unmarshal([]byte(all[len(all)-1]), &last); err != nil {
					t.Fatal(err)
				}
				if last.Kind != "run.end" || last.Status != status.String() || last.Code != code || last.Err != hub.Fail(code, nil).Text() {
					t.Errorf("%s: the last record is %s", client, all[len(all)-1])
				}
				if !strings.Contains(got.body, `"text":"Hello"`) || strings.Count(got.body, "run.end") != 1 {
					t.Errorf("%s: %s", client, got.body)
				}
				got.never(t, a.url())
				if end := r.awaitEnds(1); end["ending"] != string(code) {
					t.Errorf("%s: log %v", client, end)
				}
				if r.metric("sabir_streams_total", "ending="+string(code)) != 1 {
					t.Error("the ending is not counted")
				}
			}
		})
	}
	f("reset", "", "", hub.CodeReset, hub.StatusTruncated, func(p *peer) { p.reset() })
	f("reset inside a record", "", "", hub.CodeReset, hub.StatusTruncated, func(p *peer) { p.chunk(lineWorld[:20]); p.reset() })
	f("closed inside a chunk", "", "", hub.CodeReset, hub.StatusTruncated, func(p *peer) { p.send("50\r\n" + lineWorld[:20]) })
	f("no final record", "", "", hub.CodeTruncated, hub.StatusTruncated, func(p *peer) { p.last() })
	f("end inside a record", "", "", hub.CodeTruncated, hub.StatusTruncated, func(p *peer) { p.finish(lineWorld[:20]) })
	f("silent", "timeouts: {idle: 1s}\n", "", hub.CodeIdle, hub.StatusTruncated, func(p *peer) { p.awaitGone() })
	f("record too large", "", "", hub.CodeMalformed, hub.StatusFailed, func(p *peer) {
		p.chunk(`{"kind":"text.delta","id":"p1","text":"` + strings.Repeat("x", 300_000))
		p.awaitGone()
	})
	f("too long", "", "timeouts: {stream: 2s}\n", hub.CodeDuration, hub.StatusTruncated, func(p *peer) { p.awaitGone() })
	f("too long, and talking", "", "timeouts: {stream: 2s}\n", hub.CodeDuration, hub.StatusTruncated, func(p *peer) {
		for p.n("delta") == nil {
			time.Sleep(time.Millisecond)
		}
	})
}

// n sends a small record and says whether that still works.
func (p *peer) n(text string) error {
	l := `{"kind":"text.delta","id":"p1","text":"` + text + `"}` + "\n"
	_, err := io.WriteString(p, strconv.FormatInt(int64(len(l)), 16)+"\r\n"+l+"\r\n")
	return err
}

// TestGoodEndings are those that look bad, but come after the run was complete.
func TestGoodEndings(t *testing.T) {
	t.Parallel()
	f := func(name string, script func(*peer)) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, func(p *peer) {
				if p.request() != nil {
					p.ok()
					script(p)
				}
			})
			for client, want := range map[string]string{"twin": smallRunOut, "native": smallRun} {
				r := start(t, simple(a.url(), "", "timeouts: {idle: 1s}\n", "client: "+client+"\n"))
				got := r.demand("/run")
				if got.body != want || got.cut || got.status != 200 {
					t.Errorf("%s: status %d, cut %v\n%s", client, got.status, got.cut, got.body)
				}
				if end := r.awaitEnds(1); end["ending"] != "done" {
					t.Errorf("%s: log %v", client, end)
				}
			}
		})
	}
	f("reset after the end", func(p *peer) { p.chunk(smallRun); p.reset() })
	f("closed after the end", func(p *peer) { p.chunk(smallRun) })
	f("silent after the end", func(p *peer) { p.chunk(smallRun); p.awaitGone() })
	f("more after the end", func(p *peer) { p.chunk(smallRun + lineHello + "\n"); p.chunk(lineHello + "\n"); p.awaitGone() })
	f("second end", func(p *peer) { p.finish(smallRun + `{"kind":"run.end","status":"failed"}` + "\n") })
	f("everything before the reset", func(p *peer) {
		for _, l := range strings.SplitAfter(smallRun, "\n") {
			p.chunk(l)
		}
		p.reset()
	})
	f("last line without a newline", func(p *peer) { p.finish(strings.TrimSuffix(smallRun, "\n")) })
}

// TestMalformedRecords skips what cannot be read, and goes on.
func TestMalformedRecords(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(lines(lineStart, "{broken", lineHello, `{"kind":"odd"}`, "\xff\xfe", lineWorld, lineEnd)))
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	if _, body := r.post("/run", "{}"); body != smallRunOut {
		t.Errorf("got\n%s", body)
	}
	end := r.awaitEnds(1)
	if end["ending"] != "done" || end["record_errors"] != int64(3) || !strings.HasPrefix(toString(end["first_error"]), "native record 2, byte 3") {
		t.Errorf("log %v", end)
	}
	for reason, n := range map[string]float64{"syntax": 1, "utf8": 1, "unknown": 1} {
		if got := r.metric("sabir_record_errors_total", "reason="+reason); got != n {
			t.Errorf("%v errors of %s, want %v", got, reason, n)
		}
	}
}

// TestAgentFailure passes on what the agent itself says of its failure only if the route exposes it.
func TestAgentFailure(t *testing.T) {
	t.Parallel()
	const text = `dial tcp 10.0.3.7:5432: refused; see http:\/\/db.internal\/x and [fe80::1]:80, localhost:99, agent.corp:8080`
	a := newAgent(t, streaming(lines(lineStart, `{"kind":"run.end","status":"failed","err":"`+text+`","err_code":"db"}`)))
	f := func(expose, want string) {
		t.Helper()
		r := start(t, simple(a.url(), "", "", "client: twin\nerrors: {expose: "+expose+"}\n"))
		resp, body := r.post("/run", "{}", `X-Request-Id: it"s`)
		if resp.StatusCode != 200 || !strings.Contains(body, want) {
			t.Errorf("%d %s", resp.StatusCode, body)
		}
		if end := r.awaitEnds(1); end["ending"] != "agent_error" {
			t.Errorf("log %v", end)
		}
	}
	f("true", `"err":"`+text+`","err_code":"db"`)
	f("false", `"err":"The agent reported an error. Request ID: it\"s","err_code":"agent_error"`)
}

// TestRetryAfter passes on when a busy upstream wants to be asked again.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	f := func(said, want, unavailable string) {
		t.Helper()
		for status, want := range map[int]string{429: want, 503: unavailable} {
			a := newAgent(t, func(p *peer) {
				p.request()
				p.answer(strconv.Itoa(status)+" Busy", "retry-after: "+said, "Content-Length: 0")
			})
			r := start(t, simple(a.url(), "", "", "client: twin\n"))
			if got := r.demand("/run"); got.status != status || got.header.Get("Retry-After") != want {
				t.Errorf("%s: status %d, Retry-After %q, want %q", said, got.status, got.header.Get("Retry-After"), want)
			}
		}
	}
	f("17", "17", "17")
	f("0", "0", "0")
	f("Wed, 21 Oct 2037 07:28:00 GMT\r\nDate: Wed, 21 Oct 2037 07:26:30 GMT", "90", "90")
	f("Wednesday, 21-Oct-37 07:28:00 GMT\r\nDate: Wed, 21 Oct 2037 07:29:00 GMT", "0", "0")
	f("Wed, 21 Oct 1998 07:28:00 GMT", "0", "0")
	f("Fri, 21 Oct 2988 07:28:00 GMT", "999999", "999999")
	f("10000000", "999999", "999999")
	f("99999999999999999999", "999999", "999999")
	f("-1", "", "1") // where nothing is known, 503 says the least
	f("soon", "", "1")
}

// TestOddBodies answers with status 200 and what is no stream of any agent. The client receives an error, and the server goes on.
// Row E16.
func TestOddBodies(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"null", `""`, "[]", "{}", "[null]", "<html><body>10.0.3.7</body></html>", "\x00\x01", "404 page not found\n", "data: null\n\n", "data:\n\n", "\xef\xbb\xbf"} {
		for _, d := range adapters.All() {
			if d.NewDecoder == nil {
				continue
			}
			a := newAgent(t, streaming(body))
			r := start(t, strings.Replace(simple(a.url(), "", "", "client: twin\n"), "dialect: native", "dialect: "+d.Name, 1))
			got := r.demand("/run")
			if strings.Contains(got.body, `"status":"done"`) && !d.EndsWithBody {
				t.Errorf("%q of %s is a good run: %d %s", body, d.Name, got.status, got.body)
			}
			if strings.Contains(got.body, "10.0.3.7") {
				t.Errorf("%q of %s names an address: %s", body, d.Name, got.body)
			}
			r.awaitEnds(1)
			r.close()
		}
	}
}
