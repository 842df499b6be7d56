package proxy

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/internal/threads"
)

// lineClient is a client that speaks by lines, such as an editor that has started the program. Each of its conversations has one turn
// at a time, and answers to questions come in the middle of a turn.
type lineClient struct {
	server  *Server
	route   *route
	target  *target
	request *fasthttp.Request // the model for each call
	all     sync.WaitGroup    // turns

	mu    sync.Mutex // never held while a turn waits
	out   io.Writer
	face  hub.Face
	turns map[string]*lineTurn // by thread
	err   error                // of writing
}

// ServeLines answers the client that writes lines to in, on the route of a path, until it leaves or ctx is done. A server serves either
// lines or, by [Server.Serve], connections.
func (s *Server) ServeLines(ctx context.Context, path string, in io.Reader, out io.Writer) error {
	defer s.end()
	l, err := s.newLineClient(path, out)
	if err != nil {
		return err
	}
	lines, failed := make(chan []byte), make(chan error, 1)
	go func() { failed <- readLines(in, int(l.route.cfg.Limits.RequestBody), lines, ctx.Done()) }()
	for {
		select {
		case line := <-lines:
			l.receive(line)
			continue
		case err = <-failed:
		case <-ctx.Done():
		}
		break
	}
	l.leave()
	l.all.Wait()
	fasthttp.ReleaseRequest(l.request)
	return errors.Join(err, l.err)
}

// end lets go of everything that a server holds.
func (s *Server) end() {
	s.cancelRequests.Wait()
	s.kept.agents.close()
	s.watch.Close()
	s.table.Load().retire()
}

func (s *Server) newLineClient(path string, out io.Writer) (*lineClient, error) {
	r, _ := s.table.Load().find(requestPath{raw: path, plain: path})
	if r == nil {
		return nil, fmt.Errorf("there is no route %s", path)
	}
	if r.first.dialect.NewFace == nil || r.part != partWhole {
		return nil, fmt.Errorf("route %s: clients of %s do not speak by lines", path, r.first.dialect.Name)
	}
	if !r.translates(r.first) {
		return nil, fmt.Errorf("route %s: requests of %s are not translated for %s", path, r.first.dialect.Name, r.source.Name)
	}
	l := &lineClient{server: s, route: r, target: r.first, request: fasthttp.AcquireRequest(), out: out, face: r.first.dialect.NewFace(), turns: map[string]*lineTurn{}}
	l.request.Header.SetMethod(fasthttp.MethodPost)
	l.request.SetRequestURI(path)
	return l, nil
}

// readLines reads lines until the end of in. A line that is longer than a request may be ends it.
func readLines(in io.Reader, longest int, lines chan<- []byte, done <-chan struct{}) error {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, longest)
	for scanner.Scan() {
		line := append([]byte(nil), scanner.Bytes()...)
		select {
		case lines <- line:
		case <-done:
			return nil
		}
	}
	return scanner.Err()
}

// receive acts on a message of the client.
func (l *lineClient) receive(line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(line) == 0 {
		return
	}
	reply, m := l.face.Receive(nil, line)
	l.write(reply)
	thread := plainText(m.Thread)
	switch m.Kind {
	case hub.ClientBegins:
		id := newThread()
		if l.route.remembers() {
			l.route.threads.Create(threads.Key{Scope: l.scope(), Thread: string(id)})
		}
		l.write(l.face.Began(nil, &m, id))
	case hub.ClientTurn:
		l.begin(line, thread)
	case hub.ClientCancels:
		if t := l.turns[thread]; t != nil {
			t.canceler.cancel(hub.Fail(hub.CodeCancelled, nil))
		}
	case hub.ClientAnswers:
		for _, t := range l.turns {
			t.answer(m.Answer)
		}
	}
}

func (l *lineClient) scope() string { return l.route.scope(&l.request.Header) }

