package proxy

import (
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/fasthttp/websocket"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/http1"
	"github.com/sabir-proxy/sabir/proxy/internal/rawio"
)

// What a WebSocket peer may do beyond the protocol itself, which the library enforces: reserved bits, masks, control frames,
// the order of fragments and close codes.

var (
	errControlFlood = errors.New("too many control frames")
	errBadText      = errors.New("a text message is not UTF-8")
	errBigHeader    = errors.New("the header of the handshake is larger than limits.header")
)

// maxControlFrames is how many pings and pongs a peer may send in a second. Heartbeats are some per minute.
const maxControlFrames = 100

// controlFrames counts the pings and pongs of a peer. It is used by the one goroutine that reads.
type controlFrames struct {
	since time.Time
	n     int
}

// note counts one, and fails when there are too many.
func (c *controlFrames) note(now time.Time) error {
	if now.Sub(c.since) > time.Second {
		c.since, c.n = now, 0
	}
	if c.n++; c.n > maxControlFrames {
		return errControlFlood
	}
	return nil
}

// checkText refuses a whole message that RFC 6455 §8.1 forbids, however it was cut into fragments.
func checkText(kind int, message []byte) error {
	if kind == websocket.TextMessage && !utf8.Valid(message) {
		return errBadText
	}
	return nil
}

// isViolation reports whether the library has ended a connection because its peer broke the protocol. It has said so to the
// peer in a close frame.
func isViolation(err error) bool {
	var closed *websocket.CloseError
	return err != nil && !errors.As(err, &closed) && strings.HasPrefix(err.Error(), "websocket: ")
}

// offended closes the connection of a client that has broken a rule, and counts it.
func (x *session) offended(err error) {
	switch {
	case rawio.IsTimeout(err):
		x.server.metrics.reject(codeRequestTimeout)
		x.writeClose(websocket.ClosePolicyViolation, "the message did not arrive in time")
	case errors.Is(err, errControlFlood):
		x.server.metrics.reject(codeTooManyMessages)
		x.writeClose(websocket.ClosePolicyViolation, errControlFlood.Error())
	case errors.Is(err, websocket.ErrReadLimit):
		x.server.metrics.reject(string(hub.CodeBodyTooLarge))
		x.writeClose(websocket.CloseMessageTooBig, "")
	case errors.Is(err, errBadText):
		x.server.metrics.reject(http1.CodeBadRequest)
		x.writeClose(websocket.CloseInvalidFramePayloadData, errBadText.Error())
	case isViolation(err):
		x.server.metrics.reject(http1.CodeBadRequest)
		x.closing.Do(func() {}) // the library has said it
	}
}

// handshakeConn bounds what is read of the answer to a handshake.
type handshakeConn struct {
	net.Conn
	left int // bytes; negative: no bound, the handshake is over
}

// handshakeBuffer is what the library reads behind the header, of what a refusal says.
const handshakeBuffer = 1 << 10

// Read implements net.Conn.
func (c *handshakeConn) Read(p []byte) (int, error) {
	if c.left < 0 {
		return c.Conn.Read(p)
	}
	if c.left == 0 {
		return 0, hub.Fail(hub.CodeMalformed, errBigHeader)
	}
	n, err := c.Conn.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

// lifeSign is when a peer last showed that it is alive, without a message. It keeps the monotonic reading: the clock of the day can be set.
type lifeSign struct{ at atomic.Pointer[time.Time] }

func (l *lifeSign) show(now time.Time) { l.at.Store(&now) }

// since is when that was, from the start of a stream; 0 for never.
func (l *lifeSign) since(start time.Time) time.Duration {
	if at := l.at.Load(); at != nil {
		return at.Sub(start)
	}
	return 0
}
