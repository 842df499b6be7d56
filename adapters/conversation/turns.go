package conversation

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
)

// Turns are what a dialect writes that wants everything which stands in a row on one side in one message: what belongs into
// one comes from several messages, and not in its order.
type Turns []Turn

// Turn is one message.
type Turn struct {
	Role    hub.Role
	Whole   []byte // the message as it came
	Results []Block
	Blocks  []Block
}

// Block is a JSON value in three pieces, of which the one in the middle may be long: a text, or the bytes of a file. It is not copied
// before it is written.
type Block struct{ Head, Body, Tail []byte }

// IsZero reports whether there is nothing in a block.
func (b *Block) IsZero() bool { return len(b.Head)+len(b.Body)+len(b.Tail) == 0 }

// WriteBlocks writes blocks as elements.
func WriteBlocks(w *jsonwriter.Writer, blocks []Block) {
	for i := range blocks {
		w.Raw(blocks[i].Head, blocks[i].Body, blocks[i].Tail)
	}
}

// At returns the last turn if it is of that role, or a new one. It is valid until the next.
func (t *Turns) At(role hub.Role) *Turn {
	if n := len(*t); n == 0 || (*t)[n-1].Role != role || (*t)[n-1].Whole != nil {
		*t = append(*t, Turn{Role: role})
	}
	return &(*t)[len(*t)-1]
}
