package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

func smugglingAttacks() []*attack {
	return []*attack{{
		name:  "smuggling/framing",
		tries: "requests whose length two readers would see differently, with a second request hidden in the body",
		holds: "no upstream ever sees the hidden request; what is ambiguous is refused, and the connection closed",
		run:   smuggle,
	}, {
		name:  "smuggling/desync",
		tries: "more of them: CL.TE and TE.CL with codings and lengths in every disguise, chunks that end in two places, CL.0",
		holds: "no upstream ever sees the hidden request; what is ambiguous is refused, and the connection closed",
		run:   desync,
	}, {
		name:  "smuggling/pipelined",
		tries: "requests sent together, good and bad, in all orders",
		holds: "answers come in order; after one that is refused nothing is served",
		run:   pipelined,
	}}
}

// hidden is the second request; HIDDEN and SCRIPT are replaced in every attempt.
const hidden = "POST HIDDEN HTTP/1.1\nHost: HOST\nContent-Length: 2\n\n{}"

// ambiguous are requests that must be refused. Where hidden follows, a lenient reader finds a second request.
var ambiguous = []struct{ name, text string }{
	{"a length and chunks", "POST TARGET HTTP/1.1\nHost: HOST\nContent-Length: 6\nTransfer-Encoding: chunked\n\n0\n\n" + hidden},
	{"chunks and a length", "POST TARGET HTTP/1.1\nHost: HOST\nTransfer-Encoding: chunked\nContent-Length: 4\n\n0\n\n" + hidden},
	{"identity", "POST TARGET HTTP/1.1\nHost: HOST\nTransfer-Encoding: identity\nContent-Length: 2\n\n{}" + hidden},
	{"identity alone", "POST TARGET HTTP/1.1\nHost: HOST\nTransfer-Encoding: identity\n\n" + hidden},
	{"chunked, identity", "POST TARGET HTTP/1.1\nHost: HOST\nTransfer-Encoding: chunked, identity\n\n0\n\n" + hidden},
	{"identity, chunked", "POST TARGET HTTP/1.1\nHost: HOST\nTransfer-Encoding: identity, chunked\n\n0\n\n" + hidden},
	{"chunked twice", "POST TARGET HTTP/1.1\nHost: HOST\nTransfer-Encoding: chunked\nTransfer-Encoding: chunked\n\n0\n\n" + hidden},
	{"xchunked", "POST TARGET HTTP/1.1\nHost: HOST\nTransfer-Encoding: xchunked\nContent-Length: 2\n\n{}" + hidden},
	{"chunked in quotes", "POST TARGET HTTP/1.1\nHost: HOST\nTransfer-Encoding: \"chunked\"\nContent-Length: 2\n\n{}" + hidden},
	{"a space before the colon", "POST TARGET HTTP/1.1\nHost: HOST\nTransfer-Encoding : chunked\nContent-Length: 2\n\n{}" + hidden},
	{"a length with a space before the colon", "POST TARGET HTTP/1.1\nHost: HOST\nContent-Length : 2\n\n{}" + hidden},
	{"a tab before chunked", "POST TARGET HTTP/1.1\nHost: HOST\nTransfer-Encoding:\x0bchunked\nContent-Length: 2\n\n{}" + hidden},
	{"a folded coding", "POST TARGET HTTP/1.1\nHost: HOST\nTransfer-Encoding:\n chunked\nContent-Length: 2\n\n{}" + hidden},
	{"a folded field", "POST TARGET HTTP/1.1\nHost: HOST\nX-A: b\n Content-Length: 99\nContent-Length: 2\n\n{}" + hidden},
	{"two lengths", "POST TARGET HTTP/1.1\nHost: HOST\nContent-Length: 2\nContent-Length: 90\n\n{}" + hidden},
	{"a list of lengths", "POST TARGET HTTP/1.1\nHost: HOST\nContent-Length: 2, 90\n\n{}" + hidden},
	{"a negative length", "POST TARGET HTTP/1.1\nHost: HOST\nContent-Length: -2\n\n{}" + hidden},
	{"a length with a sign", "POST TARGET HTTP/1.1\nHost: HOST\nContent-Length: +2\n\n{}" + hidden},
	{"a length in hexadecimal", "POST TARGET HTTP/1.1\nHost: HOST\nContent-Length: 0x2\n\n{}" + hidden},
	{"a length beyond 64 bits", "POST TARGET HTTP/1.1\nHost: HOST\nContent-Length: 18446744073709551618\n\n{}" + hidden},
	{"a chunk size with a sign", "POST TARGET HTTP/1.1\nHost: HOST\nTransfer-Encoding: chunked\n\n+2\n{}\n0\n\n" + hidden},
	{"a chunk size with 0x", "POST TARGET HTTP/1.1\nHost: HOST\nTransfer-Encoding: chunked\n\n0x2\n{}\n0\n\n" + hidden},
	{"a negative chunk size", "POST TARGET HTTP/1.1\nHost: HOST\nTransfer-Encoding: chunked\n\n-2\n{}\n0\n\n" + hidden},
	{"a chunk size beyond 64 bits", "POST TARGET HTTP/1.1\nHost: HOST\nTransfer-Encoding: chunked\n\n10000000000000002\n{}\n0\n\n" + hidden},
	{"a chunk longer than its size", "POST TARGET HTTP/1.1\nHost: HOST\nTransfer-Encoding: chunked\n\n1\n{}\n0\n\n" + hidden},
	{"HTTP/9.9", "POST TARGET HTTP/9.9\nHost: HOST\nContent-Length: 2\n\n{}" + hidden},
	{"HTTP/0.9", "GET TARGET\n" + hidden},
	{"HTTP/2.0", "POST TARGET HTTP/2.0\nHost: HOST\nContent-Length: 2\n\n{}" + hidden},
	{"http/1.1", "POST TARGET http/1.1\nHost: HOST\nContent-Length: 2\n\n{}" + hidden},
	{"HTTP/1.10", "POST TARGET HTTP/1.10\nHost: HOST\nContent-Length: 2\n\n{}" + hidden},
	{"chunks in HTTP/1.0", "POST TARGET HTTP/1.0\nHost: HOST\nTransfer-Encoding: chunked\n\n2\n{}\n0\n\n" + hidden},
	{"two hosts", "POST TARGET HTTP/1.1\nHost: HOST\nHost: evil.example\nContent-Length: 2\n\n{}" + hidden},
	{"no host", "POST TARGET HTTP/1.1\nContent-Length: 2\n\n{}" + hidden},
	{"a field without a colon", "POST TARGET HTTP/1.1\nHost: HOST\nContent-Length\nContent-Length: 2\n\n{}" + hidden},
	{"a field with NUL", "POST TARGET HTTP/1.1\nHost: HOST\nX-A: b\x00c\nContent-Length: 2\n\n{}" + hidden},
	{"a field with a bare CR", "POST TARGET HTTP/1.1\nHost: HOST\nX-A: b\rContent-Length: 90\nContent-Length: 2\n\n{}" + hidden},
}

