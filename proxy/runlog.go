package proxy

import (
	"bytes"
	"errors"
	"slices"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/eventlog"
	"github.com/sabir-proxy/sabir/proxy/internal/runlog"
	"github.com/sabir-proxy/sabir/proxy/internal/threads"
)

// Clients of some dialects ask about runs by their names: how far one is, and what came of it. What they may ask of stands in the log
// of runs, whoever keeps the conversation.

// runRecord is a run that its client may ask about.
type runRecord struct {
	log    runlog.Store
	key    runlog.Key
	before runlog.Run // as it was, if an earlier turn began it
	known  bool
	run    runlog.Run
	given  []hub.Decision // to questions of the run, which waits for others
	from   int            // the messages of the turn begin there
	brief  bool           // what was said in it stands in its conversation alone
}

// asksOfRuns reports whether clients of a dialect ask about runs, or go on with them.
func asksOfRuns(d *hub.Dialect) bool {
	return d.ResumesRuns || d.Serves(hub.OpGetRun) || d.Serves(hub.OpRuns)
}

// resume finds the run that a request goes on with, and the conversation that it is of. One that an agent keeps may be unknown here.
func (c *call) resume(asked *hub.Request) *hub.Failure {
	if !asked.Resumes || !asksOfRuns(c.target.dialect) {
		return nil
	}
	run, err := c.route.runs.Find(runlog.Key{Scope: c.scope, Run: plainText(asked.Run)})
	known := err == nil
	switch {
	case !known && !errors.Is(err, runlog.ErrUnknown):
		return asFailure(err)
	case !known && (c.route.remembers() || len(asked.Thread) == 0 || c.guardsRuns()):
		return hub.Fail(hub.CodeRunUnknown, nil)
	case !known:
		return nil
	case run.Ended && !waits(&run.PastRun):
		return hub.Fail(hub.CodeRunEnded, nil)
	case !run.Ended && c.target.dialect.ResumesRuns: // it may be about to ask, or another request is answering
		return hub.Fail(hub.CodeSessionBusy, nil)
	case len(asked.Thread) == 0:
		asked.Thread = jsonBody(run.Thread)
	case plainText(asked.Thread) != run.Thread:
		return hub.Fail(hub.CodeRunUnknown, errors.New("it is of another conversation"))
	}
	if c.route.sessions != nil {
		answerInWords(asked, run.Asks)
	}
	return nil
}

// answerInWords takes what the user says as the answer to a question that wants words: the agent has the run that waits for it. Where
// the agent gets the whole conversation, the words stand in that.
func answerInWords(asked *hub.Request, open []hub.Event) {
	if len(open) != 1 || len(asked.Answers) > 0 || len(asked.Messages) != 1 {
		return
	}
	ask, parts := &open[0], asked.Messages[0].Parts
	words := len(parts) == 1 && parts[0].Kind == hub.PartText
	if words && (ask.AskKind == hub.AskInput || ask.AskKind == hub.AskQuestion) {
		payload := append(append([]byte{'"'}, parts[0].Text...), '"')
		asked.Answers, asked.Messages = []hub.Decision{{Ask: ask.ID, Payload: payload}}, nil
	}
}

// recordIf is record where a request says only what is new.
func (c *call) recordIf(news bool, asked *hub.Request, from, size int) {
	if news {
		c.record(asked, from, size)
	}
}

// nameAnswers says which questions the client answers that has not named them: those that its conversation waits for, in their order, if
// it answers all of them; or that about the call which it names, of the run that it goes on with.
func (c *call) nameAnswers(asked *hub.Request) *hub.Failure {
	named := slices.ContainsFunc(asked.Answers, func(d hub.Decision) bool { return len(d.Ask)+len(d.Call) > 0 })
	if !asksOfRuns(c.target.dialect) {
		return nil
	}
	runs, err := c.route.runs.Of(c.scope, plainText(asked.Thread))
	if err != nil {
		return asFailure(err)
	}
	for i, run := range runs {
		switch {
		case !waits(&run.PastRun) || asked.Resumes && string(run.ID) != string(asked.Run):
			continue
		case named && c.target.dialect.ResumesRuns:
			nameByCall(asked.Answers, questions(&run))
		case !named && len(run.Asks) == len(asked.Answers):
			for i := range run.Asks {
				asked.Answers[i].Ask = run.Asks[i].ID
			}
		}
		c.gather(asked, runs[i:], i == 0)
		break
	}
	return nil
}

