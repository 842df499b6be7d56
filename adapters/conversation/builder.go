// Package conversation holds what the dialects share about conversations at rest, lists of [hub.Message]: how they are put
// together from a request or a run, and what they need before a dialect can write them.
package conversation

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// A Builder puts messages together in the order in which a request tells them. Results go to their calls. The zero value is
// ready; Messages may hold what came before.
type Builder struct {
	Messages []hub.Message
	Unread   Unread
	open     map[string][]place // of calls by id, in their order
	role     hub.Role           // of the message that was begun last
	resulted bool               // a result has come since
	results  []place            // of calls, behind what the agent said last
	parts    []hub.Part         // a block of memory; see extend
}

// reset forgets everything but the memory.
func (b *Builder) reset() {
	clear(b.Messages)
	clear(b.parts)
	clear(b.open)
	*b = Builder{Messages: b.Messages[:0], Unread: b.Unread, open: b.open, parts: b.parts[:0]}
}

// place is where a call stands.
type place struct{ message, part int }

// Begin adds a message. It is valid until the next. One that goes on with the last, as its next step, has its id; of an id that is
// long it has the beginning, for there may be many steps.
func (b *Builder) Begin(role hub.Role, id []byte) *hub.Message {
	if n := len(b.Messages); n > 0 && len(id) > longest && bytes.Equal(b.Messages[n-1].ID, id) {
		id = []byte(Base(id))
	}
	if b.role = role; role == hub.RoleAgent {
		for _, at := range b.results {
			b.part(at).Result.Last = false
		}
		b.results = b.results[:0]
	}
	b.Messages, b.resulted = append(b.Messages, hub.Message{Role: role, ID: id}), false
	return &b.Messages[len(b.Messages)-1]
}

// BeginAgent adds a message of the agent's.
func (b *Builder) BeginAgent(id []byte) *hub.Message {
	joins := len(b.Messages) > 0 && !b.resulted && waits(&b.Messages[len(b.Messages)-1])
	m := b.Begin(hub.RoleAgent, id)
	m.Joins = joins
	return m
}

// waits reports whether a message has calls without results.
func waits(m *hub.Message) bool {
	return m.Role == hub.RoleAgent && slices.ContainsFunc(m.Parts, func(p hub.Part) bool { return p.Kind == hub.PartCall && p.Result == nil })
}

// Add adds a part to the last message. A message of the agent's is cut before what it says behind a call that has its result:
// the part begins another message with the same id then. So does one behind a result whose call is in no message. Calls are the
// agent's: one that a request has in a message of somebody else's stands in a message of the agent's behind it.
func (b *Builder) Add(p hub.Part) {
	m := &b.Messages[len(b.Messages)-1]
	if p.Kind == hub.PartCall && b.role != hub.RoleAgent {
		m = b.last(hub.RoleAgent)
	} else if m.Role != b.role {
		m = b.Begin(b.role, nil)
	}
	if n := len(m.Parts); n > 0 && p.Kind != hub.PartCall && answered(&m.Parts[n-1]) {
		m = b.Begin(m.Role, m.ID)
	}
	m.Parts = b.extend(m.Parts, p)
	if p.Kind == hub.PartCall {
		b.note(p.ID)
	}
}

// How many parts are allocated at a time: few for a question alone, more with each block. Most messages have one or two.
const leastParts, mostParts = 2, 32

// extend appends a part to the parts of a message. Those of one message after the other stand in the same block of memory, as long
// as it has room, and as long as parts come to the last message only.
func (b *Builder) extend(parts []hub.Part, p hub.Part) []hub.Part {
	n := len(parts)
	room := cap(b.parts) - len(b.parts)
	if room == 0 || n > 0 && !b.endsWith(parts) {
		if room <= n {
			b.parts = make([]hub.Part, 0, max(leastParts, min(2*cap(b.parts), mostParts), 2*n))
		}
		b.parts = append(b.parts, parts...)
	}
	b.parts = append(b.parts, p)
	end := len(b.parts)
	return b.parts[end-n-1 : end : end]
}

// endsWith reports whether the block ends with these parts.
func (b *Builder) endsWith(parts []hub.Part) bool {
	return len(b.parts) > 0 && &parts[len(parts)-1] == &b.parts[len(b.parts)-1]
}

func answered(p *hub.Part) bool { return p.Kind == hub.PartCall && p.Result != nil }

// note remembers the call that was added last.
func (b *Builder) note(id []byte) {
	b.noteAt(id, place{len(b.Messages) - 1, len(b.Messages[len(b.Messages)-1].Parts) - 1})
}

func (b *Builder) noteAt(id []byte, at place) {
	if b.open == nil {
		b.open = map[string][]place{}
	}
	b.open[string(id)] = append(b.open[string(id)], at)
}

// Result gives a result to the last call of its id that has none, or else replaces that of the last call of its id. Where
// there is no such call, a message of role Results holds it; name is the tool then, if the request tells it.
func (b *Builder) Result(call, name []byte, r hub.CallResult) {
	b.resulted = true
	if at, ok := b.find(call); ok {
		r.Last = true
		b.part(at).Result = &r
		b.results = append(b.results, at)
		return
	}
	m := b.last(hub.RoleResults)
	m.Parts = append(m.Parts, hub.Part{Kind: hub.PartCall, ID: call, Name: name, Result: &r})
}

// Call returns the last call of an id that has no result, or else the last of it; nil if there is none. It is valid until a
// part is added.
func (b *Builder) Call(id []byte) *hub.Part {
	if at, ok := b.find(id); ok {
		return b.part(at)
	}
	return nil
}

// find is where the call of [Builder.Call] stands.
func (b *Builder) find(id []byte) (at place, ok bool) {
	places := b.open[string(id)]
	for i := len(places) - 1; i >= 0; i-- {
		if b.part(places[i]).Result == nil {
			b.open[string(id)] = places[:i+1] // those behind it have theirs
			return places[i], true
		}
	}
	if len(places) > 0 {
		at = places[len(places)-1]
		b.open[string(id)] = places[len(places)-1:]
		return at, true
	}
	return place{}, false
}

func (b *Builder) part(at place) *hub.Part { return &b.Messages[at.message].Parts[at.part] }

// last returns the last message if it has that role, or a new one.
func (b *Builder) last(role hub.Role) *hub.Message {
	if n := len(b.Messages); n > 0 && b.Messages[n-1].Role == role {
		return &b.Messages[n-1]
	}
	b.Messages = append(b.Messages, hub.Message{Role: role})
	return &b.Messages[len(b.Messages)-1]
}
