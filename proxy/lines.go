package proxy

import (
	"bufio"
	"bytes"
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
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
	"github.com/sabir-proxy/sabir/proxy/internal/threads"
	"github.com/sabir-proxy/sabir/proxy/internal/urls"
)

// lineClient is a client that is on one connection for longer than a turn, such as an editor. Each of its conversations has one turn at a
// time, and answers to questions come in the middle of a turn.
type lineClient struct {
	server  *Server
	find    func() (*route, *target, *hub.Failure) // by the routes that are in force
	target  *target                                // as the connection found it
	request *fasthttp.Request                      // the model for each call
	peer    sender
	counted bool           // each message is a request, and was counted as such
	alone   bool           // who comes back to a conversation has another process: turns end with the client
	failed  chan struct{}  // closed when nothing can be written any more
	all     sync.WaitGroup // turns

	mu    sync.Mutex // held while lines are written, never while a turn waits for the agent
	send  sendLines
	face  hub.Face
	turns map[string]*lineTurn // by thread
	over  hub.Code             // why no more turns begin; "" while they do
	err   error                // of writing
}

// sendLines sends whole lines about a conversation, "" for those about none.
type sendLines func(thread string, lines []byte) error

// newLineClient makes a client.
func (s *Server) newLineClient(r *route, t *target, request *fasthttp.Request, send sendLines) *lineClient {
	cfg := hub.FaceConfig{Load: r.remembers(), Resume: r.remembers() || r.hasSessions() || r.up.Agents != nil}
	return &lineClient{
		server: s, target: t, request: request, peer: sender{Addr: noAddress{}}, failed: make(chan struct{}), send: send,
		find: func() (*route, *target, *hub.Failure) { return r, t, nil },
		face: t.dialect.NewFace(cfg), turns: map[string]*lineTurn{},
	}
}

// findRoute returns the route that is in force now for a request that came earlier, and what its path has beyond the route's.
func (s *Server) findRoute(req *fasthttp.Request, from *sender) (r *route, t *target, rest string, f *hub.Failure) {
	path, err := urls.Of(req)
	if err != nil {
		return nil, nil, "", hub.Fail(hub.CodeNoRoute, err)
	}
	if r, rest = s.table.Load().find(path); r == nil {
		return nil, nil, "", hub.Fail(hub.CodeNoRoute, nil)
	}
	if f = s.recheck(r, &req.Header, from); f == nil {
		t, f = r.check(req)
	}
	return r, t, rest, f
}

// findAlike is the same, if its clients still speak as those of another target do.
func (s *Server) findAlike(req *fasthttp.Request, from *sender, as *target) (*route, *target, *hub.Failure) {
	r, t, _, f := s.findRoute(req, from)
	if f == nil && (t.dialect != as.dialect || !r.translates(t)) {
		f = hub.Fail(hub.CodeNoRoute, nil)
	}
	return r, t, f
}

// ServeLines answers the client that writes lines to in, on the route of a path, until it leaves or ctx is done. A server serves either
// lines or, by [Server.Serve], connections.
func (s *Server) ServeLines(ctx context.Context, path string, in io.Reader, out io.Writer) error {
	defer s.end()
	r, err := s.lineRoute(path)
	if err != nil {
		return err
	}
	request := fasthttp.AcquireRequest()
	request.Header.SetMethod(fasthttp.MethodPost)
	request.SetRequestURI(path)
	l := s.newLineClient(r, r.first, request, func(_ string, lines []byte) error {
		_, err := out.Write(lines)
		return err
	})
	l.alone = s.replicas == nil
	ended := make(chan error, 1)
	go func() { ended <- l.read(in, int(r.cfg.Limits.RequestBody)) }()
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	if !l.end(inbound.FinalWriteTimeout) {
		return errors.Join(err, errors.New("the client does not read what is sent to it"))
	}
	return errors.Join(err, l.err)
}

// end lets go of everything that a server holds.
func (s *Server) end() {
	s.cancelRequests.Wait()
	s.kept.agents.close()
	s.owners.Wait()
	for _, c := range s.lineConns.all() {
		s.endLines(c)
	}
	s.replicas.close()
	s.tracing.close()
	if s.audit != nil {
		s.audit.Close()
	}
	s.kept.files.close()
	s.watch.Close()
	s.table.Load().retire(nil)
}

// lineRoute is the route of a path, if it serves clients by lines.
func (s *Server) lineRoute(path string) (*route, error) {
	r, _ := s.table.Load().find(urls.Path{Raw: path, Plain: path})
	if r == nil {
		return nil, fmt.Errorf("there is no route %s", path)
	}
	if r.first.dialect.NewFace == nil || r.part != partWhole {
		return nil, fmt.Errorf("route %s: clients of %s do not speak by lines", path, r.first.dialect.Name)
	}
	if !r.translates(r.first) {
		return nil, fmt.Errorf("route %s: requests of %s are not translated for %s", path, r.first.dialect.Name, r.source.Name)
	}
	return r, nil
}

// read takes lines until the end of in. A line that is longer than a request may be ends it.
func (l *lineClient) read(in io.Reader, longest int) error {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, longest)
	for scanner.Scan() {
		l.receive(bytes.Clone(scanner.Bytes()))
	}
	return scanner.Err()
}

// take acts on a message of the client, or says why it was not taken.
func (l *lineClient) take(m message) {
	if m.fail != nil {
		l.refuseMessage(m.fail)
	} else {
		l.receive(m.body)
	}
}

// drain implements [talker].
func (l *lineClient) drain(why hub.Code) <-chan struct{} {
	l.close(why)
	return whenDone(&l.all)
}

