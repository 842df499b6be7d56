package proxy

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/proxy/internal/http1"
)

// TestFraming refuses requests whose end two servers could see at two places, and closes: what follows them on the
// connection is never taken for a request.
func TestFraming(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	const chunked = "Transfer-Encoding: chunked\r\n"
	post := func(fields, body string) string { return "POST /run HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n" + body }
	refused := func(name, request string, status int) {
		t.Helper()
		c := r.dial()
		defer c.Close()
		go func() { _, _ = io.WriteString(c, request+post("Content-Length: 2\r\n", "{}")) }()
		resp, _ := c.whole()
		rest, _ := io.ReadAll(c.br)
		if resp.StatusCode != status || !resp.Close || len(rest) > 0 {
			t.Errorf("%s: status %d, closes %v, followed by %q", name, resp.StatusCode, resp.Close, rest)
		}
	}
	for name, fields := range map[string]string{
		"both frames":           "Content-Length: 2\r\n" + chunked,
		"both frames, other":    chunked + "Content-Length: 2\r\n",
		"identity":              "Transfer-Encoding: identity\r\nContent-Length: 2\r\n",
		"gzip, chunked":         "Transfer-Encoding: gzip, chunked\r\n",
		"chunked twice":         chunked + chunked,
		"chunked, odd":          "Transfer-Encoding: \vchunked\r\n",
		"two lengths":           "Content-Length: 2\r\nContent-Length: 3\r\n",
		"one length twice":      "Content-Length: 2\r\nContent-Length: 2\r\n",
		"list of lengths":       "Content-Length: 2, 2\r\n",
		"length with a sign":    "Content-Length: +2\r\n",
		"negative length":       "Content-Length: -2\r\n",
		"hexadecimal length":    "Content-Length: 0x2\r\n",
		"length that overflows": "Content-Length: 18446744073709551618\r\n",
		"no length":             "Content-Length: \r\n",
		"folded field":          "X-A: b\r\n c\r\nContent-Length: 2\r\n",
		"folded length":         "Content-Length:\r\n 2\r\n",
		"space before colon":    "Content-Length : 2\r\n",
		"space in a name":       "X A: b\r\nContent-Length: 2\r\n",
		"no colon":              "Content-Length\r\n",
		"no name":               ": x\r\n",
		"bare LF":               "X-A: b\nContent-Length: 2\r\n",
		"bare CR":               "X-A: b\rContent-Length: 2\r\n",
		"NUL":                   "X-A: b\x00\r\nContent-Length: 2\r\n",
		"NUL in a name":         "X\x00A: b\r\n",
		"two hosts":             "Host: other\r\n",
	} {
		refused(name, post(fields, "{}"), 400)
	}
	for name, body := range map[string]string{
		"size with 0x":          "0x2\r\n{}\r\n0\r\n\r\n",
		"size with a sign":      "+2\r\n{}\r\n0\r\n\r\n",
		"size after a space":    " 2\r\n{}\r\n0\r\n\r\n",
		"size before a space":   "2 \r\n{}\r\n0\r\n\r\n",
		"size that overflows":   "10000000000000002\r\n{}\r\n0\r\n\r\n",
		"no size":               "\r\n{}\r\n0\r\n\r\n",
		"no line end after":     "2\r\n{}0\r\n\r\n",
		"chunk that is longer":  "2\r\n{}}\r\n0\r\n\r\n",
		"bare LF after size":    "2\n{}\r\n0\r\n\r\n",
		"bare LF after data":    "2\r\n{}\n0\r\n\r\n",
		"CR in an extension":    "2;a\rb\r\n{}\r\n0\r\n\r\n",
		"long extension":        "2;" + strings.Repeat("a", 2<<10) + "\r\n{}\r\n0\r\n\r\n",
		"many extensions":       strings.Repeat("1;"+strings.Repeat("a", 500)+"\r\n \r\n", 100) + "0\r\n\r\n",
		"trailer":               "2\r\n{}\r\n0\r\nX-A: b\r\n\r\n",
		"trailer that frames":   "2\r\n{}\r\n0\r\nContent-Length: 9\r\n\r\n",
		"bare LF after the end": "2\r\n{}\r\n0\r\n\n",
	} {
		refused(name, post(chunked, body), 400)
	}
	for _, version := range []string{"HTTP/9.9", "HTTP/2.0", "HTTP/1.2", "HTTP/0.9", "HTTP/1.10", "HTTP/1"} {
		refused(version, strings.Replace(post("Content-Length: 2\r\n", "{}"), "HTTP/1.1", version, 1), 505)
	}
	refused("chunks in HTTP/1.0", strings.Replace(post(chunked, "0\r\n\r\n"), "HTTP/1.1", "HTTP/1.0", 1), 400)
	refused("no version", "POST /run\r\nHost: h\r\n\r\n", 400)
	refused("two spaces", "POST  /run HTTP/1.1\r\nHost: h\r\n\r\n", 400)
	refused("tab", "POST\t/run HTTP/1.1\r\nHost: h\r\n\r\n", 400)
	refused("bare LF in the request line", "POST /run HTTP/1.1\nHost: h\r\n\r\n", 400)
	refused("TLS", "\x16\x03\x01\x02\x00\x01", 400)
	if a.connections() != 0 {
		t.Errorf("%d of them reached the upstream", a.connections())
	}
}

