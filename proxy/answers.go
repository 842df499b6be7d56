package proxy

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/threads"
)

// answers are those of one connection that its next requests may go on from, the oldest first. Clients of the Responses API name
// an answer on their WebSocket in place of what was said before it, even where they want nothing stored: it is known only there.
type answers []answer

// answer is a conversation up to an answer of the agent.
type answer struct {
	id       string
	messages []hub.Message
	size     int // about how many bytes the messages hold
}

// maxAnswers is how many answers a connection remembers. Together they hold no more bytes than one request may have.
const maxAnswers = 8

func (a answers) find(id []byte) *answer {
	for i := range a {
		if len(id) > 0 && a[i].id == string(id) {
			return &a[i]
		}
	}
	return nil
}

// keep remembers the answer of a call that ended with f. One that failed is none.
func (a *answers) keep(c *call, f *hub.Failure) {
	if c.soFar == nil || len(c.asked.Answer) == 0 || f != nil || c.soFar.failed {
		return
	}
	*a = append(*a, answer{string(c.asked.Answer), c.soFar.messages(), c.soFar.held + c.soFar.size + c.soFar.folder.Size()})
	size := 0
	for i := len(*a) - 1; i >= 0; i-- {
		if size += (*a)[i].size; size > int(c.route.cfg.Limits.RequestBody) || len(*a)-i > maxAnswers {
			*a = append(answers(nil), (*a)[i+1:]...)
			return
		}
	}
}

// soFar is the conversation of a call while it is answered.
type soFar struct {
	folder       *conversation.Folder
	size, held   int  // about how many bytes the request holds, and what was said before
	from         int  // the messages of the answer begin there
	instructions int  // messages in front that hold for the request alone
	begun        bool // the agent has said something
	ended        bool
	failed       bool
}

// messages are those that others may go on from.
func (s *soFar) messages() []hub.Message { return s.folder.Messages()[s.instructions:] }

// said is what is remembered of the turn. Results of calls that were made before it stand with the calls.
func (s *soFar) said() *threads.Said {
	said := &threads.Said{Messages: s.messages(), From: s.from, Size: s.size + s.folder.Size(), Run: s.folder.Run()}
	said.Run.Messages = nil
	return said
}

// counts reports whether the turn was one: the agent has said something, or nothing, but ended well.
func (s *soFar) counts() bool { return s.begun || s.ended && !s.failed }

func (s *soFar) add(ev *hub.Event, _ hub.Disposition) {
	s.folder.Add(ev)
	s.begun = s.begun || ev.Kind != hub.RunStart && ev.Kind != hub.RunEnd
	s.ended = s.ended || ev.Kind == hub.RunEnd
	s.failed = s.failed || ev.Kind == hub.RunEnd && ev.Status == hub.StatusFailed
}

// observer is what takes the events. again says that they tell of calls that were made before: these are in the conversation already.
func (s *soFar) observer(again bool) func(*hub.Event, hub.Disposition) {
	if !again {
		return s.add
	}
	return func(ev *hub.Event, d hub.Disposition) {
		own := *ev
		if own.Kind == hub.ToolStart {
			own.Flags |= hub.Resumed
		}
		s.add(&own, d)
	}
}

// goOn completes a request that goes on from an answer on its connection, and returns about how many bytes were said before.
func (c *call) goOn(asked *hub.Request) int {
	if c.session == nil {
		return 0
	}
	before := c.session.answers.find(asked.Previous)
	if before == nil {
		return 0
	}
	complete(asked, before.messages)
	return before.size
}

// prepare answers a request that wants no answer yet.
func (x *session) prepare(c *call) *hub.Failure {
	defer c.endThread()
	if c.soFar == nil {
		return x.refuse(hub.Fail(hub.CodePartial, nil))
	}
	start, end := hub.Event{Kind: hub.RunStart, ID: c.asked.Answer}, hub.Event{Kind: hub.RunEnd, Status: hub.StatusOK}
	if err := x.say(c.asked, nil, start, end); err != nil {
		return asFailure(err)
	}
	x.answers.keep(c, nil)
	return nil
}
