package proxy

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"slices"

	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/threadids"
	"github.com/sabir-proxy/sabir/proxy/internal/threads"
	"github.com/sabir-proxy/sabir/proxy/internal/upstream"
)

// A client that tells the whole conversation may take back what was said: the last answer is to come anew, or other words stand in the place of
// earlier ones. Few servers can take that out of a session. For others the conversation goes on in a session of its own, a branch, which is given
// what is left of it. The ids of the agent's messages name the branch, so that requests find it again without anything being remembered.

// branching is what is known of where a conversation goes on.
type branching struct {
	key   threads.Key
	known bool // all has been found
	all   saidThere
	now   saidIn             // with the request
	chain conversation.Chain // of the request
	shown int                // how many links of it stand before what is new
	err   error              // why all could not be read

	takesNow bool // the request takes something back
}

// saidThere is what is remembered of the sessions of a conversation.
type saidThere struct {
	Sessions  []saidIn // the one used last first
	TakenBack bool     `json:",omitempty"` // something has been taken back
	Marked    bool     `json:",omitempty"` // marks have come back: the client keeps the ids of the agent's messages

	Opened  []openedSession `json:",omitempty"` // to be deleted with the conversation
	Dropped int             `json:",omitempty"` // how many are not in it any more
}

// saidIn is what the user has said in a session, as its client has said it last.
type saidIn struct {
	Branch []byte `json:",omitempty"` // none: the first session of the conversation
	First  []byte // links of the first message of the user's and of the last
	Last   []byte
	Count  int
	ID     []byte `json:",omitempty"` // of the last message, hashed: clients make ids of any length
}

// maxSessions is of how many sessions of a conversation it is remembered what was said there.
const maxSessions = 8

// read takes what the user has said from the messages of a request.
func (b *branching) read(ms []hub.Message) {
	before, _ := conversation.SplitInput(ms)
	chain, at := conversation.ChainOf(ms)
	if b.chain = chain; len(chain) > 0 {
		last := len(chain) - 1
		b.now = saidIn{First: chain[0][:], Last: chain[last][:], Count: len(chain)}
		b.shown, _ = slices.BinarySearch(at, len(before))
		if id := ms[at[last]].ID; len(id) > 0 {
			sum := sha256.Sum256(id)
			b.now.ID = sum[:]
		}
	}
}

// enterBranch finds the branch in which a conversation goes on, and begins one where the request takes back what its session has received.
// A server that rewrites its session is asked to.
func (c *call) enterBranch(asked *hub.Request) (branch []byte, isNew bool) {
	c.findBranch(asked)
	b := c.branching
	was := b.goesOnFrom(markedBranch(asked.Messages))
	branch = was.Branch
	takesBack := !asked.Partial && b.takesBack(asked, &was)
	if takesBack && c.route.sessions.Rewrites {
		asked.Trigger = max(asked.Trigger, hub.TriggerRegenerate)
	} else if takesBack {
		branch, isNew = threadids.Branch(c.unique), true
		asked.Trigger = hub.TriggerNone // the session has nothing to take back
	}
	b.now.Branch, b.takesNow = branch, takesBack
	return branch, isNew
}

// goesOnFrom is what was said in the session that a request goes on from: the one that a mark names, or without marks the one used last, or the
// first one where marks would have come back, and the request shows all that was said there.
func (b *branching) goesOnFrom(marked []byte) saidIn {
	b.all.Marked = b.all.Marked || marked != nil
	at := b.sessionOf(marked)
	switch {
	case at >= 0 && (marked != nil || b.all.Marked && b.shows(&b.all.Sessions[at])):
		return b.all.Sessions[at]
	case marked == nil && len(b.all.Sessions) > 0:
		return b.all.Sessions[0]
	}
	return saidIn{Branch: marked}
}

// shows reports whether a request shows all that was said in a session, with answers.
func (b *branching) shows(s *saidIn) bool {
	return s.Count > 0 && s.Count <= b.shown && bytes.Equal(b.chain[s.Count-1][:], s.Last)
}

// sessionOf is where the session of a branch stands among those that are remembered; -1 for none.
func (b *branching) sessionOf(branch []byte) int {
	return slices.IndexFunc(b.all.Sessions, func(s saidIn) bool { return bytes.Equal(s.Branch, branch) })
}

