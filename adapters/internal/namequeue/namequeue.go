// Package namequeue lets calls of one tool wait for each other, for encoders of dialects without ids of calls.
package namequeue

import (
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Turns lets calls of one tool take turns, for encoders of dialects without ids of calls: a reader matches progress and
// results with calls by name alone, and would mix up two calls of one tool side by side. So the records of the later one
// wait until the earlier has ended. Then the reader never sees two open calls of one name. If the earlier call never ends,
// the later ones wait for the end of the run, which ends all. Reset makes it ready.
type Queues struct {
	queues map[string]*queue
	held   int
}

// maxTurnsHeld bounds the bytes that wait, over all calls of a stream. Beyond it the calls of the tool that brought the
// last byte are written as they come: a reader that goes by order of calls still has a chance.
const maxTurnsHeld = 1 << 20

// Place is the place of one call among those of its name. The zero value waits for no other call.
type Place struct {
	queue   *queue
	ended   bool
	records wire.Records
}

// turnQueue holds the calls of one tool, in the order of their starts. All but the first wait, unless the queue no longer waits.
type queue struct {
	name    string
	turns   []*Place
	decoded bool
}

// Reset forgets all calls.
func (t *Queues) Reset() {
	if t.queues == nil {
		t.queues = map[string]*queue{}
	}
	clear(t.queues)
	t.held = 0
}

// Join makes turn wait for the open calls of the same name.
func (t *Queues) Join(turn *Place, name []byte) {
	q := t.queues[string(name)]
	if q == nil {
		q = &queue{name: string(name)}
		t.queues[q.name] = q
	}
	q.turns = append(q.turns, turn)
	turn.queue = q
}

// Waits reports whether records of the call have to be held.
func (turn *Place) Waits() bool {
	q := turn.queue
	return q != nil && !q.decoded && q.turns[0] != turn
}

// Hold takes the open record, with this SSE event name and body, from out and keeps it until its turn.
func (t *Queues) Hold(out *wire.Out, turn *Place, event string, body []byte) {
	n := len(turn.records)
	turn.records.Add(event, body)
	t.held += len(turn.records) - n
	out.Cancel()
	if t.held > maxTurnsHeld {
		t.loosen(out, turn.queue)
	}
}

// Leave ends the turn of a call. The records of those that waited for it follow, as far as they have come.
func (t *Queues) Leave(out *wire.Out, turn *Place) {
	turn.ended = true
	q := turn.queue
	if q == nil || turn.Waits() {
		return
	}
	q.drop(func(o *Place) bool { return o == turn })
	for len(q.turns) > 0 {
		t.release(out, q.turns[0])
		if !q.turns[0].ended {
			return
		}
		q.turns = q.turns[1:]
	}
	delete(t.queues, q.name)
}

// release writes what waits.
func (t *Queues) release(out *wire.Out, turn *Place) {
	t.held -= len(turn.records)
	turn.records.Write(out)
	turn.records = nil
}

// loosen writes all that waits in q and lets its calls run side by side.
func (t *Queues) loosen(out *wire.Out, q *queue) {
	q.decoded = true
	for _, turn := range q.turns {
		t.release(out, turn)
	}
	q.drop(func(turn *Place) bool { return turn.ended })
}

func (q *queue) drop(match func(*Place) bool) {
	kept := q.turns[:0]
	for _, turn := range q.turns {
		if !match(turn) {
			kept = append(kept, turn)
		}
	}
	q.turns = kept
}
