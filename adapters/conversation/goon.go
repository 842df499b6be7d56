package conversation

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// GoOn puts what is new behind the conversation before it, which is left as it is. Results go to their calls.
func GoOn(before, more []hub.Message) []hub.Message {
	b := Builder{Messages: slices.Clone(before)}
	for i := range b.Messages {
		m := &b.Messages[i]
		m.Parts = slices.Clone(m.Parts)
		for j := range m.Parts {
			if m.Parts[j].Kind == hub.PartCall && m.Role != hub.RoleResults {
				b.noteAt(m.Parts[j].ID, place{i, j})
			}
		}
	}
	for i := range more {
		if more[i].Role != hub.RoleResults {
			b.goOn(&more[i])
			continue
		}
		for _, p := range more[i].Parts {
			if p.Result != nil {
				b.Result(p.ID, p.Name, *p.Result)
			}
		}
	}
	return b.Messages
}

// goOn adds a message as it is.
func (b *Builder) goOn(m *hub.Message) {
	b.Begin(m.Role, m.ID)
	b.Messages[len(b.Messages)-1] = *m
	for j := range m.Parts {
		if m.Parts[j].Kind == hub.PartCall {
			b.noteAt(m.Parts[j].ID, place{len(b.Messages) - 1, j})
		}
	}
}

// Decide gives answers to the calls that their questions are about, in messages that are the caller's own, and returns those whose question
// is not open there. As long as another one of its message is open, the agent has no answer of them: then the last answer to each counts.
func Decide(ms []hub.Message, answers []hub.Decision) (others []hub.Decision) {
	open := map[string]*hub.Part{}
	waits := func(p hub.Part) bool { return p.Approval != nil && !p.Approval.Decided && p.Result == nil }
	for i := range ms {
		if !slices.ContainsFunc(ms[i].Parts, waits) {
			continue
		}
		for j := range ms[i].Parts {
			if p := &ms[i].Parts[j]; p.Approval != nil && p.Result == nil {
				open[string(p.Approval.ID)] = p
			}
		}
	}
	for _, d := range answers {
		p := open[string(d.Ask)]
		if p == nil || !d.Decided {
			others = append(others, d)
			continue
		}
		own := *p.Approval // what others go on from stays undecided
		own.Decided, own.Approved, own.Reason = true, d.Approved, d.Reason
		p.Approval = &own
	}
	return others
}
