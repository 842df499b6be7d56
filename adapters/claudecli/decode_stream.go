package claudecli

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/claudewire"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
)

// streamEvent is a raw event of the model's stream, which the CLI prints on request.
func (d *decoder) streamEvent(dst []hub.Event) ([]hub.Event, error) {
	typ := rawjson.Body(d.rec.Event.Type)
	if typ == nil {
		return dst, hub.NewError(hub.ReasonMissing, "event.type", -1, "want a string")
	}
	dst, l := d.subAgent(dst)
	switch string(typ) {
	case "content_block_delta":
		return d.blockDelta(dst, l)
	case "content_block_start":
		return d.blockStart(dst, l)
	case "content_block_stop":
		return d.blockStop(dst, l), nil
	case "message_start":
		m := &d.rec.Event.Message
		dst = d.startMessage(dst, l, rawjson.Body(m.ID), m)
		l.live = true
		return dst, nil
	case "message_delta":
		if reason := rawjson.Body(d.rec.Event.Delta.Reason); len(reason) < maxKept {
			l.reason = append(l.reason[:0], reason...)
		}
		addUsage(&l.usage, d.rec.Event.Usage)
		return dst, nil
	case "message_stop":
		return d.endStep(dst, l), nil
	}
	return dst, nil // ping
}

// startMessage begins a message of the model: a step.
func (d *decoder) startMessage(dst []hub.Event, l *subAgent, id []byte, m *message) []hub.Event {
	dst = d.endStep(dst, l)
	*l = subAgent{id: l.id, message: bytes.Clone(id), begun: true, started: l.started, ended: l.ended, usage: hub.NoCounts, reason: l.reason[:0], spare: l.spare}
	addUsage(&l.usage, m.Usage)
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.StepStart, ID: l.message, SubAgent: l.id})
	d.scratch.SetModel(ev, rawjson.Body(m.Model))
	return dst
}

// endStep ends the message of a sub-agent, if one is open.
func (d *decoder) endStep(dst []hub.Event, l *subAgent) []hub.Event {
	if !l.begun {
		return dst
	}
	l.begun, l.open = false, l.open[:0]
	if l.live && (l.usage.In > 0 || l.usage.Out > 0) {
		var ev *hub.Event
		dst, ev = hub.Grow(dst)
		ev.Kind, ev.Scope, ev.Ref, ev.SubAgent, ev.More = hub.Usage, hub.StepScope, l.message, l.id, d.scratch.More()
		ev.More.Usage = l.usage
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.StepEnd, ID: l.message, SubAgent: l.id})
	if len(l.reason) > 0 {
		ev.Status = stopStatus(l.reason)
	}
	return dst
}

// blockStart begins a block. Texts are opened by their first characters.
func (d *decoder) blockStart(dst []hub.Event, l *subAgent) ([]hub.Event, error) {
	index, ok := rawjson.Int(d.rec.Event.Index)
	if !ok || index < 0 {
		return dst, hub.NewError(hub.ReasonType, "event.index", -1, "want the number of a block")
	}
	b := l.openBlock(index)
	l.streamed = max(l.streamed, int(min(index, maxTools))+1)
	switch string(rawjson.Text(d.rec.Event.Block, "type")) {
	case "text":
		b.kind = blockText
	case "thinking":
		b.kind = blockThinking
	case "redacted_thinking":
		b.kind = blockRedacted
		if data := rawjson.Text(d.rec.Event.Block, "data"); len(data) <= maxRedacted {
			b.sig = append(b.sig, data...)
		}
	case "tool_use", "server_tool_use", "mcp_tool_use":
		return d.blockTool(dst, l, b)
	}
	b.id = appendPartID(b.id, l.message, index)
	return dst, nil
}

// maxBlocks bounds the blocks that are open at once.
const maxBlocks = 64

