package hub

import (
	"bytes"
	"time"
)

// toolState is what the sequencer knows of tool calls, and the events of calls whose start has not come.
type toolState struct {
	tools   map[string]*tool
	running []*tool
	last    *tool

	queues []*queue // oldest first
	events int
	bytes  int
}

// queue holds the events of one tool id whose ToolStart has not come.
type queue struct {
	id, lane []byte
	since    time.Duration
	events   []Event
	bytes    int
}

func (t *toolState) reset() {
	if t.tools == nil {
		t.tools = map[string]*tool{}
	}
	clear(t.tools)
	t.running, t.last = t.running[:0], nil
	t.queues, t.events, t.bytes = t.queues[:0], 0, 0
}

func (t *toolState) find(id []byte) *tool {
	if t.last != nil && bytes.Equal(t.last.id, id) {
		return t.last
	}
	found := t.tools[string(id)]
	if found != nil {
		t.last = found
	}
	return found
}

func (t *toolState) add(ev *Event, l *lane) *tool {
	made := &tool{id: bytes.Clone(ev.ID), name: bytes.Clone(ev.Name), lane: l}
	t.tools[string(made.id)] = made
	t.running = append(t.running, made)
	t.last = made
	return made
}

func (t *toolState) end(done *tool) {
	done.ended, done.args, done.result = true, nil, nil
	done.title, done.kind, done.locations = nil, nil, nil
	for i, o := range t.running {
		if o == done {
			t.running = append(t.running[:i], t.running[i+1:]...)
			return
		}
	}
}

// hold keeps a copy of ev until the start of its tool comes.
func (s *Sequencer) hold(dst []Event, ev *Event) []Event {
	t := &s.tools
	s.Repairs[Held]++
	q := t.queue(ev.ID)
	if q == nil {
		q = &queue{id: bytes.Clone(ev.ID), lane: bytes.Clone(ev.Lane), since: s.now}
		t.queues = append(t.queues, q)
	}
	size := ev.size()
	q.events = append(q.events, ev.clone())
	q.bytes += size
	t.events++
	t.bytes += size
	for t.events > s.cfg.Bounds.Events || t.bytes > s.cfg.Bounds.Bytes {
		oldest := t.oldest()
		s.Repairs[HoldExpired] += uint32(len(oldest.events))
		dst = s.release(dst, oldest)
	}
	return dst
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

// take removes the queue of a tool id.
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

// release makes up the start of a tool that has waited long enough; its held events follow.
func (s *Sequencer) release(dst []Event, q *queue) []Event {
	s.Repairs[StartMade]++
	start := Event{Kind: ToolStart, ID: q.id, Lane: q.lane, Name: []byte("unknown"), Flags: Synthetic}
	for i := range q.events {
		if n := q.events[i].Name; len(n) > 0 {
			start.Name = n
			break
		}
	}
	return s.toolStart(dst, &start, nil)
}

func (s *Sequencer) releaseAll(dst []Event) []Event {
	for q := s.tools.oldest(); q != nil; q = s.tools.oldest() {
		dst = s.release(dst, q)
	}
	return dst
}

func (s *Sequencer) releaseLane(dst []Event, l *lane) []Event {
	for i := 0; i < len(s.tools.queues); {
		q := s.tools.queues[i]
		if !bytes.Equal(q.lane, l.src) {
			i++
			continue
		}
		dst = s.release(dst, q)
	}
	return dst
}
