package agui

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// The three *_CHUNK events are a shorthand for start, content and end. Each sub-agent (sub-agent) assembles one stream at a
// time; a chunk without an id goes on with it; another id, another kind of chunk, or one of the events that close a
// sub-agent ends it. Where the reference client would fail the whole run, the rules here bend: tool chunks of parallel
// calls may interleave, a chunk may go on with a message that an event in between has ended, and a chunk may go on
// with what an explicit start has opened.

// closing says which chunk streams an event ends.
type closing uint8

const (
	closesNone     closing = iota
	closesSubAgent         // that of its own sub-agent
	closesAll              // those of every sub-agent
)

// chunkKind is the kind of stream a sub-agent assembles.
type chunkKind uint8

const (
	noChunk chunkKind = iota
	textChunk
	reasoningChunk
	toolChunk
	numChunkKinds
)

// chunkSubAgent is what one sub-agent assembles. The slots of a sub-agent live as long as the stream.
type chunkSubAgent struct {
	subAgent []byte
	kind     chunkKind
	last     [numChunkKinds][]byte // the stream of each kind that is or was the current one
	tools    [][]byte              // open tool streams; several only when parallel calls interleave
}

type chunks struct {
	subAgents []chunkSubAgent
	open      int // sub-agents that assemble something
}

func (c *chunks) reset() { c.subAgents, c.open = nil, 0 }

// subAgent returns the state of a sub-agent, making it if it is new.
func (c *chunks) subAgent(name []byte) *chunkSubAgent {
	for i := range c.subAgents {
		if bytes.Equal(c.subAgents[i].subAgent, name) {
			return &c.subAgents[i]
		}
	}
	if len(c.subAgents) == maxOpen {
		return &c.subAgents[0]
	}
	c.subAgents = append(c.subAgents, chunkSubAgent{subAgent: bytes.Clone(name)})
	return &c.subAgents[len(c.subAgents)-1]
}

// resolve returns the sub-agent that a chunk belongs to: where its id is open, else the one it names, else the root's if
// that assembles the same kind, else the only one that does.
func (c *chunks) resolve(kind chunkKind, id, tag []byte) *chunkSubAgent {
	if id != nil {
		if l := c.holder(kind, id); l != nil {
			return l
		}
		return c.subAgent(tag)
	}
	if tag != nil {
		return c.subAgent(tag)
	}
	var only *chunkSubAgent
	for i := range c.subAgents {
		l := &c.subAgents[i]
		switch {
		case l.kind != kind:
		case len(l.subAgent) == 0:
			return l
		case only != nil:
			return c.subAgent(nil)
		default:
			only = l
		}
	}
	if only == nil {
		return c.subAgent(nil)
	}
	return only
}

// holder returns the sub-agent that assembles the stream of that id, or nil.
func (c *chunks) holder(kind chunkKind, id []byte) *chunkSubAgent {
	for i := range c.subAgents {
		l := &c.subAgents[i]
		if l.kind == kind && (bytes.Equal(l.last[kind], id) || l.hasTool(id)) {
			return l
		}
	}
	return nil
}

// hasTool reports whether the sub-agent assembles the arguments of that call.
func (l *chunkSubAgent) hasTool(id []byte) bool {
	return slices.ContainsFunc(l.tools, func(t []byte) bool { return bytes.Equal(t, id) })
}

// current makes the stream the one that the sub-agent assembles.
func (c *chunks) current(l *chunkSubAgent, kind chunkKind, id []byte) {
	if l.kind == noChunk {
		c.open++
	}
	l.kind = kind
	l.last[kind] = append(l.last[kind][:0], id...)
}

// messageChunk goes on with a message or begins one. A chunk that says neither which message it belongs to nor has one
// to go on with is an error; its text passes all the same, without an id.
func (d *decoder) messageChunk(dst []hub.Event, family hub.Chan) ([]hub.Event, error) {
	kind := textChunk
	if family == hub.Reasoning {
		kind = reasoningChunk
	}
	id, text := rawjson.Body(d.rec.MessageID), rawjson.Body(d.rec.Delta)
	if id != nil && d.open.find(id, family) != nil && d.chunks.holder(kind, id) == nil {
		return d.delta(dst, id, text, family), nil // opened by an explicit start
	}
	l := d.chunks.resolve(kind, id, d.tag())
	if l.kind == kind && (id == nil || bytes.Equal(id, l.last[kind])) {
		return d.delta(dst, l.last[kind], text, family), nil
	}
	dst = d.closeChunk(dst, l)
	switch {
	case id != nil:
		dst = d.openMessage(dst, id, family)
	case l.last[kind] != nil: // ended by an event in between; its text must not be lost
		id = l.last[kind]
	default:
		return d.delta(dst, nil, text, family), missingChunkID("messageId")
	}
	d.chunks.current(l, kind, id)
	return d.delta(dst, l.last[kind], text, family), nil
}

