package agentevent

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/internal/namequeue"
	"github.com/sabir-proxy/sabir/adapters/internal/toolinfo"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Without callId, a reader matches progress and results with calls by name alone, so calls of one tool take turns: see
// [namequeue.Queues].

// openCall is a call that has not ended, or whose end waits.
type openCall struct {
	id, name []byte
	ready    bool
	look     toolinfo.Info
	hidden   bool       // the call of a plan has shown what it says
	early    []byte     // data of a tool_progress from before the call was ready
	emitted  transcript // of the sub-agent that runs in it
	fault    []byte     // why that failed, a string body
	turn     namequeue.Place
}

// tools are the open calls of a stream.
type tools struct {
	byID  map[string]*openCall
	last  *openCall // found by the last lookup; progress comes in runs
	turns namequeue.Queues
}

// reset forgets the calls and keeps the maps.
func (t *tools) reset() {
	if t.byID == nil {
		t.byID = map[string]*openCall{}
	}
	clear(t.byID)
	t.turns.Reset()
	t.last = nil
}

// find returns an open call, nil if there is none of that id.
func (t *tools) find(id []byte) *openCall {
	if t.last != nil && bytes.Equal(t.last.id, id) {
		return t.last
	}
	c := t.byID[string(id)]
	if c != nil {
		t.last = c
	}
	return c
}

func (t *tools) add(id, name []byte) *openCall {
	c := &openCall{id: bytes.Clone(id), name: bytes.Clone(name)}
	t.byID[string(id)] = c
	t.last = c
	return c
}

// enqueue makes c wait for the open calls of the same tool.
func (t *tools) enqueue(c *openCall) { t.turns.Join(&c.turn, c.name) }

// end forgets c. Those that waited for it follow, as far as they have come.
func (t *tools) end(out *wire.Out, c *openCall) {
	delete(t.byID, string(c.id))
	t.last = nil
	t.turns.Leave(out, &c.turn)
}
