package proxy

import (
	"bytes"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
)

// A talker answers a client that is on a WebSocket for longer than a request.
type talker interface {
	// drain lets nothing begin any more for a reason, and tells when all that runs has ended.
	drain(why hub.Code) (idle <-chan struct{})

	// lost tells when nothing can be sent any more, and why, once that is so.
	lost() (failed <-chan struct{}, why func() error)
}

// converse serves a client whose protocol has the connection for longer than a turn, until it leaves. It returns the code to close with.
func (x *session) converse() (code int) {
	l := x.server.newLineClient(x.route, x.target, x.handshake, x.sendLines)
	l.peer, l.find = x.peer, func() (*route, *target, *hub.Failure) { return x.server.findAlike(x.handshake, &x.peer, x.target) }
	defer l.end(2 * inbound.FinalWriteTimeout)
	return x.talk(l, l.take)
}

// talk gives the messages that wait to who answers them, until the client, the server or that one ends the connection. It returns the code
// to close with.
func (x *session) talk(t talker, take func(message)) (code int) {
	ping := time.NewTicker(x.pingInterval())
	defer ping.Stop()
	leaving := x.server.leaving
	expired, stop := x.peer.expiry()
	defer stop()
	var idle, idleExpired <-chan struct{}
	failed, why := t.lost()
	for {
		select {
		case m := <-x.inbox:
			x.waiting.Add(-int64(len(m.body)))
			take(m)
			m.lease.End()
		case <-ping.C:
			if _, err := x.client.Write(wire.AppendPing(nil)); err != nil {
				return websocket.CloseGoingAway
			}
		case <-leaving:
			leaving, idle = nil, t.drain(hub.CodeShutdown)
		case <-expired:
			idleExpired = t.drain(hub.CodeExpired)
		case <-idle:
			return websocket.CloseGoingAway
		case <-idleExpired:
			return x.expire()
		case <-failed:
			_, code := x.over(asFailure(why()))
			return code
		case <-x.gone:
			return websocket.CloseNormalClosure
		}
	}
}

// sendLines sends each line as a message, all in one write.
func (x *session) sendLines(_ string, lines []byte) error {
	out := wire.NewOut(wire.WebSocket)
	for line := range bytes.Lines(lines) {
		out.Record(wire.Record{Data: bytes.TrimSuffix(line, []byte("\n"))})
	}
	_, err := x.client.Write(out.Buf)
	return err
}