// whenDone tells when all of a group have ended.
func whenDone(all *sync.WaitGroup) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		all.Wait()
		close(done)
	}()
	return done
}

// lost implements [talker].
func (l *lineClient) lost() (<-chan struct{}, func() error) {
	return l.failed, func() error { return l.err }
}

// receive acts on a message of the client.
func (l *lineClient) receive(line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(line) == 0 {
		return
	}
	reply, m := l.face.Receive(nil, line)
	l.write("", reply)
	thread := plainText(m.Thread)
	switch m.Kind {
	case hub.ClientBegins, hub.ClientReturns:
		l.enter(line, &m, thread)
	case hub.ClientTurn:
		l.begin(line, thread)
	case hub.ClientCancels:
		if t := l.turns[thread]; t != nil {
			t.stop()
		}
	case hub.ClientAnswers:
		for _, t := range l.turns {
			t.answer(m.Answer)
		}
	}
}

// enter answers a client that begins a conversation, or comes back to one. The caller holds l.mu.
func (l *lineClient) enter(line []byte, m *hub.ClientMessage, thread string) {
	r, _, f := l.find()
	if f != nil {
		l.refuse("", line, f)
		return
	}
	log := r.threads
	key := threads.Key{Scope: r.scope(&l.request.Header, l.peer.who), Name: thread}
	about := &hub.Thread{ID: thread}
	var err error
	switch {
	case m.Kind == hub.ClientBegins:
		key.Name = string(newThread())
		about.ID = key.Name
		if r.remembers() {
			err = log.Create(key, threads.Seed{})
		}
	case r.remembers():
		var v threads.View
		v, err = log.Find(key)
		if about.Messages, about.Busy = v.Messages, v.Busy; errors.Is(err, threads.ErrUnknown) {
			about, err = nil, nil
		}
	}
	if m.Kind == hub.ClientReturns && r.up.Agents != nil && !r.up.Agents.Knows(key.Scope, key.Name) {
		about = nil
	}
	if err != nil {
		l.refuse("", line, asFailure(err))
		return
	}
	var run *sharedRun
	if m.Kind == hub.ClientReturns {
		if run, f = l.goesOn(r, key.Scope, about); f != nil {
			l.refuse("", line, f)
			return
		}
	}
	l.write("", l.face.Began(nil, m, about))
	if run != nil {
		l.follow(r, thread, run)
	}
}

// begin begins a turn, unless the conversation has one. The caller holds l.mu.
func (l *lineClient) begin(body []byte, thread string) {
	r, target, f := l.find()
	before := l.turns[thread]
	switch {
	case f != nil:
	case l.over != "":
		f = hub.Fail(l.over, nil)
	case before != nil && !before.hasEnded():
		f = hub.Fail(hub.CodeSessionBusy, nil)
	}
	if f != nil {
		l.refuse(thread, body, f)
		return
	}
	t := newLineTurn(l, r, target, thread, body)
	t.shared, t.before = l.shares(r), before
	l.turns[thread] = t
	l.server.owners.Go(func() {
		if before != nil {
			<-before.over
		}
		t.run()
		t.end()
	})
	l.all.Go(func() {
		select {
		case <-t.over:
		case <-t.left:
		}
		l.freed(t)
	})
}

// freed is free for who does not hold l.mu.
func (l *lineClient) freed(t *lineTurn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free(t)
}

// endTurn lets the next turn of a conversation begin, before a client learns that this one is over. The caller holds l.mu.
func (l *lineClient) endTurn(t *lineTurn) {
	t.ended.Store(true)
	l.free(t)
}

// free takes the conversation of a turn back. The caller holds l.mu.
func (l *lineClient) free(t *lineTurn) {
	if l.turns[t.thread] == t {
		delete(l.turns, t.thread)
	}
}

// end ends all turns, as the client has left, and reports whether they ended in time.
func (l *lineClient) end(within time.Duration) bool {
	ended := make(chan struct{})
	go func() {
		l.close(hub.CodeShutdown)
		l.leave()
		l.all.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return true
	case <-time.After(within):
		return false
	}
}

// close lets no more turns begin.
func (l *lineClient) close(why hub.Code) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over == "" {
		l.over = why
	}
}

// leave ends all turns: the client has left.
func (l *lineClient) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.turns {
		t.leave()
	}
}

// refuse answers a request of which nothing comes. The caller holds l.mu.
func (l *lineClient) refuse(thread string, body []byte, f *hub.Failure) {
	l.server.rejected(f, string(l.request.URI().Path()), l.peer.String(), "")
	l.say(thread, body, hub.FailureEnd(f, new(hub.More)))
}

// refuseMessage answers a message that was not taken.
func (l *lineClient) refuseMessage(f *hub.Failure) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refuse("", nil, f)
}

// say answers a request with an event of Sabir's own. The caller holds l.mu.
func (l *lineClient) say(thread string, body []byte, ev hub.Event) {
	asked := new(hub.Request)
	_ = l.target.dialect.Requests.DecodeRequest(asked, body) // as far as it can be read
	out, enc := wire.NewOut(wire.NDJSON), l.target.dialect.NewEncoder(l.target.options)
	engine.Answer(enc, asked)
	enc.Encode(out, &ev)
	enc.Finish(out)
	l.write(thread, out.Buf)
}

// write sends whole lines. The caller holds l.mu.
func (l *lineClient) write(thread string, lines []byte) {
	if len(lines) == 0 || l.err != nil {
		return
	}
	if l.err = l.send(thread, lines); l.err != nil {
		close(l.failed)
	}
}
