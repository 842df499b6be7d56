package upstream

import (
	"bufio"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// An answer may be wanted though the stream that has asked for it was canceled: it names what goes on at the server. Its connection is not closed
// then, and who reads it is woken, and leaves it to another one.

// maxLastSend is how long a request may still take to leave whose stream was canceled.
const maxLastSend = time.Second

// lent returns what ends a request on the connection, and what wakes who reads its answer. Neither does anything once the connection was given
// back: a stream may be canceled later than that, and another one have the connection.
func (c *upstreamConn) lent() (cut, wake func()) {
	c.lending.Lock()
	defer c.lending.Unlock()
	turn := c.turn
	during := func(do func()) func() {
		return func() {
			c.lending.Lock()
			defer c.lending.Unlock()
			if c.turn == turn {
				do()
			}
		}
	}
	return during(func() { Cut(c.Conn) }), during(c.wake)
}

// givenBack ends the turn of who has the connection.
func (c *upstreamConn) givenBack() {
	c.lending.Lock()
	defer c.lending.Unlock()
	c.turn++
}

// wake makes a read from the connection return, and all later ones.
func (c *upstreamConn) wake() {
	c.woken.Store(true)
	now := time.Now()
	_ = c.SetReadDeadline(now)
	_ = c.SetWriteDeadline(now.Add(maxLastSend))
}

// resume takes that back.
func (c *upstreamConn) resume() {
	c.woken.Store(false)
	_ = c.SetDeadline(time.Time{})
}

// Resume lets a body be read on of which a read was woken.
func (h *Body) Resume() {
	h.armed = time.Time{}
	h.conn.resume()
}

// Unanswered is the failure of a request whose stream was canceled, and whose answer is still wanted. It is either waited for or aborted.
type Unanswered struct {
	*hub.Failure
	conn *upstreamConn
	from *bufio.Reader // with what has come of the header
	head bool
}

// Unwrap shows the failure to errors.As.
func (u *Unanswered) Unwrap() error { return u.Failure }

// Await waits for the header of the answer, until the given time at most.
func (u *Unanswered) Await(until time.Time) (*Body, error) {
	u.conn.resume()
	if err := u.conn.SetReadDeadline(until); err != nil {
		u.Abort()
		return nil, AnswerFailure(err)
	}
	body, br, err := u.conn.readAnswer(u.from, u.head)
	if err != nil {
		u.from = br
		u.Abort()
		return nil, AnswerFailure(err)
	}
	return body, nil
}

// Abort gives the answer up.
func (u *Unanswered) Abort() {
	releaseReader(u.from)
	Cut(u.conn.Conn)
}
