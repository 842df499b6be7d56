package agentevent

import (
	"bytes"
	"encoding/binary"

	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Without callId, a reader matches progress and results with calls by name alone. Two calls of one tool side by side
// would be mixed up, so the records of the later one wait until the earlier has ended. Then the reader never sees two
// open calls of one name. If the earlier call never ends, the later ones wait for the end of the run.

// maxHeld bounds the bytes that wait, over all calls of a stream. Beyond it the calls of the tool that brought the last
// byte are written as they come: a reader that goes by order of calls still has a chance.
const maxHeld = 1 << 20

// openCall is a call that has not ended, or whose end waits.
type openCall struct {
	id, name []byte
	ready    bool
	early    []byte     // data of a tool_progress from before the call was ready
	said     transcript // of the sub-agent that runs in it
	queue    *queue
	ended    bool
	held     []byte // records that wait: length, bytes, length, bytes …
}

// queue holds the calls of one tool, in the order of their starts. All but the first wait, unless the queue is loose.
type queue struct {
	calls []*openCall
	loose bool
}

func (c *openCall) waits() bool { return c.queue != nil && !c.queue.loose && c.queue.calls[0] != c }

// tools are the open calls of a stream.
type tools struct {
	byID   map[string]*openCall
	last   *openCall // found by the last lookup; progress comes in runs
	queues map[string]*queue
	held   int
}

// reset forgets the calls and keeps the maps.
func (t *tools) reset() {
	if t.byID == nil {
		t.byID, t.queues = map[string]*openCall{}, map[string]*queue{}
	}
	clear(t.byID)
	clear(t.queues)
	t.last, t.held = nil, 0
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
func (t *tools) enqueue(c *openCall) {
	q := t.queues[string(c.name)]
	if q == nil {
		q = &queue{}
		t.queues[string(c.name)] = q
	}
	q.calls = append(q.calls, c)
	c.queue = q
}

// hold takes the open record, whose payload is body, from out and keeps it for c.
func (t *tools) hold(out *wire.Out, c *openCall, body []byte) {
	c.held = binary.AppendUvarint(c.held, uint64(len(body)))
	c.held = append(c.held, body...)
	t.held += len(body)
	out.Cancel()
	if t.held > maxHeld {
		t.loosen(out, c.queue)
	}
}

// release writes what waits for c.
func (t *tools) release(out *wire.Out, c *openCall) {
	for rest := c.held; len(rest) > 0; {
		size, n := binary.Uvarint(rest)
		body := rest[n : n+int(size)]
		rest = rest[n+int(size):]
		out.Begin("")
		out.Buf = append(out.Buf, body...)
		out.End()
		t.held -= len(body)
	}
	c.held = nil
}

// end forgets c. Those that waited for it follow, as far as they have come.
func (t *tools) end(out *wire.Out, c *openCall) {
	delete(t.byID, string(c.id))
	t.last = nil
	c.ended = true
	q := c.queue
	if q == nil || c.waits() {
		return
	}
	q.drop(func(o *openCall) bool { return o == c })
	for len(q.calls) > 0 {
		t.release(out, q.calls[0])
		if !q.calls[0].ended {
			return
		}
		q.calls = q.calls[1:]
	}
	delete(t.queues, string(c.name))
}

// loosen writes all that waits in q and lets its calls run side by side.
func (t *tools) loosen(out *wire.Out, q *queue) {
	q.loose = true
	for _, c := range q.calls {
		t.release(out, c)
	}
	q.drop(func(c *openCall) bool { return c.ended })
}

func (q *queue) drop(match func(*openCall) bool) {
	kept := q.calls[:0]
	for _, c := range q.calls {
		if !match(c) {
			kept = append(kept, c)
		}
	}
	q.calls = kept
}