// findBranch finds out what is remembered of where a conversation goes on. Without that a request that takes something back shows so only where
// its dialect says it.
func (c *call) findBranch(asked *hub.Request) {
	b := &branching{key: threads.Key{Scope: c.scope, Kind: threads.Branch, Name: plainText(asked.Thread)}}
	c.branching = b
	if !asked.Partial {
		b.read(asked.Messages)
	}
	view, err := c.route.threads.Look(b.key) // one question for the store: to write it says that it is used
	if err == nil {
		err = json.Unmarshal(view.Meta, &b.all)
		b.known = err == nil
	}
	if !errors.Is(err, threads.ErrUnknown) {
		b.err = err
	}
}

// markedBranch is the branch that the last message of the agent's with a mark is of; nil for none.
func markedBranch(ms []hub.Message) []byte {
	for i := len(ms) - 1; i >= 0; i-- {
		if ms[i].Role != hub.RoleAgent {
			continue
		}
		if branch := threadids.BranchOf(ms[i].ID); branch != nil {
			return bytes.Clone(branch)
		}
	}
	return nil
}

// takesBack reports whether a request takes back what its session has received, or, where something was taken back before, shows what another
// session has received. Clients that tell only what is new, or the end of a long conversation, show another beginning: of them nothing is known.
func (b *branching) takesBack(asked *hub.Request, was *saidIn) bool {
	now := &b.now
	switch {
	case asked.Trigger != hub.TriggerNone:
		return true
	case was.Count == 0 || !bytes.Equal(was.First, now.First) || !says(asked):
		return false
	case now.Count > was.Count:
		return !bytes.Equal(b.chain[was.Count-1][:], was.Last) || b.all.TakenBack && b.shown > was.Count
	case now.Count == was.Count && bytes.Equal(now.Last, was.Last):
		return len(now.ID) > 0 && bytes.Equal(now.ID, was.ID) // else the user may have said the same once more
	}
	return true
}

// says reports whether a request ends with words of the user's, and does not answer what was asked before.
func says(asked *hub.Request) bool {
	n := len(asked.Messages)
	return n > 0 && asked.Messages[n-1].Role == hub.RoleUser && len(conversation.Decided(asked))+len(conversation.Returned(asked)) == 0
}

// noteUnanswered does what noteBranch does where a run may have begun that has no answer: its client has left, or waits no longer.
func (x *stream) noteUnanswered(err error) {
	var unsent upstream.NotSent
	if x.placed.begun && !errors.As(err, &unsent) {
		x.call.agentSession.unnamed.accept()
		x.noteBranch()
	}
}

// noteOpened remembers a session that was opened, though no run has begun there.
func (x *stream) noteOpened() {
	if b := x.call.branching; b != nil && x.call.agentSession.opened {
		b.now.Count = 0
		x.noteBranch()
	}
}

// noteBranch remembers what the session of a conversation has received with a run that was accepted.
func (x *stream) noteBranch() {
	b := x.call.branching
	x.call.branching = nil // which grows with the conversation
	if b == nil || len(b.key.Name) > longestThread {
		return
	}
	isNew := x.call.route.deletesSessions() && b.opened(&x.call.agentSession.asked)
	if b.now.Count == 0 && !isNew {
		return
	}
	if err := errors.Join(b.err, b.write(x.call.route.threads)); err != nil {
		x.server.log.Warn("what a client takes back may not be noticed: the store does not know how its conversation goes on",
			zap.String("route", x.call.route.cfg.Path), zap.String("request_id", x.call.id), zap.Error(err))
	}
}

// write remembers what the user has said, unless the request does not show it, and the sessions of the conversation.
func (b *branching) write(in threads.Store) error {
	if b.now.Count > 0 {
		if at := b.sessionOf(b.now.Branch); at >= 0 {
			b.all.Sessions = slices.Delete(b.all.Sessions, at, at+1)
		}
		b.all.TakenBack = b.all.TakenBack || b.takesNow
		b.all.Sessions = slices.Insert(b.all.Sessions, 0, b.now)
		b.all.Sessions = b.all.Sessions[:min(len(b.all.Sessions), maxSessions)]
	}
	data, err := json.Marshal(&b.all)
	switch {
	case err != nil:
		return err
	case b.known:
		return in.SetMeta(b.key, data)
	}
	return in.Create(b.key, threads.Seed{Meta: data})
}