// honestBody are requests whose body looks like a request; they are good.
var honestBody = []struct{ name, text string }{
	{"a request as a body", "POST TARGET HTTP/1.1\nHost: HOST\nContent-Length: SIZE\n\n" + hidden},
	{"a request as a chunk", "POST TARGET HTTP/1.1\nHost: HOST\nTransfer-Encoding: chunked\n\nHEXSIZE\n" + hidden + "\n0\n\n"},
	{"a GET with a request as a body", "GET TARGET HTTP/1.1\nHost: HOST\nContent-Length: SIZE\n\n" + hidden},
}

func smuggle(t *trial) {
	for _, ending := range []string{"\r\n", "\n"} {
		t.each(len(ambiguous), 8, func(i int) { t.smuggle(ambiguous[i].name, ambiguous[i].text, ending, true) })
		t.each(len(honestBody), 8, func(i int) { t.smuggle(honestBody[i].name, honestBody[i].text, ending, false) })
	}
}

// smuggle sends one request with another hidden in it. The hidden one is counted by the script that it names.
func (t *trial) smuggle(name, text, ending string, refused bool) {
	good := func(p *peer) {
		_, _ = io.Copy(io.Discard, p.req.Body)
		p.ok()
		p.chunk(p.good())
		p.chunk("")
		p.keep = true
	}
	first, second := t.rig.agent.add(good), t.rig.agent.add(good)
	defer first.remove()
	defer second.remove()
	path := byHTTP + usualPairs[0].String() + "?script="
	host := t.rig.process.addr
	inner := lineEnds(strings.NewReplacer("HIDDEN", path+second.id, "HOST", host).Replace(hidden), ending)
	text = strings.NewReplacer("TARGET", path+first.id, "HIDDEN", path+second.id, "HOST", host, "HEXSIZE", fmt.Sprintf("%x", len(inner)),
		"SIZE", fmt.Sprint(len(inner))).Replace(text)
	conn, err := dialPatiently(host)
	if err != nil {
		t.fault("%s: %v", name, err)
		return
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, lineEnds(text, ending))
	if c, ok := conn.(interface{ CloseWrite() error }); ok && !refused {
		defer c.CloseWrite() //nolint:errcheck // it is closed next
	}
	t.count(1)
	statuses := answersOn(bufio.NewReader(conn), conn.SetReadDeadline)
	if n := second.called.Load(); n > 0 {
		t.fault("%s, lines end in %q: the hidden request was served %d times; answers: %v", name, ending, n, statuses)
	}
	if refused && len(statuses) > 0 && statuses[0] < 300 {
		t.fault("%s, lines end in %q: it was served: %v", name, ending, statuses)
	}
}

// answersOn are the statuses of all answers on a connection, until it is closed or says nothing more.
func answersOn(r *bufio.Reader, deadline func(time.Time) error) (all []int) {
	for {
		_ = deadline(time.Now().Add(1500 * time.Millisecond))
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			return all
		}
		_, err = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if err != nil {
			return all
		}
		all = append(all, resp.StatusCode)
	}
}

// pipelined sends several requests in one piece.
func pipelined(t *trial) {
	path := byHTTP + usualPairs[0].String() + "?script="
	host := t.rig.process.addr
	plans := make([]int, t.pick(16, 64))
	for n := range plans {
		plans[n] = t.random.IntN(7) // which is bad; the last are all good
	}
	t.each(len(plans), 8, func(n int) {
		var text strings.Builder
		var scripts []*script
		bad := plans[n]
		for i := range 6 {
			s := t.rig.agent.add(func(p *peer) { p.ok(); p.chunk(p.good()); p.chunk(""); p.keep = true })
			defer s.remove()
			scripts = append(scripts, s)
			if i == bad {
				text.WriteString("POST " + path + s.id + " HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
				continue
			}
			text.WriteString(request("POST", path+s.id, host, fmt.Sprintf("pipe-%d-%d", n, i), streamWanted))
		}
		conn, err := dialPatiently(host)
		if err != nil {
			t.fault("%v", err)
			return
		}
		_, _ = io.WriteString(conn, text.String())
		statuses := answersOn(bufio.NewReader(conn), conn.SetReadDeadline)
		conn.Close()
		t.count(len(scripts))
		for i, s := range scripts {
			if called := s.called.Load() > 0; called != (i < bad) {
				t.fault("request %d of %d, the bad one is %d: was it served? %v; answers: %v", i, len(scripts), bad, called, statuses)
			}
		}
	})
}
