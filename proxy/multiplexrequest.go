package proxy

import (
	"bytes"
	"sync"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/internal/eventlog"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
)

// multiplexRequest is one of the requests on a connection, and the sink of its answer.
type multiplexRequest struct {
	of       *multiplexer
	id       []byte   // as the client names it, the body of a string
	canceler canceler // of what is sent to the client

	sent  int64 // records of the answer, with those that the client has had before
	began bool

	mu      sync.Mutex
	run     *sharedRun // whose answer it reads; nil for one that ends with the connection
	stopped bool       // the client wants the run to end
}

// serve answers the request to its end.
func (q *multiplexRequest) serve(what *hub.Multiplexed) {
	s := q.of.session.server
	defer func() {
		if v := recover(); v != nil {
			s.bug(v)
			_ = q.refuse(hub.Fail(hub.CodeInternal, nil))
		}
	}()
	c, f := q.call(what)
	thread, after, joins := plainText(what.Thread), what.After, what.Operation == hub.OpJoin
	*what = hub.Multiplexed{} // it may be large, and the answer long
	if f == nil {
		f = s.countMessage(c)
	}
	switch {
	case f != nil:
	case joins:
		f = q.join(c, thread, after)
	default:
		f = q.answer(c)
	}
	if f != nil {
		q.of.remove(q)
		q.of.refuse(q.id, f)
	}
	if c != nil && c.shared == nil { // else it belongs to its run
		c.endThread()
		c.release()
	}
}

// call makes the call for the request, by the routes that are in force now.
func (q *multiplexRequest) call(what *hub.Multiplexed) (*call, *hub.Failure) {
	x := q.of.session
	r, t, rest, f := x.server.findRoute(x.handshake, &x.peer)
	if f == nil && t.dialect != x.target.dialect {
		f = hub.Fail(hub.CodeNoRoute, nil)
	}
	if f == nil && len(what.Body) > int(r.cfg.Limits.RequestBody) {
		f = hub.Fail(hub.CodeBodyTooLarge, nil)
	}
	if f != nil {
		return nil, f
	}
	sub, f := r.below(t, fasthttp.MethodPost, rest)
	if f != nil {
		return nil, f
	}
	fields, err := r.taken(what.Header, &x.handshake.Header, x.peer.who)
	if err != nil {
		return nil, hub.Fail(hub.CodeUnreadable, err)
	}
	req := requestOf(x.handshake, fields)
	defer fasthttp.ReleaseRequest(req)
	c := callOf(req, x.peer, r, t, sub, requestID(req))
	c.passOn(fields)
	c.multiplexed = true
	if what.Operation == hub.OpJoin {
		return c, nil
	}
	return c, q.fill(c, req, what.Body)
}

// fill gives the call its body, for which there has to be memory. It gives the memory back itself where that panics.
func (q *multiplexRequest) fill(c *call, req *fasthttp.Request, body []byte) *hub.Failure {
	s := q.of.session.server
	returns := false
	defer func() {
		if !returns {
			c.release()
		}
	}()
	f := q.setBody(c, req, body)
	returns = true
	if f == nil {
		s.logRequest(c, req)
	}
	return f
}

func (q *multiplexRequest) setBody(c *call, req *fasthttp.Request, body []byte) *hub.Failure {
	c.lease.Budget = &q.of.session.server.bodies
	if !c.lease.Grow(int64(len(body)), int64(c.route.global.Limits.Bodies)) {
		return hub.Fail(hub.CodeBodies, inbound.ErrBodyBudget)
	}
	return c.setBody(&req.Header, body, body)
}

// answer runs the agent for the client.
func (q *multiplexRequest) answer(c *call) *hub.Failure {
	s := q.of.session.server
	if f := s.share(c); f != nil {
		return f
	}
	if c.shared != nil {
		return q.view(&viewer{call: c, run: c.shared, asked: c.shared.About.asked, how: joinOpens})
	}
	f := s.admitRun(c, &q.canceler)
	if f == nil {
		q.cut(s.run(c, &q.canceler, q))
	}
	return f
}

