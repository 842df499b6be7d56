package langgraph

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// outSubAgent is a sub-graph as the client sees it, or the graph itself.
type outSubAgent struct {
	namespace []byte // plain text, as in the names of events; empty for the graph itself
	body      []byte // the same as the body of a JSON string
	node      []byte // the step at work, a string body
	current   *outMessage
	open      []*outMessage // that are repeated, and not complete

	event    string // of messages
	tail     []byte // what follows a piece of the agent: its end, and the metadata
	toolTail []byte // the same for results of tools
}

// prepare makes what every record of the sub-agent has.
func (l *outSubAgent) prepare() {
	l.event = named("messages", l)
	node := rawjson.Or(l.node, "agent")
	l.tail = l.appendMetadata(l.tail[:0], node)
	l.toolTail = l.appendMetadata(l.toolTail[:0], []byte("tools"))
}

func (l *outSubAgent) appendMetadata(dst, node []byte) []byte {
	dst = append(append(dst, `},{"langgraph_node":"`...), node...)
	dst = append(dst, '"')
	dst = member.AppendText(dst, `,"langgraph_checkpoint_ns":"`, l.body)
	return append(dst, "}]"...)
}

// named is the name of an event of a sub-agent.
func named(event string, l *outSubAgent) string {
	if len(l.namespace) == 0 {
		return event
	}
	return event + "|" + string(l.namespace)
}

// subAgent returns the sub-agent in a slot, the graph itself if there is none.
func (e *encoder) subAgent(slot hub.Slot) *outSubAgent {
	if l := e.subAgents.Find(slot); l != nil {
		return l
	}
	return &e.root
}

// agentStart makes the namespace of a sub-agent. One that a call has spawned is named after the call: clients show its
// messages there.
func (e *encoder) agentStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	parent := e.subAgent(ev.AgentSlot)
	l := &outSubAgent{}
	if len(parent.namespace) > 0 {
		l.namespace = append(append(l.namespace, parent.namespace...), '|')
	}
	if len(ev.Ref) > 0 {
		l.namespace = appendSegment(append(l.namespace, "tools:"...), ev.Ref)
	} else {
		l.namespace = appendNode(l.namespace, ev)
	}
	l.namespace = e.unique("lane\x00", l.namespace)
	l.body = rawjson.AppendEscaped(nil, l.namespace)
	l.prepare()
	e.subAgents.Add(ev.Slot, l) // messages that are repeated keep it
	if e.modes&modeLifecycle == 0 {
		return hub.Implied
	}
	b := e.lifecycle(out, l, "started")
	b = member.AppendText(b, `,"graph_name":"`, ev.Name)
	b = member.AppendText(b, `,"tool_call_id":"`, ev.Ref)
	b = member.AppendText(b, `,"description":"`, ev.Title)
	member.End(out, append(b, '}'))
	return hub.Native
}

// appendNode appends the part of a namespace that stands for a sub-agent: node and task, as in its id if that is such a
// part itself.
func appendNode(dst []byte, ev *hub.Event) []byte {
	own := ev.ID[bytes.LastIndexByte(ev.ID, '|')+1:]
	if bytes.IndexByte(own, ':') > 0 {
		return appendSegment(dst, own)
	}
	return appendSegment(append(appendSegment(dst, ev.Name), ':'), own)
}

// appendSegment appends the text of a string body as a part of a namespace, without what separates parts.
func appendSegment(dst, body []byte) []byte {
	n := len(dst)
	dst = rawjson.AppendUnescaped(dst, body)
	for i, c := range dst[n:] {
		if c == '|' || c < ' ' {
			dst[n+i] = '_'
		}
	}
	return dst
}

// unique takes the wanted name, or the next one like it that is free. There may be thousands.
func (e *encoder) unique(head string, want []byte) []byte {
	n, key := len(want), head+string(want)
	next, taken := e.taken.Get(key)
	for known := taken; known; next++ {
		want = strconv.AppendInt(append(want[:n], '-'), int64(next), 10)
		known = e.taken.Has(append(append(e.buf[:0], head...), want...))
	}
	if taken {
		e.taken.Put(key, next)
		key = head + string(want)
	}
	e.taken.Put(key, 2)
	return want
}

// lifecycle begins a record that tells of a sub-agent.
func (e *encoder) lifecycle(out *wire.Out, l *outSubAgent, event string) []byte {
	b := append(append(append(member.Begin(out, named("lifecycle", l)), `{"event":"`...), event...), `","namespace":["`...)
	for i := range l.body {
		if l.body[i] == '|' {
			b = append(b, `","`...)
		} else {
			b = append(b, l.body[i])
		}
	}
	return append(b, `"]`...)
}

func (e *encoder) agentEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	l := e.subAgent(ev.Slot)
	if l == &e.root {
		return hub.Dropped
	}
	e.complete(out, l)
	e.subAgents.Drop(ev.Slot)
	if e.modes&modeLifecycle == 0 {
		return hub.Implied
	}
	event, disposition := lastEvent(ev.Status)
	b := member.AppendText(e.lifecycle(out, l, event), `,"error":"`, hub.Why(ev))
	member.End(out, append(b, '}'))
	return disposition
}

// lastEvent is the word for how a sub-agent ended, and the disposition of that.
func lastEvent(s hub.Status) (string, hub.Disposition) {
	switch s {
	case hub.StatusOK:
		return "completed", hub.Native
	case hub.StatusUnknown, hub.StatusClient:
		return "completed", hub.Folded
	case hub.StatusPaused:
		return "interrupted", hub.Native
	}
	return "failed", hub.FoldedIf(s != hub.StatusError)
}

// task writes the start or the end of a step. Its name is also that of the node whose messages follow.
func (e *encoder) task(out *wire.Out, ev *hub.Event) hub.Disposition {
	l := e.subAgent(ev.AgentSlot)
	if ev.Kind == hub.StepStart {
		l.node = append(l.node[:0], ev.Name...)
		l.prepare()
		e.stepped(l)
	}
	if e.modes&modeTasks == 0 {
		return hub.Dropped
	}
	b := append(append(append(member.Begin(out, named("tasks", l)), `{"id":"`...), ev.ID...), '"')
	b = append(append(append(b, `,"name":"`...), rawjson.First(ev.Name, l.node)...), '"')
	switch {
	case ev.Kind == hub.StepStart:
		b = append(b, `,"input":null,"triggers":[],"interrupts":[]}`...)
	case ev.Status == hub.StatusFailed:
		b = append(b, `,"error":"The step failed.","interrupts":[]}`...)
	default:
		b = append(b, `,"result":[],"interrupts":[]}`...)
	}
	member.End(out, b)
	return hub.Native
}

// stepped ends a message that the upstream has not named: another step speaks in another.
func (e *encoder) stepped(l *outSubAgent) {
	if m := l.current; m != nil && len(m.msg) == 0 {
		m.closed = true
	}
}

// part is an open text.
type part struct {
	head, tail []byte // around its pieces
	message    *outMessage
	ch         hub.Chan
}

// addPart opens a part.
func (e *encoder) addPart(slot hub.Slot) *part {
	p := e.parts.Add(slot)
	*p = part{head: p.head[:0], tail: p.tail[:0]}
	return p
}
