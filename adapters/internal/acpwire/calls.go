package acpwire

import "github.com/sabir-proxy/sabir/adapters/hub"

// MaxCalls bounds the calls that are remembered of one stream. When it is reached all are forgotten, which costs little: an
// update of a forgotten call is still an update.
const MaxCalls = 4096

// Calls are the tool calls of a stream by the id that their events carry, with what a decoder remembers of each. On the wire
// an id is unique only within its session. The zero value is ready to use.
type Calls[C any] struct {
	by map[string]*owned[C]
}

type owned[C any] struct {
	session string // of the call; empty for that of the root agent
	call    C
}

// Find returns the call that id means in a session, nil if it is new, and the id of its events. Only an id that another
// session uses already gets a prefix, the session and a slash: it is then made in s. The session is empty for that of the
// root agent, whose name root is.
func (c *Calls[C]) Find(id, session, root []byte, s *hub.Scratch) (*C, []byte) {
	known := c.by[string(id)]
	if known == nil {
		return nil, id
	}
	if known.session == string(session) {
		return &known.call, id
	}
	if len(session) == 0 {
		session = root
	}
	long := append(append(s.Begin(), session...), '/')
	id = s.Since(append(long, id...))
	if known = c.by[string(id)]; known == nil {
		return nil, id
	}
	return &known.call, id
}

// Call is Find that makes the call.
func (c *Calls[C]) Call(id, session, root []byte, s *hub.Scratch) (*C, []byte) {
	call, id := c.Find(id, session, root, s)
	if call != nil {
		return call, id
	}
	if c.by == nil {
		c.by = map[string]*owned[C]{}
	}
	if len(c.by) >= MaxCalls {
		clear(c.by)
	}
	made := &owned[C]{session: string(session)}
	c.by[string(id)] = made
	return &made.call, id
}

// Reset forgets all calls.
func (c *Calls[C]) Reset() { clear(c.by) }
