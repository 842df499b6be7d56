package proxy

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fasthttp/websocket"

	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// TestCopies passes a stream of the same dialect on byte for byte, however it arrives.
func TestCopies(t *testing.T) {
	t.Parallel()
	sse := ": a comment\n\nid: 1\nevent: message\ndata: " + lineStart + "\n\n:ping\n\nevent: unknown\nid: 2\nretry: 5\ndata: {\"kind\":\"new\",\n" +
		"data: \"more\":1}\n\ndata:" + lineHello + "\n\nfoo: bar\ndata: " + lineEnd + "\n\n"
	bodies := map[string]string{
		"sse":                       sse,
		"sse, CRLF":                 strings.ReplaceAll(sse, "\n", "\r\n"),
		"sse, CR":                   strings.ReplaceAll(sse, "\n", "\r"),
		"ndjson":                    lineStart + "\n\n  " + lineHello + "  \r\n" + `{"kind":"new", "x" : 1 }` + "\n" + lineEnd + "\n",
		"ndjson, spaced":            "\n\n" + lineStart + " \n" + lineEnd + "\n",
		"concat":                    lineStart + lineHello + `{"kind":"new"}` + lineEnd,
		"concat, broken over lines": "{\"kind\":\n\"run.start\"}\n{\"kind\":\"plan\"} " + lineEnd,
	}
	types := map[string]string{"sse": "text/event-stream", "ndjson": "application/x-ndjson", "concat": "application/json"}
	for name, body := range bodies {
		framing, _, _ := strings.Cut(name, ",")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cuts := make(chan int, 1)
			a := newAgent(t, func(p *peer) {
				for p.request() != nil {
					cut := <-cuts
					p.ok("Content-Type: text/plain")
					if cut > 0 {
						p.chunk(body[:cut])
					}
					p.finish(body[cut:])
				}
			})
			auto := start(t, simple(a.url(), "", "", "client: native\n"))
			named := start(t, simple(a.url(), "", "framing: "+framing+"\n", "client: native\n"))
			same := start(t, simple(a.url(), "", "", "client: native\nframing: "+framing+"\n"))
			for cut := 0; cut < len(body); cut += 1 + len(body)/40 {
				for _, r := range []*rig{auto, named, same} {
					cuts <- cut
					resp, got := r.post("/run", "{}")
					if got != body {
						t.Fatalf("cut at %d: got\n%q, want\n%q", cut, got, body)
					}
					if ct := resp.Header.Get("Content-Type"); ct != types[framing] {
						t.Errorf("cut at %d: type %s", cut, ct)
					}
				}
			}
			end := auto.awaitEnds(1)
			if end["ending"] != "done" || end["from"] != "native" || end["to"] != "native" {
				t.Errorf("log %v", end)
			}
		})
	}
}

// TestCopyLearnsItsFraming from the beginning of the second record at the latest, since the header of the answer says it.
func TestCopyLearnsItsFraming(t *testing.T) {
	t.Parallel()
	f := func(first string, want wire.Framing) {
		t.Helper()
		c := engine.NewCopier(engine.Config{From: &twin, To: &twin}, wire.NewOut(wire.SSE), true)
		if _, err := c.Feed([]byte(first), false, 0); err != nil || c.Out.Framing() != want {
			t.Errorf("%q: %v, %v", first, c.Out.Framing(), err)
		}
	}
	f(lineStart, wire.NDJSON)
	f(lineStart+"\n", wire.NDJSON)
	f(lineStart+"{", wire.Concat)
	f(lineStart+lineHello, wire.Concat)
	f("data: "+lineStart+"\n\n", wire.SSE)
}

// TestCopiesAreFramedAnew where the client wants another framing.
func TestCopiesAreFramedAnew(t *testing.T) {
	t.Parallel()
	in := []string{lineStart, `{"kind":"new", "x": 1}`, lineEnd}
	for _, from := range []string{"sse", "ndjson", "concat", "length-prefix", "content-length"} {
		body := framed(from, in...)
		for _, to := range []string{"sse", "ndjson", "concat", "length-prefix", "content-length"} {
			for _, cut := range []int{1, len(framed(from, in[0])), len(body) - 1} {
				a := newAgent(t, streaming(body[:cut], body[cut:]))
				r := start(t, simple(a.url(), "", "", "client: native\nframing: "+to+"\n"))
				if _, got := r.post("/run", "{}"); strings.Join(records(t, to, got), "\n") != strings.Join(in, "\n") {
					t.Errorf("%s to %s, cut at %d: %q", from, to, cut, got)
				}
				r.close()
			}
		}
	}
	// SSE keeps what only SSE has.
	a := newAgent(t, streaming("id: 7\r\nevent: x\r\ndata: "+lineStart+"\r\n\r\n: c\r\n\r\ndata: a\r\ndata: b\r\n\r\ndata: "+lineEnd+"\r\n\r\n"))
	r := start(t, simple(a.url(), "", "", "client: native\n"))
	c := r.dialWS("/run")
	c.say("{}")
	if got := strings.Join(c.run(), "|"); got != lineStart+"|a\nb|"+lineEnd {
		t.Errorf("WebSocket client got %q", got)
	}
	goodbye(c.Conn, websocket.CloseNormalClosure)
}

