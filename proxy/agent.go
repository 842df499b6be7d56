package proxy

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/internal/rawio"
	"github.com/sabir-proxy/sabir/proxy/internal/sessions"
)

// An agent that is a program has a process for each conversation. This file is what a stream does with one; package sessions keeps
// them.

// agentTurn is the [source] of a stream whose agent is a process.
type agentTurn struct {
	*sessions.Turn
	route   *route
	server  *Server
	answers bool                 // the client's dialect has a form for questions
	asked   int                  // questions so far
	returns bool                 // the client has a call to run: the turn goes on with its result
	asks    []hub.Decision       // that are open: no more than the sequencer keeps open
	lines   *lineTurn            // of a client that answers while the turn goes on; nil for others
	note    func([]hub.Decision) // notes how questions were answered while the turn goes on
	waiting time.Time            // since when it is asked
	quit    chan struct{}
	once    sync.Once
	timer   *time.Timer
	piece   []byte
}

// openProcess asks the agent for a turn, and waits for its first line, until the given time at most.
func (x *stream) openProcess(until time.Time) (source, error) {
	c := x.call
	asked := c.asked
	if asked == nil {
		return nil, hub.Fail(hub.CodeUnreadable, errors.New("the request has no body"))
	}
	defer asked.Detach()
	var losses hub.Losses
	asked.LostBefore(c.route.form.dialect.Name, &losses)
	c.chooseModel(asked, &losses)
	begins := sessions.Call{
		Scope: c.scope, Thread: plainText(asked.Thread), Request: asked, Losses: &losses, Strict: c.route.cfg.Requests.Strict, Until: until,
	}
	if asked.Begins && c.target.dialect.ResumesRuns { // the name is for answers: the next turn tells the whole conversation again
		begins.Thread, begins.Name = "", begins.Thread
	}
	turn, f := c.route.up.Agents.Begin(begins)
	if f != nil {
		return nil, c.refusedByAgent(f, asked.Chosen(&losses))
	}
	c.losses, c.translated = losses, true
	x.server.noteLosses(c.route, c.losses.Names)
	x.server.metrics.sessionTurns.WithLabelValues(c.route.up.Cfg.Name, string(turn.Known)).Inc()
	x.server.metrics.asks.WithLabelValues(c.route.up.Cfg.Name, "answered").Add(float64(turn.Answered))
	x.agent = &agentTurn{
		Turn: turn, route: c.route, server: x.server, answers: c.target.dialect.CanAsk(c.target.options), quit: make(chan struct{}), timer: time.NewTimer(maxWait),
	}
	x.agent.lines, x.agent.note = c.lines, x.noteAnswers
	x.canceler.OnCancel(x.agent.abandon)
	if err := x.agent.awaitFirst(until); err != nil {
		x.agent.Close()
		return nil, err
	}
	return x.agent, nil
}

// chooseModel leaves a request the model only if the configuration names it: what clients call the agent is mostly no model of its own.
func (c *call) chooseModel(asked *hub.Request, l *hub.Losses) {
	if c.route.modelLabel(asked) != otherModel {
		return
	}
	name := plainText(asked.Model)
	l.AddIf("model", name != "" && name != c.route.agent("").Name)
	asked.Model = []byte(c.route.cfg.Requests.Model)
}

// refusedByAgent completes why there is no turn.
func (c *call) refusedByAgent(f *hub.Failure, losses []string) *hub.Failure {
	switch f.Code {
	case hub.CodeLossy:
		return c.route.lossy(losses)
	case hub.CodeUnreadable:
		return unreadable(c.route.source, f.Cause)
	}
	return f
}

