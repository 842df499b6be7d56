package proxy

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/threads"
)

// Clients of model APIs name no conversation: each request tells all that was said. It goes on in the session that has received just that: where
// the user has said the same so far, and the agent has answered the same. A session that has gone on is not found by what was said before.

// unnamedTurn is a turn in a session that is known by what was said in it.
type unnamedTurn struct {
	store        threads.Store
	locks        *saidLocks
	from, to     threads.Key        // what the user has said before the turn, and with it
	found        *saidSession       // nil: the session is new
	alone        bool               // there has been no other where it was found
	session      []byte             // its name
	instructions conversation.Link  // of the request
	words        conversation.Words // of the agent's, since the user said something
	accepted     bool               // the session has received what is new
}

// saidSessions is what is remembered of the sessions in which the user has said the same, and nothing else since.
type saidSessions struct {
	Sessions []saidSession // the one that was used last comes last
	Several  bool          `json:",omitempty"` // others have been there: what the agent said has to be the same

	known bool // to the store
}

// saidSession is a session, what its agent said last, and the instructions that came with what the user said.
type saidSession struct {
	Session      []byte
	Words        []byte
	Instructions []byte `json:",omitempty"`
}

// maxSaidAlike is how many sessions are remembered in which the user has said the same.
const maxSaidAlike = 8

// enterUnnamed finds the session of a conversation that has no name. Where nothing can be remembered it gets one for the run alone.
func (c *call) enterUnnamed(asked *hub.Request, s *agentSession) {
	u := c.unnamedTurn(asked)
	switch {
	case u != nil:
		s.unnamed = u
		asked.Session, asked.NewSession = u.session, u.found == nil
	case s.server.Always:
		asked.Session, asked.NewSession = sessionID(c.scope, "", string(c.unique)), true
	}
}

// unnamedTurn is the turn of a request that tells the whole conversation; nil for others.
func (c *call) unnamedTurn(asked *hub.Request) *unnamedTurn {
	chain, at := conversation.ChainOf(asked.Messages)
	if asked.Partial || len(chain) == 0 || c.route.global.Threads.Max == 0 {
		return nil
	}
	name := func(link conversation.Link) threads.Key {
		return threads.Key{Scope: c.scope, Kind: threads.Unnamed, Name: hex.EncodeToString(link[:])}
	}
	last := len(chain) - 1
	u := &unnamedTurn{
		store: c.route.threads, locks: c.route.said, to: name(chain[last]), session: sessionID(c.scope, "", string(c.unique)),
		instructions: conversation.Instructions(asked.Messages), words: conversation.WordsOf(asked.Messages, at[last]),
	}
	before, _ := conversation.SplitInput(asked.Messages)
	if shown, _ := slices.BinarySearch(at, len(before)); shown > 0 {
		u.from = name(chain[shown-1])
		u.take(conversation.WordsBehind(asked.Messages, at[shown-1]))
	}
	return u
}

// take takes the session that has received what a request shows. It is not found by that any more, so that no other turn goes on there too.
func (u *unnamedTurn) take(words conversation.Link) {
	unlock := u.locks.lock(u.from)
	if unlock == nil {
		return
	}
	defer unlock()
	at, err := u.read(u.from)
	if err != nil {
		return
	}
	i := at.find(words[:], u.instructions[:])
	if i < 0 {
		return
	}
	found, alone := at.Sessions[i], !at.Several
	at.Sessions, at.Several = slices.Delete(at.Sessions, i, i+1), at.Several || u.from != u.to
	if u.write(u.from, &at) == nil {
		u.found, u.alone, u.session = &found, alone, found.Session
	}
}

// find is where the session stands whose agent said just that; -1 for none. Where there has been no other, the client may show words that
// it was not sent as such, such as notices, or lack some, as it has stopped the answer; the instructions are the same then, as others than the
// store knows of may have been there. Of two that are alike neither is taken: they may differ in what clients are not shown.
func (at *saidSessions) find(words, instructions []byte) int {
	same := func(s saidSession) bool { return bytes.Equal(s.Words, words) }
	i := slices.IndexFunc(at.Sessions, same)
	switch {
	case i < 0 && len(at.Sessions) == 1 && !at.Several && bytes.Equal(at.Sessions[0].Instructions, instructions):
		return 0
	case i >= 0 && slices.ContainsFunc(at.Sessions[i+1:], same):
		return -1
	}
	return i
}

// add adds a session whose turn has ended.
func (at *saidSessions) add(s saidSession) {
	at.Several = at.Several || len(at.Sessions) > 0
	at.Sessions = append(at.Sessions, s)
	at.Sessions = at.Sessions[max(0, len(at.Sessions)-maxSaidAlike):]
}

// end remembers the session by what was said in the turn, or as it was where the agent has not received that.
func (u *unnamedTurn) end() {
	words := u.words.Sum()
	switch {
	case u.accepted:
		u.note(u.to, &saidSession{Session: u.session, Words: words[:], Instructions: u.instructions[:]}, false)
	case u.found != nil:
		u.note(u.from, u.found, u.alone)
	}
}

// note adds a session to those in which the user has said the same. One that was alone there, and comes back, is so again. Where the store fails,
// which says so itself, the next request does not find it, and begins another.
func (u *unnamedTurn) note(key threads.Key, s *saidSession, alone bool) {
	unlock := u.locks.lock(key)
	if unlock == nil {
		return
	}
	defer unlock()
	at, err := u.read(key)
	if err != nil {
		return
	}
	at.Several = at.Several && !(alone && len(at.Sessions) == 0)
	at.add(*s)
	_ = u.write(key, &at)
}

func (u *unnamedTurn) read(key threads.Key) (at saidSessions, err error) {
	view, err := u.store.Look(key)
	switch {
	case errors.Is(err, threads.ErrUnknown):
		return at, nil
	case err != nil:
		return at, err
	}
	at.known = true
	return at, json.Unmarshal(view.Meta, &at)
}

// write replaces what is remembered, and is a use of it.
func (u *unnamedTurn) write(key threads.Key, at *saidSessions) error {
	data, err := json.Marshal(at)
	switch {
	case err != nil:
		return err
	case at.known:
		return u.store.SetMeta(key, data)
	}
	return u.store.Create(key, threads.Seed{Meta: data})
}

// noteWords notes what the agent says to the user.
func (u *unnamedTurn) noteWords(ev *hub.Event) {
	if u != nil && ev.Kind == hub.TextDelta && ev.Chan == hub.AnswerText && len(ev.SubAgent) == 0 {
		u.words.Add(ev.Text)
	}
}

// accept notes that a run has begun in the session.
func (u *unnamedTurn) accept() {
	if u != nil {
		u.accepted = true
	}
}

// endUnnamed lets the next request find the session of a conversation that has no name.
func (c *call) endUnnamed() {
	if s := c.agentSession; s != nil && s.unnamed != nil {
		s.unnamed.end()
		s.unnamed = nil
	}
}
