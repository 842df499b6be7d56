package proxy

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/auth"
	"github.com/sabir-proxy/sabir/proxy/internal/eventlog"
	"github.com/sabir-proxy/sabir/proxy/internal/fields"
	"github.com/sabir-proxy/sabir/proxy/internal/runlog"
	"github.com/sabir-proxy/sabir/proxy/internal/threads"
)

// Clients of some dialects send only what is new, and name the conversation. Agents that need the whole history get it from the
// log of threads.

// keyParameter is the parameter of the URL by which clients of Google's APIs may send their key in place of a header field.
const keyParameter = "key"

// scope separates the conversations of routes and principals. Credentials are not kept. A client that the guard of the route has named
// is known by that: the credentials may change, as tokens do. Other fields count beside it.
func (r *route) scope(h *fasthttp.RequestHeader, who *auth.Identity) string {
	var room [256]byte
	from := room[:0]
	named := who != nil && who.Scope != ""
	if named {
		from = strconv.AppendQuote(append(from, "auth "...), who.Scope)
	}
	for _, field := range r.principal {
		if !named || !slices.Contains(who.Used, fields.Key(field)) {
			from = strconv.AppendQuote(from, string(fields.Peek(h, field)))
		}
	}
	if key := queryOf(h, keyParameter); key != "" && !named {
		from = strconv.AppendQuote(append(from, "key "...), key)
	}
	sum := sha256.Sum256(from)
	return r.name + "\x00" + string(sum[:])
}

// remembers reports whether conversations are remembered for clients of the route that say only what is new.
func (r *route) remembers() bool { return r.up.Agents == nil && !r.hasSessions() && r.wantsHistory() }

// hasSessions reports whether the upstream has a session for each conversation.
func (r *route) hasSessions() bool { return r.sessions != nil && !r.sessions.Forgets }

// keepsFor reports whether Sabir knows the conversations of a route that clients of a dialect ask for.
func (r *route) keepsFor(t *target) bool {
	return r.translates(t) && (r.remembers() || t.dialect.Serves(hub.OpAnswer) || asksOfRuns(t.dialect))
}

// replyThread answers what a client asks of a conversation.
func (s *Server) replyThread(ctx *fasthttp.RequestCtx, r *route, t *target, sub subpath) {
	key := threads.Key{Scope: r.scopeOf(ctx), Name: sub.params["thread"]}
	added, f := r.changeThread(ctx.Request.Body(), t, sub.op, &key)
	about := r.agent("")
	if f == nil {
		about.Thread, f = r.thread(key)
	}
	if f == nil && sub.op == hub.OpForgetThread {
		f = s.forget(callAround(ctx, r, t, sub), key)
	}
	if f != nil {
		s.rejectOperation(ctx, t, sub.op, f)
		return
	}
	about.Thread.Added = added
	s.replyAbout(ctx, t, sub.op, about)
}

// callAround is the call of a request that is no turn, for what Sabir asks the agent's server because of it.
func callAround(ctx *fasthttp.RequestCtx, r *route, t *target, sub subpath) *call {
	return callOf(&ctx.Request, senderOf(ctx), r, t, sub, string(ctx.Response.Header.Peek(requestIDHeader)))
}

// forget deletes a conversation, its runs, and where it goes on, also at the agent's server. The call is that which asks for it.
func (s *Server) forget(c *call, key threads.Key) *hub.Failure {
	defer c.release()
	r := c.route
	if r.hasSessions() {
		if f := s.endRuns(eventlog.Key{Scope: key.Scope, Kind: byThread, Name: key.Name}, runKey{scope: key.Scope, thread: key.Name}); f != nil {
			return f
		}
	}
	runs, err := r.runs.Of(key.Scope, key.Name)
	if err != nil {
		return asFailure(err)
	}
	names := []eventlog.Key{{Scope: key.Scope, Kind: byThread, Name: key.Name}}
	for _, run := range runs {
		names = append(names, eventlog.Key{Scope: key.Scope, Kind: byRun, Name: plainText(run.ID)})
	}
	if f := s.forgetShared(r, names...); f != nil { // first: it is asked for again where only a part is done
		return f
	}
	if r.hasSessions() {
		var left []openedSession
		if left, err = s.forgetSessions(c, key); err == nil && (len(left) > 0 || !r.deletesSessions()) {
			err = c.beginElsewhere(key, left)
		}
	}
	if err = errors.Join(err, r.threads.Forget(key), r.runs.Forget(key.Scope, key.Name)); err != nil {
		return asFailure(err)
	}
	return nil
}

