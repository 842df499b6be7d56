package conversation

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
)

// CheckLastTurn is an error where nothing is left of what the user has said last, because the agent has no form for it, or refuses blanks: it would
// answer to what was said before, or go on with its own answer. ms are the messages as the client has them, last is the role of the last one that
// was written for the agent, instructions apart; none: nothing was.
func CheckLastTurn(ms []hub.Message, last hub.Role) error {
	n := len(ms)
	for n > 0 && ms[n-1].Role == hub.RoleSystem {
		n--
	}
	if n == 0 || ms[n-1].Role == hub.RoleAgent || last == hub.RoleUser || last == hub.RoleResults {
		return nil
	}
	return NothingLeft()
}

// WriteMessages writes the messages of a request as a member, and makes that check. write appends the list of them, and says of which role the
// last one is.
func WriteMessages(w *jsonwriter.Writer, member string, req *hub.Request, write func(dst []byte) ([]byte, hub.Role)) error {
	var last hub.Role
	w.Key(member)
	w.Append(func(dst []byte) []byte { dst, last = write(dst); return dst })
	return CheckLastTurn(req.Messages, last)
}

// NothingLeft is the error for a request of which the agent would get no words of the user's.
func NothingLeft() error {
	return hub.NewError(hub.ReasonMissing, "messages", -1, "what the user says last is blank, or has no form that the agent takes")
}

// Last is the role of the last turn, instructions apart.
func (t Turns) Last() hub.Role {
	for i := len(t) - 1; i >= 0; i-- {
		if t[i].Role != hub.RoleSystem {
			return t[i].Role
		}
	}
	return hub.RoleNone
}

// LostBlanks notes that the user has said nothing but blanks in a message, for APIs that refuse them.
func LostBlanks(m *hub.Message, l *hub.Losses) {
	said := false
	for i := range m.Parts {
		if m.Parts[i].Kind != hub.PartText || !Blank(m.Parts[i].Text) {
			return
		}
		said = said || len(m.Parts[i].Text) > 0
	}
	l.AddIf("messages.blank", said && m.Role == hub.RoleUser)
}

// Speaker is whose words come last in a message, for an agent: of one with the results of calls, those.
func Speaker(m *hub.Message) hub.Role {
	for i := range m.Parts {
		if m.Parts[i].Kind == hub.PartCall && m.Parts[i].Result != nil {
			return hub.RoleResults
		}
	}
	return m.Role
}
