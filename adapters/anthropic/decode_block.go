package anthropic

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
)

// blockKind groups the types of blocks by what their deltas and their end mean.
type blockKind uint8

const (
	textBlock blockKind = iota
	thinkingBlock
	toolBlock
	wholeBlock // all was said at its start
)

// block is an open block.
type block struct {
	index string // as the wire spells it
	kind  blockKind
	id    []byte // of a call

	spoke bool   // text, or a fragment of arguments, has come
	sig   []byte // signature so far, a string body
	input []byte // arguments that came with the start, raw JSON
	cites []byte // citations that came before the text they belong to: raw JSON, a comma behind each
}

// Bounds of what is remembered of one message. Blocks come one after the other, so more than one open block is rare.
const (
	maxBlocks = 64
	maxSig    = 8 << 20
	maxCites  = 256 << 10
)

// index is the spelling of the index of the record's block; a record without one means the block without one.
func (d *decoder) index() rawjson.Value { return d.rec.Index }

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
	*b = block{index: string(index), kind: kind, id: b.id[:0], sig: b.sig[:0], input: b.input[:0], cites: b.cites[:0]}
	return b
}

// partID is the id of the part in a block: its index, as the wire spells it.
func partID(index rawjson.Value) []byte {
	if s, ok := rawjson.Str(index); ok {
		return s
	}
	if rawjson.Kind(index) == '0' {
		return bytes.TrimSpace(index)
	}
	return nil
}

// blockStart begins a block. data is the record, passed as it is when the type of block is unknown.
func (d *decoder) blockStart(dst []hub.Event, c *contentBlock, index rawjson.Value, data []byte) ([]hub.Event, error) {
	typ := rawjson.Body(c.Type)
	switch string(typ) {
	case "text":
		return d.textStart(dst, c, d.open(index, textBlock)), nil
	case "thinking":
		return d.thinkingStart(dst, c, d.open(index, thinkingBlock)), nil
	case "redacted_thinking":
		return d.redacted(dst, c, index), nil
	case "tool_use", "server_tool_use", "mcp_tool_use":
		return d.toolStart(dst, c, d.open(index, toolBlock)), nil
	case "container_upload":
		return d.upload(dst, c), nil
	case "compaction":
		d.open(index, wholeBlock)
		return d.compaction(dst, c.Content), nil
	case "":
		return dst, hub.NewError(hub.ReasonMissing, "content_block.type", -1, "every block needs a type")
	}
	d.open(index, wholeBlock)
	if name, ok := bytes.CutSuffix(typ, []byte("_tool_result")); ok {
		return d.toolResult(dst, c, typ, name), nil
	}
	return d.raw(dst, data), nil
}

func (d *decoder) textStart(dst []hub.Event, c *contentBlock, b *block) []hub.Event {
	dst, ev := d.emit(dst, hub.Event{Kind: hub.TextStart, ID: partID(rawjson.Value(b.index))})
	if text := rawjson.Body(c.Text); len(text) > 0 {
		dst = d.text(dst, hub.AnswerText, text, b, ev.ID)
	}
	for citation := range rawjson.Each(c.Citations) {
		dst = d.citation(dst, citation, b)
	}
	return dst
}

func (d *decoder) thinkingStart(dst []hub.Event, c *contentBlock, b *block) []hub.Event {
	dst, ev := d.emit(dst, hub.Event{Kind: hub.TextStart, ID: partID(rawjson.Value(b.index)), Chan: hub.Reasoning})
	b.sign(rawjson.Body(c.Signature))
	if text := rawjson.Body(c.Thinking); len(text) > 0 {
		dst = d.text(dst, hub.Reasoning, text, b, ev.ID)
	}
	return dst
}

// redacted is reasoning that is there in encrypted form only.
func (d *decoder) redacted(dst []hub.Event, c *contentBlock, index rawjson.Value) []hub.Event {
	d.open(index, wholeBlock)
	dst = d.put(dst, hub.Event{Kind: hub.TextStart, ID: partID(index), Chan: hub.Reasoning, Name: []byte(signatures.Redacted)})
	dst, ev := d.emit(dst, hub.Event{Kind: hub.TextEnd, ID: partID(index), Chan: hub.Reasoning})
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
	b, delta := d.find(d.index()), &d.rec.Delta
	switch string(rawjson.Body(delta.Type)) {
	case "text_delta":
		return d.text(dst, hub.AnswerText, rawjson.Body(delta.Text), b, partID(d.rec.Index)), nil
	case "input_json_delta":
		return d.toolArgs(dst, b, rawjson.Body(delta.PartialJSON))
	case "thinking_delta":
		return d.text(dst, hub.Reasoning, rawjson.Body(delta.Thinking), b, partID(d.rec.Index)), nil
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
func (d *decoder) text(dst []hub.Event, ch hub.Chan, text []byte, b *block, id []byte) []hub.Event {
	if len(text) == 0 {
		return dst
	}
	dst = d.put(dst, hub.Event{Kind: hub.TextDelta, ID: id, Chan: ch, Text: text})
	if b == nil {
		return dst
	}
	b.spoke = true
	return d.releaseCites(dst, b)
}

// signature keeps a piece: servers cut long ones. One without a block is that of reasoning whose text was left out.
func (d *decoder) signature(dst []hub.Event, b *block, sig []byte) []hub.Event {
	if b == nil {
		b = d.open(d.index(), thinkingBlock)
	}
	b.sign(sig)
	return dst
}

// sign adds a piece of the signature. Half of one is worth nothing, so one beyond the bound is dropped whole.
func (b *block) sign(sig []byte) {
	if len(b.sig)+len(sig) > maxSig {
		b.sig = b.sig[:0]
		return
	}
	b.sig = append(b.sig, sig...)
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

// blockEnd appends what the end of a block means. What it has collected goes to scratch: a record may end one block and
// begin another in the same slot.
func (d *decoder) blockEnd(dst []hub.Event, b *block) []hub.Event {
	id := d.scratch.Copy([]byte(b.index))
	switch b.kind {
	case textBlock:
		dst = d.releaseCites(dst, b)
		return d.put(dst, hub.Event{Kind: hub.TextEnd, ID: partID(id)})
	case thinkingBlock:
		dst, ev := d.emit(dst, hub.Event{Kind: hub.TextEnd, ID: partID(id), Chan: hub.Reasoning})
		if len(b.sig) > 0 {
			d.scratch.MoreOf(ev).Sig = d.scratch.Copy(b.sig)
		}
		return dst
	case toolBlock:
		return d.toolReady(dst, b)
	}
	return dst
}
