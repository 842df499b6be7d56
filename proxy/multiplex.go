package proxy

import (
	"bytes"
	"errors"
	"sync"

	"github.com/fasthttp/websocket"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// multiplexer serves a client that has several requests side by side on one WebSocket. Each is a request as if it had come by HTTP: it
// counts, it can outlive the connection, and it is ended by a message of its own.
type multiplexer struct {
	session *session
	form    *hub.Multiplex
	failed  chan struct{}  // closed when nothing can be sent any more
	all     sync.WaitGroup // requests

	sending sync.Mutex // held while a message is sent, which may block
	out     wire.Out

	mu       sync.Mutex // never held while anything blocks
	requests map[string]*multiplexRequest
	over     hub.Code // why no more requests begin; "" while they do
	err      error    // why nothing can be sent
}

// maxMultiplexed is how many requests a connection may have at once. Chats have one at a time.
const maxMultiplexed = 64

var errTooManyMultiplexed = errors.New("too many requests at once on a connection")

// newMultiplexer makes what serves a client; nil for one whose dialect has a request after the other.
func newMultiplexer(x *session) *multiplexer {
	if x.target.dialect.Multiplex == nil {
		return nil
	}
	m := &multiplexer{session: x, form: x.target.dialect.Multiplex, failed: make(chan struct{}), requests: map[string]*multiplexRequest{}}
	m.out.SetFraming(wire.WebSocket)
	return m
}

// take acts on a message of the client. One that names no request cannot be answered, so that it ends the connection.
func (m *multiplexer) take(in message) {
	if in.fail != nil {
		m.refuseHead(in)
		return
	}
	what, err := m.form.Read(in.body)
	switch {
	case err != nil && len(what.Request) == 0:
		m.hangUp(websocket.ClosePolicyViolation, "the message is no request", hub.Fail(hub.CodeUnreadable, err))
	case err != nil:
		m.refuse(what.Request, hub.Fail(hub.CodeUnreadable, err))
	case what.Operation == hub.OpStop:
		m.stop(string(what.Request))
	default:
		m.begin(&what)
	}
}

// refuseHead answers a message that was not taken, of which only the beginning is there.
func (m *multiplexer) refuseHead(in message) {
	if id := m.form.Named(in.head); len(id) > 0 {
		m.refuse(id, in.fail)
		return
	}
	if in.fail.Code == hub.CodeBodies {
		m.hangUp(websocket.CloseTryAgainLater, "limits.bodies is used up", in.fail)
		return
	}
	m.hangUp(websocket.CloseMessageTooBig, "the message is larger than limits.request_body", in.fail)
}

// begin begins a request, unless there can be none.
func (m *multiplexer) begin(what *hub.Multiplexed) {
	q := &multiplexRequest{of: m, id: bytes.Clone(what.Request)}
	switch f, twice := m.add(q); {
	case twice:
		m.hangUp(websocket.ClosePolicyViolation, "the name of the request is in use", hub.Fail(hub.CodeUnreadable, errors.New("two requests of one name")))
	case f != nil:
		m.refuse(what.Request, f)
	default:
		go func() {
			defer m.all.Done()
			defer m.remove(q)
			q.serve(what)
		}()
	}
}

// add takes a request in, or says why not.
func (m *multiplexer) add(q *multiplexRequest) (f *hub.Failure, twice bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	name := string(q.id)
	switch {
	case m.requests[name] != nil:
		return nil, true
	case m.over != "":
		return hub.Fail(m.over, nil), false
	case len(m.requests) >= maxMultiplexed:
		return hub.Fail(hub.CodeLimit, errTooManyMultiplexed), false
	}
	m.requests[name] = q
	m.all.Add(1)
	return nil, false
}

// remove takes the name of a request back: before the client learns of the end, so that it can have it again.
func (m *multiplexer) remove(q *multiplexRequest) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if name := string(q.id); m.requests[name] == q {
		delete(m.requests, name)
	}
}

// stop ends the run of a request. One that has ended in the meantime is no fault of the client's.
func (m *multiplexer) stop(name string) {
	m.mu.Lock()
	q := m.requests[name]
	m.mu.Unlock()
	if q != nil {
		q.stop()
	}
}

// refuse answers a request of which nothing comes.
func (m *multiplexer) refuse(id []byte, f *hub.Failure) {
	m.rejected(f)
	_ = m.send(func(out *wire.Out) {
		m.message(out, func(dst []byte) []byte { return m.form.AppendFailure(dst, id, f) })
	})
}

// rejected counts and logs a message that the client does not get what it wants by.
func (m *multiplexer) rejected(f *hub.Failure) {
	x := m.session
	x.server.rejected(f, string(x.handshake.URI().Path()), x.whence(), x.id)
}

// hangUp closes the connection over a message that cannot be answered.
func (m *multiplexer) hangUp(code int, reason string, f *hub.Failure) {
	m.rejected(f)
	m.session.writeClose(code, reason)
	m.lose(f)
}

// send sends the messages that add appends, in one write.
func (m *multiplexer) send(add func(out *wire.Out)) error {
	m.sending.Lock()
	defer m.sending.Unlock()
	if err := m.failure(); err != nil {
		return hub.Fail(hub.CodeClientGone, err)
	}
	m.out.Reset()
	add(&m.out)
	if len(m.out.Buf) == 0 {
		return nil
	}
	_, err := m.session.client.Write(m.out.Buf)
	if err != nil {
		m.lose(err) // half a message may have left
	}
	return err
}

// message appends one message, unless f appends nothing.
func (m *multiplexer) message(out *wire.Out, f func(dst []byte) []byte) {
	out.Begin("")
	before := len(out.Buf)
	if out.Buf = f(out.Buf); len(out.Buf) == before {
		out.Cancel()
	}
	out.End()
}

// lose notes why nothing can be sent any more.
func (m *multiplexer) lose(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil {
		m.err = err
		close(m.failed)
	}
}

func (m *multiplexer) failure() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}

// lost implements [talker].
func (m *multiplexer) lost() (<-chan struct{}, func() error) { return m.failed, m.failure }

// drain implements [talker].
func (m *multiplexer) drain(why hub.Code) <-chan struct{} {
	m.close(why)
	return whenDone(&m.all)
}

func (m *multiplexer) close(why hub.Code) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.over == "" {
		m.over = why
	}
}

// end ends what the client has open, as it has left, and waits for that. Runs that others can come to go on.
func (m *multiplexer) end() {
	m.close(hub.CodeShutdown)
	m.mu.Lock()
	for _, q := range m.requests {
		q.canceler.cancel(hub.Fail(hub.CodeClientGone, nil))
	}
	m.mu.Unlock()
	m.all.Wait()
}