// nameByCall gives answers the ids of the questions about their calls. A question about no call is named in place of one.
func nameByCall(answers []hub.Decision, open []hub.Event) {
	for i := range answers {
		d := &answers[i]
		at := slices.IndexFunc(open, func(ask hub.Event) bool {
			return bytes.Equal(ask.Ref, d.Call) || len(ask.Ref) == 0 && bytes.Equal(ask.ID, d.Call)
		})
		if at >= 0 {
			d.Ask = open[at].ID
		}
	}
}

// record makes the call remember what comes of its run. from is how many messages of the request were said before it, size about how many
// bytes the others hold.
func (c *call) record(asked *hub.Request, from, size int) {
	if len(asked.Thread) == 0 || !asksOfRuns(c.target.dialect) {
		return
	}
	if len(asked.Run) == 0 {
		asked.Run = asked.Unique
	}
	if c.soFar == nil {
		c.soFar = &soFar{folder: conversation.NewFolder(asked.Messages), size: size}
	}
	key := runlog.Key{Scope: c.scope, Run: plainText(asked.Run)}
	before, err := c.route.runs.Find(key)
	run, known := before, err == nil
	if !known {
		run = runlog.Run{Thread: plainText(asked.Thread), PastRun: hub.PastRun{Began: asked.Time}}
	}
	run.ID, run.Run.Thread, run.Model = bytes.Clone(asked.Run), bytes.Clone(asked.Thread), bytes.Clone(asked.Model)
	run.Ended, run.Changed, run.Asks, run.Given, run.Size = false, asked.Time, nil, nil, run.Size+size
	c.run = &runRecord{
		log: c.route.runs, key: key, before: before, known: known, run: run, from: from,
		brief: c.thread != nil && !c.target.dialect.TellsRuns,
	}
	if c.gathered != nil {
		c.run.given = c.gathered.given
	}
	run.Messages = slices.Concat(run.Messages, asked.Messages[from:])
	_ = c.run.log.Put(key, run) // the store reports; the run goes on without it
}

// endRun remembers what came of the run, and how it ended. Where its conversation was deleted while it went on, the store does not know it any
// more, and nothing of it comes back. The store reports errors.
func (c *call) endRun() {
	r := c.run
	if r == nil {
		return
	}
	c.run = nil
	said, run := c.soFar.folder.Messages(), c.soFar.folder.Run()
	switch begun := len(run.ID) > 0; {
	case !begun && !r.known:
		_ = r.log.Drop(r.key) // its name has not reached the client
		return
	case !begun:
		_ = r.log.Replace(r.key, r.before)
		return
	}
	past := r.run
	past.Messages = slices.Concat(past.Messages, said[min(r.from, len(said)):])
	past.Ended, past.Status, past.Err, past.ErrCode, past.Usage, past.Asks = true, run.Status, run.Err, run.ErrCode, run.Usage, run.Asks
	if !run.Ended { // its client has left
		past.Status = hub.StatusCancelled
	}
	past.Changed, past.Size = time.Now().UnixMilli(), past.Size+c.soFar.folder.Size()
	if r.brief {
		past.Messages, past.Size = nil, briefRun
	}
	past.Given = r.given
	past.Size += sizeOf(past.Given)
	_ = r.log.Replace(r.key, past)
}

// briefRun is about how many bytes the log has of a run without what was said in it.
const briefRun = 1 << 10

// waits reports whether a run goes on when its client answers.
func waits(run *hub.PastRun) bool {
	return run.Ended && (run.Status == hub.StatusPaused || run.Status == hub.StatusTools)
}

// findRun finds the run that a request names, which has to be of the conversation that it names, if it does.
func (r *route) findRun(ctx *fasthttp.RequestCtx, sub *subpath) (key runlog.Key, run runlog.Run, f *hub.Failure) {
	if key = (runlog.Key{Scope: r.scopeOf(ctx), Run: sub.params["run"]}); key.Run == "" {
		return key, run, hub.Fail(hub.CodeUnreadable, errors.New("the request names no run"))
	}
	run, err := r.runs.Find(key)
	if err != nil {
		return key, run, notFound(err, hub.CodeRunUnknown)
	}
	if thread, named := sub.params["thread"]; named && thread != run.Thread {
		return key, run, hub.Fail(hub.CodeRunUnknown, nil)
	}
	return key, run, nil
}

