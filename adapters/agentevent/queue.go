package agentevent

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/namequeue"
	"github.com/sabir-proxy/sabir/adapters/internal/opened"
	"github.com/sabir-proxy/sabir/adapters/internal/toolinfo"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Without callId, a reader matches progress and results with calls by name alone, so calls of one tool take turns: see
// [namequeue.Queues].

// openCall is a call that has not ended, or whose end waits.
type openCall struct {
	slot     hub.Slot
	id, name []byte
	ready    bool
	look     toolinfo.Info
	hidden   bool       // the call of a plan has shown what it says
	early    []byte     // data of a tool_progress from before the call was ready
	emitted  transcript // of the sub-agent that runs in it
	fault    []byte     // why that failed, a string body
	turn     namequeue.Place
}

// tools are the open calls of a stream, by their slots; the call that is made for a sub-agent is in that of the sub-agent.
type tools struct {
	open  opened.Refs[openCall]
	turns namequeue.Queues
}

func (t *tools) reset() {
	t.open.Reset()
	t.turns.Reset()
}

func (t *tools) add(slot hub.Slot, id, name []byte) *openCall {
	c := &openCall{slot: slot, id: bytes.Clone(id), name: bytes.Clone(name)}
	t.open.Add(slot, c)
	return c
}

// enqueue makes c wait for the open calls of the same tool.
func (t *tools) enqueue(c *openCall) { t.turns.Join(&c.turn, c.name) }

// end forgets c. Those that waited for it follow, as far as they have come.
func (t *tools) end(out *wire.Out, c *openCall) {
	t.open.Drop(c.slot)
	t.turns.Leave(out, &c.turn)
}
