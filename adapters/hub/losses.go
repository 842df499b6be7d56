package hub

import "slices"

// Losses names what a request has and the dialect of the agent has no place for. The zero value is none.
type Losses struct {
	Names []string // in the order of the first of each
}

// Add notes a loss. Names are few: they are those of members of [Request], [Message] and [Part], never of what a client sent.
func (l *Losses) Add(name string) {
	if !slices.Contains(l.Names, name) {
		l.Names = append(l.Names, name)
	}
}

// AddAll notes the losses of others.
func (l *Losses) AddAll(others Losses) {
	for _, name := range others.Names {
		l.Add(name)
	}
}

// AddIf notes a loss if there is something to lose.
func (l *Losses) AddIf(name string, has bool) {
	if has {
		l.Add(name)
	}
}

// OwnLosses are losses for all dialects but one.
type OwnLosses struct {
	Dialect string
	Losses
}

// LostBefore notes what a request has lost for agents of a dialect before it is written for them.
func (r *Request) LostBefore(dialect string, l *Losses) {
	l.AddAll(r.Unread)
	if dialect != r.Beside.Dialect {
		l.AddAll(r.Beside.Losses)
	}
	l.AddIf("messages.members", slices.ContainsFunc(r.Messages, func(m Message) bool { return m.Unread && m.KeptBy != dialect }))
	l.AddIf("tools.members", slices.ContainsFunc(r.Tools.Defs, func(t Tool) bool { return t.Unread }))
}

// Chosen are the losses that the client could have avoided, for which a strict route refuses a request: all but those of what its API demands.
func (r *Request) Chosen(l *Losses) (names []string) {
	for _, name := range l.Names {
		if !slices.Contains(r.Demanded.Names, name) {
			names = append(names, name)
		}
	}
	return names
}

// withUnread notes, beside what the dialect has no place for, what was lost when the request was read.
func (d *Dialect) withUnread(write requestWriter) requestWriter {
	return func(dst []byte, req *Request, l *Losses) ([]byte, error) {
		req.LostBefore(d.Name, l)
		return write(dst, req, l)
	}
}
