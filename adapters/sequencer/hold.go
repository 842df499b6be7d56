package sequencer

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// toolState is what the sequencer knows of tool calls, and the events of calls whose start has not come.
type toolState struct {
	tools   memory[*tool] // by upstream id
	running []*tool       // oldest first
	last    *tool
	ids     ids
	handed  bool // one was left to the client at an end that does not say so

	queues []*queue // oldest first
	events int
	bytes  int
}

// queue holds the events of one tool id whose start has not come, or came without a name; or has come, but not the
// arguments that must go before these events.
type queue struct {
	id, subAgent []byte
	since        time.Duration
	events       []hub.Event
	bytes        int
}

func (t *toolState) reset(known int) {
	t.tools.reset(known, func(o *tool) bool { return !o.ended })
	t.ids.reset("t_", known)
	clear(t.running)
	clear(t.queues)
	t.running, t.last, t.handed = t.running[:0], nil, false
	t.queues, t.events, t.bytes = t.queues[:0], 0, 0
}

// find returns the tool with the upstream's id; without an id, the last that had none.
func (t *toolState) find(id []byte) *tool {
	if t.last != nil && bytes.Equal(t.last.src, id) {
		return t.last
	}
	found := t.tools.get(id)
	if found != nil {
		t.last = found
	}
	return found
}

// normalizedRef is the id by which a tool is known to encoders, with its slot while it is open.
func (t *toolState) normalizedRef(src []byte) ([]byte, hub.Slot) {
	if o := t.tools.get(src); o != nil && len(src) > 0 {
		return o.id, o.slot
	}
	return src, 0
}

func (t *toolState) add(ev *hub.Event, l *subAgent, slot hub.Slot) *tool {
	made := &tool{slot: slot, src: bytes.Clone(ev.ID), name: bytes.Clone(ev.Name), subAgent: l}
	made.id = t.ids.fresh(made.src)
	t.tools.put(string(made.src), made)
	t.running = append(t.running, made)
	t.last = made
	return made
}

func (t *toolState) end(done *tool) {
	*done = tool{src: done.src, id: done.id, subAgent: done.subAgent, ready: true, ended: true}
	t.running = without(t.running, done)
}

// hold keeps a copy of ev until the start of its tool comes.
func (s *Sequencer) hold(dst []hub.Event, ev *hub.Event) []hub.Event {
	t := &s.tools
	s.Repairs[Held]++
	q := t.queue(ev.ID)
	if q == nil {
		q = &queue{id: bytes.Clone(ev.ID), subAgent: bytes.Clone(ev.SubAgent), since: s.now}
		t.queues = append(t.queues, q)
	}
	size := ev.Size()
	q.events = append(q.events, ev.Clone())
	q.bytes += size
	t.events++
	t.bytes += size
	if len(ev.Name) > 0 && q.begun() >= 0 {
		return s.release(dst, t.take(q.id)) // its start only lacked the name
	}
	for t.events > s.cfg.Bounds.Events || t.bytes > s.cfg.Bounds.Bytes {
		dst = s.releaseLate(dst, t.oldest())
	}
	return dst
}

// endArgsWait lets the events go on that still wait for the arguments of t.
func (s *Sequencer) endArgsWait(dst []hub.Event, t *tool) []hub.Event {
	t.awaitsArgs = false
	if q := s.tools.take(t.src); q != nil {
		dst = s.replay(dst, q)
	}
	return dst
}

// replay lets held events go on. An output or end whose arguments have not come yet is held again, since the same
// moment: otherwise one that came before its call would end the arguments before they have begun.
func (s *Sequencer) replay(dst []hub.Event, q *queue) []hub.Event {
	held, outer := s.Repairs[Held], s.replaying
	s.replaying = true
	for i := range q.events {
		dst = s.tool(dst, &q.events[i])
	}
	s.Repairs[Held], s.replaying = held, outer
	if again := s.tools.queue(q.id); again != nil {
		again.since = q.since
		slices.SortStableFunc(s.tools.queues, func(a, b *queue) int { return cmp.Compare(a.since, b.since) })
	}
	return dst
}

