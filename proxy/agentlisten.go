package proxy

import (
	"errors"
	"io"
	"slices"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/internal/rawio"
	"github.com/sabir-proxy/sabir/proxy/internal/upstream"
)

// Some servers that keep conversations tell of their runs on a stream of its own, which is opened before a run is asked for. It goes on when
// the run has ended, tells of others too, and a run that asks something waits in the middle of it; see [hub.SessionServer.Listen].

// listening is the [source] of such a stream.
type listening struct {
	source
	stream *stream
	body   *upstream.Body
	run    hub.Listener
	header *fasthttp.Request // has that of further requests
	begins time.Time         // by when something of the run must have come
	since  time.Time         // since when the run waits for answers
	asks   []hub.Decision    // that are open: no more than the sequencer keeps open
	paused bool              // the run waits for answers of the client's
}

// openAndListen opens the stream, then asks for the run of a call in its session, and returns the stream.
func (x *stream) openAndListen(sink sink, until time.Time) (*upstream.Body, error) {
	c, s := x.call, x.call.agentSession
	if err := x.checkQuestions(sink, until); err != nil {
		return nil, err
	}
	if err := x.interrupt(sink, until); err != nil {
		return nil, err
	}
	body, err := x.callServer(s.server.Listen(&s.asked), sink, until)
	if err != nil {
		return nil, err
	}
	x.cancelRequest = c.cancelInSession(c.cancelUnnamed(), body.Header)
	if err := x.beginRun(sink, until); err != nil {
		body.Abort()
		return nil, err
	}
	x.canceler.OnCancel(body.Abort)
	run := x.engine.(*engine.Pipeline).Listener() // no client speaks as such servers do, so that the answer is translated
	x.listens = &listening{
		stream: x, body: body, run: run, header: c.bare(fasthttp.MethodPost), begins: time.Now().Add(c.route.up.Cfg.Timeouts.FirstByte),
	}
	x.listens.run.Listen(&s.asked)
	return body, nil
}

// maxChecks bounds the requests about the questions that one request answers, maxCheck the answer to each, in bytes.
const (
	maxChecks = 16
	maxCheck  = 8 << 20
)

// checkQuestions refuses answers to questions that are not open in the session of the call: they may be another principal's.
func (x *stream) checkQuestions(sink sink, until time.Time) error {
	s := x.call.agentSession
	if s.server.Check == nil || len(s.answers()) == 0 {
		return nil
	}
	var known [][]byte
	for range maxChecks {
		next, open := s.server.Check(&s.asked, known)
		switch {
		case next == nil && open:
			return nil
		case next == nil:
			return hub.Fail(hub.CodeAskUnknown, nil)
		}
		body, err := x.callServer(*next, sink, until)
		if err != nil {
			return err
		}
		answer, err := body.ReadAll(maxCheck, until)
		if err != nil {
			return err
		}
		known = append(known, answer)
	}
	return hub.Fail(hub.CodeAskUnknown, nil)
}

// interrupt ends what goes on in the session of a call, unless the run is a part of that, or the session is for the run alone. One that seems
// to be new may have a run whose client has seen nothing of it.
func (x *stream) interrupt(sink sink, until time.Time) error {
	s := x.call.agentSession
	alone := len(s.asked.Thread) == 0 && s.asked.NewSession
	if !s.server.Interrupts || alone || len(s.answers()) > 0 {
		return nil
	}
	body, err := x.callServer(s.server.Cancel(&s.asked, func(string) string { return "" }), sink, until)
	if err == nil {
		body.Close()
	}
	return err
}

// beginRun asks for the run, and gives the answers that it waits for besides the first.
func (x *stream) beginRun(sink sink, until time.Time) error {
	answers := x.call.agentSession.answers()
	body, err := x.askInSession(sink, until)
	if err != nil {
		return err
	}
	body.Close()
	if x.cancelRequest != nil {
		x.cancelRequest.begun = true
	}
	for _, what := range answers[min(1, len(answers)):] {
		req, err := x.call.sessionRequest(what)
		if err != nil {
			return unreadable(x.call.target.dialect, err)
		}
		if err := x.answerRun(req, sink, until); err != nil {
			return err
		}
	}
	return nil
}