// awaitFirst waits for the first line of the turn, so that the status says that an agent cannot be started.
func (a *agentTurn) awaitFirst(until time.Time) error {
	if first := time.Now().Add(a.route.up.Cfg.Timeouts.FirstByte); first.Before(until) {
		until = first
	}
	var err error
	a.timer.Reset(time.Until(until))
	for len(a.piece) == 0 && err == nil {
		if a.piece, err = a.Take(a.piece); len(a.piece) > 0 || err != nil {
			break
		}
		select {
		case <-a.Ready():
		case <-a.timer.C:
			return hub.Fail(hub.CodeTimeout, nil)
		case <-a.quit:
			return rawio.ErrWake
		}
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// ReadInto implements [source].
func (a *agentTurn) ReadInto(b *rawio.Buffer, until time.Time) error {
	for {
		var err error
		if len(a.piece) == 0 {
			a.piece, err = a.Read(a.piece[:0], until)
		}
		if len(a.piece) > 0 {
			a.piece = b.Exchange(a.piece)
			return nil
		}
		a.timer.Reset(time.Until(until))
		if err == io.EOF && a.Waits() {
			if err = a.settle(); err == nil {
				continue
			}
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return rawio.ErrWake
		}
		if err != nil {
			return err
		}
		select {
		case <-a.Ready():
		case <-a.timer.C:
			return rawio.ErrWake
		case <-a.quit:
			return rawio.ErrWake
		}
	}
}

// askSettle is how long an agent that waits must be silent: it may ask several questions, one after the other.
const askSettle = 50 * time.Millisecond

// settle waits until the agent has asked everything. Then the turn ends for now, or goes on with the answers of the configuration.
func (a *agentTurn) settle() error {
	quiet := time.NewTimer(askSettle)
	defer quiet.Stop()
	select {
	case <-a.Ready():
		return nil
	case <-a.quit:
		return rawio.ErrWake
	case <-quiet.C:
	}
	switch {
	case a.lines != nil:
		return a.answerOnLine()
	case a.answers, len(a.asks) == 0 && a.returns:
		return io.EOF
	}
	return a.answer()
}

// answerOnLine waits for the client's answers, which come while the turn goes on.
func (a *agentTurn) answerOnLine() error {
	if a.waiting.IsZero() {
		a.waiting = time.Now()
	}
	left := a.route.cfg.Asks.Wait - time.Since(a.waiting)
	late := left <= 0
	if answers, ok := a.lines.take(late); ok && (len(answers) > 0 || late) {
		a.waiting, a.asks = time.Time{}, nil
		return a.send(answers, map[bool]string{false: "answered", true: sessions.AsksExpired}[late])
	}
	expires := time.NewTimer(left)
	defer expires.Stop()
	select {
	case <-expires.C:
	case <-a.lines.changed:
	case <-a.Ready():
	case <-a.timer.C:
		return rawio.ErrWake
	case <-a.quit:
		return rawio.ErrWake
	}
	return nil
}

// lastAlive implements [livenessSource]: an agent that waits for its client is not silent.
func (a *agentTurn) lastAlive(start time.Time) time.Duration {
	if a.waiting.IsZero() {
		return 0
	}
	return time.Since(start)
}

// Close implements [source].
func (a *agentTurn) Close() {
	a.abandon()
	a.timer.Stop()
	a.Leave(a.route.cfg.Asks.Wait)
}

// abandon makes read return.
func (a *agentTurn) abandon() {
	a.once.Do(func() {
		close(a.quit)
		a.Release()
	})
}

// edit gives an event the ids that the client knows, and notes what it asks.
func (a *agentTurn) edit(ev *hub.Event, mapIDs func(*hub.Event)) {
	switch ev.Kind {
	case hub.Ask:
		a.NoteAsk()
		a.asked++
		a.server.metrics.asks.WithLabelValues(a.route.up.Cfg.Name, "asked").Inc()
	case hub.TextDelta:
		if ev.Chan == hub.AnswerText && len(ev.SubAgent) == 0 {
			a.NoteWords(ev.Text)
		}
		mapIDs(ev)
		return
	case hub.Answer:
		mapIDs(ev)
		a.asks = slices.DeleteFunc(a.asks, func(d hub.Decision) bool { return bytes.Equal(d.Ask, ev.ID) })
		return
	case hub.ToolStart:
		a.returns = a.returns || ev.Flags.Has(hub.ClientRuns)
	default:
		mapIDs(ev)
		return
	}
	id, ref := ev.ID, ev.Ref
	mapIDs(ev)
	a.NoteID(id, ev.ID)
	if ev.Kind == hub.Ask {
		a.NoteID(ref, ev.Ref)
		a.asks = append(a.asks, hub.Decision{Ask: bytes.Clone(ev.ID), Call: bytes.Clone(ev.Ref)})
	}
}

// answer answers the questions of the agent in place of a client that cannot.
func (a *agentTurn) answer() error {
	allow := a.route.cfg.Asks.Without == "allow"
	for i := range a.asks {
		a.asks[i].Decided, a.asks[i].Approved, a.asks[i].Cancelled = true, allow, !allow
	}
	answers := a.asks
	a.asks = nil
	return a.send(answers, outcomeOf(allow))
}

// outcomeOf is the label of questions that are answered in place of a client.
func outcomeOf(allow bool) string {
	if allow {
		return "allowed"
	}
	return "denied"
}

// send tells the agent answers, so that its turn goes on. An agent that waits for something which is no question cannot be answered.
func (a *agentTurn) send(answers []hub.Decision, outcome string) error {
	said := slices.Clone(answers) // Answer puts the ids of the agent there
	if err := a.Answer(answers); err != nil {
		return hub.Fail(hub.CodeMalformed, err)
	}
	a.server.metrics.asks.WithLabelValues(a.route.up.Cfg.Name, outcome).Add(float64(len(answers)))
	a.note(said)
	return nil
}

// waits reports whether the agent waits for answers.
func (x *stream) waits() bool {
	return x.agent != nil && x.agent.Waits() || x.listens != nil && x.listens.paused
}

// pause ends the run for the client, if the agent waits for its answers.
func (x *stream) pause(f *hub.Failure) {
	if f != nil || !x.waits() {
		return
	}
	if p, ok := x.engine.(*engine.Pipeline); ok {
		x.pump.begin()
		p.Pause(x.pump.now())
	}
}