// forgetAnswer deletes an answer and its run. The session of its line goes with the last answer there, as no request goes on in it any more.
func (s *Server) forgetAnswer(c *call, key threads.Key, v *threads.View) *hub.Failure {
	defer c.release()
	if c.route.hasSessions() {
		if f := s.endAnswer(c.route, key, v); f != nil {
			return f
		}
	}
	if f := s.forgetShared(c.route, eventlog.Key{Scope: key.Scope, Kind: byAnswer, Name: key.Name}); f != nil {
		return f
	}
	var err error
	if v.Session != "" && c.route.hasSessions() {
		_, err = s.forgetSessions(c, threads.Key{Scope: key.Scope, Name: v.Session})
	}
	if err = errors.Join(err, c.route.threads.Forget(key)); err != nil {
		return asFailure(err)
	}
	return nil
}

// endAnswer ends the run of an answer, and finds what is known of it then. A run in which nothing was said leaves nothing to be found.
func (s *Server) endAnswer(r *route, key threads.Key, v *threads.View) *hub.Failure {
	if f := s.endRuns(eventlog.Key{Scope: key.Scope, Kind: byAnswer, Name: key.Name}, runKey{scope: key.Scope, answer: key.Name}); f != nil {
		return f
	}
	ended, err := r.threads.Find(key)
	switch {
	case err == nil:
		*v = ended
	case !errors.Is(err, threads.ErrUnknown):
		return asFailure(err)
	}
	return nil
}

// forgetShared makes the runs of names unknown, so that clients do not read again what one has deleted.
func (s *Server) forgetShared(r *route, keys ...eventlog.Key) *hub.Failure {
	names := make([]string, 0, len(keys))
	for _, key := range keys {
		s.kept.shared.Forget(key)
		names = append(names, nameOf(key))
	}
	if s.replicas == nil || r.logs == nil {
		return nil
	}
	tokens, err := s.replicas.store.Delete(r.keepsEnded(), names...)
	if err != nil {
		return hub.Fail(hub.CodeStore, err)
	}
	for _, token := range tokens { // of other replicas, which clients have read here
		s.kept.shared.Forget(eventlog.Key{Scope: keys[0].Scope, Kind: byToken, Name: token})
	}
	return nil
}

// changeThread makes the conversation that a body asks for, or adds to it what that says.
func (r *route) changeThread(body []byte, t *target, op hub.Operation, key *threads.Key) (added int, f *hub.Failure) {
	switch {
	case !r.keepsFor(t):
		f = hub.Fail(hub.CodeNoEndpoint, errors.New("the agent keeps conversations itself"))
	case op == hub.OpNewThread:
		f = r.createThread(body, t, key)
	case op == hub.OpAddItems:
		added, f = r.addItems(body, t, *key)
	case op == hub.OpUpdateThread:
		f = r.noteThread(body, t, *key)
	}
	return added, f
}

// noteThread changes what the client notes on a conversation.
func (r *route) noteThread(body []byte, t *target, key threads.Key) *hub.Failure {
	v, err := r.threads.Find(key)
	if err != nil {
		return notFound(err, hub.CodeNotFound)
	}
	meta, err := t.dialect.NoteThread(v.Meta, body)
	if err != nil {
		return unreadable(t.dialect, err)
	}
	if err := r.threads.SetMeta(key, meta); err != nil {
		return asFailure(err)
	}
	return nil
}

// notFound is the failure of a search: unknown, unless the store could not be asked.
func notFound(err error, unknown hub.Code) *hub.Failure {
	if errors.Is(err, threads.ErrUnknown) || errors.Is(err, runlog.ErrUnknown) {
		return hub.Fail(unknown, err)
	}
	return asFailure(err)
}

// thread is what is known of a conversation. Of one that the agent keeps, and that was not begun here, that is what the runs have said that are
// remembered.
func (r *route) thread(key threads.Key) (hub.Thread, *hub.Failure) {
	v, err := r.threads.Find(key)
	return r.threadOf(key, &v, err)
}

// threadOf is thread where the store has answered already.
func (r *route) threadOf(key threads.Key, v *threads.View, err error) (about hub.Thread, f *hub.Failure) {
	if err != nil && !errors.Is(err, threads.ErrUnknown) {
		return about, asFailure(err) // the store need not be waited for once more
	}
	about = hub.Thread{ID: key.Name, Messages: v.Messages, Busy: v.Busy, Meta: v.Meta, Time: time.Now().UnixMilli(), Begun: v.Begun.UnixMilli()}
	runs, failed := r.runs.Of(key.Scope, key.Name)
	if failed != nil {
		return about, asFailure(failed)
	}
	if len(runs) > 0 {
		about.Changed = runs[0].Changed
		if waits(&runs[0].PastRun) {
			about.Asks = runs[0].Asks
		}
	}
	switch {
	case err == nil:
		return about, nil
	case r.remembers() || len(runs) == 0:
		return about, notFound(err, hub.CodeNotFound)
	}
	about.Begun = runs[len(runs)-1].Began
	for _, run := range slices.Backward(runs) {
		about.Messages, about.Busy = append(about.Messages, run.Messages...), about.Busy || !run.Ended
	}
	return about, nil
}