// TestFramingThatIsGood takes what is unusual, but clear, several requests on one connection, however they are cut.
func TestFramingThatIsGood(t *testing.T) {
	t.Parallel()
	got := make(chan string, 100)
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			got <- string(p.body)
			p.ok()
			p.finish(smallRun)
		}
	})
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	requests := []string{
		"POST /run HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}",
		"\r\n\r\nPOST /run HTTP/1.1\r\nhost: h\r\ncontent-length: \t2 \t\r\n\r\n{}",
		"POST /run HTTP/1.1\r\nHost:h\r\nTRANSFER-ENCODING: Chunked\r\n\r\n001;a=\"b\"\r\n{\r\n1\r\n}\r\n000\r\n\r\n",
		"POST /run HTTP/1.1\r\nHost: h\r\nX-Empty:\r\nContent-Length: 2\r\n\r\n{}",
	}
	all := strings.Join(requests, "")
	for _, size := range []int{1, 7, len(all)} {
		c := r.dial()
		go func() {
			for rest := all; rest != ""; {
				n := min(size, len(rest))
				_, _ = io.WriteString(c, rest[:n])
				rest = rest[n:]
			}
		}()
		for i := range requests {
			if resp, body := c.whole(); resp.StatusCode != 200 || body != smallRunOut {
				t.Errorf("request %d in pieces of %d: status %d, %s", i, size, resp.StatusCode, body)
			}
			if body := <-got; body != "{}" {
				t.Errorf("request %d in pieces of %d: the upstream got %q", i, size, body)
			}
		}
		c.Close()
	}
}

// TestFramingOfAnswers does not guess where the answer of an upstream ends, and does not use its connection again.
func TestFramingOfAnswers(t *testing.T) {
	t.Parallel()
	var header string
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.send(header)
		}
	})
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	n := 0
	for name, h := range map[string]string{
		"both frames":        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"both frames, other": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
		"hidden by bare LF":  "HTTP/1.1 200 OK\r\nX: y\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
		"two lengths":        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
		"signed length":      "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello",
		"another coding":     "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
		"chunks in HTTP/1.0": "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"another version":    "HTTP/9.9 200 OK\r\nContent-Length: 0\r\n\r\n",
	} {
		header = h
		n++
		got := r.demand("/run")
		if got.status != http.StatusBadGateway || !strings.Contains(got.body, "upstream_malformed") {
			t.Errorf("%s: status %d, %s", name, got.status, got.body)
		}
		if a.connections() != n {
			t.Errorf("%s: a connection was used again", name)
		}
	}
}

// TestHeadersWithoutCR: an answer whose header ends with LF alone is refused at once, and not when nothing more has come for a while. The library
// would read on for a line that is not there.
func TestHeadersWithoutCR(t *testing.T) {
	t.Parallel()
	for _, head := range []string{
		"HTTP/1.1 200 OK\nContent-Type: text/event-stream\n\n", "HTTP/1.0 200 OK\n\n", "HTTP/1.1 200 OK\r\nContent-Length: 3\n\n",
		"HTTP/1.1 200 OK\nContent-Length: 3\n\r\n", "HTTP/1.1 103 Early Hints\n\nHTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\n\nA: b\r\n\r\n",
	} {
		a := newAgent(t, func(p *peer) {
			p.request()
			p.send(head)
			p.send(smallRun)
			p.awaitGone()
		})
		r := start(t, simple(a.url(), "timeouts: {first_byte: 1h, read: 1h}\n", "", "client: twin\n"))
		got := r.demand("/run")
		if got.status != http.StatusBadGateway || !strings.Contains(got.body, "upstream_malformed") {
			t.Errorf("%q: status %d, %s", head, got.status, got.body)
		}
		if line := r.awaitEnds(1); !strings.Contains(toString(line["cause"]), "LF") {
			t.Errorf("%q: the log says %v", head, line["cause"])
		}
	}
}

