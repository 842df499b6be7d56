// Package blocks keeps the open content blocks of an answer, for APIs whose records name the block that they go on with by an index.
package blocks

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/opened"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Kind groups blocks by what their deltas and their end mean.
type Kind uint8

const (
	Text Kind = iota
	Reasoning
	Call
	Result
	Whole // all was said at its start
)

// Block is an open block.
type Block struct {
	Index string // as the wire spells it
	Kind  Kind
	ID    []byte // of a call

	Spoke  bool   // text, or a fragment of arguments, has come
	Sealed bool   // the signature is the encrypted form of reasoning
	Failed bool   // of a result
	Held   []byte // the signature so far, a string body; arguments that came whole; the list of a result, without its end
	cites  []byte // citations that came before the text that they belong to: raw JSON, a comma behind each
}

// Bounds of what is remembered of one message. Blocks come one after the other, so more than one open block is rare.
const (
	Max      = 64
	MaxHeld  = 8 << 20
	maxCites = 256 << 10
)

// List are the open blocks, the oldest first. The zero value is ready to use.
type List struct{ opened.Queue[Block] }

// Find returns the open block of that index, or nil. A record without an index means the block without one.
func (l *List) Find(index rawjson.Value) *Block {
	all := l.All()
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Index == string(index) {
			return &all[i]
		}
	}
	return nil
}

// Open remembers a block, in a slot that keeps its memory. Of too many, the oldest is forgotten: it ends with the run.
func (l *List) Open(index rawjson.Value, kind Kind) *Block {
	b := l.Add(Max)
	*b = Block{Index: string(index), Kind: kind, ID: b.ID[:0], Held: b.Held[:0], cites: b.cites[:0]}
	return b
}

// End appends what the end of a block means. What the block has collected must be copied: a record may end one block and begin another
// in the same slot.
type End func(dst []hub.Event, b *Block) []hub.Event

// Close ends a block, if it is open.
func (l *List) Close(dst []hub.Event, b *Block, end End) []hub.Event {
	if b == nil {
		return dst
	}
	dst = end(dst, b)
	l.Drop(b)
	return dst
}

// CloseAll ends the blocks whose ends have not come.
func (l *List) CloseAll(dst []hub.Event, end End) []hub.Event {
	for i := range l.All() {
		dst = end(dst, &l.All()[i])
	}
	l.Reset()
	return dst
}

// PartID is the id of the part in a block: its index, as the wire spells it.
func PartID(index rawjson.Value) []byte {
	switch rawjson.Kind(index) {
	case '"':
		return rawjson.Body(index)
	case '0':
		return bytes.TrimSpace(index)
	}
	return nil
}

// Part is the id of its part, in the memory of s.
func (b *Block) Part(s *hub.Scratch) []byte { return PartID(s.Copy([]byte(b.Index))) }

// Sign adds a piece of the signature: servers cut long ones. Half of one is worth nothing, so one beyond the bound is dropped whole.
func (b *Block) Sign(piece []byte) {
	if len(b.Held)+len(piece) > MaxHeld {
		b.Held = b.Held[:0]
		return
	}
	b.Held = append(b.Held, piece...)
}

// Cite keeps a citation that comes before the first character of a text: until then there is no text that it could belong to. Otherwise,
// and beyond the bound, it reports false.
func (b *Block) Cite(citation rawjson.Value) bool {
	if b.Kind != Text || b.Spoke || len(b.cites)+len(citation) >= maxCites {
		return false
	}
	b.cites = append(append(b.cites, citation...), ',')
	return true
}

// Cites reports whether citations wait for the text.
func (b *Block) Cites() bool { return len(b.cites) > 0 }

// Release returns the citations that waited, a list in the memory of s.
func (b *Block) Release(s *hub.Scratch) rawjson.Value {
	list := append(append(s.Begin(), '['), b.cites...)
	list[len(list)-1] = ']' // instead of the last comma
	b.cites = b.cites[:0]
	return s.Since(list)
}