// cut tells the client that no more comes of an answer that has no end of its own.
func (q *multiplexRequest) cut(f *hub.Failure) {
	if f == nil || f.Code != hub.CodeInternal && !clientFault(f.Code) {
		return
	}
	if left := q.canceler.Failure(); left == nil || !clientFault(left.Code) {
		_ = q.refuse(f)
	}
}

// join lets the client read a run that it has lost, behind the records that it has.
func (q *multiplexRequest) join(c *call, thread string, after int64) *hub.Failure {
	s, r := q.of.session.server, c.route
	var run *sharedRun
	if r.logs != nil {
		var f *hub.Failure
		if run, f = s.sharedRunOf(eventlog.Key{Scope: c.scope, Kind: byThread, Name: thread}); f != nil {
			s.metrics.resumeJoins.WithLabelValues(r.name, c.target.dialect.Name, string(f.Code)).Inc()
			return f
		}
	}
	if run == nil {
		q.of.remove(q)
		_ = q.sign(hub.MultiplexNone)
		return nil
	}
	_ = q.sign(hub.MultiplexJoined) // what becomes of it is seen by the next message
	how := joinStart
	if after > 0 {
		how = joinPosition
	}
	q.sent = after
	asked := *run.About.asked
	return q.view(&viewer{call: c, run: run, asked: &asked, how: how, skip: after})
}

// view lets the client read a run that others can come to.
func (q *multiplexRequest) view(v *viewer) *hub.Failure {
	s := q.of.session.server
	f := s.admit(v.call.route, &q.canceler, tenancy{})
	switch {
	case f == nil:
		q.reads(v.run)
		q.cut(s.view(v, &q.canceler, q))
	case v.how == joinOpens:
		s.giveUp(v.call, f)
	}
	return f
}

// reads notes whose answer the request reads. A client may have wanted its end before.
func (q *multiplexRequest) reads(run *sharedRun) {
	q.mu.Lock()
	q.run = run
	stopped := q.stopped
	q.mu.Unlock()
	if stopped {
		q.stop()
	}
}

// stop ends the run. Where that cannot be, the answer ends with the reason: the run goes on, and the client must not take it for cancelled.
func (q *multiplexRequest) stop() {
	q.mu.Lock()
	q.stopped = true
	run := q.run
	q.mu.Unlock()
	end := hub.Fail(hub.CodeCancelled, nil)
	if run != nil {
		if f := q.of.session.server.stopShared(run); f != nil {
			q.of.rejected(f)
			end = f
		}
	}
	q.canceler.cancel(end)
}

// begin implements [sink].
func (q *multiplexRequest) begin(*wire.Out) {}

// write implements [sink].
func (q *multiplexRequest) write(out *wire.Out) error {
	q.began = true
	return q.of.send(func(to *wire.Out) { q.append(to, out.Buf) })
}

// end implements [sink].
func (q *multiplexRequest) end(out *wire.Out, f *hub.Failure) error {
	if !q.began && f != nil && out.Records == 0 {
		return q.refuse(f)
	}
	q.of.remove(q)
	return q.of.send(func(to *wire.Out) {
		q.append(to, out.Buf)
		q.of.message(to, func(dst []byte) []byte { return q.of.form.AppendSign(dst, q.id, hub.MultiplexEnded) })
	})
}

// refuse implements [viewerSink].
func (q *multiplexRequest) refuse(f *hub.Failure) error {
	q.of.remove(q)
	return q.of.send(func(to *wire.Out) {
		q.of.message(to, func(dst []byte) []byte { return q.of.form.AppendFailure(dst, q.id, f) })
	})
}

// append appends a message for each record.
func (q *multiplexRequest) append(to *wire.Out, lines []byte) {
	for line := range bytes.Lines(lines) {
		record := bytes.TrimSuffix(line, []byte("\n"))
		before := to.Records
		q.of.message(to, func(dst []byte) []byte { return q.of.form.AppendRecord(dst, q.id, q.sent, record) })
		q.sent += int64(to.Records - before)
	}
}

func (q *multiplexRequest) sign(sign hub.MultiplexSign) error {
	return q.of.send(func(to *wire.Out) {
		q.of.message(to, func(dst []byte) []byte { return q.of.form.AppendSign(dst, q.id, sign) })
	})
}
