package anthropic

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/blocks"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
)

// blockStart begins a block. data is the record, passed as it is when the type of block is unknown.
func (d *decoder) blockStart(dst []hub.Event, c *contentBlock, index rawjson.Value, data []byte) ([]hub.Event, error) {
	typ := rawjson.Body(c.Type)
	switch string(typ) {
	case "text":
		return d.textStart(dst, c, d.blocks.Open(index, blocks.Text)), nil
	case "thinking":
		return d.thinkingStart(dst, c, d.blocks.Open(index, blocks.Reasoning)), nil
	case "redacted_thinking":
		return d.redacted(dst, c, index), nil
	case "tool_use", "server_tool_use", "mcp_tool_use":
		return d.toolStart(dst, c, d.blocks.Open(index, blocks.Call)), nil
	case "container_upload":
		return d.upload(dst, c), nil
	case "compaction":
		d.blocks.Open(index, blocks.Whole)
		return d.compaction(dst, c.Content), nil
	case "":
		return dst, hub.NewError(hub.ReasonMissing, "content_block.type", -1, "every block needs a type")
	}
	d.blocks.Open(index, blocks.Whole)
	if name, ok := bytes.CutSuffix(typ, []byte("_tool_result")); ok {
		return d.toolResult(dst, c, typ, name), nil
	}
	return d.raw(dst, data), nil
}

func (d *decoder) textStart(dst []hub.Event, c *contentBlock, b *blocks.Block) []hub.Event {
	dst, ev := d.emit(dst, hub.Event{Kind: hub.TextStart, ID: blocks.PartID(rawjson.Value(b.Index))})
	if text := rawjson.Body(c.Text); len(text) > 0 {
		dst = d.text(dst, hub.AnswerText, text, b, ev.ID)
	}
	for citation := range rawjson.Each(c.Citations) {
		dst = d.citation(dst, citation, b)
	}
	return dst
}

func (d *decoder) thinkingStart(dst []hub.Event, c *contentBlock, b *blocks.Block) []hub.Event {
	dst, ev := d.emit(dst, hub.Event{Kind: hub.TextStart, ID: blocks.PartID(rawjson.Value(b.Index)), Chan: hub.Reasoning})
	b.Sign(rawjson.Body(c.Signature))
	if text := rawjson.Body(c.Thinking); len(text) > 0 {
		dst = d.text(dst, hub.Reasoning, text, b, ev.ID)
	}
	return dst
}

// redacted is reasoning that is there in encrypted form only.
func (d *decoder) redacted(dst []hub.Event, c *contentBlock, index rawjson.Value) []hub.Event {
	d.blocks.Open(index, blocks.Whole)
	dst = d.put(dst, hub.Event{Kind: hub.TextStart, ID: blocks.PartID(index), Chan: hub.Reasoning, Name: []byte(signatures.Redacted)})
	dst, ev := d.emit(dst, hub.Event{Kind: hub.TextEnd, ID: blocks.PartID(index), Chan: hub.Reasoning})
	d.scratch.MoreOf(ev).Sig = rawjson.Body(c.Data)
	return dst
}

// upload is a file that a tool of the server has made.
func (d *decoder) upload(dst []hub.Event, c *contentBlock) []hub.Event {
	dst, ev := d.emit(dst, hub.Event{Kind: hub.File})
	d.scratch.MoreOf(ev).File.FileID = rawjson.Body(c.FileID)
	return dst
}

// compaction is the summary that stands for the conversation so far; null if there is none.
func (d *decoder) compaction(dst []hub.Event, summary rawjson.Value) []hub.Event {
	text := rawjson.Body(summary)
	if len(text) == 0 {
		return dst
	}
	return d.put(dst, hub.Event{Kind: hub.Notice, Level: hub.LevelInfo, Name: []byte("compaction"), Text: text})
}

// blockDelta goes on with a block. The type of the delta decides what it is, not that of its block: one whose start was
// lost, or named another type, is shown all the same.
func (d *decoder) blockDelta(dst []hub.Event, data []byte) ([]hub.Event, error) {
	b, delta := d.blocks.Find(d.rec.Index), &d.rec.Delta
	switch string(rawjson.Body(delta.Type)) {
	case "text_delta":
		return d.text(dst, hub.AnswerText, rawjson.Body(delta.Text), b, blocks.PartID(d.rec.Index)), nil
	case "input_json_delta":
		return d.toolArgs(dst, b, rawjson.Body(delta.PartialJSON))
	case "thinking_delta":
		return d.text(dst, hub.Reasoning, rawjson.Body(delta.Thinking), b, blocks.PartID(d.rec.Index)), nil
	case "signature_delta":
		return d.signature(dst, b, rawjson.Body(delta.Signature)), nil
	case "citations_delta":
		return d.citation(dst, delta.Citation, b), nil
	case "compaction_delta":
		return d.compaction(dst, delta.Content), nil
	case "":
		return dst, hub.NewError(hub.ReasonMissing, "delta.type", -1, "every delta needs a type")
	}
	return d.raw(dst, data), nil
}

// text appends a delta, and the citations that waited for it.
func (d *decoder) text(dst []hub.Event, ch hub.Chan, text []byte, b *blocks.Block, id []byte) []hub.Event {
	if len(text) == 0 {
		return dst
	}
	dst = d.put(dst, hub.Event{Kind: hub.TextDelta, ID: id, Chan: ch, Text: text})
	if b == nil {
		return dst
	}
	b.Spoke = true
	return d.releaseCites(dst, b)
}

// signature keeps a piece. One without a block is that of reasoning whose text was left out.
func (d *decoder) signature(dst []hub.Event, b *blocks.Block, sig []byte) []hub.Event {
	if b == nil {
		b = d.blocks.Open(d.rec.Index, blocks.Reasoning)
	}
	if b.Kind == blocks.Reasoning { // others have no place for one
		b.Sign(sig)
	}
	return dst
}

// blockEnd appends what the end of a block means. What it has collected goes to scratch: a record may end one block and
// begin another in the same slot.
func (d *decoder) blockEnd(dst []hub.Event, b *blocks.Block) []hub.Event {
	id := d.scratch.Copy([]byte(b.Index))
	switch b.Kind {
	case blocks.Text:
		dst = d.releaseCites(dst, b)
		return d.put(dst, hub.Event{Kind: hub.TextEnd, ID: blocks.PartID(id)})
	case blocks.Reasoning:
		dst, ev := d.emit(dst, hub.Event{Kind: hub.TextEnd, ID: blocks.PartID(id), Chan: hub.Reasoning})
		if len(b.Held) > 0 {
			d.scratch.MoreOf(ev).Sig = d.scratch.Copy(b.Held)
		}
		return dst
	case blocks.Call:
		return d.toolReady(dst, b)
	}
	return dst
}
