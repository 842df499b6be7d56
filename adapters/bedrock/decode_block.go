package bedrock

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
)

// blockKind groups blocks by what their deltas and their end mean.
type blockKind uint8

const (
	textBlock blockKind = iota
	reasoningBlock
	callBlock
	resultBlock
	otherBlock // all was said at its start
)

// block is an open block.
type block struct {
	index string // as the wire spells it
	kind  blockKind
	id    []byte // of a call

	spoke  bool   // text, or a fragment of arguments, has come
	sealed bool   // the signature is the encrypted form of reasoning
	failed bool   // of a result
	held   []byte // the signature so far, a string body; arguments that came whole; the list of a result, without its end
	cites  []byte // citations that came before the text that they belong to: raw JSON, a comma behind each
}

// Bounds of what is remembered of one message. Blocks come one after the other, so more than one open block is rare.
const (
	maxBlocks = 64
	maxHeld   = 8 << 20
	maxCites  = 256 << 10
)

// find returns the open block of that index, or nil.
func (d *decoder) find(index rawjson.Value) *block {
	blocks := d.blocks.All()
	for i := len(blocks) - 1; i >= 0; i-- {
		if blocks[i].index == string(index) {
			return &blocks[i]
		}
	}
	return nil
}

// open remembers a block, in a slot that keeps its memory. Of too many, the oldest is forgotten: it ends with the run.
func (d *decoder) open(index rawjson.Value, kind blockKind) *block {
	b := d.blocks.Add(maxBlocks)
	*b = block{index: string(index), kind: kind, id: b.id[:0], held: b.held[:0], cites: b.cites[:0]}
	return b
}

// partID is the id of the part in a block: its index, as the wire spells it.
func partID(index rawjson.Value) []byte {
	switch rawjson.Kind(index) {
	case '"':
		return rawjson.Body(index)
	case '0':
		return bytes.TrimSpace(index)
	}
	return nil
}

// blockStart begins a block. Blocks of text have a start with some models only, and nothing in it.
func (d *decoder) blockStart(dst []hub.Event, data []byte) []hub.Event {
	start := rawjson.ReadObject(d.rec.Start)
	switch call, result := start.Get("toolUse"), start.Get("toolResult"); {
	case rawjson.Kind(call) == '{':
		return d.toolStart(dst, call, d.open(d.rec.Index, callBlock))
	case rawjson.Kind(result) == '{':
		d.resultStart(result, d.open(d.rec.Index, resultBlock))
	case start.Get("image") != nil:
		b := d.open(d.rec.Index, otherBlock)
		b.id = append(b.id, rawjson.Text(start.Get("image"), "format")...)
	case start.Len() > 0:
		d.open(d.rec.Index, otherBlock)
		return d.raw(dst, data)
	}
	return dst
}

// blockDelta goes on with a block. The delta decides what it is, not its block: one whose start was lost is shown all the same.
func (d *decoder) blockDelta(dst []hub.Event, data []byte) ([]hub.Event, error) {
	delta := &d.rec.Delta
	switch {
	case delta.Text != nil:
		return d.text(dst, textBlock, rawjson.Body(delta.Text)), nil
	case delta.ToolUse.Input != nil:
		return d.toolArgs(dst, rawjson.Body(delta.ToolUse.Input))
	case delta.Reasoning.Text != nil:
		return d.text(dst, reasoningBlock, rawjson.Body(delta.Reasoning.Text)), nil
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
func (d *decoder) blockOf(dst []hub.Event, kind blockKind) ([]hub.Event, *block) {
	b := d.find(d.rec.Index)
	if b != nil && b.kind != kind {
		dst, b = d.closeBlock(dst, b), nil
	}
	if b == nil {
		b = d.open(d.rec.Index, kind)
	}
	return dst, b
}

// text appends a delta, and the citations that waited for it.
func (d *decoder) text(dst []hub.Event, kind blockKind, text []byte) []hub.Event {
	if len(text) == 0 {
		return dst
	}
	dst, b := d.blockOf(dst, kind)
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.ID, ev.Text = hub.TextDelta, partID(d.rec.Index), text
	if kind == reasoningBlock {
		ev.Chan = hub.Reasoning
	}
	b.spoke = true
	return d.releaseCites(dst, b)
}

// sign adds a piece of the signature of reasoning. Half of one is worth nothing, so one beyond the bound is dropped whole.
func (d *decoder) sign(piece rawjson.Value, sealed bool) {
	_, b := d.blockOf(nil, reasoningBlock)
	sig := rawjson.Body(piece)
	if b.sealed = sealed; len(b.held)+len(sig) > maxHeld {
		b.held = b.held[:0]
		return
	}
	b.held = append(b.held, sig...)
}

// closeBlock ends a block, if it is open.
func (d *decoder) closeBlock(dst []hub.Event, b *block) []hub.Event {
	if b == nil {
		return dst
	}
	dst = d.blockEnd(dst, b)
	d.blocks.Drop(b) // its memory, which the events point to, is used again by the next block
	return dst
}

// closeBlocks ends the blocks whose ends have not come.
func (d *decoder) closeBlocks(dst []hub.Event) []hub.Event {
	for i := range d.blocks.All() {
		dst = d.blockEnd(dst, &d.blocks.All()[i])
	}
	d.blocks.Reset()
	return dst
}

// blockEnd appends what the end of a block means. What it has collected goes to scratch: a record may end one block and begin
// another in the same slot.
func (d *decoder) blockEnd(dst []hub.Event, b *block) []hub.Event {
	id := partID(d.scratch.Copy([]byte(b.index)))
	switch b.kind {
	case textBlock:
		dst = d.releaseCites(dst, b)
		return append(dst, hub.Event{Kind: hub.TextEnd, ID: id})
	case reasoningBlock:
		return d.reasoningEnd(dst, b, id)
	case callBlock:
		return d.toolReady(dst, b)
	case resultBlock:
		return d.resultEnd(dst, b)
	}
	return dst
}

func (d *decoder) reasoningEnd(dst []hub.Event, b *block, id []byte) []hub.Event {
	if b.sealed && !b.spoke {
		dst = append(dst, hub.Event{Kind: hub.TextStart, ID: id, Chan: hub.Reasoning, Name: []byte(signatures.Redacted)})
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.TextEnd, ID: id, Chan: hub.Reasoning})
	if len(b.held) > 0 {
		d.scratch.MoreOf(ev).Sig = d.scratch.Copy(b.held)
	}
	return dst
}
