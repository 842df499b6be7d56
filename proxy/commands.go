package proxy

import (
	"errors"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/eventlog"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
	"github.com/sabir-proxy/sabir/proxy/internal/threads"
)

// Clients of some dialects begin a turn by a command, which is answered at once, and read what comes of it by other requests, as many as they
// like. Such a run belongs to the server: it has a log, as those of a route with resume have.

const (
	// commandGrace is how long a run that a command has begun goes on without a reader, where the route has no resume.
	commandGrace = time.Minute

	// commandTTL is how long such a run can be read after its end: a client may open its stream late.
	commandTTL = time.Minute

	// commandWait is how long a command waits for the end of the run before it.
	commandWait = 5 * time.Second
)

// findLogs makes the logs of runs ready, where the route has any.
func (r *route) findLogs() (err error) {
	commands := false
	for _, t := range r.targets {
		commands = commands || t.dialect.Serves(hub.OpCommand)
	}
	if r.cfg.Resume.Grace == 0 && !commands {
		return nil
	}
	if r.tape, err = newLogs(r); err == nil && r.cfg.Resume.Grace > 0 {
		r.logs = r.tape
	}
	return err
}

// grace is how long a run goes on without a reader.
func (r *route) grace() time.Duration {
	if r.logs == nil {
		return commandGrace
	}
	return r.cfg.Resume.Grace
}

// keepsEnded is how long a run can be read after its end.
func (r *route) keepsEnded() time.Duration {
	if r.logs == nil {
		return commandTTL
	}
	return r.cfg.Resume.TTL
}

// answerCommand answers a request that begins a turn.
func (s *Server) answerCommand(ctx *fasthttp.RequestCtx, r *route, t *target, sub subpath) {
	c, f := s.command(ctx, r, t, sub)
	if f != nil {
		s.rejectOperation(ctx, t, sub.op, f)
		return
	}
	about := r.agent("")
	about.Asked = c.asked
	ctx.SetContentType("application/json")
	ctx.SetBody(t.dialect.AppendReply(nil, sub.op, about))
	log := c.shared.Log
	c.shared.About.enter(log)
	s.owners.Go(func() { s.own(c) })
	c.shared.About.leave(log)
}

var errForwarded = errors.New("requests pass as they came")

// command takes a turn in, or says why there can be none.
func (s *Server) command(ctx *fasthttp.RequestCtx, r *route, t *target, sub subpath) (*call, *hub.Failure) {
	form := formOf(ctx, t.dialect)
	if !r.translates(t) {
		return nil, hub.Fail(hub.CodeUnsupported, errForwarded)
	}
	before, f := s.awaitThread(threadKey(ctx, r, sub), form.Supersedes)
	if f != nil {
		return nil, f
	}
	c, f := arrived(ctx, r, t, sub, requestID(&ctx.Request))
	if f != nil {
		return nil, f
	}
	if before != nil && c.asked != nil { // events have numbers by the time of their run
		c.asked.Time = max(c.asked.Time, before.About.asked.Time+1)
	}
	s.logRequest(c, &ctx.Request)
	c.lease = inbound.ConnOf(ctx).TakeLease()
	if f = c.tellPast(); f == nil {
		f = s.share(c)
	}
	if f == nil && c.shared == nil {
		f = hub.Fail(hub.CodeUnsupported, nil)
	}
	if f != nil {
		c.endThread()
		c.release()
	}
	return c, f
}

func threadKey(ctx *fasthttp.RequestCtx, r *route, sub subpath) eventlog.Key {
	return eventlog.Key{Scope: r.scopeOf(ctx), Kind: byThread, Name: sub.params["thread"]}
}

// tellPast tells what was said before the run, and by the user for it: states repeat that. Where the agent keeps the conversation, and Sabir
// does not, it is what the runs have said that are remembered.
func (c *call) tellPast() *hub.Failure {
	if c.route.remembers() || c.thread != nil || len(c.asked.Thread) == 0 {
		return nil // the request was completed with it
	}
	thread, f := c.route.thread(threads.Key{Scope: c.scope, Name: plainText(c.asked.Thread)})
	if f == nil {
		c.asked.Said = thread.Messages
	}
	return f
}

// awaitThread waits until the run of a conversation that was stopped has ended, or that the next one is to end. It returns the last run, nil
// for none.
func (s *Server) awaitThread(key eventlog.Key, supersedes bool) (*sharedRun, *hub.Failure) {
	run, f := s.sharedRunOf(key)
	if f != nil || run == nil || run.Ended() {
		return run, f
	}
	if supersedes {
		if f := s.stopShared(run); f != nil {
			return nil, f
		}
	} else if run.About.canceler == nil || run.About.canceler.Failure() == nil {
		return run, nil // whether there can be two is for who keeps the conversation
	}
	st := new(canceler)
	late := time.AfterFunc(commandWait, func() { st.cancel(hub.Fail(hub.CodeSessionBusy, nil)) })
	defer late.Stop()
	return run, awaitEnd(run, anyReaders, st)
}

// anyReaders is the bound of readers for those that are no clients.
const anyReaders = 1 << 20