// openBlock opens a block. One of that number that is open is given up.
func (l *subAgent) openBlock(index int64) *block {
	b := l.closeBlock(index)
	if b == nil && len(l.open) >= maxBlocks {
		b = l.closeBlock(l.open[0].index)
	}
	if b == nil {
		if b, l.spare = l.spare, nil; b == nil {
			b = &block{}
		}
	}
	*b = block{index: index, id: b.id[:0], sig: b.sig[:0]}
	l.open = append(l.open, b)
	return b
}

// block returns the open block of that number, or nil.
func (l *subAgent) block(index int64) *block {
	for i := len(l.open) - 1; i >= 0; i-- {
		if l.open[i].index == index {
			return l.open[i]
		}
	}
	return nil
}

// closeBlock closes the block of that number and returns it, nil if there is none.
func (l *subAgent) closeBlock(index int64) *block {
	for i, b := range l.open {
		if b.index == index {
			l.open = append(l.open[:i], l.open[i+1:]...)
			return b
		}
	}
	return nil
}

// openOf returns the block of that kind that was opened last, or nil.
func (l *subAgent) openOf(kind blockKind) *block {
	for i := len(l.open) - 1; i >= 0; i-- {
		if l.open[i].kind == kind {
			return l.open[i]
		}
	}
	return nil
}

// blockTool begins a call. One without an id cannot be found again.
func (d *decoder) blockTool(dst []hub.Event, l *subAgent, b *block) ([]hub.Event, error) {
	id, name := rawjson.Text(d.rec.Event.Block, "id"), rawjson.Text(d.rec.Event.Block, "name")
	if len(id) == 0 {
		return dst, hub.NewError(hub.ReasonMissing, "event.content_block.id", -1, "want a string")
	}
	b.kind, b.id = blockTool, append(b.id, id...)
	if d.startTool(l, id, name) {
		b.kind = blockTodos
		return dst, nil
	}
	return d.toolStart(dst, l, id, name), nil
}

// appendPartID appends the id of a text: that of the message and the number of the block.
func appendPartID(dst, message []byte, index int64) []byte {
	dst = append(append(dst, message...), '_')
	return strconv.AppendInt(dst, index, 10)
}

// blockDelta is the hot path.
func (d *decoder) blockDelta(dst []hub.Event, l *subAgent) ([]hub.Event, error) {
	delta := &d.rec.Event.Delta
	index, ok := rawjson.Int(d.rec.Event.Index)
	if !ok || index < 0 {
		return dst, hub.NewError(hub.ReasonType, "event.index", -1, "want the number of a block")
	}
	b := l.block(index)
	if b == nil {
		if b = l.impliedBlock(index, string(rawjson.Body(delta.Type))); b == nil {
			return dst, hub.NewError(hub.ReasonMissing, "event.index", -1, "no block of this number is open")
		}
	}
	var channel hub.Chan
	text := delta.Text
	switch string(rawjson.Body(delta.Type)) {
	case "text_delta":
	case "thinking_delta":
		channel, text = hub.Reasoning, delta.Thinking
	case "input_json_delta":
		return d.argsDelta(dst, l, b), nil
	case "signature_delta":
		if sig := rawjson.Body(delta.Signature); len(b.sig)+len(sig) <= maxRedacted {
			b.sig = append(b.sig, sig...)
		}
		return dst, nil
	case "citations_delta":
		return d.citation(dst, l, b), nil
	default:
		return dst, nil
	}
	body := rawjson.Body(text)
	if len(body) == 0 {
		return dst, nil
	}
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.ID, ev.SubAgent, ev.Msg, ev.Chan, ev.Text = hub.TextDelta, b.id, l.id, l.message, channel, body
	return dst, nil
}

// deltaKinds are the kinds of the blocks that deltas alone can tell.
var deltaKinds = map[string]blockKind{"text_delta": blockText, "thinking_delta": blockThinking}

