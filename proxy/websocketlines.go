package proxy

import (
	"bytes"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// converse serves a client whose protocol has the connection for longer than a turn, until it leaves. It returns the code to close with.
func (x *session) converse() (code int) {
	l := x.server.newLineClient(x.route, x.target, x.handshake, x.sendLines)
	l.peer, l.find = x.peer, func() (*route, *target, *hub.Failure) { return x.server.findAlike(x.handshake, &x.peer, x.target) }
	defer l.end(2 * finalWriteTimeout)
	ping := time.NewTicker(x.pingInterval())
	defer ping.Stop()
	leaving, idle := x.server.leaving, make(chan struct{})
	for {
		select {
		case m := <-x.inbox:
			x.waiting.Add(-int64(len(m.body)))
			if m.fail != nil {
				l.refuseMessage(m.fail)
			} else {
				l.receive(m.body)
			}
		case <-ping.C:
			if _, err := x.client.Write(wire.AppendPing(nil)); err != nil {
				return websocket.CloseGoingAway
			}
		case <-leaving:
			leaving = nil
			l.close()
			go func() {
				l.all.Wait()
				close(idle)
			}()
		case <-idle:
			return websocket.CloseGoingAway
		case <-l.failed:
			_, code := x.over(asFailure(l.err))
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
