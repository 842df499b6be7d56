package conversation

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// lane is a conversation that events are added to: that of the agent, or those of its sub-agents.
type lane struct {
	Builder
	past int    // messages of before
	run  []byte // id of messages of the agent's that have none
	step bool   // a step has begun: what the agent says next is another message

	looked looked // at the last message
}

// looked is how far the calls of a message were looked at: a run may have thousands of parts in one.
type looked struct {
	message, parts int
	calls          bool // there is one
}

// reset forgets everything but the memory.
func (l *lane) reset() {
	l.Builder.reset()
	*l = lane{Builder: l.Builder}
}

// add adds a part to the message that it belongs to, and says where it stands.
func (l *lane) add(role hub.Role, msg []byte, p hub.Part) place {
	if l.begins(role, msg, p.Kind) {
		l.Begin(role, l.idOf(role, msg))
	}
	if role == hub.RoleAgent {
		l.step = false
	}
	l.Add(p)
	n := len(l.Messages)
	return place{n - 1, len(l.Messages[n-1].Parts) - 1}
}

// begins reports whether a part is the first of a message. One that does not say of which it is belongs to the last.
func (l *lane) begins(role hub.Role, msg []byte, kind hub.PartKind) bool {
	m := l.current(role)
	switch {
	case m == nil, len(msg) > 0 && !bytes.Equal(m.ID, msg):
		return true
	case role != hub.RoleAgent:
		return false
	}
	return l.step || kind == hub.PartCall && l.allAnswered(m)
}

// current is the last message if it is of this run and has that role.
func (l *lane) current(role hub.Role) *hub.Message {
	if n := len(l.Messages); n > l.past && l.Messages[n-1].Role == role {
		return &l.Messages[n-1]
	}
	return nil
}

// allAnswered reports whether the last message has calls, each with its result: a further call is made in view of these. A call keeps its
// result, so that each is looked at until it has one.
func (l *lane) allAnswered(m *hub.Message) bool {
	at := &l.looked
	if last := len(l.Messages) - 1; at.message != last {
		*at = looked{message: last}
	}
	for ; at.parts < len(m.Parts); at.parts++ {
		if p := &m.Parts[at.parts]; p.Kind == hub.PartCall {
			if p.Result == nil {
				return false
			}
			at.calls = true
		}
	}
	return at.calls
}

// idOf is the id of a message that begins. Without one, a message of the agent's is a step of that before, or of the run.
func (l *lane) idOf(role hub.Role, msg []byte) []byte {
	if len(msg) > 0 || role != hub.RoleAgent {
		return bytes.Clone(msg)
	}
	for i := len(l.Messages) - 1; i >= l.past; i-- {
		if l.Messages[i].Role == hub.RoleAgent {
			return l.Messages[i].ID
		}
	}
	return l.run
}
