package langgraph

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// call is one call of a tool.
type call struct {
	id, name []byte
	index    int64
	sent     int  // bytes of the argument text that were reported
	earlier  bool // it was made in an earlier run
	ended    bool
	subAgent *subAgent // where it was made; nil in an earlier run
	message  *message  // in which it was made, once it has arguments
	draft    draft
}

// callPieces adds to the calls of a message. Only the first piece of a call has its name and id; the index joins them.
// Pieces of the message so far repeat all that was said.
func (d *decoder) callPieces(dst []hub.Event, m *fields, k *message) []hub.Event {
	n := 0
	for v := range rawjson.Each(m.chunks) {
		dst = d.callPiece(dst, m, k, v)
		n++
	}
	switch {
	case n > 0:
		return dst
	case d.source == sourcePartial:
		return d.drafts(dst, m, k)
	}
	return d.wholeCalls(dst, m, k)
}

func (d *decoder) callPiece(dst []hub.Event, m *fields, k *message, v rawjson.Value) []hub.Event {
	id, name, args, index, indexed := readCallPiece(v)
	c := findCall(k, id, index, indexed)
	if c == nil {
		if len(name) == 0 && len(id) == 0 && len(k.calls) == maxCalls {
			return dst
		}
		c = d.newCall(m, k, id, index)
	}
	if len(c.name) == 0 && len(name) > 0 {
		dst = d.toolStart(dst, m, k, c, name)
	}
	if d.source == sourcePartial {
		args = behind(args, c.sent)
	}
	if len(args) == 0 {
		return dst
	}
	c.sent += len(args)
	d.seen.call, c.message = c, k
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.ID, ev.SubAgent, ev.Msg, ev.Text = hub.ToolArgs, c.id, k.subAgent.id, m.id, args
	return dst
}

// behind returns what a string body says after its first n bytes. A model does not take back what it has said; where
// a server does, the body is cut between two characters all the same.
func behind(body []byte, n int) []byte {
	i := 0
	for i < min(n, len(body)) {
		switch {
		case body[i] != '\\':
			_, size := utf8.DecodeRune(body[i:])
			i += size
		case body[i+1] == 'u':
			i += len(`\u0000`)
		default:
			i += len(`\n`)
		}
	}
	return body[i:]
}

func readCallPiece(v rawjson.Value) (id, name, args []byte, index int64, indexed bool) {
	var number rawjson.Value
	var other []byte
	for key, val := range rawjson.EachField(v) {
		switch string(key) {
		case "id":
			id = rawjson.Body(val)
		case "name":
			name = rawjson.Body(val)
		case "args":
			args = rawjson.Body(val)
		case "args_json":
			other = rawjson.Body(val)
		case "index":
			number = val
		}
	}
	if args == nil {
		args = other
	}
	index, indexed = rawjson.Int(number)
	return id, name, args, index, indexed
}

// maxCalls bounds the calls of one message.
const maxCalls = 512

// findCall returns the call that a piece belongs to. Some servers send several calls under one index, others no index.
func findCall(k *message, id []byte, index int64, indexed bool) *call {
	for i := len(k.calls) - 1; i >= 0; i-- {
		c := k.calls[i]
		switch {
		case len(id) > 0:
			if bytes.Equal(c.id, id) {
				return c
			}
		case !indexed || c.index == index:
			return c
		}
	}
	return nil
}

// newCall remembers a call. One without an id gets one made of its message and index.
func (d *decoder) newCall(m *fields, k *message, id []byte, index int64) *call {
	c := &call{id: bytes.Clone(id), index: index, subAgent: k.subAgent}
	if len(id) == 0 {
		c.id = strconv.AppendInt(append(append(append(c.id, "call-"...), m.id...), '-'), int64(len(k.calls)), 10)
	}
	if len(k.calls) < maxCalls {
		k.calls = append(k.calls, c)
	}
	d.calls.Put(string(c.id), c)
	d.seen.made, d.begun = true, true
	return c
}

func (d *decoder) toolStart(dst []hub.Event, m *fields, k *message, c *call, name []byte) []hub.Event {
	c.name = bytes.Clone(name)
	if c.subAgent == &d.root && !c.ended {
		if d.waiting == nil {
			d.waiting = map[string]bool{}
		}
		d.waiting[string(c.id)] = true
	}
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.ID, ev.Name, ev.SubAgent, ev.Msg, ev.Status = hub.ToolStart, c.id, c.name, k.subAgent.id, m.id, hub.StatusUnknown
	return dst
}

// wholeCalls reports the calls of a message that are complete: those that came in pieces get their end, the others
// come whole. Invalid ones are passed on as they are.
func (d *decoder) wholeCalls(dst []hub.Event, m *fields, k *message) []hub.Event {
	for v := range rawjson.Each(m.calls) {
		var ev *hub.Event
		if dst, ev = d.wholeCall(dst, m, k, v); ev != nil {
			ev.Value = rawjson.Get(v, "args")
		}
	}
	for v := range rawjson.Each(m.invalid) {
		if m.chunks != nil && len(k.calls) > 0 {
			break
		}
		var ev *hub.Event
		if dst, ev = d.wholeCall(dst, m, k, v); ev != nil {
			ev.Text, ev.Flags = rawjson.Text(v, "args"), hub.Invalid
			delete(d.waiting, string(ev.ID)) // noAuthor can run it
		}
	}
	return dst
}