// FuzzRequestHead: a header that is accepted frames its body as the standard library sees it.
func FuzzRequestHead(f *testing.F) {
	f.Add("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n")
	f.Add("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n")
	f.Add("GET / HTTP/1.0\r\nX: y\r\n\r\n")
	f.Fuzz(func(t *testing.T, head string) {
		end, err := http1.EndOfHead([]byte(head), 0)
		if err != nil || end != len(head) || end == 0 {
			return
		}
		got, err := http1.ParseRequestHead([]byte(head))
		if err != nil {
			return
		}
		req, err := http.ReadRequest(bufio.NewReader(strings.NewReader(head)))
		if err != nil {
			return // its method, path and host are for fasthttp to judge
		}
		want := req.ContentLength
		if got.Chunked != (want == -1) || !got.Chunked && got.Length != want {
			t.Errorf("%q: %+v, want %d", head, got, want)
		}
	})
}

// TestEmptyLinesBeforeTheEnd: a client that sends empty lines and leaves has asked for nothing, so nothing is refused.
func TestEmptyLinesBeforeTheEnd(t *testing.T) {
	t.Parallel()
	a := silentAgent(t, nil)
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	for _, sent := range []string{"\r\n", "\r\n\r\n", "G"} {
		c := r.dial()
		c.send(sent)
		if err := c.Conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(c.Conn)
		if refused := len(answer) > 0; err != nil || refused != (sent == "G") {
			t.Errorf("%q: answered %q, %v", sent, answer, err)
		}
		c.Close()
	}
	if n := r.metric("sabir_requests_rejected_total"); n != 1 {
		t.Errorf("%v requests are counted as refused, want the one that began", n)
	}
}

// TestRequestsInOnePiece: a header that lies across the end of the buffer, behind another request, arrives as it was sent.
func TestRequestsInOnePiece(t *testing.T) {
	const firstBuffer = 4 << 10 // of a connection
	t.Parallel()
	got := make(chan string, 2)
	a := newAgent(t, func(p *peer) {
		for req := p.request(); req != nil; req = p.request() {
			got <- req.URL.RawQuery + string(p.body)
			p.ok()
			p.finish(smallRun)
		}
	})
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	c := r.dial()
	var all string
	fillers := []string{strings.Repeat("one", firstBuffer/5), strings.Repeat("two", firstBuffer/5)}
	for _, filler := range fillers {
		all += "POST /run?" + filler + " HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}"
	}
	c.send(all)
	for i, filler := range fillers {
		if resp, body := c.whole(); resp.StatusCode != 200 || body != smallRunOut {
			t.Errorf("request %d: status %d, %s", i, resp.StatusCode, body)
		}
		if s := <-got; s != filler+"{}" {
			t.Errorf("request %d: the upstream got %q", i, s)
		}
	}
}

// TestFramingOfChunksIsBounded: lines of sizes may hold so much beside the data, and no byte more.
func TestFramingOfChunksIsBounded(t *testing.T) {
	const usualLine, maxSizeLine = 16, 1 << 10
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	chunk := func(line int) string { return "1;" + strings.Repeat("a", line-2) + "\r\n \r\n" }
	const bound = 16 << 10
	const excess = 1000 // of a line of a chunk of one byte, which makes up for two
	many := strings.Repeat(chunk(usualLine+excess), bound/excess)
	left := usualLine + bound - bound/excess*(excess-2)
	for body, want := range map[string]int{
		many + chunk(left):     200,
		many + chunk(left+1):   400,
		chunk(maxSizeLine):     200,
		chunk(maxSizeLine + 1): 400,
		many + chunk(left-99):  200,
	} {
		c := r.dial()
		go func() {
			_, _ = io.WriteString(c, "POST /run HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"+body+"0\r\n\r\n")
		}()
		if resp, said := c.whole(); resp.StatusCode != want {
			t.Errorf("%d bytes: status %d, want %d: %s", len(body), resp.StatusCode, want, said)
		}
		c.Close()
	}
}
