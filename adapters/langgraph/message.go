package langgraph

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/recent"
	"github.com/sabir-proxy/sabir/adapters/internal/texthash"
)

// fields are the members of a message that are read.
type fields struct {
	id, name, role []byte // string bodies
	content        rawjson.Value
	chunks         rawjson.Value // tool_call_chunks
	calls          rawjson.Value // tool_calls
	invalid        rawjson.Value // invalid_tool_calls
	usage          rawjson.Value
	response       rawjson.Value // response_metadata
	extra          rawjson.Value // additional_kwargs
	callID, status []byte
	piece          bool // …MessageChunk: what comes after it is added
	beyond         bool // it has another member, which says something
}

// readFields reads a message, also one in the form in which LangChain stores objects: {"lc":1,"id":[…],"kwargs":{…}}.
func readFields(v rawjson.Value) (m fields) {
	kwargs, stored := m.read(v)
	if kwargs == nil || !stored {
		return m
	}
	m = fields{}
	m.read(kwargs)
	if m.role == nil {
		m.setRole(lastName(rawjson.Get(v, "id")))
	}
	return m
}

// read reads the members of v, and returns what tells of a stored object.
func (m *fields) read(v rawjson.Value) (kwargs rawjson.Value, stored bool) {
	for key, val := range rawjson.EachField(v) {
		switch string(key) {
		case "lc":
			stored = true
		case "kwargs":
			kwargs = val
		case "id":
			m.id = rawjson.Body(val)
		case "type", "role":
			if role, ok := rawjson.Str(val); ok && m.role == nil {
				m.setRole(role)
			}
		case "content":
			m.content = val
		case "tool_call_chunks":
			m.chunks = val
		case "tool_calls":
			m.calls = val
		case "invalid_tool_calls":
			m.invalid = val
		case "usage_metadata":
			m.usage = val
		case "response_metadata":
			m.response = val
		case "additional_kwargs":
			m.extra = val
		case "tool_call_id":
			m.callID = rawjson.Body(val)
		case "name":
			m.name = rawjson.Body(val)
		case "status":
			m.status = rawjson.Body(val)
		case "artifact", "example": // the first counts by its name, the other is LangChain's own
		default:
			m.beyond = m.beyond || conversation.SaysSomething(val)
		}
	}
	return kwargs, stored
}

// setRole reads the type: the JavaScript server says ai, the Python server AIMessageChunk, stored messages AIMessage.
func (m *fields) setRole(role []byte) {
	role, m.piece = bytes.CutSuffix(role, []byte("Chunk"))
	m.role, _ = bytes.CutSuffix(role, []byte("Message"))
}

// lastName is the last string of a list: the class of a stored object.
func lastName(v rawjson.Value) (name []byte) {
	for e := range rawjson.Each(v) {
		name = rawjson.Body(e)
	}
	return name
}

// author is whose message it is.
type author uint8

const (
	noAuthor author = iota // a message that only changes the list, or of a kind that is not known
	agent
	user
	instructions
	toolbox
)

func (m *fields) author() author {
	switch string(m.role) {
	case "ai", "AI", "assistant":
		return agent
	case "human", "Human", "user":
		return user
	case "system", "System", "developer":
		return instructions
	case "tool", "Tool":
		return toolbox
	}
	return noAuthor
}

// message is one that was seen, in pieces or whole.
type message struct {
	id       []byte // of its texts: its own, or one that is made
	subAgent *subAgent
	text     texthash.Extent // its answer, as far as it came: its escaped body, so that spelling counts
	calls    []*call
	files    int  // how many of its files were passed on
	signed   bool // the signature of its reasoning was passed on
	whole    bool // it was seen whole: nothing new can come
	counted  bool // its usage was reported
}

// know returns what is known of a message, and whether it is new. Messages without an id are known by what they say.
func (d *decoder) know(l *subAgent, m *fields) (k *message, isNew bool) {
	key, nameless := m.id, len(m.id) == 0
	switch {
	case m.author() == toolbox && len(m.callID) > 0:
		key = d.join("tool\x00", m.callID)
	case nameless && m.piece:
		key = d.join("piece\x00", l.id)
	case nameless:
		key = d.join("said\x00", m.content)
	}
	if k, _ := d.messages.Find(key); k != nil && !(k.whole && nameless && m.piece) {
		return k, false
	}
	k = &message{id: bytes.Clone(m.id), subAgent: l}
	if nameless {
		d.made++
		k.id = strconv.AppendInt([]byte("message-"), int64(d.made), 10)
	}
	d.messages.Put(string(key), k)
	return k, true
}