// TestCopiesThatAreCut end with an error in the dialect, and the error does not run into what came before.
func TestCopiesThatAreCut(t *testing.T) {
	t.Parallel()
	f := func(framing, sent string, want ...string) {
		t.Helper()
		for _, last := range []func(*peer){(*peer).last, (*peer).reset, func(*peer) {}} {
			a := newAgent(t, func(p *peer) {
				p.request()
				p.ok()
				p.chunk(sent)
				last(p)
			})
			r := start(t, simple(a.url(), "", "", "client: native\n"))
			got := r.demand("/run")
			recs := records(t, framing, got.body)
			if got.cut || len(recs) != len(want)+1 || !strings.Contains(recs[len(recs)-1], `"status":"truncated"`) {
				t.Errorf("%s, %q: cut %v, %q", framing, sent, got.cut, got.body)
				continue
			}
			for i, w := range want {
				if recs[i] != w {
					t.Errorf("%s, %q: record %d is %q", framing, sent, i, recs[i])
				}
			}
			if end := r.awaitEnds(1); end["ending"] == "done" {
				t.Errorf("%s: log %v", framing, end)
			}
			r.close()
		}
	}
	f("sse", framed("sse", lineStart, lineHello), lineStart, lineHello)
	f("sse", framed("sse", lineStart)+"data: "+lineHello[:10], lineStart)
	f("sse", framed("sse", lineStart)+": a comment", lineStart)
	f("ndjson", framed("ndjson", lineStart, lineHello), lineStart, lineHello)
	f("ndjson", framed("ndjson", lineStart)+lineHello[:10], lineStart)
	f("concat", lineStart+lineHello, lineStart, lineHello)
	f("concat", lineStart+lineHello+lineHello[:10], lineStart, lineHello)
}

// TestCopiesWithoutTheirLastLineEnd get it, so that a client that waits for it sees the last record.
func TestCopiesWithoutTheirLastLineEnd(t *testing.T) {
	t.Parallel()
	f := func(sent, want string) {
		t.Helper()
		a := newAgent(t, streaming(sent))
		r := start(t, simple(a.url(), "", "", "client: native\n"))
		if _, got := r.post("/run", "{}"); got != want {
			t.Errorf("%q became %q", sent, got)
		}
		r.close()
	}
	f("data: "+lineEnd, "data: "+lineEnd+"\n\n")
	f("data: "+lineEnd+"\n", "data: "+lineEnd+"\n\n\n")
	f(lineEnd, lineEnd+"\n")
	f(lineStart+"\n"+lineEnd, lineStart+"\n"+lineEnd+"\n")
	f(lineStart+lineEnd, lineStart+lineEnd)
}

// TestCopiedComments pass while the upstream says nothing else, but do not begin an answer.
// Row F9.
func TestCopiedComments(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok()
		p.chunk(": one\n\n")
		p.chunk("data: " + lineStart + "\n\n")
		<-release
		p.chunk(": two\n\n")
		<-release
		p.finish("data: " + lineEnd + "\n\n")
	})
	r := start(t, simple(a.url(), "", "", "client: native\n"))
	c := r.dial()
	c.ask("POST", "/run", "{}")
	body := c.response().Body
	read := func(want string) {
		t.Helper()
		got := make([]byte, len(want))
		if _, err := io.ReadFull(body, got); err != nil || string(got) != want {
			t.Fatalf("got %q, %v, want %q", got, err, want)
		}
	}
	read(": one\n\ndata: " + lineStart + "\n\n")
	release <- struct{}{}
	read(": two\n\n")
	release <- struct{}{}
	read("data: " + lineEnd + "\n\n")

	// A stream of nothing but comments does not gather them.
	comment := ":" + strings.Repeat(" ", 1<<10) + "\n\n"
	comments := newAgent(t, func(p *peer) {
		p.request()
		p.ok()
		for range 1 << 10 {
			p.chunk(comment)
		}
		<-release
		p.finish("data: " + lineEnd + "\n\n")
	})
	r = start(t, simple(comments.url(), "", "", "client: native\n"))
	c = r.dial()
	c.ask("POST", "/run", "{}")
	body = c.response().Body
	read(strings.Repeat(comment, 1<<10))
	release <- struct{}{}
	read("data: " + lineEnd + "\n\n")
}

