package pydantic

import (
	"strings"

	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// members are the parts of an entry between its values, in the order of the server's model.
type members struct {
	callID, eventType, toolName, toolResponse string
	summary                                   string // opens the details
	streamPart                                string // closes them
	incomplete, complete                      string
	comma, colon                              string
}

// spaced is how entries are written as objects, compact how they are inside strings.
var spaced = members{
	callID:       `{"call_id": "`,
	eventType:    `", "event_type": "`,
	toolName:     `", "tool_name": "`,
	toolResponse: `", "tool_response": "`,
	summary:      `", "tool_call_details": {"summary": "`,
	streamPart:   `}, "stream_part": `,
	incomplete:   `, "is_complete": false`,
	complete:     `, "is_complete": true`,
	comma:        `, `,
	colon:        `: `,
}

var compact = spaced.compacted()

func (m members) compacted() members {
	for _, s := range [...]*string{
		&m.callID, &m.eventType, &m.toolName, &m.toolResponse, &m.summary, &m.streamPart, &m.incomplete, &m.complete, &m.comma,
		&m.colon,
	} {
		*s = strings.NewReplacer(`: `, `:`, `, `, `,`).Replace(*s)
	}
	return m
}

// appendHead appends an entry up to the body of its summary.
func (m *members) appendHead(dst []byte, c *card, typ string, response []byte) []byte {
	dst = append(append(dst, m.callID...), c.id...)
	dst = append(append(dst, m.eventType...), typ...)
	dst = append(append(dst, m.toolName...), c.name...)
	dst = append(append(dst, m.toolResponse...), response...)
	return append(dst, m.summary...)
}

// appendTail appends what follows the details, up to the last member. A part that is nil is none.
func (m *members) appendTail(dst, part []byte, complete bool) []byte {
	dst = append(dst, m.streamPart...)
	if part == nil {
		dst = append(dst, "null"...)
	} else {
		dst = rawjson.AppendQuoted(dst, part)
	}
	if complete {
		return append(dst, m.complete...)
	}
	return append(dst, m.incomplete...)
}

// appendMember appends a member to an object that has one.
func (m *members) appendMember(dst, key []byte, val rawjson.Value) []byte {
	dst = rawjson.AppendQuoted(append(dst, m.comma...), key)
	return append(append(dst, m.colon...), val...)
}

// appendMembers appends the members of an object to one that has some.
func (m *members) appendMembers(dst []byte, of rawjson.Value, except string) []byte {
	for key, val := range rawjson.EachField(of) {
		if string(key) != except {
			dst = m.appendMember(dst, key, val)
		}
	}
	return dst
}

// open begins a chunk with an entry, which is appended to the result and handed to close.
func (e *encoder) open(out *wire.Out) []byte {
	e.closeThought(out)
	out.Buf = append(e.begin(out), e.toolHead...)
	if e.asString {
		return e.entry[:0]
	}
	return out.Buf
}

func (e *encoder) close(out *wire.Out, entry []byte) {
	entry = append(entry, '}')
	if e.asString {
		e.entry = entry
		out.Buf = rawjson.AppendString(out.Buf, entry)
	} else {
		out.Buf = entry
	}
	member.End(out, append(out.Buf, toolTail...))
}

// piece writes an entry that has nothing but a part.
func (e *encoder) piece(out *wire.Out, c *card, typ string, body []byte, complete bool) {
	buf := append(e.m.appendHead(e.open(out), c, typ, nil), '"')
	e.close(out, e.m.appendTail(buf, body, complete))
}
