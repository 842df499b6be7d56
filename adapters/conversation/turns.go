package conversation

import "github.com/sabir-proxy/sabir/adapters/hub"

// Turns are what a dialect writes that wants everything which stands in a row on one side in one message: what belongs into
// one comes from several messages, and not in its order.
type Turns []Turn

// Turn is one message. Its blocks are JSON.
type Turn struct {
	Role    hub.Role
	Whole   []byte // the message as it came
	Results [][]byte
	Blocks  [][]byte
}

// At returns the last turn if it is of that role, or a new one. It is valid until the next.
func (t *Turns) At(role hub.Role) *Turn {
	if n := len(*t); n == 0 || (*t)[n-1].Role != role || (*t)[n-1].Whole != nil {
		*t = append(*t, Turn{Role: role})
	}
	return &(*t)[len(*t)-1]
}
