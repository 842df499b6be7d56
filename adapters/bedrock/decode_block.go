package bedrock

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/blocks"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
)

// blockStart begins a block. Blocks of text have a start with some models only, and nothing in it.
func (d *decoder) blockStart(dst []hub.Event, data []byte) []hub.Event {
	start := rawjson.ReadObject(d.rec.Start)
	switch call, result := start.Get("toolUse"), start.Get("toolResult"); {
	case rawjson.Kind(call) == '{':
		return d.toolStart(dst, call, d.blocks.Open(d.rec.Index, blocks.Call))
	case rawjson.Kind(result) == '{':
		d.resultStart(result, d.blocks.Open(d.rec.Index, blocks.Result))
	case start.Get("image") != nil:
		b := d.blocks.Open(d.rec.Index, blocks.Whole)
		b.ID = append(b.ID, rawjson.Text(start.Get("image"), "format")...)
	case start.Len() > 0:
		d.blocks.Open(d.rec.Index, blocks.Whole)
		return d.raw(dst, data)
	}
	return dst
}

// blockDelta goes on with a block. The delta decides what it is, not its block: one whose start was lost is shown all the same.
func (d *decoder) blockDelta(dst []hub.Event, data []byte) ([]hub.Event, error) {
	delta := &d.rec.Delta
	switch {
	case delta.Text != nil:
		return d.text(dst, blocks.Text, rawjson.Body(delta.Text)), nil
	case delta.ToolUse.Input != nil:
		return d.toolArgs(dst, rawjson.Body(delta.ToolUse.Input))
	case delta.Reasoning.Text != nil:
		return d.text(dst, blocks.Reasoning, rawjson.Body(delta.Reasoning.Text)), nil
	case delta.Reasoning.Signature != nil:
		d.sign(delta.Reasoning.Signature, false)
	case delta.Reasoning.Redacted != nil:
		d.sign(delta.Reasoning.Redacted, true)
	case delta.Result != nil:
		return dst, d.resultDelta(delta.Result)
	case delta.Citation != nil:
		return d.citation(dst, delta.Citation), nil
	case delta.Image != nil:
		return d.imageDelta(dst, delta.Image), nil
	default:
		return d.raw(dst, data), nil
	}
	return dst, nil
}

// blockOf is the block of the record, which is begun if it is not open, or holds something else.
func (d *decoder) blockOf(dst []hub.Event, kind blocks.Kind) ([]hub.Event, *blocks.Block) {
	b := d.blocks.Find(d.rec.Index)
	if b != nil && b.Kind != kind {
		dst, b = d.blocks.Close(dst, b, d.blockEnd), nil
	}
	if b == nil {
		b = d.blocks.Open(d.rec.Index, kind)
	}
	return dst, b
}

// text appends a delta, and the citations that waited for it.
func (d *decoder) text(dst []hub.Event, kind blocks.Kind, text []byte) []hub.Event {
	if len(text) == 0 {
		return dst
	}
	dst, b := d.blockOf(dst, kind)
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.ID, ev.Text = hub.TextDelta, blocks.PartID(d.rec.Index), text
	if kind == blocks.Reasoning {
		ev.Chan = hub.Reasoning
	}
	b.Spoke = true
	return d.releaseCites(dst, b)
}

// sign adds a piece of the signature of reasoning. Half of one is worth nothing, so one beyond the bound is dropped whole.
func (d *decoder) sign(piece rawjson.Value, sealed bool) {
	_, b := d.blockOf(nil, blocks.Reasoning)
	sig := rawjson.Body(piece)
	if b.Sealed = sealed; len(b.Held)+len(sig) > blocks.MaxHeld {
		b.Held = b.Held[:0]
		return
	}
	b.Held = append(b.Held, sig...)
}

// blockEnd appends what the end of a block means. What it has collected goes to scratch: a record may end one block and begin
// another in the same slot.
func (d *decoder) blockEnd(dst []hub.Event, b *blocks.Block) []hub.Event {
	id := b.Part(&d.scratch)
	switch b.Kind {
	case blocks.Text:
		dst = d.releaseCites(dst, b)
		return append(dst, hub.Event{Kind: hub.TextEnd, ID: id})
	case blocks.Reasoning:
		return d.reasoningEnd(dst, b, id)
	case blocks.Call:
		return d.toolReady(dst, b)
	case blocks.Result:
		return d.resultEnd(dst, b)
	}
	return dst
}

func (d *decoder) reasoningEnd(dst []hub.Event, b *blocks.Block, id []byte) []hub.Event {
	if b.Sealed && !b.Spoke {
		dst = append(dst, hub.Event{Kind: hub.TextStart, ID: id, Chan: hub.Reasoning, Name: []byte(signatures.Redacted)})
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.TextEnd, ID: id, Chan: hub.Reasoning})
	if len(b.Held) > 0 {
		d.scratch.MoreOf(ev).Sig = d.scratch.Copy(b.Held)
	}
	return dst
}
