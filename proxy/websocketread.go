package proxy

import (
	"cmp"
	"errors"
	"io"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
)

// message is what a client sent: a body, or the reason why it cannot be taken, and how it begins.
type message struct {
	body  []byte
	lease inbound.Lease // of the memory for the body; whoever gets the message ends it
	fail  *hub.Failure
	head  []byte
}

// headOfMessage is how much is kept of a message that is too long, in bytes.
const headOfMessage = 1 << 10

// receive reads the client's messages until it leaves, or sends more than can wait.
func (x *session) receive() {
	defer close(x.gone)
	defer x.leave()
	// The library would answer with a write deadline of its own, which then held for the stream as well.
	var frames controlFrames
	x.conn.SetPingHandler(func(data string) error {
		if err := frames.note(time.Now()); err != nil {
			return err
		}
		_, err := x.client.Write(appendPong(nil, data))
		return err
	})
	x.conn.SetPongHandler(func(string) error { return frames.note(time.Now()) })
	x.conn.SetCloseHandler(func(int, string) error { return nil }) // sendClose answers
	for {
		m, err := x.next()
		if err != nil {
			x.offended(err)
			return
		}
		if !x.deliver(m) {
			x.server.metrics.reject(codeTooManyMessages)
			x.writeClose(websocket.ClosePolicyViolation, "too many messages at once")
			return
		}
	}
}

// appendPong appends a pong frame, as a server sends it (RFC 6455 §5.5.3). data is that of the ping.
func appendPong(dst []byte, data string) []byte {
	const pong = 0x80 | 0xa
	return append(append(dst, pong, byte(len(data))), data...)
}

// next reads one message.
func (x *session) next() (m message, err error) {
	kind, r, err := x.conn.NextReader()
	if err != nil {
		return message{}, err
	}
	// All its fragments have one time limit together.
	_ = x.conn.SetReadDeadline(time.Now().Add(x.route.global.Timeouts.Read))
	table := x.server.table.Load()
	b := inbound.BodyReader{
		Limit: int64(table.maxBody), Budget: int64(table.cfg.Limits.Bodies), Lease: inbound.Lease{Budget: &x.server.bodies},
	}
	err = b.All(r)
	if err == nil {
		err = checkText(kind, b.Body)
	}
	if err == nil {
		return message{body: b.Body, lease: b.Lease}, x.conn.SetReadDeadline(time.Time{})
	}
	b.Lease.End()
	switch {
	case errors.Is(err, inbound.ErrBodyLimit):
		m.fail = hub.Fail(hub.CodeBodyTooLarge, nil)
	case errors.Is(err, inbound.ErrBodyBudget):
		m.fail = hub.Fail(hub.CodeBodies, err)
	default:
		return message{}, err
	}
	m.head = make([]byte, min(headOfMessage, b.Limit))
	n := copy(m.head, b.Body)
	if more, err := io.ReadFull(r, m.head[n:]); err != nil {
		m.head = m.head[:n+more]
	}
	return m, x.skip(r)
}

// skip reads on to the end of a message that is not taken.
func (x *session) skip(rest io.Reader) error {
	if n, err := io.Copy(io.Discard, io.LimitReader(rest, inbound.MaxRefused)); err != nil || n == inbound.MaxRefused {
		return cmp.Or(err, websocket.ErrReadLimit)
	}
	return x.conn.SetReadDeadline(time.Time{})
}

// deliver hands a message to the upstream's socket, or lets it wait for its run. It returns false if too many wait.
func (x *session) deliver(m message) bool {
	if x.many != nil {
		m.lease.End() // each request takes memory of its own
		x.many.take(m)
		return true
	}
	x.sending.Lock()
	defer x.sending.Unlock()
	if up := x.upstreamConn(); up != nil && m.fail == nil {
		_ = up.SetWriteDeadline(time.Now().Add(x.route.cfg.Timeouts.Write))
		if up.WriteMessage(websocket.TextMessage, m.body) == nil {
			m.lease.End()
			return true
		}
		// The run is just ending: the message is for the next one.
	}
	if x.waiting.Add(int64(len(m.body))) <= int64(x.server.table.Load().maxBody) {
		select {
		case x.inbox <- m:
			return true
		default:
		}
	}
	m.lease.End()
	return false
}

// forget gives back the memory of what waits, once nothing more comes.
func (x *session) forget() {
	for {
		select {
		case m := <-x.inbox:
			m.lease.End()
		default:
			return
		}
	}
}
