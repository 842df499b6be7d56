package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sabir-proxy/sabir/adapters/native"
)

// zip compresses what write writes.
func zip(write func(io.Writer)) string {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // never fails for a known level
	write(w)
	_ = w.Close()
	return b.String()
}

// gzipped is a case with a body that is labelled as compressed.
func gzipped(name string, w want, body func(p *peer) string) upstreamCase {
	return upstreamCase{name, w, func(p *peer) {
		p.head("200 OK", "Content-Type: text/event-stream", "Content-Encoding: gzip", "Connection: close")
		p.say(body(p))
	}}
}

var encodings = []upstreamCase{
	gzipped("gzip of a good stream", works, func(p *peer) string { return zip(func(w io.Writer) { _, _ = io.WriteString(w, p.good()) }) }),
	gzipped("gzip that is none", fails, func(p *peer) string { return p.good() }),
	gzipped("gzip that is cut", fails, func(p *peer) string {
		whole := zip(func(w io.Writer) { _, _ = io.WriteString(w, p.good()) })
		return whole[:len(whole)/2]
	}),
	gzipped("gzip with a wrong sum", anything, func(p *peer) string {
		whole := zip(func(w io.Writer) { _, _ = io.WriteString(w, p.good()) })
		return whole[:len(whole)-8] + "\x00\x00\x00\x00\x00\x00\x00\x00"
	}),
	gzipped("a bomb of one record", fails, func(*peer) string { return bombOf("data: ", "x", 256<<20) }),
	gzipped("a bomb of NUL bytes", fails, func(*peer) string { return bombOf("", "\x00", 256<<20) }),
	gzipped("a bomb inside a bomb", fails, func(*peer) string {
		return zip(func(w io.Writer) { _, _ = io.WriteString(w, bombOf("", "\x00", 64<<20)) })
	}),
	{"an unknown coding", fails, func(p *peer) {
		p.head("200 OK", "Content-Encoding: cow", "Connection: close")
		p.say(p.good())
	}},
	{"br that is none", fails, func(p *peer) { p.head("200 OK", "Content-Encoding: br", "Connection: close"); p.say(p.good()) }},
	{"deflate that is none", fails, func(p *peer) { p.head("200 OK", "Content-Encoding: deflate", "Connection: close"); p.say(p.good()) }},
	{"a hundred codings", fails, func(p *peer) {
		p.head("200 OK", "Content-Encoding: "+strings.Repeat("gzip, ", 99)+"gzip", "Connection: close")
		p.say(p.good())
	}},
}

// bombOf is size bytes, compressed to a thousandth.
func bombOf(head, fill string, size int) string {
	return zip(func(w io.Writer) {
		_, _ = io.WriteString(w, head)
		block := []byte(strings.Repeat(fill, 64<<10))
		for n := 0; n < size; n += len(block) {
			_, _ = w.Write(block)
		}
	})
}

// secrets are answers of upstreams that clients and logs must not get.
func secrets() (all []upstreamCase) {
	for _, status := range []string{
		"400 Bad Request", "401 Unauthorized", "403 Forbidden", "404 Not Found", "409 Conflict", "413 Content Too Large",
		"422 Unprocessable Content", "429 Too Many Requests", "500 Internal Server Error", "502 Bad Gateway", "503 Service Unavailable",
	} {
		all = append(all, upstreamCase{status[:3] + " with a secret", fails, func(p *peer) {
			body := `{"detail":[{"msg":"bad","input":"` + secret + `"}],"error":{"message":"` + secret + `"}}`
			p.head(status, "Content-Type: application/json", fmt.Sprintf("Content-Length: %d", len(body)), "X-Internal: "+secret, "Set-Cookie: s="+secret)
			p.say(body)
		}})
	}
	return append(all, upstreamCase{"an error inside the stream with a secret", fails, func(p *peer) {
		events := `{"kind":"run.start","id":"r"}` + "\n" + `{"kind":"run.end","status":"failed","err":"getaddrinfo ENOTFOUND ` + secret + `.internal"}` + "\n"
		body := []byte(events)
		if p.dialect != native.Dialect.Name {
			body, _ = convert(native.Dialect.Name, p.dialect, body, nil)
		}
		p.ok()
		p.chunk(string(body))
		p.chunk("")
	}})
}

// largeBodies are streams that are good, and do not end.
func largeBodies() *attack {
	return &attack{
		name:   "upstream/endless-text",
		tries:  "a stream of text without end, for every pair; half the clients do not read",
		holds:  "memory stays within the bound, whatever the dialect collects",
		memory: 384 << 20,
		limit:  5 * time.Minute,
		run: func(t *trial) {
			size := int64(t.pick(24<<20, 192<<20))
			t.each(len(usualPairs), 3, func(i int) { t.endlessText(usualPairs[i], size) })
		},
	}
}

