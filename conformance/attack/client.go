package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// answer is what a client got.
type answer struct {
	id     string // of the request
	status int
	header http.Header
	body   []byte
	err    error // the answer is not complete
	took   time.Duration
	first  time.Duration // until the header was there
}

// everything is all that the client has read.
func (a *answer) everything() []byte {
	var b bytes.Buffer
	_ = a.header.Write(&b)
	b.Write(a.body)
	return b.Bytes()
}

var requests atomic.Int64

// maxAnswer bounds what a client keeps of an answer.
const maxAnswer = 64 << 20

// answerLimit is how long an answer may take as a whole. The times of the rig's configuration add up to less.
const answerLimit = 30 * time.Second

// streamWanted is a body that asks for a stream in every dialect of the clients.
const streamWanted = `{"messages":[],"stream":true}`

// ask makes a request to a route of the rig whose upstream answers with a script.
func (r *rig) ask(path string, s *script) *answer {
	return r.askWith(path, s, streamWanted)
}

func (r *rig) askWith(path string, s *script, body string) *answer {
	return r.process.ask(path+"?script="+s.id, body)
}

func (p *process) ask(target, body string, fields ...string) *answer {
	begun := time.Now()
	a := &answer{id: fmt.Sprintf("attack-%d", requests.Add(1))}
	defer func() { a.took = time.Since(begun) }()
	conn, err := p.dial()
	if err != nil {
		a.err = err
		return a
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(answerLimit))
	if _, a.err = io.WriteString(conn, request("POST", target, p.addr, a.id, body, fields...)); a.err != nil {
		return a
	}
	r := bufio.NewReader(conn)
	_, _ = r.Peek(1) // what is wrong shows when it is read
	a.first = time.Since(begun)
	a.read(r)
	return a
}

// dialPatiently tries again while the machine is too busy to accept.
func dialPatiently(addr string) (conn net.Conn, err error) {
	for range 5 {
		if conn, err = net.DialTimeout("tcp", addr, 5*time.Second); err == nil {
			return conn, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil, err
}

// request is a well-formed request.
func request(method, target, host, id, body string, fields ...string) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\nX-Request-Id: %s\r\n", method, target, host, id)
	for _, f := range fields {
		b.WriteString(f + "\r\n")
	}
	if method == "POST" {
		fmt.Fprintf(&b, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	b.WriteString("\r\n" + body)
	return b.String()
}

// read takes one answer in, interim ones left out.
func (a *answer) read(r *bufio.Reader) {
	for {
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			a.err = err
			return
		}
		if 100 <= resp.StatusCode && resp.StatusCode < 200 && resp.StatusCode != http.StatusSwitchingProtocols {
			continue
		}
		a.status, a.header = resp.StatusCode, resp.Header
		a.body, a.err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
		if len(a.body) > maxAnswer {
			a.err = errors.New("the answer is larger than a client keeps")
		}
		resp.Body.Close()
		return
	}
}

// ending is how the log says that a request ended: its stream's ending, or the code it was rejected with.
func (r *rig) ending(t *trial, a *answer) string {
	var line string
	eventually(t.ctx, 10*time.Second, func() bool {
		line = r.process.log.line(a.id)
		return line != ""
	})
	return endingOf(line)
}