// replyRun answers what a client asks of a run, or of those of a conversation.
func (s *Server) replyRun(ctx *fasthttp.RequestCtx, r *route, t *target, sub subpath) {
	about, f := r.agent(""), (*hub.Failure)(nil)
	if named := sub.params["thread"]; named != "" {
		about.Thread, f = r.thread(threads.Key{Scope: r.scopeOf(ctx), Name: named})
	}
	if f == nil {
		about.Runs, f = r.runsAsked(ctx, &sub)
	}
	if f != nil {
		s.rejectOperation(ctx, t, sub.op, f)
		return
	}
	s.replyAbout(ctx, t, sub.op, about)
	if sub.op == hub.OpRejoin && ctx.Response.StatusCode() == fasthttp.StatusOK {
		ctx.SetContentType(t.dialect.Framing.ContentType())
	}
}

// runsAsked are the runs that a request is about. The rest of one that goes on is not to be had: its stream is the client's that began it.
func (r *route) runsAsked(ctx *fasthttp.RequestCtx, sub *subpath) (all []hub.PastRun, f *hub.Failure) {
	if sub.op == hub.OpRuns {
		runs, err := r.runs.Of(r.scopeOf(ctx), sub.params["thread"])
		if err != nil {
			return nil, asFailure(err)
		}
		for _, run := range runs {
			all = append(all, run.PastRun)
		}
		return all, nil
	}
	_, run, f := r.findRun(ctx, sub)
	if f == nil && sub.op != hub.OpGetRun && !run.Ended {
		f = hub.Fail(hub.CodeUnsupported, nil)
		f.Note, f.Status = "The stream of a run that goes on cannot be joined. Ask for the run when it has ended.", fasthttp.StatusConflict
	}
	return []hub.PastRun{run.PastRun}, f
}

// replyAbout answers with what is known; a dialect that has no answer does not offer it.
func (s *Server) replyAbout(ctx *fasthttp.RequestCtx, t *target, op hub.Operation, about *hub.Agent) {
	about.Asked = formOf(ctx, t.dialect)
	about.Query = func(name string) string { return string(ctx.QueryArgs().Peek(name)) }
	body := t.dialect.AppendReply(nil, op, about)
	if len(body) == 0 {
		s.rejectOperation(ctx, t, op, hub.Fail(hub.CodeUnsupported, nil))
		return
	}
	ctx.SetContentType("application/json")
	ctx.SetBody(body)
}

// stopRun ends a run by its name, or one that waits for its client, which does not come back then.
func (s *Server) stopRun(ctx *fasthttp.RequestCtx, r *route, t *target, sub subpath) {
	key, run, f := r.findRun(ctx, &sub)
	switch {
	case f == nil && !run.Ended && s.runs.cancel(runKey{scope: key.Scope, run: key.Run}, ""):
	case f != nil || !run.Ended:
		f = s.stopRunElsewhere(key, &run, f)
	case waits(&run.PastRun):
		run.Status, run.Asks, run.Given, run.Changed = hub.StatusCancelled, nil, nil, time.Now().UnixMilli()
		if err := r.runs.Replace(key, run); err != nil {
			f = notFound(err, hub.CodeRunUnknown)
		}
	default:
		f = hub.Fail(hub.CodeRunEnded, nil)
	}
	if f != nil {
		s.rejectOperation(ctx, t, sub.op, f)
		return
	}
	run.Ended, run.Status = true, hub.StatusCancelled
	about := r.agent("")
	about.Runs = []hub.PastRun{run.PastRun}
	s.replyAbout(ctx, t, sub.op, about)
}

// stopRunElsewhere ends a run that goes on at another replica, or of which only its stream is known. unknown is why it was not found
// among the runs of conversations, nil if it was.
func (s *Server) stopRunElsewhere(key runlog.Key, run *runlog.Run, unknown *hub.Failure) *hub.Failure {
	asked, f := s.stopElsewhere(eventlog.Key{Scope: key.Scope, Kind: byRun, Name: key.Run})
	switch {
	case f != nil:
		return f
	case asked != nil:
		run.ID, run.PastRun.Thread = asked.Run, asked.Thread
		return nil
	case unknown != nil:
		return unknown
	}
	found, f := s.replicas.cancelElsewhere(runKey{scope: key.Scope, run: key.Run}, "")
	if f == nil && !found {
		f = hub.Fail(hub.CodeRunEnded, nil)
	}
	return f
}
