package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/fields"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
	"github.com/sabir-proxy/sabir/proxy/internal/upstream"
)

// openWebSocket connects to an upstream that is called by WebSocket, until the given time at most. The client's body,
// if there is one, is the first message. refused is asked about an answer that is no WebSocket.
func (c *call) openWebSocket(at *upstream.Instance, stop *canceler, until time.Time, refused func(*upstream.Refusal) *hub.Failure) (source, error) {
	ctx, cancel := context.WithDeadline(context.Background(), until)
	defer cancel()
	stop.OnCancel(cancel)
	up := c.route.up
	// The handshake does not listen to its context while it waits for the answer, so a stop must close the connection.
	// The library's own TLS would hide whether the server or its certificate is at fault.
	var bounded *handshakeConn
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		conn, err := at.Dial(ctx)
		if err != nil {
			return nil, upstream.DialFailure(err)
		}
		stop.OnCancel(func() { upstream.Cut(conn) })
		bounded = &handshakeConn{conn, up.MaxHeader + handshakeBuffer}
		return bounded, nil
	}
	dialer := websocket.Dialer{
		NetDialContext: dial, NetDialTLSContext: dial, HandshakeTimeout: up.Cfg.Timeouts.Connect + up.Cfg.Timeouts.FirstByte,
	}
	url := up.Cfg.URL.Scheme + "://" + up.Cfg.URL.Host + string(c.request.Header.RequestURI())
	conn, resp, err := dialer.DialContext(ctx, url, c.webSocketHeader())
	if resp != nil {
		c.route.metrics.answered(resp.StatusCode)
	}
	switch {
	case err != nil && bounded == nil:
		return nil, upstream.NotSent{Failure: handshakeFailure(err, resp, refused)}
	case err != nil:
		return nil, handshakeFailure(err, resp, refused)
	}
	if err := unoffered(resp.Header); err != nil {
		upstream.Cut(bounded.Conn)
		return nil, hub.Fail(hub.CodeMalformed, err)
	}
	bounded.left = -1
	conn.SetReadLimit(int64(c.route.global.Limits.Record))
	source := &wsSource{life: heartbeats(conn)}
	if err := c.greet(conn); err != nil {
		upstream.Cut(bounded.Conn)
		return nil, err
	}
	source.asyncSource = newAsyncSource(nextMessage(conn), func() { upstream.Cut(bounded.Conn) })
	return source, nil
}

// reachWebSocket connects to the instance of a run, or to another one where no connection could be made. An instance that refuses the
// handshake, whatever its status, has refused the run.
func (x *stream) reachWebSocket(until time.Time, refused func(*upstream.Refusal) *hub.Failure) (source, error) {
	for {
		at, f := x.place()
		if f != nil {
			return nil, f
		}
		answered := false
		src, err := x.call.openWebSocket(at, x.canceler, until, func(r *upstream.Refusal) *hub.Failure {
			answered = r.Status < http.StatusInternalServerError
			return refused(r)
		})
		if err != nil && asFailure(err).Code == hub.CodeBodyTooLarge { // a message of the client's
			answered = true
		}
		x.noteReached(answered || err == nil, until)
		if err == nil || !x.isDeclined(nil, err) || !x.moves(until) {
			return src, err
		}
	}
}

// wsSource is an upstream that can show that it is alive while it has nothing to say.
type wsSource struct {
	*asyncSource
	life *lifeSign
}

// lastAlive implements [livenessSource].
func (s *wsSource) lastAlive(start time.Time) time.Duration { return s.life.since(start) }

// heartbeats takes pings and pongs for signs of life: a tool may work for longer than an upstream may be silent. Sabir sends
// no pings itself, as the library of a hung agent would answer them.
func heartbeats(conn *websocket.Conn) *lifeSign {
	life, frames, pong := new(lifeSign), new(controlFrames), conn.PingHandler()
	note := func() error {
		now := time.Now()
		life.show(now)
		return frames.note(now)
	}
	conn.SetPingHandler(func(data string) error {
		if err := note(); err != nil {
			return err
		}
		return pong(data)
	})
	conn.SetPongHandler(func(string) error { return note() })
	return life
}