// findThreads answers which conversations there are. Each is read when the answer comes to it, so that those which it has no place for cost
// nothing.
func (s *Server) findThreads(ctx *fasthttp.RequestCtx, r *route, t *target) {
	scope, about, failed := r.scopeOf(ctx), r.agent(""), (*hub.Failure)(nil)
	names, err := r.threads.Of(scope)
	if err != nil {
		failed = asFailure(err)
	}
	about.Threads = func(yield func(*hub.Thread) bool) {
		for _, name := range names {
			thread, f := r.lookAt(threads.Key{Scope: scope, Name: name})
			switch {
			case f != nil && f.Code == hub.CodeNotFound: // it was forgotten in the meantime
			case f != nil:
				failed = f
				return
			case !yield(&thread):
				return
			}
		}
	}
	if s.replyAbout(ctx, t, hub.OpFindThreads, about); failed != nil {
		s.rejectOperation(ctx, t, hub.OpFindThreads, failed)
	}
}

// lookAt is thread, and no use of it.
func (r *route) lookAt(key threads.Key) (hub.Thread, *hub.Failure) {
	v, err := r.threads.Look(key)
	return r.threadOf(key, &v, err)
}

// replyAnswer answers what a client asks of an answer. What is refused has no effect.
func (s *Server) replyAnswer(ctx *fasthttp.RequestCtx, r *route, t *target, sub subpath) {
	key := threads.Key{Scope: r.scopeOf(ctx), Kind: threads.Answer, Name: sub.params["answer"]}
	v, f := r.findAnswer(ctx, t, key)
	if f == nil && sub.op == hub.OpForgetAnswer {
		f = s.forgetAnswer(callAround(ctx, r, t, sub), key, &v)
	}
	switch {
	case f != nil:
		s.reject(ctx, t, f)
	case sub.op == hub.OpAnswer:
		replyAgain(ctx, t, &v)
	default:
		s.replyAbout(ctx, t, sub.op, &hub.Agent{Answer: key.Name, Thread: hub.Thread{ID: key.Name, Messages: v.Messages[:v.From]}})
	}
}

// findAnswer finds the answer that a request is about, which may still run.
func (r *route) findAnswer(ctx *fasthttp.RequestCtx, t *target, key threads.Key) (v threads.View, f *hub.Failure) {
	if !r.keepsFor(t) {
		return v, hub.Fail(hub.CodeNoEndpoint, errors.New("the agent keeps answers itself"))
	}
	v, err := r.threads.Find(key)
	switch {
	case err != nil:
		f = notFound(err, hub.CodeNotFound)
	case ctx.QueryArgs().GetBool("stream"):
		f = unreadable(t.dialect, hub.NewError(hub.ReasonUnknown, "stream", -1, "an answer is given again in one piece"))
	}
	return v, f
}

// replyAgain answers with an answer that was given before.
func replyAgain(ctx *fasthttp.RequestCtx, t *target, v *threads.View) {
	v.Run.ID = v.Asked.Answer
	ctx.SetContentType("application/json")
	ctx.SetBody(t.dialect.AppendAnswer(nil, t.options, &v.Asked, &v.Run, new(hub.Losses)))
}

// longestThread is the longest name of a conversation that a client may choose, in bytes.
const longestThread = 256

// createThread makes the conversation that a body asks for.
func (r *route) createThread(body []byte, t *target, key *threads.Key) *hub.Failure {
	asked, err := t.dialect.NewThread(body)
	switch {
	case err != nil:
		return unreadable(t.dialect, err)
	case len(asked.ID) > longestThread:
		return unreadable(t.dialect, hub.NewError(hub.ReasonType, "thread_id", -1, "want a text of at most 256 bytes"))
	case asked.ID == "":
		asked.ID = asked.Prefix + string(newThread())
	}
	key.Name = asked.ID
	switch _, err := r.threads.Find(*key); {
	case err == nil && !asked.MayExist:
		return hub.Fail(hub.CodeThreadExists, nil)
	case err != nil && !errors.Is(err, threads.ErrUnknown):
		return asFailure(err)
	}
	if err := r.threads.Create(*key, threads.Seed{Messages: asked.Messages, Size: len(body), Meta: asked.Meta}); err != nil {
		return asFailure(err)
	}
	return nil
}

// addItems adds what a body holds to a conversation without a turn, and returns how many messages that are.
func (r *route) addItems(body []byte, t *target, key threads.Key) (added int, f *hub.Failure) {
	asked, err := t.dialect.NewThread(body)
	if err != nil {
		return 0, unreadable(t.dialect, err)
	}
	turn := threads.Turn{Thread: key}
	if err := r.threads.Begin(&turn); err != nil {
		return 0, refusedTurn(err, hub.CodeNotFound)
	}
	all := conversation.GoOn(turn.Before, asked.Messages)
	r.threads.End(&turn, &threads.Said{Messages: all, Size: len(body)})
	return len(all) - len(turn.Before), nil
}

// newThread is the name of a conversation that a client begins: a UUID, which every client takes.
func newThread() []byte {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Appendf(nil, "%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