// begun returns the index of the start among the held events, which has no name; -1 if there is none.
func (q *queue) begun() int {
	return slices.IndexFunc(q.events, func(ev hub.Event) bool { return ev.Kind == hub.ToolStart })
}

func (t *toolState) queue(id []byte) *queue {
	for _, q := range t.queues {
		if bytes.Equal(q.id, id) {
			return q
		}
	}
	return nil
}

func (t *toolState) oldest() *queue {
	if len(t.queues) == 0 {
		return nil
	}
	return t.queues[0]
}

func (s *Sequencer) overdue(q *queue) bool { return s.now-q.since >= s.cfg.Bounds.Age }

// take removes the queue of a tool id and returns it, nil if there is none.
func (t *toolState) take(id []byte) *queue {
	for i, q := range t.queues {
		if bytes.Equal(q.id, id) {
			t.queues = append(t.queues[:i], t.queues[i+1:]...)
			t.events -= len(q.events)
			t.bytes -= q.bytes
			return q
		}
	}
	return nil
}

// releaseLate releases a queue because of a bound.
func (s *Sequencer) releaseLate(dst []hub.Event, q *queue) []hub.Event {
	s.Repairs[HoldExpired] += uint32(len(q.events))
	return s.release(dst, s.tools.take(q.id))
}

// release makes up the start of a tool whose start did not come; its held events follow. q has been taken.
func (s *Sequencer) release(dst []hub.Event, q *queue) []hub.Event {
	if t := s.tools.find(q.id); t != nil && len(q.id) > 0 {
		t.awaitsArgs = false // its arguments have not come in time
		return s.replay(dst, q)
	}
	i, name := q.begun(), q.name()
	if i < 0 && len(q.id) > 0 && (len(name) == 0 && q.has(hub.ToolEnd) || s.wasPast(q)) {
		return s.resume(dst, &hub.Event{ID: q.id, SubAgent: q.subAgent}, q) // nothing speaks of it as a call of this stream
	}
	s.Repairs[StartMade]++
	start := hub.Event{Kind: hub.ToolStart, ID: q.id, SubAgent: q.subAgent}
	if i >= 0 {
		start = q.events[i]
		q.events = slices.Delete(q.events, i, i+1)
	}
	if start.Name = name; len(name) == 0 {
		start.Name = unknownTool
	}
	start.Flags |= hub.Synthetic
	return s.startTool(dst, &start, q)
}

// wasPast reports whether what is held is about a call of an earlier turn, as no call of this stream with its id has come.
func (s *Sequencer) wasPast(q *queue) bool {
	return s.past(q.id) != nil && !q.has(hub.ToolArgs) && !q.has(hub.ToolReady)
}

// name is what the held events call the tool; nil if they do not say.
func (q *queue) name() []byte {
	for i := range q.events {
		if n := q.events[i].Name; len(n) > 0 {
			return n
		}
	}
	return nil
}

// has reports whether there is a held event of that kind.
func (q *queue) has(k hub.Kind) bool {
	return slices.ContainsFunc(q.events, func(ev hub.Event) bool { return ev.Kind == k })
}

func (s *Sequencer) releaseAll(dst []hub.Event) []hub.Event {
	for q := s.tools.oldest(); q != nil; q = s.tools.oldest() {
		dst = s.release(dst, s.tools.take(q.id))
	}
	return dst
}

// releaseSubAgent releases what is held in a sub-agent that ends.
func (s *Sequencer) releaseSubAgent(dst []hub.Event, l *subAgent) []hub.Event {
	for i := 0; i < len(s.tools.queues); {
		if q := s.tools.queues[i]; l != nil && bytes.Equal(q.subAgent, l.src) {
			dst = s.release(dst, s.tools.take(q.id))
		} else {
			i++
		}
	}
	return dst
}