// webSocketHeader is the call's header without the fields that the handshake makes itself.
func (c *call) webSocketHeader() http.Header {
	h := http.Header{"User-Agent": {""}}                                    // else the library puts its own there
	for _, value := range c.request.Header.PeekAll(fasthttp.HeaderCookie) { // before All takes it apart
		h.Add(fasthttp.HeaderCookie, string(value))
	}
	for key, value := range c.request.Header.All() {
		name := strings.ToLower(string(key))
		if name == "user-agent" {
			h.Set(string(key), string(value))
		} else if !fields.HopByHop[name] && name != "cookie" && (c.route.up.Sets[name] || name != "accept" && name != "content-type") {
			h.Add(string(key), string(value))
		}
	}
	return h
}

// unoffered is why a handshake fails that agrees to what Sabir never offers (RFC 6455 §4.1). The library accepts any subprotocol, and would
// unpack what is compressed without a limit.
func unoffered(answer http.Header) error {
	for name, what := range map[string]string{"Sec-Websocket-Protocol": "a subprotocol", "Sec-Websocket-Extensions": "an extension"} {
		if strings.Join(answer[name], "") != "" {
			return errors.New("websocket: the upstream agrees to " + what + " that was not offered")
		}
	}
	return nil
}

// handshakeFailure is what it means that the upstream did not become a WebSocket.
func handshakeFailure(err error, resp *http.Response, refused func(*upstream.Refusal) *hub.Failure) *hub.Failure {
	switch {
	case resp != nil && errors.Is(err, websocket.ErrBadHandshake):
	case isViolation(err):
		return hub.Fail(hub.CodeMalformed, err)
	default:
		return upstream.AnswerFailure(err)
	}
	detail, _ := io.ReadAll(io.LimitReader(resp.Body, upstream.MaxDetail))
	_ = resp.Body.Close()
	if resp.StatusCode < http.StatusMultipleChoices {
		return hub.Fail(hub.CodeMalformed, errors.New("the upstream does not speak WebSocket there"))
	}
	r := &upstream.Refusal{Status: resp.StatusCode, Header: new(fasthttp.ResponseHeader), Length: len(detail), Body: strings.ToValidUTF8(string(detail), "\uFFFD")}
	for name, values := range resp.Header {
		for _, value := range values {
			r.Header.Add(name, value)
		}
	}
	return refused(r)
}

// greet sends the client's body, and lets a client that came by WebSocket as well talk on.
func (c *call) greet(conn *websocket.Conn) error {
	if body := c.request.Body(); len(body) > 0 {
		_ = conn.SetWriteDeadline(time.Now().Add(c.route.up.Cfg.Timeouts.FirstByte))
		if err := conn.WriteMessage(websocket.TextMessage, body); err != nil {
			return hub.Fail(hub.CodeReset, err)
		}
	}
	if c.session != nil {
		return c.session.connect(conn)
	}
	return nil
}

// nextMessage reads one whole message at a time; the splitter takes each for a record.
func nextMessage(conn *websocket.Conn) func([]byte) ([]byte, error) {
	return func(p []byte) ([]byte, error) {
		kind, r, err := conn.NextReader()
		if err != nil {
			return nil, closeError(err)
		}
		for {
			if len(p) == cap(p) {
				p = append(p, 0)[:len(p)]
			}
			n, err := r.Read(p[len(p):cap(p)])
			p = p[:len(p)+n]
			switch {
			case err == io.EOF && checkText(kind, p) != nil:
				return nil, closeBadText(conn)
			case err == io.EOF:
				return p, nil
			case err != nil:
				return nil, closeError(err)
			}
		}
	}
}

// closeBadText ends the connection of an upstream whose text is none.
func closeBadText(conn *websocket.Conn) error {
	bye := websocket.FormatCloseMessage(websocket.CloseInvalidFramePayloadData, "")
	_ = conn.WriteControl(websocket.CloseMessage, bye, time.Now().Add(inbound.FinalWriteTimeout))
	return hub.Fail(hub.CodeMalformed, errBadText)
}

// closeError tells a good end of the connection from a bad one. Whether the run is complete is another question, which
// its records answer.
func closeError(err error) error {
	switch {
	case websocket.IsCloseError(err, websocket.CloseNormalClosure, websocket.CloseGoingAway, websocket.CloseNoStatusReceived):
		return io.EOF
	case errors.Is(err, websocket.ErrReadLimit), errors.Is(err, errControlFlood), isViolation(err):
		return hub.Fail(hub.CodeMalformed, err)
	}
	var closed *websocket.CloseError
	if errors.As(err, &closed) {
		err = fmt.Errorf("the upstream closed its WebSocket with code %d", closed.Code) // its text may hold anything
	}
	return hub.Fail(hub.CodeReset, err)
}
