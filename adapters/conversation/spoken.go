package conversation

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// Spoken are the parts of a run that the API of a model says in one piece: what the agent says, and the calls that the client is
// to run. Calls that the agent has run are left out, for clients run every call that they see; so are those that wait for a
// permission. Both are losses. Clients join the texts that are left, so that one behind such a call begins a paragraph.
func Spoken(run *hub.Run, l *hub.Losses) (parts []*hub.Part) {
	said, left := false, false
	for i := range run.Messages {
		m := &run.Messages[i]
		for j := range m.Parts {
			p := &m.Parts[j]
			switch {
			case p.Kind == hub.PartCall && !(m.Role == hub.RoleAgent && p.ClientRuns && p.Result == nil):
				l.AddIf("messages.approval", p.Approval != nil && p.Result == nil)
				l.AddIf("messages.call", p.Approval == nil || p.Result != nil)
				left = true
			case m.Role == hub.RoleAgent:
				if p.Kind == hub.PartText && len(p.Text) > 0 {
					if said && left {
						p = paragraph(p)
					}
					said, left = true, false
				}
				parts = append(parts, p)
			}
		}
	}
	return parts
}

// paragraph is the part with its text in a paragraph of its own.
func paragraph(p *hub.Part) *hub.Part {
	own := *p
	own.Text = slices.Concat([]byte(`\n\n`), p.Text)
	return &own
}

// SpokenText is the text of a message, with what the agent did not want to say.
func SpokenText(m *hub.Message) (text []byte) {
	for i := range m.Parts {
		if p := &m.Parts[i]; p.Kind == hub.PartText || p.Kind == hub.PartRefusal {
			if len(text) > 0 && len(p.Text) > 0 {
				text = append(text, `\n`...)
			}
			text = append(text, p.Text...)
		}
	}
	return text
}

// Joined are the texts of a kind among parts, with the separator between them, a string body like the rest.
func Joined(parts []*hub.Part, kind hub.PartKind, separator []byte) (all []byte) {
	for _, p := range parts {
		if p.Kind != kind || len(p.Text) == 0 {
			continue
		}
		if len(all) > 0 {
			all = append(all, separator...)
		}
		all = append(all, p.Text...)
	}
	return all
}
