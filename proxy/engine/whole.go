package engine

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// wholeEncoder writes nothing before the run has ended well, and then all of it as one answer. What failed or was cut has none: its client
// gets a status, since most answers in one piece cannot say that they are half of one.
type wholeEncoder struct {
	to      *hub.Dialect
	options hub.Options
	folder  *conversation.Folder
	run     hub.Run // as the answer tells it
	asked   *hub.Request
	losses  hub.Losses
	why     string // the run has failed
}

func newWholeEncoder(to *hub.Dialect, options hub.Options) *wholeEncoder {
	return &wholeEncoder{to: to, options: options, folder: conversation.NewFolder(nil)}
}

// Encode implements [hub.Encoder]. Plans and notices of the agent are no messages, nor are questions that the dialect says in words;
// what its sub-agents say is left out.
func (e *wholeEncoder) Encode(_ *wire.Out, ev *hub.Event) hub.Disposition {
	if (ev.Kind == hub.Plan || ev.Kind == hub.Notice) && len(ev.SubAgent) == 0 {
		return hub.Dropped
	}
	e.folder.Add(ev)
	if e.saysAsk(ev) {
		return hub.Dropped
	}
	return hub.Deferred
}

// saysAsk reports whether a question has no form in an answer of the dialect: none has, or only that about a call has.
func (e *wholeEncoder) saysAsk(ev *hub.Event) bool {
	return ev.Kind == hub.Ask && e.to.Policies[hub.ClassAsks] == hub.PolicyFold &&
		!(e.to.AnswerAsks && ev.AskKind == hub.AskPermission && len(ev.Ref) > 0)
}

// Finish implements [hub.Encoder].
func (e *wholeEncoder) Finish(out *wire.Out) {
	e.run = e.folder.Run()
	if !e.run.Ended || !e.tells(e.run.Status) {
		e.why = string(e.run.Err)
		return
	}
	asked := e.asked
	if asked == nil {
		asked = new(hub.Request)
	}
	out.Begin("")
	out.Buf = e.to.AppendAnswer(out.Buf, e.options, asked, &e.run, &e.losses)
	out.End()
}

// tells reports whether an answer can say that the run ended so.
func (e *wholeEncoder) tells(end hub.Status) bool {
	switch end {
	case hub.StatusFailed, hub.StatusTruncated:
		return false
	case hub.StatusCancelled:
		return e.to.AnswerCancels
	}
	return true
}

// Reset implements [hub.Encoder].
func (e *wholeEncoder) Reset() {
	e.folder.Reset()
	e.run, e.asked, e.losses, e.why = hub.Run{}, nil, hub.Losses{}, ""
}

// Answer implements [hub.Answerer].
func (e *wholeEncoder) Answer(asked *hub.Request) { e.asked = asked }

// Kept implements [hub.Keeper].
func (e *wholeEncoder) Kept() int { return e.folder.Size() }

// agentFailure is what an end that the agent itself has given is to the caller; nil: no failure. Where nothing was written, it is all that the
// client learns.
func (p *Pipeline) agentFailure() *hub.Failure {
	if p.End != hub.StatusFailed && (p.whole == nil || p.whole.tells(p.End)) {
		return nil
	}
	f := hub.Fail(hub.CodeAgent, nil)
	if p.End == hub.StatusCancelled {
		f = hub.Fail(hub.CodeCancelled, nil)
	}
	if p.whole != nil {
		f.Said = p.whole.why
	}
	return f
}

// Whole reports whether the pipeline answers in one piece.
func (p *Pipeline) Whole() bool { return p.whole != nil }

// AnswerLosses is what an answer in one piece has no place for.
func (p *Pipeline) AnswerLosses() []string {
	if p.whole != nil {
		return p.whole.losses.Names
	}
	return nil
}