func (t *trial) endlessText(p pair, size int64) {
	all := say(p.from, []string{hello, strings.Repeat("word ", 1<<10), strings.Repeat("more ", 1<<10), hello}, "")
	at := strings.Index(all, strings.Repeat("more ", 1<<10))
	start := strings.LastIndex(all[:at], "\n\n") + 2
	end := at + strings.Index(all[at:], "\n\n") + 2
	s := t.rig.agent.add(func(q *peer) {
		q.head("200 OK", "Content-Type: text/event-stream", "Connection: close")
		q.say(all[:start])
		q.forever(all[start:end], size)
	})
	defer s.remove()
	conn, err := dialPatiently(t.rig.process.addr)
	if err != nil {
		t.fault("%s: %v", p, err)
		return
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(2 * time.Minute))
	_, _ = io.WriteString(conn, request("POST", byHTTP+p.String()+"?script="+s.id, t.rig.process.addr, "endless", streamWanted))
	t.count(1)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
}

// redirects lead somewhere else.
func redirects() *attack {
	return &attack{
		name:  "upstream/redirects",
		tries: "301, 302, 303, 307 and 308 to itself, to another origin, to a file, to a metadata address, to nowhere",
		holds: "the answer is an error; no other origin is ever asked, and no target more than once",
		run: func(t *trial) {
			other, asked, err := countingListener()
			if err != nil {
				t.fault("%v", err)
				return
			}
			defer other.Close()
			t.redirectTo("http://"+other.Addr().String()+"/", "//"+other.Addr().String()+"/", "/", "", "file:///etc/passwd",
				"http://[::1", "http:\\\\"+other.Addr().String(), "javascript:alert(1)")
			if n := asked.Load(); n > 0 {
				t.fault("another origin was asked %d times", n)
			}
		},
	}
}

func countingListener() (net.Listener, *atomic.Int64, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	asked := new(atomic.Int64)
	if err != nil {
		return nil, nil, err
	}
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			asked.Add(1)
			conn.Close()
		}
	}()
	return ln, asked, nil
}

func (t *trial) redirectTo(targets ...string) {
	const most = 2 // the request itself, and one that follows to the same origin
	for _, status := range []string{"301 Moved Permanently", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect"} {
		t.each(len(targets), 8, func(i int) {
			p := usualPairs[i%len(usualPairs)]
			s := t.rig.agent.add(func(q *peer) {
				q.head(status, "Location: "+q.location(targets[i]), "Content-Length: 0")
				q.keep = true
			})
			defer s.remove()
			a := t.rig.ask(byHTTP+p.String(), s)
			t.count(1)
			t.judgeAnswer(status[:3]+" to "+targets[i], fails, p, a)
			if n := s.called.Load(); n > most {
				t.fault("%s to %s: the upstream was asked %d times", status[:3], targets[i], n)
			}
		})
	}
}

// location makes the target that leads back to the script.
func (p *peer) location(target string) string {
	if target == "/" {
		return p.req.URL.RequestURI()
	}
	return target
}

// answersTooMany poisons kept connections: whatever an upstream sends beyond its answer must reach no client.
func answersTooMany() *attack {
	return &attack{
		name:  "upstream/answers-too-many",
		tries: "two answers to one request, the second in the same segment, later, and half; then requests of others",
		holds: "no client ever gets an answer that was not made for it",
		run: func(t *trial) {
			for i := range t.pick(40, 400) { // one after the other: all pairs of a dialect share its connections
				t.answerTwice(usualPairs[i%len(usualPairs)], i%3)
			}
		},
	}
}

func (t *trial) answerTwice(p pair, how int) {
	bad := "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n" + secret[:20]
	said := make(chan struct{})
	s := t.rig.agent.add(func(q *peer) {
		defer close(said)
		body := q.good()
		answer := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		switch how {
		case 0:
			q.say(answer + bad)
		case 1:
			q.say(answer)
			time.Sleep(20 * time.Millisecond)
			q.say(bad)
		default:
			q.say(answer + bad[:len(bad)/2])
		}
		q.keep = true
	})
	defer s.remove()
	good := t.rig.agent.add(func(q *peer) { q.ok(); q.chunk(q.good()); q.chunk(""); q.keep = true })
	defer good.remove()
	t.rig.ask(byHTTP+p.String(), s)
	<-said // what comes after the next request was sent cannot be distinguished from its answer
	time.Sleep(50 * time.Millisecond)
	for range 2 {
		a := t.rig.ask(byHTTP+p.String(), good)
		t.count(1)
		if a.tells(secret[:20]) {
			t.fault("%s: a client got an answer that was sent before its request: %q", p, clip(string(a.body), 200))
		}
		t.judgeAnswer("after an answer too many, "+p.String(), works, p, a)
	}
}

// staleConnections are closed by the upstream whenever it likes.
func staleConnections() *attack {
	return &attack{
		name:  "upstream/stale-connections",
		tries: "an upstream that closes each kept connection: at once, after a moment, when the next request arrives",
		holds: "every request is answered; none is sent twice after a byte of its answer has come",
		run: func(t *trial) {
			n := t.pick(150, 2000)
			t.each(n, 4, func(i int) {
				p := usualPairs[i%len(usualPairs)]
				s := t.rig.agent.add(func(q *peer) {
					q.ok()
					q.chunk(q.good())
					q.chunk("")
					time.Sleep(time.Duration(i%4) * 2 * time.Millisecond)
				})
				defer s.remove()
				a := t.rig.ask(byHTTP+p.String(), s)
				t.count(1)
				t.judgeAnswer("after a connection was closed, "+p.String(), works, p, a)
				if called := s.called.Load(); called > 1 {
					t.fault("%s: answered, and asked %d times", p, called)
				}
			})
		},
	}
}
