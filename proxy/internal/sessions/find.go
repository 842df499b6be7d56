package sessions

import (
	"errors"
	"slices"
	"time"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// A Call is a request for a turn.
type Call struct {
	Scope   string // separates routes and principals: sessions of another are not found
	Thread  string // the conversation as the client names it, "" if it does not
	Name    string // by which answers to the questions of the turn come then, "" for none
	Request *hub.Request
	Losses  *hub.Losses
	Strict  bool      // nothing may be lost but what the client had to say
	Until   time.Time // to wait for a turn before it at most
}

// Begin asks an agent for a turn, in the session that the request goes on with, or in a new one.
func (p *Pool) Begin(c Call) (t *Turn, f *hub.Failure) {
	if c.Request.Partial {
		return p.beginPartial(&c)
	}
	if t, f = p.beginWhole(&c); f == nil && c.Name != "" {
		p.name(t.session, c.Name)
	}
	return t, f
}

// beginWhole asks for a turn for a client that tells the whole conversation.
func (p *Pool) beginWhole(c *Call) (*Turn, *hub.Failure) {
	p.loseInstructions(c)
	chain, at := conversation.ChainOf(c.Request.Messages)
	answers := conversation.Since(c.Request, nil)
	hasAnswers := len(answers.Answers)+len(answers.Messages) > 0
	s, known := p.find(c, chain, at, hasAnswers)
	if s != nil {
		defer p.release(s)
		if f := s.free(c.Until); f != nil {
			return nil, f
		}
	}
	switch {
	case s != nil && known == s.links() && (known < len(chain) || hasAnswers):
		return p.goOn(s, c, conversation.Since(c.Request, at[known:]), chain)
	case len(chain) == 0:
		return nil, hub.Fail(hub.CodeUnreadable, conversation.NothingNew())
	case s == nil && hasAnswers && known == len(chain):
		return nil, hub.Fail(hub.CodeAskUnknown, nil)
	}
	last := at[len(at)-1]
	if said := conversation.Preamble(c.Request.Messages[:last]); said != nil && !p.cfg.Preamble {
		return nil, hub.Fail(hub.CodeHistory, nil)
	}
	if s != nil && s.thread != "" { // the client has left what was said there
		if _, free := s.idleSince(); !free && !s.waits() {
			return nil, hub.Fail(hub.CodeSessionBusy, nil)
		}
		p.forget(s)
	}
	return p.beginNew(c, p.withPreamble(c.Request, last), chain)
}

// loseInstructions counts those of the client, which no driver gets to see beside what is new: agents have instructions of their own. One
// that takes the history counts them itself.
func (p *Pool) loseInstructions(c *Call) {
	system := func(m hub.Message) bool { return m.Role == hub.RoleSystem }
	c.Losses.AddIf("messages.system", !p.cfg.Dialect.Processes.History && slices.ContainsFunc(c.Request.Messages, system))
}

// beginPartial asks for a turn for a client that says only what is new.
func (p *Pool) beginPartial(c *Call) (*Turn, *hub.Failure) {
	if s := p.byThread(c); s != nil {
		if f := s.free(c.Until); f != nil {
			return nil, f
		}
		var chain conversation.Chain
		if s.thread == "" && len(c.Request.Messages) == 0 {
			chain = p.chainOf(s) // the client says nothing but its answers
		}
		return p.goOn(s, c, c.Request, chain)
	}
	if len(c.Request.Answers) > 0 && len(c.Request.Messages) == 0 {
		return nil, hub.Fail(hub.CodeAskUnknown, nil)
	}
	return p.beginNew(c, c.Request, nil)
}

// goOn asks for a turn in a session that is free.
func (p *Pool) goOn(s *session, c *Call, news *hub.Request, chain conversation.Chain) (*Turn, *hub.Failure) {
	lived := s.alive()
	if !lived && !s.resumable(c.Request.Partial) {
		return p.retell(s, c, chain)
	}
	t, f := s.ask(c, news, chain)
	if f != nil {
		return nil, f
	}
	if t.Known = Goes; !lived && !s.oneTurn() {
		t.Known = Resumed
	}
	return t, nil
}

// retell begins again with an agent that cannot go on with a session whose process has ended.
func (p *Pool) retell(s *session, c *Call, chain conversation.Chain) (*Turn, *hub.Failure) {
	_, at := conversation.ChainOf(c.Request.Messages)
	switch {
	case c.Request.Partial || len(at) == 0:
		return nil, hub.Fail(hub.CodeReset, errors.New("the process of the agent has ended, and the client does not tell the conversation"))
	case !p.cfg.Preamble:
		return nil, hub.Fail(hub.CodeHistory, nil)
	}
	p.forget(s)
	return p.beginNew(c, p.withPreamble(c.Request, at[len(at)-1]), chain)
}

// withPreamble is the request for a new session: the last words of the user's, which stand at a place, with what was said before.
func (p *Pool) withPreamble(req *hub.Request, at int) *hub.Request {
	if p.cfg.Dialect.Processes.History {
		return conversation.Upto(req, at)
	}
	return conversation.From(req, at)
}

// beginNew asks for a turn in a new session.
func (p *Pool) beginNew(c *Call, news *hub.Request, chain conversation.Chain) (*Turn, *hub.Failure) {
	s, err := p.newSession(c.Scope, c.Thread, news.Model)
	if err != nil {
		return nil, hub.Fail(hub.CodeInternal, err)
	}
	t, f := s.ask(c, news, chain)
	if f != nil {
		p.forget(s)
		return nil, f
	}
	if t.Known = New; len(chain) > 1 {
		t.Known = Preambled
	}
	return t, nil
}

// find returns the session that a conversation goes on with, and how many links of it are known there: the one of its name, or else
// the one that knows the longest part. A session without a name is claimed: another conversation that is alike does not find it until
// it is released.
func (p *Pool) find(c *Call, chain conversation.Chain, at []int, answers bool) (s *session, known int) {
	if c.Thread != "" {
		if s = p.byThread(c); s != nil {
			known = chain.Common(p.chainOf(s))
		}
		return s, known
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	heads := func(n int) []*session { return unclaimed(p.heads[headKey{c.Scope, chain[n-1]}]) }
	n := len(chain)
	if n == 0 {
		return nil, 0
	}
	asked := len(heads(n)) > 0 // the same was said before: by this client, or by one whose conversation is alike
	if asked && answers {
		return claim(likeliest(heads(n), c.Request.Messages, at[n-1], true)), n
	}
	for n--; n > 0; n-- {
		if s := likeliest(heads(n), c.Request.Messages, at[n-1], !asked); s != nil {
			return claim(s), n
		}
	}
	return nil, 0
}

// unclaimed are the sessions of a list without a claim. The caller holds p.mu.
func unclaimed(list []*session) (free []*session) {
	for _, s := range list {
		if !s.claimed {
			free = append(free, s)
		}
	}
	return free
}

// claim claims a session, if there is one. The caller holds p.mu.
func claim(s *session) *session {
	if s != nil {
		s.claimed = true
	}
	return s
}

// release ends the claim: the request has gone on with the session, or with another.
func (p *Pool) release(s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.claimed = false
}

// likeliest is the session, of those in which the user has said the same, whose agent said what stands behind the user's message at a
// place; of several the one that began last. Clients change what agents say, so that one which is alone may have said anything.
func likeliest(list []*session, ms []hub.Message, at int, alone bool) *session {
	if len(list) == 1 && alone {
		return list[0]
	}
	words := conversation.WordsBehind(ms, at)
	for _, s := range slices.Backward(list) {
		if s.lastWords() == words {
			return s
		}
	}
	return nil
}

func (p *Pool) byThread(c *Call) *session {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.threads[threadKey{c.Scope, c.Thread}]
}

// Knows reports whether there is a session for the conversation that a client names.
func (p *Pool) Knows(scope, thread string) bool {
	return p.byThread(&Call{Scope: scope, Thread: thread}) != nil
}

func (p *Pool) chainOf(s *session) conversation.Chain {
	p.mu.Lock()
	defer p.mu.Unlock()
	return s.chain
}

// links is how many links the session knows.
func (s *session) links() int { return len(s.pool.chainOf(s)) }

// resumable reports whether a new process can go on with the session. Where the last one could not, it is tried again only if there is
// no other way to go on with the conversation.
func (s *session) resumable(only bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id != nil && (only || !s.unresumed)
}
