package threads

import (
	"container/list"
	"sync"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// Limits bound a log.
type Limits struct {
	Threads int           // names at most
	Bytes   int           // of all together
	Keep    time.Duration // of a conversation without a turn
}

// Log is a [Store] in memory. The zero value remembers nothing until [Log.Limit].
type Log struct {
	mu      sync.Mutex
	limits  Limits
	byKey   map[Key]*entry
	used    list.List // of *entry, the one used last in front; answers that have not ended are not in it
	bytes   int
	evicted int64
}

// entry is what has a name.
type entry struct {
	key   Key
	node  *node // of a conversation: its last turn, nil before the first
	busy  bool
	begun time.Time
	at    time.Time // when it was used last
	place *list.Element
	size  int // about, without the messages
	meta  []byte

	// Of an answer.
	asked hub.Request
	run   hub.Run
	said  int // how many messages of the conversation are new with it
}

// Limit sets the limits; a reload may change them.
func (l *Log) Limit(limits Limits) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.limits = limits
	l.evict(time.Now())
}

// Create implements [Names].
func (l *Log) Create(key Key, with Seed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.find(key) != nil {
		return
	}
	e := &entry{key: key, meta: with.Meta}
	if len(with.Messages) > 0 {
		e.node = newNode(nil, with.Messages, 0, with.Size)
		l.bytes += e.node.size
	}
	l.add(e)
	l.evict(time.Now())
}

// Find implements [Names].
func (l *Log) Find(key Key) (View, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.find(key)
	if e == nil {
		return View{}, false
	}
	v := View{Busy: e.busy, Begun: e.begun, Meta: e.meta, Asked: e.asked, Run: e.run}
	v.Messages, _ = e.node.conversation()
	v.From = len(v.Messages) - e.said
	v.Run.Messages = v.Messages[v.From:]
	return v, true
}

// Forget implements [Names].
func (l *Log) Forget(key Key) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.find(key)
	if e != nil {
		l.remove(e)
	}
	return e != nil
}

// Begin implements [Turns].
func (l *Log) Begin(t *Turn) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	t.Session = t.Answer.Name
	var err error
	switch {
	case t.Thread.Name != "":
		err = l.enter(t)
	case t.From.Name != "":
		err = l.goOn(t)
	}
	if err != nil {
		return err
	}
	if t.parent != nil {
		t.parent.refs++
		t.parent.going++
		t.Before, t.Size = t.parent.conversation()
	}
	if t.Answer.Name != "" {
		t.answer = &entry{key: t.Answer, busy: true, begun: time.Now(), asked: t.Asked}
		l.put(t.answer)
	}
	return nil
}

// enter begins the turn of a conversation that has a name.
func (l *Log) enter(t *Turn) error {
	e := l.find(t.Thread)
	switch {
	case e == nil:
		return ErrUnknown
	case e.busy:
		return ErrBusy
	}
	e.busy = true
	t.Session, t.thread, t.parent = "", e, e.node
	return nil
}

// goOn begins a turn that goes on from an answer.
func (l *Log) goOn(t *Turn) error {
	e := l.find(t.From)
	switch {
	case e == nil:
		return ErrUnknown
	case e.busy:
		return ErrUnfinished
	case t.Alone && e.node.going > 0:
		return ErrGoesOn
	case t.Alone && e.node.gone > 0:
		return ErrWentOn
	}
	if e.node.session != "" && e.node.going+e.node.gone == 0 {
		t.Session = e.node.session
	}
	t.Was, t.parent = e.asked, e.node
	return nil
}

// End implements [Turns].
func (l *Log) End(t *Turn, said *Said) {
	shared := 0
	if said != nil {
		shared = common(t.Before, said.Messages)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.thread != nil {
		t.thread.busy = false
	}
	if t.parent != nil {
		t.parent.going--
		if said != nil {
			t.parent.gone++
		}
	}
	var n *node
	if said != nil {
		n = l.keep(t, said, shared)
	} else if l.knows(t.answer) {
		delete(l.byKey, t.answer.key)
	}
	l.release(t.parent)
	if n != nil {
		n.merge(said.Messages)
		l.release(n)
	}
	l.evict(time.Now())
}

// keep remembers what was said in a turn, under the names that are still known. The first shared messages were there before.
func (l *Log) keep(t *Turn, said *Said, shared int) *node {
	n := newNode(t.parent, said.Messages, shared, said.Size)
	n.session = t.Session
	l.bytes += n.size
	if l.knows(t.answer) {
		e := t.answer
		e.busy, e.node, e.asked, e.run, e.said = false, n, t.Asked, said.Run, len(said.Messages)-said.From
		n.refs++
		n.name = e
		l.add(e)
	}
	if l.knows(t.thread) {
		before := t.thread.node
		t.thread.node = n
		n.refs++
		l.release(before)
		l.touch(t.thread, time.Now())
	}
	return n
}

func (l *Log) knows(e *entry) bool { return e != nil && l.byKey[e.key] == e }

// Counts are how many names are known, about how many bytes there are behind them, and how many were forgotten for want of room or
// because they were not used.
func (l *Log) Counts() (names, bytes int, evicted int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.evict(time.Now())
	return l.used.Len(), l.bytes, l.evicted
}

// find returns what has a name as the one used last.
func (l *Log) find(key Key) *entry {
	now := time.Now()
	l.evict(now)
	e := l.byKey[key]
	if e != nil {
		l.touch(e, now)
	}
	return e
}

// touch notes that a name is used, and with it those that it goes on from: of a conversation the beginning is forgotten first.
func (l *Log) touch(e *entry, now time.Time) {
	if e.place == nil {
		return
	}
	e.at = now
	l.used.MoveToFront(e.place)
	last := e.place
	for n := e.node; n != nil; n = n.parent {
		if older := n.name; older != nil && older != e {
			older.at = now
			l.used.MoveAfter(older.place, last)
			last = older.place
		}
	}
}

func (l *Log) put(e *entry) {
	if l.byKey == nil {
		l.byKey = map[Key]*entry{}
	}
	l.byKey[e.key] = e
}

// add takes a name in that can be used.
func (l *Log) add(e *entry) {
	l.put(e)
	now := time.Now()
	if e.begun.IsZero() {
		e.begun = now
	}
	e.size = overhead + len(e.key.Scope) + len(e.key.Name) + len(e.meta) + len(e.asked.Call) + len(e.asked.Model) + len(e.run.Err)
	l.bytes += e.size
	e.place = l.used.PushFront(e)
	l.touch(e, now)
}

// evict forgets what was used longest ago, as long as there is too much, or it was not used for too long.
func (l *Log) evict(now time.Time) {
	for back := l.used.Back(); back != nil; back = l.used.Back() {
		e := back.Value.(*entry)
		if l.used.Len() <= l.limits.Threads && l.bytes <= l.limits.Bytes && now.Sub(e.at) <= l.limits.Keep {
			return
		}
		l.evicted++
		l.remove(e)
	}
}

// remove lets go of a name.
func (l *Log) remove(e *entry) {
	delete(l.byKey, e.key)
	if e.place == nil {
		return // an answer that has not ended
	}
	l.used.Remove(e.place)
	e.place = nil
	l.bytes -= e.size
	if e.node != nil && e.node.name == e {
		e.node.name = nil
	}
	l.release(e.node)
	e.node = nil
}

// release gives up one need of a node, and with the last one the node.
func (l *Log) release(n *node) {
	for n != nil {
		if n.refs--; n.refs > 0 {
			return
		}
		l.bytes -= n.size
		n = n.parent
	}
}
