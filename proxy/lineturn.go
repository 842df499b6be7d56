package proxy

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
)

// lineTurn is a turn of such a client: one run of the agent, or several, where the agent ends its run with questions.
type lineTurn struct {
	client   *lineClient
	route    *route
	target   *target
	thread   string
	body     []byte // nil where the client reads another's turn along
	canceler *canceler
	changed  chan struct{} // signalled by answers

	follows *lineTurn     // the turn of another client, which this one reads along; nil: none, or it is another replica's
	before  *lineTurn     // that has ended, and of which the client has yet to read the rest; nil: none
	leaving *canceler     // of what the client reads, where the turn outlives its connection
	once    sync.Once     // closes left
	left    chan struct{} // closed when the client has left
	ended   atomic.Bool   // set before its client learns that it has ended
	over    chan struct{} // closed when the turn has ended

	mu      sync.Mutex
	asks    []lineAsk     // that are open: no more than the sequencer keeps open
	shared  bool          // it outlives the connection of its client
	current *sharedRun    // the run that it has now
	moved   chan struct{} // closed when it has another one
}

func newLineTurn(l *lineClient, r *route, t *target, thread string, body []byte) *lineTurn {
	return &lineTurn{
		client: l, route: r, target: t, thread: thread, body: body, canceler: new(canceler), leaving: new(canceler), changed: make(chan struct{}, 1),
		left: make(chan struct{}), over: make(chan struct{}), moved: make(chan struct{}),
	}
}

// lineAsk is a question that the client was asked.
type lineAsk struct {
	id       string
	answered bool
	answer   hub.Decision
}

// run runs the agent until it asks nothing more.
func (t *lineTurn) run() {
	l := t.client
	defer func() {
		if v := recover(); v != nil {
			l.server.bug(v)
			t.refuse(hub.Fail(hub.CodeInternal, nil))
		}
	}()
	var answers []hub.Decision
	for again := true; again; {
		c, f := t.call(answers)
		if f == nil && answers == nil && !l.counted {
			f = l.server.countMessage(c)
		}
		if f == nil {
			f = t.admit(c)
		}
		if f != nil {
			if c != nil {
				c.endThread()
				c.release()
			}
			t.refuse(f)
			return
		}
		if f = t.runOnce(c); f != nil || !t.pending() {
			return
		}
		answers, again = t.await(t.longestWait(c.route))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.endTurn(t)
	l.say(t.thread, t.body, hub.Event{Kind: hub.RunEnd, Status: hub.StatusCancelled})
}

// admit takes the run of a call in.
func (t *lineTurn) admit(c *call) *hub.Failure {
	if t.outlives() { // it is translated, and has no other place where its client could be answered: it can be shared
		return t.client.server.share(c)
	}
	return t.client.server.admitRun(c, t.canceler)
}

// runOnce runs the agent once.
func (t *lineTurn) runOnce(c *call) *hub.Failure {
	if c.shared != nil {
		return t.runShared(c)
	}
	defer c.release()
	return t.client.server.run(c, t.canceler, &lineSink{client: t.client, turn: t})
}

func (t *lineTurn) refuse(f *hub.Failure) {
	t.client.mu.Lock()
	defer t.client.mu.Unlock()
	t.client.endTurn(t)
	t.client.refuse(t.thread, t.body, f)
}

// call makes the call for a turn, or for the answers to the questions of its last run.
func (t *lineTurn) call(answers []hub.Decision) (*call, *hub.Failure) {
	l := t.client
	c := callOf(l.request, l.peer, t.route, t.target, subpath{}, string(randomID()))
	c.lines, c.answers = t, answers
	c.request.Header.SetMethod(t.route.upstreamMethod(fasthttp.MethodPost)) // whatever the connection was opened by
	c.request.Header.SetContentType("application/json")
	kept := false
	defer func() { // also of a panic
		if !kept {
			c.release()
		}
	}()
	if f := t.setBody(c); f != nil {
		return nil, f
	}
	kept = true
	return c, nil
}

// setBody gives a call the body of the turn, whose memory counts as that of any other until it was sent.
func (t *lineTurn) setBody(c *call) *hub.Failure {
	l := t.client
	c.lease.Budget = &l.server.bodies
	if !c.lease.Grow(int64(len(t.body)), int64(c.route.global.Limits.Bodies)) {
		return hub.Fail(hub.CodeBodies, inbound.ErrBodyBudget)
	}
	return c.setBody(&l.request.Header, t.body, t.body)
}

// noAddress is where a client is that has started the program.
type noAddress struct{}

func (noAddress) Network() string { return "pipe" }
func (noAddress) String() string  { return "127.0.0.1:0" }

// ask notes a question that the client is asked.
func (t *lineTurn) ask(id []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asks = append(t.asks, lineAsk{id: string(id)})
}

// withdraw notes that a question waits for no answer any more. Nothing waits where there is no turn.
func (t *lineTurn) withdraw(id []byte) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asks = slices.DeleteFunc(t.asks, func(a lineAsk) bool { return a.id == string(id) })
	t.signal()
}