func missingChunkID(path string) error {
	return hub.NewError(hub.ReasonMissing, path, -1, "the first chunk of a stream needs it")
}

// toolChunk goes on with a call or begins one. Another call does not end the one before, as it would for the reference
// client: parallel calls take turns, and a call that is made ready takes no more arguments.
func (d *decoder) toolChunk(dst []hub.Event) ([]hub.Event, error) {
	id, name := rawjson.Body(d.rec.ToolCallID), rawjson.Body(d.rec.ToolCallName)
	l := d.chunks.resolve(toolChunk, id, d.tag())
	if id == nil {
		id = l.last[toolChunk]
	}
	if id == nil {
		return dst, missingChunkID("toolCallId")
	}
	if l.kind != toolChunk {
		dst = d.closeChunk(dst, l)
	}
	if !l.hasTool(id) && name != nil {
		dst = d.startTool(dst, id, name)
		if len(l.tools) < maxOpen {
			l.tools = append(l.tools, bytes.Clone(id))
		}
	}
	d.chunks.current(l, toolChunk, id)
	if args, ok := rawjson.Str(d.rec.Delta); ok && len(args) > 0 {
		dst = d.put(dst, hub.Event{Kind: hub.ToolArgs, ID: l.last[toolChunk], Text: args})
	}
	return dst, nil
}

// closeChunks ends the streams that an event of another kind closes. An event about the very stream that is open takes
// it over instead: some producers mix both forms.
func (d *decoder) closeChunks(dst []hub.Event, which closing) []hub.Event {
	switch which {
	case closesAll:
		return d.closeAllChunks(dst)
	case closesSubAgent:
		l := d.chunks.subAgent(d.tag())
		if id := rawjson.Body(d.rec.MessageID); id != nil && bytes.Equal(id, l.last[l.kind]) && l.kind != toolChunk {
			d.chunks.idle(l)
			return dst
		}
		return d.closeChunk(dst, l)
	}
	return dst
}

func (d *decoder) closeAllChunks(dst []hub.Event) []hub.Event {
	for i := range d.chunks.subAgents {
		dst = d.closeChunk(dst, &d.chunks.subAgents[i])
	}
	return dst
}

// closeChunk appends the end of what the sub-agent assembles, if anything.
func (d *decoder) closeChunk(dst []hub.Event, l *chunkSubAgent) []hub.Event {
	id := l.last[l.kind]
	switch l.kind {
	case noChunk:
		return dst
	case textChunk:
		dst = d.endChunk(dst, l, id, hub.AnswerText)
	case reasoningChunk:
		dst = d.endChunk(dst, l, id, hub.Reasoning)
	case toolChunk:
		for _, id := range l.tools {
			dst = append(dst, hub.Event{Kind: hub.ToolReady, ID: id, SubAgent: l.subAgent})
		}
	}
	d.chunks.idle(l)
	return dst
}

// idle notes that the sub-agent assembles nothing.
func (c *chunks) idle(l *chunkSubAgent) {
	if l.kind != noChunk {
		l.kind = noChunk
		c.open--
	}
	l.tools = nil
}

// endChunk appends the end of a chunked message, signed if its encrypted form has come already.
func (d *decoder) endChunk(dst []hub.Event, l *chunkSubAgent, id []byte, family hub.Chan) []hub.Event {
	id = d.scratch.Copy(id) // the next stream of the sub-agent may take its place within this call
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.TextEnd, ID: id, Msg: id, SubAgent: l.subAgent, Chan: family})
	m := d.open.find(id, family)
	if m == nil {
		return dst
	}
	ev.Chan, ev.Flags = m.channel, m.flags
	if len(m.sig) > 0 {
		d.scratch.MoreOf(ev).Sig = d.scratch.Copy(m.sig)
	}
	d.open.close(id, family)
	return dst
}
