package sessions

import (
	"io"
	"time"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// Turn is what an agent says in a turn, or in a part of it that ends with questions.
type Turn struct {
	session *session
	ready   chan struct{}
	failure *hub.Failure

	// The reader of a turn that runs reads from the process itself: a goroutine between the two would cost as much as all else.
	reads    bool
	released bool  // it does not any more
	from     *peer // while it does

	said []byte // string bodies, of its reader: pieces of what the agent says that the session does not know yet

	Answered int // questions that the request answered
	lost     []string

	// Known says what the request was to the session: see the constants.
	Known Known
}

// Known is what a session has known of a conversation.
type Known string

// What a session has known.
const (
	New       Known = "new"     // the conversation begins
	Goes      Known = "known"   // what is new follows what was said
	Resumed   Known = "resumed" // likewise, but the process had ended
	Preambled Known = "told"    // a new session, which received what was said elsewhere
)

// Ready is signalled when [Turn.Take] has something to say.
func (t *Turn) Ready() <-chan struct{} { return t.ready }

func (t *Turn) wake() {
	select {
	case t.ready <- struct{}{}:
	default:
	}
	if p := t.from; p != nil {
		p.proc.Wake()
	}
}

// Take appends the lines that have come. The error is io.EOF when the turn is over, or waits for answers; a *[hub.Failure] when it
// cannot go on. Without either, nothing has come yet.
func (t *Turn) Take(dst []byte) ([]byte, error) {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	return t.take(dst)
}

func (t *Turn) take(dst []byte) ([]byte, error) {
	s := t.session
	if s.turn != t {
		return dst, io.EOF
	}
	if len(s.lines) > 0 {
		if len(dst) > 0 || cap(dst) > 2*maxLines {
			dst, s.lines = append(dst, s.lines...), s.lines[:0]
		} else {
			dst, s.lines = s.lines, dst // the reader and the process write in turns to two buffers
		}
		if !s.turnReads() {
			s.room.Broadcast()
		}
		return dst, nil
	}
	switch {
	case t.failure != nil:
		return dst, t.failure
	case s.state != running:
		s.lines = nil // it may be long until something comes
		return dst, io.EOF
	}
	return dst, nil
}

// Waits reports whether the agent waits for answers.
func (t *Turn) Waits() bool { return t.session.waits() }

// Answer answers questions in place of the client; the turn goes on.
func (t *Turn) Answer(answers []hub.Decision) error {
	s := t.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn != t || s.state != waiting || s.peer == nil {
		return nil // it has ended, which Take says
	}
	req := &hub.Request{Partial: true, Answers: answers}
	s.restoreIDs(req)
	lines, state, err := s.peer.driver.Turn(nil, req, new(hub.Losses))
	if err != nil {
		return err
	}
	if state != hub.TurnWaits {
		s.state = running
	}
	s.peer.send(lines)
	return nil
}

// Leave ends the reading. A turn that runs is cancelled; one that waits is kept for the answers, for a time.
func (t *Turn) Leave(wait time.Duration) {
	s := t.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn != t {
		return
	}
	t.noteWords()
	s.turn = nil
	s.room.Broadcast()
	switch s.state {
	case running:
		s.cancel()
	case waiting:
		s.wait = wait
		s.after(wait, s.expire)
	case leaving:
		s.lines = nil
	default:
		s.rest()
	}
}

// maxIDs bounds the ids that a session translates.
const maxIDs = 4096

// NoteID notes that the client knows a question or a call by another id than the agent.
func (t *Turn) NoteID(agent, client []byte) {
	if string(agent) == string(client) || len(client) == 0 {
		return
	}
	s := t.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ids == nil {
		s.ids = map[string]string{}
	}
	if len(s.ids) < maxIDs {
		s.ids[string(client)] = string(agent)
	}
}

// NoteWords notes a piece of what the agent says. Others know of it when more is asked for by [Turn.Read].
func (t *Turn) NoteWords(body []byte) { t.said = append(t.said, body...) }

// noteWords adds what was noted to the words of the session.
func (t *Turn) noteWords() {
	if len(t.said) == 0 {
		return
	}
	t.session.wordsMu.Lock()
	defer t.session.wordsMu.Unlock()
	t.session.words.Add(t.said)
	t.said = t.said[:0]
}

// lastWords are those of the last turn.
func (s *session) lastWords() conversation.Link {
	s.wordsMu.Lock()
	defer s.wordsMu.Unlock()
	return s.words.Sum()
}

// Lost are the names of what the agent turned out not to take when the turn had begun.
func (t *Turn) Lost() []string {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	return t.lost
}

// NoteAsk counts a question that the client was asked.
func (t *Turn) NoteAsk() {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	t.session.asked++
}

// restoreIDs puts the ids of the agent in the place of those that the client knows. The caller holds s.mu.
func (s *session) restoreIDs(req *hub.Request) {
	own := func(id *[]byte) {
		if agent, ok := s.ids[string(*id)]; ok {
			*id = []byte(agent)
		}
	}
	for i := range req.Answers {
		own(&req.Answers[i].Ask)
		own(&req.Answers[i].Call)
	}
	for i := range req.Messages {
		if req.Messages[i].Role == hub.RoleResults {
			for j := range req.Messages[i].Parts {
				own(&req.Messages[i].Parts[j].ID)
			}
		}
	}
}

func (s *session) forgetWords() {
	s.wordsMu.Lock()
	defer s.wordsMu.Unlock()
	s.words = conversation.Words{}
}