// signal wakes who waits for answers.
func (t *lineTurn) signal() {
	select {
	case t.changed <- struct{}{}:
	default:
	}
}

// answer takes the answer to a question, if it is one of this turn.
func (t *lineTurn) answer(d hub.Decision) {
	if t.follows != nil {
		t.follows.answer(d)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.asks {
		if a := &t.asks[i]; a.id == string(d.Ask) && !a.answered {
			a.answered, a.answer = true, d
			t.signal()
		}
	}
}

// pending reports whether there are questions of the last run.
func (t *lineTurn) pending() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.asks) > 0
}

// take returns the answers if there is one to each question; ok is false as long as there is not. With late, the questions without
// one are refused.
func (t *lineTurn) take(late bool) (answers []hub.Decision, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range t.asks {
		switch {
		case a.answered:
			answers = append(answers, a.answer)
		case late:
			answers = append(answers, hub.Decision{Ask: []byte(a.id), Decided: true, Cancelled: true})
		default:
			return nil, false
		}
	}
	t.asks = nil
	return answers, true
}

// await waits for the answers to the questions with which a run has ended, for a time; again is false if the turn was cancelled.
func (t *lineTurn) await(wait time.Duration) (answers []hub.Decision, again bool) {
	stopped := make(chan struct{})
	var once sync.Once
	t.canceler.OnCancel(func() { once.Do(func() { close(stopped) }) })
	defer t.canceler.OnCancel(nil)
	late := time.NewTimer(wait)
	defer late.Stop()
	for {
		if answers, ok := t.take(false); ok {
			return answers, true
		}
		select {
		case <-t.changed:
		case <-late.C:
			return t.take(true)
		case <-t.client.server.leaving:
			return t.take(true)
		case <-stopped:
			return nil, false
		}
	}
}

// lineSink writes a run for the client.
type lineSink struct {
	client *lineClient
	turn   *lineTurn
}

func (s *lineSink) begin(*wire.Out) {}

func (s *lineSink) write(out *wire.Out) error {
	s.client.mu.Lock()
	defer s.client.mu.Unlock()
	return s.send(out)
}

func (s *lineSink) send(out *wire.Out) error {
	l := s.client
	l.face.Sent(out.Buf)
	l.write(s.turn.thread, out.Buf)
	if l.err != nil {
		return hub.Fail(hub.CodeClientGone, l.err)
	}
	return nil
}

// end implements sink. Where the agent has ended its run with questions, the turn goes on, so that its last record is not for the client.
func (s *lineSink) end(out *wire.Out, f *hub.Failure) error {
	s.client.mu.Lock()
	defer s.client.mu.Unlock()
	if f == nil && s.turn.pending() {
		out.Buf = withoutLast(out.Buf)
	} else {
		s.client.endTurn(s.turn)
	}
	return s.send(out)
}

// withoutLast is lines without the last one.
func withoutLast(lines []byte) []byte {
	if len(lines) == 0 {
		return lines
	}
	end := len(lines) - 1
	for end > 0 && lines[end-1] != '\n' {
		end--
	}
	return lines[:end]
}
