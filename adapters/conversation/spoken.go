package conversation

import "github.com/sabir-proxy/sabir/adapters/hub"

// Spoken are the parts of a run that the API of a model says in one piece: what the agent says, and the calls that the client is
// to run. Calls that the agent has run are left out, for clients run every call that they see; so are those that wait for a
// permission. Both are losses.
func Spoken(run *hub.Run, l *hub.Losses) (parts []*hub.Part) {
	for i := range run.Messages {
		m := &run.Messages[i]
		for j := range m.Parts {
			p := &m.Parts[j]
			switch {
			case p.Kind == hub.PartCall && !(m.Role == hub.RoleAgent && p.ClientRuns && p.Result == nil):
				l.AddIf("messages.approval", p.Approval != nil && p.Result == nil)
				l.AddIf("messages.call", p.Approval == nil || p.Result != nil)
			case m.Role == hub.RoleAgent:
				parts = append(parts, p)
			}
		}
	}
	return parts
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
