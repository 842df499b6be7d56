package proxy

import (
	"errors"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/threads"
)

// threadTurn is a turn that is remembered: in a conversation, or by its answer.
type threadTurn struct {
	store threads.Store
	threads.Turn
}

// recall completes a request that says only what is new with what was said before, and makes the call remember what comes of it. size
// is that of the request.
func (c *call) recall(asked *hub.Request, size int) *hub.Failure {
	switch {
	case asked.Other:
		return nil
	case asked.Later && !c.answersLater(asked):
		return unreadable(c.target.dialect, hub.NewError(hub.ReasonUnknown, "background", -1, "want a route with resume and endpoints, and an answer that is stored"))
	case asked.Begins:
		asked.Thread = newThread()
	}
	if f := c.resume(asked); f != nil {
		return f
	}
	if f := c.nameAnswers(asked); f != nil {
		return f
	}
	first, news := isFirst(asked), asked.Partial || asked.Begins
	size += c.goOn(asked)
	if !asked.Partial && len(asked.Answer) > 0 && c.session != nil {
		c.follow(asked, size, 0)
	}
	turn := c.turnToRemember(asked)
	switch {
	case turn == nil:
		c.recordIf(news, asked, 0, size)
		return nil
	case turn.From.Name != "" && !c.route.keepsAnswers():
		return nil
	}
	if err := c.route.threads.Begin(turn); err != nil {
		if turn.Thread.Name != "" && errors.Is(err, threads.ErrUnknown) && !asked.Store {
			c.recordIf(news && !c.route.remembers(), asked, 0, size)
			return nil // the agent remembers, or it is refused as what it is: partial
		}
		return refusedTurn(err, map[bool]hub.Code{true: hub.CodeAnswerUnknown, false: hub.CodeNotFound}[turn.From.Name != ""])
	}
	c.thread = &threadTurn{c.route.threads, *turn}
	c.completeWith(asked, turn, first)
	c.follow(asked, size, turn.Size)
	c.recordIf(news, asked, len(turn.Before), size)
	return nil
}

// turnToRemember says which conversation or answer a request goes on from, and under which id its own answer is remembered; nil if
// it does neither.
func (c *call) turnToRemember(asked *hub.Request) *threads.Turn {
	if !asked.Partial && !asked.Begins && !asked.Store && !asked.Keep {
		return nil
	}
	r, turn := c.route, threads.Turn{}
	name := func(kind threads.Kind, body []byte) threads.Key {
		return threads.Key{Scope: c.scope, Kind: kind, Name: plainText(body)}
	}
	switch {
	case asked.Partial && len(asked.Previous) > 0:
		turn.From, turn.Alone = name(threads.Answer, asked.Previous), asked.Alone
	case asked.Partial || asked.Begins:
		turn.Thread = name(threads.Thread, asked.Thread)
		turn.Create = r.remembers() && (asked.Begins || asked.Create && len(turn.Thread.Name) <= longestThread)
	}
	if (asked.Store || asked.Keep) && !asked.Prepare && r.keepsAnswers() {
		turn.Answer = name(threads.Answer, asked.Answer)
	}
	if turn.Thread.Name+turn.From.Name+turn.Answer.Name == "" {
		return nil
	}
	turn.Asked = hub.Request{
		Answer: asked.Answer, Later: asked.Later, Model: asked.Model, Call: asked.Call, Unique: asked.Unique, Time: asked.Time, Usage: asked.Usage,
	}
	if len(asked.Model) == 0 {
		turn.Asked.Model = []byte(r.cfg.Requests.Model)
	}
	turn.Asked.Detach()
	if asked.Keep {
		turn.Asked.Tools = asked.Tools
	}
	kept := turn // most requests begin none, and a turn is large
	return &kept
}

// keepsAnswers reports whether answers are remembered.
func (r *route) keepsAnswers() bool {
	return r.global.Threads.Max > 0 && r.global.Threads.Memory > 0 && !r.agentRemembers()
}

// agentRemembers reports whether the upstream is a home-made server that keeps conversations in its own way: its template says nothing
// of what was said before.
func (r *route) agentRemembers() bool { return r.up.Cfg.Request != "" && !r.wantsHistory() }

// refusedTurn is why a turn cannot begin. unknown is the code where what it goes on from is not known.
func refusedTurn(err error, unknown hub.Code) *hub.Failure {
	switch {
	case errors.Is(err, threads.ErrUnknown):
		return hub.Fail(unknown, err)
	case errors.Is(err, threads.ErrBusy):
		return hub.Fail(hub.CodeSessionBusy, err)
	case errors.Is(err, threads.ErrUnfinished), errors.Is(err, threads.ErrGoesOn):
		return hub.Fail(hub.CodeAnswerRuns, err)
	case errors.Is(err, threads.ErrWentOn):
		return hub.Fail(hub.CodeAnswerTaken, err)
	}
	return asFailure(err)
}

// completeWith completes a request with what the turn goes on from. first says that the request, as it came, is the first of a
// conversation.
func (c *call) completeWith(asked *hub.Request, turn *threads.Turn, first bool) {
	if asked.Inherits {
		asked.Tools = turn.Was.Tools
		c.thread.Asked.Tools = turn.Was.Tools
	}
	if turn.Thread.Name+turn.From.Name != "" {
		complete(asked, turn.Before)
		c.left = conversation.Decide(asked.Messages, c.left)
	}
	asked.Keep = false
	// Agents that are processes know a conversation by what was said in it.
	if len(asked.Thread) == 0 && c.route.up.Agents == nil && (first || turn.From.Name != "") {
		asked.Thread = jsonBody(turn.Session)
		c.forks = !first && turn.Session == turn.Answer.Name
	}
}

// complete puts what was said before in front of what a request says, but behind the instructions that hold for it alone.
func complete(asked *hub.Request, before []hub.Message) {
	n := asked.Instructions
	asked.Messages = append(slices.Clip(asked.Messages[:n]), conversation.GoOn(before, asked.Messages[n:])...)
	asked.Partial, asked.Previous = false, nil
	if len(asked.Answer) > 0 { // the client would have sent all of it as well
		asked.Tools.Known = true
		asked.Answers = conversation.Decide(asked.Messages, asked.Answers)
	}
	asked.Remember(true) // so that ids are changed only where they come again: the agent knows its calls by them
}

// follow makes the call fold what is said in it. size is about how many bytes the request holds, and held what was said before.
func (c *call) follow(asked *hub.Request, size, held int) {
	n := asked.Instructions
	c.soFar = &soFar{
		folder: conversation.NewFolder(asked.Messages), size: size, held: held, instructions: n, from: len(asked.Messages) - n,
	}
}

// endThread remembers what was said in the turn, and what came of its run. A turn that was refused is as if it had never been.
func (c *call) endThread() {
	c.endRun()
	c.endUnnamed()
	t := c.thread
	if t == nil {
		return
	}
	c.thread = nil
	if !c.soFar.counts() && !t.Asked.Later { // who asks for the answer later has to learn that there is none
		t.store.End(&t.Turn, nil)
		return
	}
	t.store.End(&t.Turn, c.soFar.said())
}
