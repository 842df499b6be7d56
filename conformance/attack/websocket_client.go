package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// socketCase is one way for a WebSocket client to be hostile. codes are the close codes that are right; 0 stands for a
// connection that is closed without a frame.
type socketCase struct {
	name  string
	codes []int
	play  func(*socket)
}

// Close codes of RFC 6455 §7.4.1 that are right for a kind of fault. A server may also just close.
var (
	protocolError = []int{1002, 0}
	notUTF8       = []int{1007, 1002, 0}
	tooLarge      = []int{1009, 1002, 1008, 0}
	tooMuch       = []int{1008, 1009, 1002, 1013, 0}
	goodbye       = []int{1000, 1001, 1005, 0}
	anyCode       []int // whatever comes, as long as the connection is closed
)

// socket is a client's side of a WebSocket.
type socket struct {
	net.Conn
	r      *bufio.Reader
	host   string
	target string
}

// say writes bytes; the other side may have closed already.
func (s *socket) say(all ...string) error {
	_ = s.SetWriteDeadline(time.Now().Add(20 * time.Second))
	_, err := io.WriteString(s, strings.Join(all, ""))
	return err
}

// forever writes the same over and over, up to a bound, and returns how much was taken.
func (s *socket) forever(part string, most int64) (n int64) {
	part = strings.Repeat(part, 1+(32<<10)/len(part))
	for n < most && s.say(part) == nil {
		n += int64(len(part))
	}
	return n
}

// handshake asks for a WebSocket; fields come on top.
func (s *socket) handshake(fields ...string) error {
	head := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", s.target, s.host)
	for _, f := range fields {
		head += f + "\r\n"
	}
	if err := s.say(head + "\r\n"); err != nil {
		return err
	}
	_ = s.SetReadDeadline(time.Now().Add(10 * time.Second))
	resp, err := http.ReadResponse(s.r, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusSwitchingProtocols {
		return fmt.Errorf("the handshake was answered by %s", resp.Status)
	}
	return nil
}

// read returns the next frame of the server.
func (s *socket) read() (op byte, payload []byte, err error) {
	var head [2]byte
	if _, err := io.ReadFull(s.r, head[:]); err != nil {
		return 0, nil, err
	}
	size := uint64(head[1])
	if size >= 126 {
		long := make([]byte, map[uint64]int{126: 2, 127: 8}[size])
		if len(long) == 0 {
			return 0, nil, errors.New("the server masks its frames")
		}
		if _, err := io.ReadFull(s.r, long); err != nil {
			return 0, nil, err
		}
		size = binary.BigEndian.Uint64(append(make([]byte, 8-len(long)), long...))
	}
	if size > maxAnswer {
		return 0, nil, fmt.Errorf("a frame of %d bytes", size)
	}
	payload = make([]byte, size)
	_, err = io.ReadFull(s.r, payload)
	return head[0] & 0xf, payload, err
}

// drain reads until the server closes the connection. It returns the close code, 0 for none, and the messages.
func (s *socket) drain(limit time.Duration) (code int, all []string, err error) {
	_ = s.SetReadDeadline(time.Now().Add(limit))
	for {
		op, payload, err := s.read()
		if ne, ok := err.(net.Error); ok && ne.Timeout() {
			return code, all, fmt.Errorf("the connection is still open after %v", limit)
		}
		switch {
		case err != nil:
			return code, all, nil //nolint:nilerr // closed, as it should be
		case op == opClose && len(payload) >= 2:
			code = int(binary.BigEndian.Uint16(payload))
		case op == opClose:
			code = 1005
		case op == opText || op == opContinuation:
			all = append(all, string(payload))
		}
	}
}

// socketLimit is how long a connection may stay open after a client has broken the rules. Times of the configuration are
// shorter, and the machine is shared.
const socketLimit = 20 * time.Second

func webSocketClientAttacks() []*attack {
	return []*attack{
		socketTheme("handshakes", "handshakes that break RFC 6455", clientHandshakes),
		socketTheme("frames", "frames that break RFC 6455", clientFrames),
		socketTheme("closing", "how the connection ends", clientClosings),
		socketTheme("floods", "more than there should be, and slower", clientFloods),
	}
}

// socketTheme makes one attack of hostile WebSocket clients.
func socketTheme(name, about string, cases []socketCase) *attack {
	names := make([]string, len(cases))
	for i, c := range cases {
		names[i] = c.name
	}
	return &attack{
		name:  "websocket-client/" + name,
		tries: "WebSocket client, " + about + ": " + strings.Join(names, ", "),
		holds: "the connection is closed in time, with a code that fits; the run behind it is given up",
		run: func(t *trial) {
			t.figure("cases", "%d", len(cases))
			playSockets(t, cases)
		},
	}
}

func playSockets(t *trial, cases []socketCase) {
	pairs := []pair{{"openai-chat", "agui"}, {"evolve", "agui"}, {"agui", "agui"}} // clients that send the request itself
	by := []string{byHTTP, byWebSocket}
	rounds := t.pick(1, len(pairs)*len(by))
	t.each(len(cases)*rounds, 24, func(i int) {
		n := i + i/len(cases)
		t.playSocket(cases[i%len(cases)], by[n%len(by)], pairs[n%len(pairs)])
	})
}

// playSocket plays one case. The upstream of the run is a good one that takes its time.
func (t *trial) playSocket(c socketCase, by string, p pair) {
	left := make(chan struct{}, 64)
	s := t.rig.agent.add(func(q *peer) {
		if by == byWebSocket {
			q.upgrade()
			q.first()
		} else {
			q.ok()
			q.chunk(q.good()[:20])
		}
		q.silence()
		select {
		case left <- struct{}{}:
		default:
		}
	})
	defer s.remove()
	name := fmt.Sprintf("%s, %s%s", c.name, by, p)
	conn, err := dialPatiently(t.rig.process.addr)
	if err != nil {
		t.fault("%s: %v", name, err)
		return
	}
	defer conn.Close()
	x := &socket{Conn: conn, r: bufio.NewReader(conn), host: t.rig.process.addr, target: by + p.String() + "?script=" + s.id}
	c.play(x)
	t.count(1)
	code, _, err := x.drain(socketLimit)
	switch {
	case err != nil:
		t.fault("%s: %v", name, err)
	case len(c.codes) > 0 && !slices.Contains(c.codes, code):
		t.fault("%s: closed with code %d, want one of %v", name, code, c.codes)
	}
	for range s.called.Load() {
		select {
		case <-left:
		case <-time.After(socketLimit):
			t.fault("%s: the upstream is still asked after the client has gone", name)
			return
		}
	}
}