// begin begins a turn, unless the conversation has one. The caller holds l.mu.
func (l *lineClient) begin(body []byte, thread string) {
	if l.turns[thread] != nil {
		l.refuse(body, hub.Fail(hub.CodeSessionBusy, nil))
		return
	}
	t := &lineTurn{client: l, thread: thread, body: body, canceler: new(canceler), changed: make(chan struct{}, 1)}
	l.turns[thread] = t
	l.all.Go(func() {
		t.run()
		l.mu.Lock()
		defer l.mu.Unlock()
		l.free(t)
	})
}

// free takes the conversation of a turn back. The caller holds l.mu.
func (l *lineClient) free(t *lineTurn) {
	if l.turns[t.thread] == t {
		delete(l.turns, t.thread)
	}
}

// leave ends all turns: the client has left.
func (l *lineClient) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.turns {
		t.canceler.cancel(hub.Fail(hub.CodeClientGone, nil))
	}
}

// refuse answers a request of which nothing comes.
func (l *lineClient) refuse(body []byte, f *hub.Failure) {
	l.server.rejected(f, l.route.name, "", "")
	l.say(body, hub.FailureEnd(f, new(hub.More)))
}

// say answers a request with an event of Sabir's own. The caller holds l.mu.
func (l *lineClient) say(body []byte, ev hub.Event) {
	asked := new(hub.Request)
	_ = l.target.dialect.Requests.DecodeRequest(asked, body) // as far as it can be read
	out, enc := wire.NewOut(wire.NDJSON), l.target.dialect.NewEncoder(l.target.options)
	engine.Answer(enc, asked)
	enc.Encode(out, &ev)
	enc.Finish(out)
	l.write(out.Buf)
}

// write sends whole lines. The caller holds l.mu.
func (l *lineClient) write(lines []byte) {
	if len(lines) == 0 || l.err != nil {
		return
	}
	_, l.err = l.out.Write(lines)
}

// lineTurn is a turn of such a client: one run of the agent, or several, where the agent ends its run with questions.
type lineTurn struct {
	client   *lineClient
	thread   string
	body     []byte
	canceler *canceler
	changed  chan struct{} // signalled by answers

	mu   sync.Mutex
	asks []lineAsk
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
	var answers []hub.Decision
	for again := true; again; {
		c, f := l.call(t, answers)
		if f == nil {
			f = l.server.admit(c.route, t.canceler)
		}
		if f != nil {
			if c != nil {
				c.endThread()
				c.release()
			}
			l.mu.Lock()
			l.refuse(t.body, f)
			l.mu.Unlock()
			return
		}
		f = l.server.run(c, t.canceler, &lineSink{client: l, turn: t})
		c.release()
		if f != nil || !t.pending() {
			return
		}
		answers, again = t.await(c.route.cfg.Asks.Wait)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.say(t.body, hub.Event{Kind: hub.RunEnd, Status: hub.StatusCancelled})
}

// call makes the call for a turn, or for the answers to the questions of its last run.
func (l *lineClient) call(t *lineTurn, answers []hub.Decision) (*call, *hub.Failure) {
	c := callOf(l.request, noAddress{}, l.route, l.target, subpath{}, string(randomID()))
	c.lines, c.answers = t, answers
	c.request.Header.SetContentType("application/json")
	if f := c.setBody(&l.request.Header, t.body, t.body); f != nil {
		c.release()
		return nil, f
	}
	return c, nil
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

// answer takes the answer to a question, if it is one of this turn.
func (t *lineTurn) answer(d hub.Decision) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.asks {
		if a := &t.asks[i]; a.id == string(d.Ask) && !a.answered {
			a.answered, a.answer = true, d
			select {
			case t.changed <- struct{}{}:
			default:
			}
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
	t.canceler.onCancel(func() { once.Do(func() { close(stopped) }) })
	defer t.canceler.onCancel(nil)
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
	l.write(out.Buf)
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
		s.client.free(s.turn) // before the client learns that the turn is over
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
