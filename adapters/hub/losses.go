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

// withUnread notes, beside what the dialect has no place for, what was lost when the request was read.
func withUnread(write requestWriter) requestWriter {
	return func(dst []byte, req *Request, l *Losses) ([]byte, error) {
		l.AddAll(req.Unread)
		return write(dst, req, l)
	}
}