func (d *decoder) join(head string, tail []byte) []byte {
	return d.scratch.Since(append(append(d.scratch.Begin(), head...), tail...))
}

// listens reports whether pieces of this source are used. Only the agent's words come by several.
func (d *decoder) listens(m *fields, from source) bool {
	if m.author() != agent {
		return true
	}
	if d.source == sourceNone {
		d.source = from
	}
	return d.source == from
}

// piece adds to a message.
func (d *decoder) piece(dst []hub.Event, l *subAgent, m *fields) []hub.Event {
	if m.author() != agent {
		return d.other(dst, l, m)
	}
	m.piece = true // the JavaScript server does not say so
	k, _ := d.know(l, m)
	l.begun = true
	if k.whole {
		return dst
	}
	d.turnTo(k)
	dst = d.say(dst, m, k, hub.Append)
	dst = d.callPieces(dst, m, k)
	d.addUsage(m, k)
	d.stopped(m, k)
	// Counts add up, and a call is made once; whatever else a piece does, the next like it does no more.
	d.seen.message = k
	d.seen.again = rawjson.Kind(m.usage) != '{' && !d.seen.made
	return dst
}

// turnTo notes which message the agent speaks in. It has gone on without the results of calls that it made before.
func (d *decoder) turnTo(k *message) {
	if d.speaking == k || k.subAgent != &d.root {
		return
	}
	d.speaking = k
	d.waiting = recent.Cleared(d.waiting)
}

// stopped notes why the model stopped, when it says so in an answer of the graph itself.
func (d *decoder) stopped(m *fields, k *message) {
	if k.subAgent != &d.root {
		return
	}
	if reason := m.stopReason(); len(reason) > 0 {
		d.reason = append(d.reason[:0], reason...)
	}
}

// stopReason is why the model stopped; nil as long as it has not, or where its provider does not say.
func (m *fields) stopReason() []byte {
	if m.response == nil {
		return nil
	}
	return first(m.response, "finish_reason", "stop_reason", "finishReason")
}

// other adds a message that is not the agent's own: these come whole, or in one piece.
func (d *decoder) other(dst []hub.Event, l *subAgent, m *fields) []hub.Event {
	if m.author() == noAuthor {
		return dst
	}
	k, isNew := d.know(l, m)
	switch {
	case m.author() == toolbox:
		if !isNew {
			return dst
		}
		l.begun = true
		return d.result(dst, m, k)
	case m.piece:
		return d.say(dst, m, k, hub.Append)
	case isNew:
		return d.say(dst, m, k, hub.Replace)
	}
	return dst
}

// whole compares a message that came whole with what is known of it, and adds what is new.
func (d *decoder) whole(dst []hub.Event, l *subAgent, m *fields) []hub.Event {
	if m.author() != agent {
		return d.other(dst, l, m)
	}
	k, isNew := d.know(l, m)
	if isNew && d.isRenamed(m, k) {
		return dst
	}
	if k.whole {
		return dst
	}
	l.begun = true
	d.turnTo(k)
	dst = d.say(dst, m, k, hub.Replace)
	dst = d.wholeCalls(dst, m, k)
	dst = d.wholeUsage(dst, m, k)
	d.stopped(m, k)
	k.whole = true
	return dst
}

// isRenamed reports whether a message that is new by its id came in pieces under another: some models give the
// message another id than its pieces. Then it is not repeated.
func (d *decoder) isRenamed(m *fields, k *message) bool {
	body, ok := rawjson.Str(m.content)
	if !ok || len(body) == 0 || d.source == sourceNone {
		return false
	}
	var emitted texthash.Extent
	emitted.Add(body)
	for other := range d.messages.All() {
		if other != k && !other.whole && other.text == emitted {
			other.whole, k.whole = true, true
			return true
		}
	}
	return false
}