// impliedBlock opens a text whose start did not come; nil for a call, which nothing is known of.
func (l *subAgent) impliedBlock(index int64, delta string) *block {
	kind, ok := deltaKinds[delta]
	if !ok {
		return nil
	}
	b := l.openBlock(index)
	b.kind, b.id = kind, appendPartID(b.id, l.message, index)
	return b
}

func (d *decoder) argsDelta(dst []hub.Event, l *subAgent, b *block) []hub.Event {
	args := rawjson.Body(d.rec.Event.Delta.Partial)
	if len(args) == 0 || b.kind != blockTool || b.ready {
		return dst
	}
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.ID, ev.SubAgent, ev.Msg, ev.Text = hub.ToolArgs, b.id, l.id, l.message, args
	return dst
}

// citation is a source of the answer.
func (d *decoder) citation(dst []hub.Event, l *subAgent, b *block) []hub.Event {
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Source, Ref: b.id, SubAgent: l.id, More: d.scratch.More()})
	claudewire.ReadCitation(ev, d.rec.Event.Delta.Citation)
	return dst
}

// blockStop ends a block. The line with the whole block has come just before.
func (d *decoder) blockStop(dst []hub.Event, l *subAgent) []hub.Event {
	index, ok := rawjson.Int(d.rec.Event.Index)
	b := l.closeBlock(index)
	if b == nil || !ok {
		return dst
	}
	l.spare = b // its memory lives until the next block is begun
	switch b.kind {
	case blockText, blockThinking, blockRedacted:
		return d.endText(dst, l, b.kind, b.id, b.sig)
	case blockTool:
		if !b.ready {
			dst = append(dst, hub.Event{Kind: hub.ToolReady, ID: b.id, SubAgent: l.id, Msg: l.message})
		}
	}
	return dst
}

func (d *decoder) endText(dst []hub.Event, l *subAgent, kind blockKind, id, sig []byte) []hub.Event {
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.TextEnd, Chan: kind.channel(), ID: id, SubAgent: l.id, Msg: l.message})
	if kind == blockRedacted {
		ev.Name = []byte(signatures.Redacted)
	}
	if len(sig) > 0 {
		ev.More = d.scratch.More()
		ev.More.Sig = sig
	}
	return dst
}

// addUsage takes over the counts that are there: those of the end of a message stand for those of its start.
func addUsage(c *hub.Counts, usage rawjson.Value) {
	if rawjson.Kind(usage) != '{' {
		return
	}
	count := func(name string) int64 {
		if n, ok := rawjson.Int(rawjson.Get(usage, name)); ok && n >= 0 {
			return n
		}
		return -1
	}
	set := func(to *int64, n int64) {
		if n >= 0 {
			*to = n
		}
	}
	in, created, read := count("input_tokens"), count("cache_creation_input_tokens"), count("cache_read_input_tokens")
	if in >= 0 || created >= 0 || read >= 0 {
		c.In = max(in, 0) + max(created, 0) + max(read, 0)
	}
	set(&c.CacheWrite, created)
	set(&c.Cached, read)
	set(&c.Out, count("output_tokens"))
	if n, ok := rawjson.Int(rawjson.Get(usage, "output_tokens_details", "thinking_tokens")); ok && n >= 0 {
		c.ReasoningTokens = n
	}
}

// stopStatus is what a stop_reason means for a step. One that is not known is no reason to say anything.
func stopStatus(reason []byte) hub.Status {
	switch {
	case bytes.Equal(reason, []byte("end_turn")), bytes.Equal(reason, []byte("stop_sequence")):
		return hub.StatusDone
	case bytes.Equal(reason, []byte("tool_use")):
		return hub.StatusTools
	case bytes.Equal(reason, []byte("max_tokens")), bytes.Equal(reason, []byte("model_context_window_exceeded")):
		return hub.StatusLength
	case bytes.Equal(reason, []byte("refusal")):
		return hub.StatusRefused
	case bytes.Equal(reason, []byte("pause_turn")):
		return hub.StatusPaused
	}
	return hub.StatusNone
}
