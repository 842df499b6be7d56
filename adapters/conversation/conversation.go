package conversation

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
)

// Leading splits off the system messages that the conversation begins with: the instructions.
func Leading(ms []hub.Message) (system, rest []hub.Message) {
	n := 0
	for n < len(ms) && ms[n].Role == hub.RoleSystem {
		n++
	}
	return ms[:n], ms[n:]
}

// AppendTexts appends the texts of messages, with separator between them, a string body like the rest.
func AppendTexts(dst []byte, ms []hub.Message, separator string) []byte {
	from := len(dst)
	for i := range ms {
		for j := range ms[i].Parts {
			p := &ms[i].Parts[j]
			if p.Kind != hub.PartText || len(p.Text) == 0 {
				continue
			}
			if len(dst) > from {
				dst = append(dst, separator...)
			}
			dst = append(dst, p.Text...)
		}
	}
	return dst
}

// together puts messages together that are one step: agents take calls for calls at once only if they stand in one message.
func together(ms []hub.Message) []hub.Message {
	if !slices.ContainsFunc(ms, func(m hub.Message) bool { return m.Joins }) {
		return ms
	}
	all := make([]hub.Message, 0, len(ms))
	for i := range ms {
		if !ms[i].Joins || len(all) == 0 {
			all = append(all, ms[i])
			last := &all[len(all)-1]
			last.Parts = slices.Clip(last.Parts) // what is put to them goes elsewhere, for they are the request's
			continue
		}
		last := &all[len(all)-1]
		last.Parts = append(last.Parts, ms[i].Parts...)
	}
	return all
}

// callsLast puts what the agent said behind its calls before them: it was said before their results, which agents read from the
// order, as results stand right behind the calls in most dialects.
func callsLast(ms []hub.Message) []hub.Message {
	own := false
	for i := range ms {
		isCall := func(p hub.Part) bool { return p.Kind == hub.PartCall }
		first := slices.IndexFunc(ms[i].Parts, isCall)
		if ms[i].Role != hub.RoleAgent || first < 0 || !slices.ContainsFunc(ms[i].Parts[first:], func(p hub.Part) bool { return !isCall(p) }) {
			continue
		}
		if !own {
			ms, own = slices.Clone(ms), true
		}
		said := slices.DeleteFunc(slices.Clone(ms[i].Parts), isCall)
		calls := slices.DeleteFunc(slices.Clone(ms[i].Parts), func(p hub.Part) bool { return !isCall(p) })
		ms[i].Parts = append(said, calls...)
	}
	return ms
}

// leftBehind is the result that the model receives for a call whose result never came.
const leftBehind = "The conversation went on before this call had a result."

// Close gives an error for a result to each call that the conversation has left behind: agents refuse a history in which such
// a call has none. Calls of the last message of the agent's wait for theirs, if nothing of the user's follows.
func Close(ms []hub.Message) {
	last := len(ms)
	for last > 0 && ms[last-1].Role != hub.RoleUser && ms[last-1].Role != hub.RoleAgent {
		last--
	}
	if last > 0 && ms[last-1].Role == hub.RoleAgent {
		last--
		for last > 0 && ms[last-1].Role == hub.RoleAgent && (ms[last].Joins || len(ms[last].ID) > 0 && string(ms[last-1].ID) == string(ms[last].ID)) {
			last-- // steps of the last message
		}
	}
	for i := range ms[:last] {
		closeCalls(&ms[i])
	}
}

func closeCalls(m *hub.Message) {
	for j := range m.Parts {
		if p := &m.Parts[j]; p.Kind == hub.PartCall && p.Result == nil {
			p.Result = &hub.CallResult{Status: hub.StatusError, Err: []byte(leftBehind)}
		}
	}
}

// Calls reports whether a message has calls.
func Calls(m *hub.Message) bool {
	for j := range m.Parts {
		if m.Parts[j].Kind == hub.PartCall {
			return true
		}
	}
	return false
}

// Ready prepares the messages of a request for an agent that takes a history: messages that are one step are put together, calls
// stand last in them, files have the types that APIs know, open calls that were left behind are closed, and messages with nothing in them are left out.
func Ready(ms []hub.Message) []hub.Message {
	Close(ms)
	plainFiles(ms)
	ms = signedCalls(ms)
	ms = callsLast(together(ms))
	empty := func(m hub.Message) bool { return len(m.Parts) == 0 }
	if !slices.ContainsFunc(ms, empty) {
		return ms
	}
	return slices.DeleteFunc(slices.Clone(ms), empty)
}

// ForModel prepares the messages of a request for the API of a model that checks what they hold.
func ForModel(ms []hub.Message, l *hub.Losses) []hub.Message {
	return WithoutSealed(WithoutLone(Ready(ms), l), l)
}

// WithoutLone leaves out the results whose calls are nowhere, as where a client has cut off the beginning of the conversation. Model APIs
// refuse a history with one; it is the loss messages.result. Where there is nothing else, the API says so.
func WithoutLone(ms []hub.Message, l *hub.Losses) []hub.Message {
	isLone := func(m hub.Message) bool { return m.Role == hub.RoleResults }
	says := func(m hub.Message) bool { return m.Role == hub.RoleUser || m.Role == hub.RoleAgent }
	if !slices.ContainsFunc(ms, isLone) || !slices.ContainsFunc(ms, says) {
		return ms
	}
	l.Add("messages.result")
	return slices.DeleteFunc(slices.Clone(ms), isLone)
}

// WithoutSealed leaves out the signatures that stand for something else, which only the server knows that it came from. Others refuse them;
// it is the loss messages.signature. One that only says where its server had the words of reasoning is none to others.
func WithoutSealed(ms []hub.Message, l *hub.Losses) []hub.Message {
	isSealed := func(p hub.Part) bool { return signatures.IsSealed(p.Sig) }
	copied := false
	for i := range ms {
		if !slices.ContainsFunc(ms[i].Parts, isSealed) {
			continue
		}
		if !copied {
			ms, copied = slices.Clone(ms), true
		}
		ms[i].Parts = slices.Clone(ms[i].Parts)
		for j := range ms[i].Parts {
			if p := &ms[i].Parts[j]; isSealed(*p) {
				l.AddIf("messages.signature", !signatures.NamesMember(p.Sig))
				p.Sig = nil
			}
		}
	}
	return ms
}