// TestCopiedPage keeps the page of something that is no agent from the client.
func TestCopiedPage(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"<!DOCTYPE html>\n<p>10.1.2.3", "<!doctype HTML><p>", "  <HTML>\n<p>\n</HTML>"} {
		a := newAgent(t, streaming(page))
		r := start(t, simple(a.url(), "", "", "client: native\n"))
		if got := r.demand("/run"); got.status != 502 || !strings.Contains(got.body, "upstream_malformed") || strings.Contains(got.body, "<p>") {
			t.Errorf("%q: %d %s", page, got.status, got.body)
		}
		r.close()
	}
}

// TestCopiedMessages go from WebSocket to WebSocket.
func TestCopiedMessages(t *testing.T) {
	t.Parallel()
	in := []string{lineStart, "no JSON\nat all", `{"kind": "new" }`, lineEnd}
	a := newWSAgent(t, messages(in...))
	r := start(t, simple(a.url(), "", "", "client: native\n"))
	c := r.dialWS("/run")
	if got := c.run(); strings.Join(got, "|") != strings.Join(in, "|") {
		t.Errorf("got %q", got)
	}
	goodbye(c.Conn, websocket.CloseNormalClosure)
	cut := newWSAgent(t, messages(lineStart))
	r = start(t, simple(cut.url(), "", "", "client: native\n"))
	c = r.dialWS("/run")
	if got := c.run(); len(got) != 2 || !strings.Contains(got[1], `"err_code":"upstream_truncated"`) {
		t.Errorf("got %q", got)
	}
	goodbye(c.Conn, websocket.CloseNormalClosure)
}

// TestAuto lets the client choose its dialect: by header, then by Accept, else by default.
func TestAuto(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "", "", "client: auto\ndefault: native\n"))
	f := func(want string, header ...string) {
		t.Helper()
		resp, body := r.post("/run", "{}", header...)
		if got := resp.Header.Get("X-Sabir-Dialect"); got != want || body != map[string]string{"native": smallRun, "twin": smallRunOut}[want] {
			t.Errorf("%q: got %q\n%s", header, got, body)
		}
	}
	f("native")
	f("twin", "X-Sabir-Dialect: twin")
	f("twin", "X-Sabir-Dialect: TWIN", "Accept: application/vnd.sabir.events")
	f("twin", "Accept: application/vnd.twin")
	f("twin", "Accept: text/html, Application/VND.Twin;q=0.5")
	f("native", "Accept: application/vnd.sabir.events, application/vnd.twin")
	f("twin", "Accept: text/html", "Accept: application/vnd.twin")
	f("native", "Accept: */*")
	f("native", "Accept: text/html;q=0.1,,")

	// A route with one dialect does not ask.
	r = start(t, simple(a.url(), "", "", "client: twin\n"))
	f("twin", "X-Sabir-Dialect: native", "Accept: application/vnd.sabir.events")

	// On a WebSocket as well.
	r = start(t, simple(a.url(), "", "", "client: auto\ndefault: native\n"))
	c := r.dialWS("/run", "X-Sabir-Dialect: twin")
	c.say("{}")
	if got := c.run(); got[0] != `{"kind":"run.start","seq":1,"id":"r1"}` {
		t.Errorf("got %q", got)
	}
	goodbye(c.Conn, websocket.CloseNormalClosure)
	if _, resp, err := websocket.DefaultDialer.Dial("ws://"+r.addr+"/run", http.Header{"X-Sabir-Dialect": {"none"}}); err == nil || resp.StatusCode != 406 {
		t.Errorf("an unknown dialect: %v", err)
	}
}

// TestCopiedLateWords come after the end of the run, for as long as a translated stream would wait for them.
func TestCopiedLateWords(t *testing.T) {
	t.Parallel()
	late := `{"kind":"text.delta","id":"p1","text":"late"}` + "\n"
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok()
			p.chunk(lineStart + "\n" + lineEnd + "\n")
			p.finish(late)
		}
	})
	for settle, want := range map[string]string{
		"5s": lineStart + "\n" + lineEnd + "\n" + late,
		"0s": lineStart + "\n" + lineEnd + "\n",
	} {
		r := start(t, simple(a.url(), "", "settle: "+settle+"\n", "client: native\n"))
		if _, got := r.post("/run", "{}"); got != want {
			t.Errorf("settle %s: got %q, want %q", settle, got, want)
		}
		if end := r.awaitEnds(1); end["ending"] != "done" {
			t.Errorf("settle %s: log %v", settle, end)
		}
	}
}

// TestCopiesKeepUnknownMembers: between two sides of one dialect nothing is parsed and written anew, so what Sabir has no
// name for stays. Row I12.
func TestCopiesKeepUnknownMembers(t *testing.T) {
	t.Parallel()
	body := `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","reasoning_content":"Hm.","x_vendor":{"a":[1]}},"finish_reason":null}],"x_new":true}` + "\n\n" +
		`data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	a := newAgent(t, streaming(body))
	r := start(t, between(a.url(), "openai-chat", "openai-chat", "", "", ""))
	if _, got := r.post("/run", `{"messages":[]}`); got != body {
		t.Errorf("got\n%s\nwant\n%s", got, body)
	}
}
