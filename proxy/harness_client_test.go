package proxy

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// client is a connection to a proxy.
type client struct {
	net.Conn
	t  testing.TB
	br *bufio.Reader
	of *rig // whose it is; nil if that is not known
}

func (r *rig) dial() *client {
	r.t.Helper()
	c, err := net.Dial("tcp", r.nextAddr())
	if err != nil {
		r.t.Fatal(err)
	}
	_ = c.SetDeadline(time.Now().Add(2 * testTimeout))
	r.t.Cleanup(func() { c.Close() })
	return &client{Conn: c, t: r.t, br: bufio.NewReader(c), of: r}
}

func (c *client) send(s string) {
	c.t.Helper()
	if _, err := io.WriteString(c, s); err != nil {
		c.t.Fatal(err)
	}
}

// ask sends a request with a body and more header lines.
func (c *client) ask(method, path, body string, header ...string) {
	c.t.Helper()
	c.send(method + " " + path + " HTTP/1.1\r\nHost: proxy.example\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n" +
		strings.Join(append(header, ""), "\r\n") + "\r\n" + body)
}

// response reads the header of a response; its body is read as it comes.
func (c *client) response() *http.Response {
	c.t.Helper()
	resp, err := http.ReadResponse(c.br, nil)
	if err != nil {
		c.t.Fatalf("no response: %v", err)
	}
	if code := resp.Header.Get("X-Sabir-Error"); code != "" && c.of != nil {
		c.of.refusals.note(code)
	}
	return resp
}

// whole reads a response with its whole body, which must be complete.
func (c *client) whole() (*http.Response, string) {
	c.t.Helper()
	resp := c.response()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatalf("the body is cut: %v after %q", err, body)
	}
	return resp, string(body)
}

// reset breaks the connection off.
func (c *client) reset() {
	_ = c.Conn.(*net.TCPConn).SetLinger(0)
	c.Close()
}

// post asks on a new connection and returns the whole answer.
func (r *rig) post(path, body string, header ...string) (*http.Response, string) {
	r.t.Helper()
	c := r.dial()
	defer c.Close()
	c.ask("POST", path, body, header...)
	return c.whole()
}

// line reads one line of a body.
func line(t testing.TB, br *bufio.Reader) string {
	t.Helper()
	s, err := br.ReadString('\n')
	if err != nil {
		t.Fatalf("no line: %v after %q", err, s)
	}
	return strings.TrimSuffix(s, "\n")
}
