package proxy

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// TestPassedUntilClosed: an answer that says neither its length nor its end is whole when its connection is closed.
func TestPassedUntilClosed(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		p.request()
		p.answer("200 OK", "Content-Type: text/html", "Connection: close")
		p.send("<p>all")
	})
	r := start(t, simple(a.url(), "", "", "client: native\n"))
	if got := r.demand("/run"); got.status != 200 || got.cut || got.body != "<p>all" {
		t.Errorf("%d, cut %v: %q", got.status, got.cut, got.body)
	}
}

// TestPassersFillOneWrite: of an answer that passes no more is taken at once than one write holds, and what was read is counted.
func TestPassersFillOneWrite(t *testing.T) {
	t.Parallel()
	p := &passer{out: new(wire.Out), stats: new(engine.Stats)}
	input := make([]byte, engine.FlushAt+10)
	for i, step := range []struct{ gives, takes, records int }{{0, 0, 0}, {100, 100, 1}, {engine.FlushAt + 10, engine.FlushAt - 100, 1}, {10, 0, 1}} {
		if n, err := p.Feed(input[:step.gives], false, 0); n != step.takes || err != nil || p.out.Records != step.records {
			t.Errorf("step %d: %d of %d bytes, %d records, %v", i, n, step.gives, p.out.Records, err)
		}
	}
	if p.stats.BytesIn != engine.FlushAt {
		t.Errorf("%d bytes are counted", p.stats.BytesIn)
	}
}

// TestLengthsOfWhatPasses: by HTTP/1, of an answer that passes without a length, the header says how it ends: a body of HTTP/1.0 with its connection, and where
// there is none, nothing of one is promised and the connection goes on.
func TestLengthsOfWhatPasses(t *testing.T) {
	t.Parallel()
	statuses := make(chan string, 1)
	a := newAgent(t, func(p *peer) {
		for req := p.request(); req != nil; req = p.request() {
			switch status := <-statuses; status {
			case "200 OK":
				p.answer(status, "Content-Type: text/html", "Transfer-Encoding: chunked")
				if req.Method != "HEAD" {
					p.send("4\r\n<p>a\r\n0\r\n\r\n")
				}
			default:
				p.answer(status, "ETag: x")
			}
		}
	})
	r := start(t, simple(a.url(), "", "", "client: native\nmethods: [GET]\n"))
	c := r.dial()
	for _, s := range []struct{ status, method, version, body string }{
		{"204 No Content", "GET", "1.1", ""}, {"304 Not Modified", "GET", "1.1", ""}, {"200 OK", "HEAD", "1.1", ""},
		{"200 OK", "GET", "1.1", "4\r\n<p>a\r\n0\r\n\r\n"}, {"200 OK", "GET", "1.0", "<p>a"},
	} {
		statuses <- s.status
		c.send(s.method + " /run HTTP/" + s.version + "\r\nHost: proxy.example\r\n\r\n")
		header := textproto.NewReader(c.br)
		line, err := header.ReadLine()
		fields, _ := header.ReadMIMEHeader()
		body := make([]byte, len(s.body))
		if _, err := io.ReadFull(c.br, body); err != nil {
			t.Error(err)
		}
		if err != nil || line != "HTTP/1.1 "+s.status || fields.Get("Content-Length") != "" || string(body) != s.body {
			t.Errorf("%+v: %s, %v, %v %q", s, line, err, fields, body)
		}
	}
	if rest, err := io.ReadAll(c.br); err != nil || len(rest) > 0 {
		t.Errorf("behind the last answer comes %q, %v", rest, err)
	}
}

// TestCutAnswersOfOldClients: where an answer that passes ends with its connection, as for a client of HTTP/1.0, a part of it has no good end.
func TestCutAnswersOfOldClients(t *testing.T) {
	t.Parallel()
	files := newPKI(t)
	ended := make(chan struct{})
	cut := newAgent(t, func(p *peer) {
		p.request()
		p.ok("Content-Type: application/pdf")
		p.chunk("half of it")
		<-ended
		p.reset()
	})
	f := func(name, top string, secure bool) {
		r := start(t, simple(cut.url(), top, "", "client: native\n"))
		conn, err := net.Dial("tcp", r.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if secure {
			conn = tls.Client(conn, files.client())
		}
		if _, err := io.WriteString(conn, "GET /run HTTP/1.0\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		br := bufio.NewReader(conn)
		resp, err := http.ReadResponse(br, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(resp.Body, make([]byte, len("half of it"))); err != nil {
			t.Fatal(err)
		}
		ended <- struct{}{}
		if _, err := io.Copy(io.Discard, resp.Body); err == nil {
			t.Errorf("%s: a cut answer has a good end", name)
		}
		r.awaitEnds(1)
		await(t, "the connection to be given back", func() bool { return r.metric("sabir_connections_open", "listener=clients") == 0 })
	}
	f("plain", "", false)
	f("TLS", files.yaml(false), true)
}