// answerRun gives an answer to a run that goes on, which may have taken the question back by itself.
func (x *stream) answerRun(req *fasthttp.Request, sink sink, until time.Time) error {
	defer fasthttp.ReleaseRequest(req)
	body, r, err := x.ask(x.call.route.up, req, sink, until)
	switch {
	case err != nil:
		return err
	case r == nil:
		body.Close()
	case !slices.Contains(x.call.route.sessions.Unknown, r.Status):
		return x.refused(x.call.route.up, r, sink)
	}
	return nil
}

// callServer makes a request to the server that keeps the session of a call, and returns the answer if that is a success.
func (x *stream) callServer(what hub.SessionCall, sink sink, until time.Time) (*upstream.Body, error) {
	req, err := x.call.sessionRequest(what)
	if err != nil {
		return nil, unreadable(x.call.target.dialect, err)
	}
	defer fasthttp.ReleaseRequest(req)
	return x.succeed(x.call.route.up, req, sink, until)
}

// listened is a stream, as the call reads it.
func (x *stream) listened(src source, err error) (source, error) {
	if err != nil || x.listens == nil {
		return src, err
	}
	x.listens.source = src
	return x.listens, nil
}

// askedAll is how long a run must have waited: it may ask several questions, one after the other.
const askedAll = 250 * time.Millisecond

// ReadInto implements [source].
func (l *listening) ReadInto(b *rawio.Buffer, until time.Time) error {
	due := l.due()
	if due.IsZero() || until.Before(due) {
		return l.source.ReadInto(b, until)
	}
	if time.Now().Before(due) {
		return l.source.ReadInto(b, due)
	}
	if !l.run.Begun() {
		return hub.Fail(hub.CodeTimeout, errors.New("the server has taken the request, and tells nothing of its run"))
	}
	return l.settle()
}

// due is when something is to be done that depends on no record; zero for never.
func (l *listening) due() time.Time {
	switch {
	case !l.run.Begun():
		return l.begins
	case !l.run.Waits():
		l.since = time.Time{}
		return l.since
	case l.since.IsZero():
		l.since = time.Now()
	}
	return l.since.Add(askedAll)
}

// settle ends the run for the client, which answers by another request, or answers in its place.
func (l *listening) settle() error {
	c := l.stream.call
	if c.target.dialect.CanAsk(c.target.options) {
		l.paused = true
		return io.EOF
	}
	l.since = time.Time{}
	if err := l.answer(c.route.cfg.Asks.Without == "allow"); err != nil {
		return err
	}
	return rawio.ErrWake
}

// answer answers what is open in place of a client that cannot.
func (l *listening) answer(allow bool) error {
	x := l.stream
	for i := range l.asks {
		l.asks[i].Decided, l.asks[i].Approved, l.asks[i].Cancelled = true, allow, !allow
	}
	calls := x.call.route.sessions.Answers(&hub.Request{Partial: true, Answers: l.asks})
	if len(calls) < len(l.asks) {
		return hub.Fail(hub.CodeMalformed, errors.New("the agent asks something that is no yes or no, of a client that cannot be asked"))
	}
	l.asks = nil
	until := time.Now().Add(maxCancelRequest)
	defer x.canceler.OnCancel(l.body.Abort)
	for _, what := range calls {
		req := fasthttp.AcquireRequest()
		l.header.Header.CopyTo(&req.Header)
		if err := x.call.aim(req, what); err != nil {
			return unreadable(x.call.target.dialect, err)
		}
		if err := x.answerRun(req, nil, until); err != nil {
			return err
		}
	}
	x.server.metrics.asks.WithLabelValues(x.call.route.up.Cfg.Name, outcomeOf(allow)).Add(float64(len(calls)))
	return nil
}

// note keeps what is asked, under the ids of the agent.
func (l *listening) note(ev *hub.Event) {
	switch ev.Kind {
	case hub.Ask:
		l.asks = append(l.asks, hub.Decision{Ask: slices.Clone(ev.ID), Call: slices.Clone(ev.Ref)})
	case hub.Answer:
		l.asks = slices.DeleteFunc(l.asks, func(d hub.Decision) bool { return slices.Equal(d.Ask, ev.ID) })
	}
}

// Close implements [source].
func (l *listening) Close() {
	l.source.Close()
	fasthttp.ReleaseRequest(l.header)
}