// wholeCall appends the ToolReady of a call, for its arguments to be filled in, after its start if that is new.
func (d *decoder) wholeCall(dst []hub.Event, m *fields, k *message, v rawjson.Value) ([]hub.Event, *hub.Event) {
	id, name := rawjson.Text(v, "id"), rawjson.Text(v, "name")
	if len(name) == 0 {
		return dst, nil
	}
	var c *call
	if len(id) > 0 {
		c, _ = d.calls.Find(id)
	} else if len(k.calls) > 0 {
		return dst, nil // came in pieces, without an id there as well
	}
	if c == nil {
		c = d.newCall(m, k, id, -1)
	}
	if len(c.name) == 0 {
		dst = d.toolStart(dst, m, k, c, name)
	}
	if c.draft.reported {
		return dst, nil
	}
	c.draft.reported, c.draft.args = true, nil
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.ToolReady, ID: c.id, Name: c.name, SubAgent: k.subAgent.id, Msg: m.id})
	return dst, ev
}

// result ends a call. One of an earlier run is one that the client knows.
func (d *decoder) result(dst []hub.Event, m *fields, k *message) []hub.Event {
	c, _ := d.calls.Find(m.callID)
	if c != nil {
		dst = d.completeArgs(dst, c.draft.of)
	}
	delete(d.waiting, string(m.callID))
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.ToolEnd, ID: m.callID, Name: m.name, SubAgent: k.subAgent.id, Msg: m.id})
	d.endCall(c, ev)
	ev.Status = hub.StatusOK
	if string(m.status) == "error" {
		ev.Status = hub.StatusError
	}
	setResult(ev, m.content)
	return dst
}

// endCall notes that a call has its result, ev. A graph that goes on after an interrupt or a call of the client runs its tools
// first: their calls are of an earlier run. A result that comes later without a call is more likely out of order, and waits.
func (d *decoder) endCall(c *call, ev *hub.Event) {
	switch {
	case c == nil && !d.begun:
		ev.Flags |= hub.Resumed
	case c != nil:
		if c.earlier && !c.ended {
			ev.Flags |= hub.Resumed
			ev.Name = rawjson.First(c.name, ev.Name)
		}
		c.ended = true
	}
}

// setResult sets what a tool said: a text, or blocks. Blocks that are one text are that text.
func setResult(ev *hub.Event, content rawjson.Value) {
	if text, ok := toolresult.OneText(content); ok {
		ev.Text = text
		return
	}
	toolresult.Set(ev, content)
}

// tool is the mode tools: what happens while a tool runs. Its calls may not be in any message.
func (d *decoder) tool(dst []hub.Event, l *subAgent, v rawjson.Value) ([]hub.Event, error) {
	id := first(v, "toolCallId", "tool_call_id")
	if len(id) == 0 {
		return dst, hub.NewError(hub.ReasonMissing, "toolCallId", -1, "a tool event needs the id of its call")
	}
	return d.toolEvent(dst, l, v, rawjson.Text(v, "event"), id), nil
}

// toolEvent tells an on_tool_… event of a call.
func (d *decoder) toolEvent(dst []hub.Event, l *subAgent, v rawjson.Value, event, id []byte) []hub.Event {
	switch string(event) {
	case "on_tool_start":
		return d.toolRuns(dst, l, v, id)
	case "on_tool_event":
		dst, ev := hub.Grow(dst)
		ev.Kind, ev.ID, ev.SubAgent, ev.Value, ev.Chan = hub.ToolOutput, id, l.id, rawjson.Get(v, "data"), hub.Result
		if body, ok := rawjson.Str(ev.Value); ok {
			ev.Value, ev.Text = nil, body
		}
		d.seen.again = true
		return dst
	case "on_tool_end":
		return d.toolOutput(dst, l, rawjson.Get(v, "output"), id, rawjson.Text(v, "name"))
	case "on_tool_error":
		return d.toolFailed(dst, l, rawjson.Get(v, "error"), id, rawjson.Text(v, "name"))
	}
	return dst
}

// toolRuns says that a call is being executed; of one that no message has shown, it says all.
func (d *decoder) toolRuns(dst []hub.Event, l *subAgent, v rawjson.Value, id []byte) []hub.Event {
	if c, _ := d.calls.Find(id); c != nil {
		dst = d.completeArgs(dst, c.draft.of)
		return append(dst, hub.Event{Kind: hub.ToolUpdate, ID: id, SubAgent: l.id, Status: hub.StatusRunning})
	}
	k := &message{subAgent: l}
	c := d.newCall(&fields{}, k, id, 0)
	dst = d.toolStart(dst, &fields{}, k, c, rawjson.Text(v, "name"))
	dst[len(dst)-1].Status = hub.StatusNone // the agent runs it
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.ToolReady, ID: c.id, SubAgent: l.id})
	toolresult.Set(ev, rawjson.Get(v, "input"))
	return dst
}

// toolOutput ends a call with what its tool returned: a tool message, or anything else.
func (d *decoder) toolOutput(dst []hub.Event, l *subAgent, output rawjson.Value, id, name []byte) []hub.Event {
	m := readFields(output)
	if m.author() != toolbox {
		m = fields{content: output}
	}
	m.callID = id
	m.name = rawjson.First(m.name, name)
	k, isNew := d.know(l, &fields{role: []byte("tool"), callID: id})
	if !isNew {
		return dst
	}
	return d.result(dst, &m, k)
}

func (d *decoder) toolFailed(dst []hub.Event, l *subAgent, why rawjson.Value, id, name []byte) []hub.Event {
	k, isNew := d.know(l, &fields{role: []byte("tool"), callID: id})
	if !isNew {
		return dst
	}
	if message := rawjson.Get(why, "message"); message != nil {
		why = message
	}
	return d.result(dst, &fields{callID: id, name: name, content: why, status: []byte("error")}, k)
}
