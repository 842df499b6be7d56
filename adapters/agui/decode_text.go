package agui

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/opened"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/recent"
)

// message is a text or reasoning message that has been opened and not closed. Continuations may leave out the
// sub-agent they belong to, and must say nothing of the role.
type message struct {
	id, subAgent []byte
	family       hub.Chan // AnswerText or Reasoning: ids are unique within one
	channel      hub.Chan // what its text is: AnswerText, Refusal or Reasoning
	flags        hub.Flags
	sig          []byte // an encrypted value that came before the end
	unnamed      bool   // the id is ours: the upstream has none
}

// openMessages are the open ones.
type openMessages struct {
	opened.Queue[message]
	last int // found by the last lookup; contents come in runs
}

func (m *openMessages) reset() {
	m.Reset()
	m.last = 0
}

// find returns the open message of that id and family, or nil. Valid until the next add or close.
func (m *openMessages) find(id []byte, family hub.Chan) *message {
	list := m.All()
	if m.last < len(list) && list[m.last].is(id, family) {
		return &list[m.last]
	}
	for i := range list {
		if list[i].is(id, family) {
			m.last = i
			return &list[i]
		}
	}
	return nil
}

func (o *message) is(id []byte, family hub.Chan) bool {
	return o.family == family && bytes.Equal(o.id, id)
}

// add opens a message; one of the same id is replaced.
func (m *openMessages) add(id, subAgent []byte, family hub.Chan) *message {
	o := m.find(id, family)
	if o == nil {
		o = m.Add(maxOpen)
		m.last = len(m.All()) - 1
	}
	*o = message{id: append(o.id[:0], id...), subAgent: append(o.subAgent[:0], subAgent...), family: family, sig: o.sig[:0]}
	return o
}

// close forgets a message, if it is open.
func (m *openMessages) close(id []byte, family hub.Chan) {
	if o := m.find(id, family); o != nil {
		m.Drop(o)
		m.last = 0
	}
}

func (d *decoder) messageStart(dst []hub.Event, family hub.Chan) ([]hub.Event, error) {
	return d.openMessage(dst, d.about, family), nil
}

// openMessage appends the start of a message, whether a start event or a first chunk says so.
func (d *decoder) openMessage(dst []hub.Event, id []byte, family hub.Chan) []hub.Event {
	d.begun = true
	m := d.open.add(id, d.tag(), family)
	d.own(id)
	dst, ev := d.emit(dst, hub.Event{Kind: hub.TextStart, ID: id, Msg: id, Chan: family, Title: rawjson.Body(d.rec.Name)})
	if family == hub.Reasoning {
		ev.Ref = d.span(ev.SubAgent, id)
	} else {
		readRole(ev, rawjson.Body(d.rec.Role))
	}
	d.extras(ev, textMembers)
	m.channel, m.flags = ev.Chan, ev.Flags&hub.User
	return dst
}

// own remembers the sub-agent of a message for calls that name it as their parent.
func (d *decoder) own(id []byte) {
	subAgent := d.tag()
	if len(subAgent) == 0 || len(d.owners) == maxOpen {
		return
	}
	if d.owners == nil {
		d.owners = map[string]string{}
	}
	d.owners[string(id)] = string(subAgent)
}

// readRole tells the user's own words from the agent's. The two roles of instructions have no place of their own in
// the model: they travel as the name of the part.
func readRole(ev *hub.Event, role []byte) {
	switch string(role) {
	case "user":
		ev.Flags |= hub.User
	case roleSystem, roleDeveloper:
		ev.Name = role
	}
}

const (
	roleSystem    = "system"
	roleDeveloper = "developer"
)

// messageContent appends a delta. One that names no message is an error, but its text is not lost.
func (d *decoder) messageContent(dst []hub.Event, family hub.Chan) ([]hub.Event, error) {
	id, err := member.Text(d.rec.MessageID, "messageId")
	text, ok := rawjson.Str(d.rec.Delta)
	if !ok && rawjson.Kind(d.rec.Delta) != 'n' {
		return dst, member.Wrong(d.rec.Delta, "delta", "want a string")
	}
	return d.delta(dst, id, text, family), err
}

// delta appends text of a message, in the sub-agent of its opener.
func (d *decoder) delta(dst []hub.Event, id, text []byte, family hub.Chan) []hub.Event {
	if len(text) == 0 {
		return dst
	}
	dst, ev := d.emit(dst, hub.Event{Kind: hub.TextDelta, ID: id, Msg: id, Chan: family, Text: text})
	if m := d.open.find(id, family); m != nil {
		ev.SubAgent, ev.Chan, ev.Flags = m.subAgent, m.channel, m.flags
		if m.unnamed {
			ev.Msg = nil
		}
	}
	d.begun = true
	if len(d.calls) > 0 && family == hub.AnswerText && !ev.Flags.Has(hub.User) {
		d.calls = recent.Cleared(d.calls) // the agent went on without the client: it runs these calls itself
	}
	return dst
}

func (d *decoder) textEnd(dst []hub.Event) ([]hub.Event, error) {
	id := d.about
	dst, ev := d.emit(dst, hub.Event{Kind: hub.TextEnd, ID: id, Msg: id})
	if m := d.open.find(id, hub.AnswerText); m != nil {
		ev.SubAgent, ev.Chan, ev.Flags = d.scratch.Copy(m.subAgent), m.channel, m.flags
	}
	d.open.close(id, hub.AnswerText)
	return dst, nil
}
