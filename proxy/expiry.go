package proxy

import (
	"time"

	"github.com/fasthttp/websocket"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
)

// Credentials that expire are judged when a request comes. What lasts for longer than they do is here: a WebSocket, each message of which is a
// request, and answers that are under way.

// expired is the failure of a client whose credentials do not count any more, nil while they do.
func (from *sender) expired() *hub.Failure {
	if from.who.Expired(time.Now()) {
		return hub.Fail(hub.CodeExpired, nil)
	}
	return nil
}

// shownAgain is the sender of a connection of which each request shows credentials of its own.
func (from sender) shownAgain() sender {
	if from.who != nil {
		who := *from.who
		who.Until = time.Time{}
		from.who = &who
	}
	return from
}

// expiry tells when the credentials of a client expire; nil: never. The timer is stopped by stop.
func (from *sender) expiry() (at <-chan time.Time, stop func() bool) {
	if from.who == nil || from.who.Until.IsZero() {
		return nil, func() bool { return false }
	}
	t := time.NewTimer(time.Until(from.who.Until))
	return t.C, t.Stop
}

// endExpired ends a stream when the credentials of its client expire, if it may not last for longer. Where the upstream has a socket, too, the
// client's messages go there unread: then the stream is the connection.
func (s *Server) endExpired(c *call, st *canceler) (forget func()) {
	who := c.from.who
	if who == nil || who.Until.IsZero() || !c.route.endsExpired() && (c.session == nil || !c.route.up.WebSocket()) {
		return func() {}
	}
	t := time.AfterFunc(time.Until(who.Until), func() { st.cancel(hub.Fail(hub.CodeExpired, nil)) })
	return func() { t.Stop() }
}

func (r *route) endsExpired() bool {
	jwt := r.global.Auth.JWT
	return jwt != nil && jwt.Expired == config.EndExpired
}

// expire closes a connection on which nothing runs, as the credentials of its client have expired. It returns the code to close with.
func (x *session) expire() (code int) {
	f := hub.Fail(hub.CodeExpired, nil)
	x.server.rejected(f, string(x.handshake.URI().Path()), x.whence(), x.id)
	x.writeClose(websocket.ClosePolicyViolation, f.Text())
	return websocket.ClosePolicyViolation
}
