package conversation

import (
	"slices"

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

// Opening is what the user says where a conversation begins with words of the agent's, such as a greeting that the client shows by itself,
// and where there are instructions alone.
const Opening = "The assistant begins the conversation."

// BesideDocuments is what the user says who sends documents alone, for an API that wants words with them.
const BesideDocuments = "See the document."

// Opened are the messages behind the instructions; where there are none, one of the user's, as APIs refuse instructions alone. Partial says that
// the agent knows of others.
func Opened(system, rest []hub.Message, partial bool) []hub.Message {
	if len(rest) > 0 || len(system) == 0 || partial {
		return rest
	}
	return []hub.Message{{Role: hub.RoleUser, Parts: []hub.Part{{Kind: hub.PartText, Text: []byte(Opening)}}}}
}

// UserFirst puts a turn of the user's in front of a conversation that the agent begins, for APIs that refuse one. opening is its block.
func (t *Turns) UserFirst(opening Block) {
	if len(*t) > 0 && (*t)[0].Role == hub.RoleAgent {
		*t = slices.Insert(*t, 0, Turn{Role: hub.RoleUser, Blocks: []Block{opening}})
	}
}
