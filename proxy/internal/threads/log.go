package threads

import (
	"sync"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/recency"
)

// Limits bound a log.
type Limits struct {
	Threads int           // names at most
	Scope   int           // of a scope at most; 0: as many as of all
	Bytes   int           // of all together
	Keep    time.Duration // of a conversation without a turn
}

// Log is a [Store] in memory. The zero value remembers nothing until [Log.Limit].
type Log struct {
	mu      sync.Mutex
	limits  Limits
	byKey   map[Key]*entry
	used    recency.Order[*entry] // without answers that have not ended
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
	place *recency.Place
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
	for scope := range l.used.Scopes() {
		l.evictOf(scope)
	}
}

// Create implements [Names].
func (l *Log) Create(key Key, with Seed) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.find(key) != nil {
		return nil
	}
	e := &entry{key: key, meta: with.Meta}
	if len(with.Messages) > 0 {
		e.node = newNode(nil, with.Messages, 0, with.Size)
		l.bytes += e.node.size
	}
	l.add(e)
	l.evict(time.Now())
	return nil
}

// Find implements [Names].
func (l *Log) Find(key Key) (View, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.find(key).view()
}

// view is what is known under the name of an entry; nil is for none.
func (e *entry) view() (View, error) {
	if e == nil {
		return View{}, ErrUnknown
	}
	v := View{Busy: e.busy, Begun: e.begun, Meta: e.meta, Asked: e.asked, Run: e.run, Session: e.node.line()}
	v.Messages, _ = e.node.conversation()
	v.From = len(v.Messages) - e.said
	v.Run.Messages = v.Messages[v.From:]
	return v, nil
}

// Forget implements [Names].
func (l *Log) Forget(key Key) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.find(key); e != nil {
		l.remove(e)
	}
	return nil
}

// held is what a turn needs of the log until it ends.
type held struct {
	parent *node
	thread *entry
	answer *entry
}

// Begin implements [Turns].
func (l *Log) Begin(t *Turn) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	t.Session = t.Answer.Name
	h := new(held)
	var err error
	switch {
	case t.Thread.Name != "":
		err = l.enter(t, h)
	case t.From.Name != "":
		err = l.goOn(t, h)
	}
	if err != nil {
		return err
	}
	if h.parent != nil {
		h.parent.refs++
		h.parent.going++
		t.Before, t.Size = h.parent.conversation()
	}
	if t.Answer.Name != "" {
		h.answer = &entry{key: t.Answer, busy: true, begun: time.Now(), asked: t.Asked}
		l.put(h.answer)
	}
	t.State = h
	return nil
}

// enter begins the turn of a conversation that has a name.
func (l *Log) enter(t *Turn, h *held) error {
	e := l.find(t.Thread)
	if e == nil && t.Create {
		e = &entry{key: t.Thread}
		l.add(e)
		l.evict(time.Now())
	}
	switch {
	case e == nil || !l.knows(e):
		return ErrUnknown
	case e.busy:
		return ErrBusy
	}
	e.busy = true
	t.Session, h.thread, h.parent = "", e, e.node
	return nil
}

// goOn begins a turn that goes on from an answer.
func (l *Log) goOn(t *Turn, h *held) error {
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
	if line := e.node.line(); line != "" {
		t.Session = line
	}
	t.Was, h.parent = e.asked, e.node
	return nil
}

// End implements [Turns].
func (l *Log) End(t *Turn, said *Said) {
	shared := 0
	if said != nil {
		shared = Common(t.Before, said.Messages)
	}
	h := t.State.(*held)
	l.mu.Lock()
	defer l.mu.Unlock()
	if h.thread != nil {
		h.thread.busy = false
	}
	if h.parent != nil {
		h.parent.going--
		if said != nil {
			h.parent.gone++
		}
	}
	var n *node
	if said != nil {
		n = l.keep(t, h, said, shared)
	} else if l.knows(h.answer) {
		delete(l.byKey, h.answer.key)
	}
	l.release(h.parent)
	if n != nil {
		n.merge(said.Messages)
		l.release(n)
	}
	l.evict(time.Now())
}

// keep remembers what was said in a turn, under the names that are still known. The first shared messages were there before.
func (l *Log) keep(t *Turn, h *held, said *Said, shared int) *node {
	n := newNode(h.parent, said.Messages, shared, said.Size)
	n.session = t.Session
	l.bytes += n.size
	if l.knows(h.answer) {
		e := h.answer
		e.busy, e.node, e.asked, e.run, e.said = false, n, t.Asked, said.Run, len(said.Messages)-said.From
		n.refs++
		n.name = e
		l.add(e)
	}
	if l.knows(h.thread) {
		before := h.thread.node
		h.thread.node = n
		n.refs++
		l.release(before)
		l.touch(h.thread, time.Now())
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
	l.used.Use(e.place)
	last := e.place
	for n := e.node; n != nil; n = n.parent {
		if older := n.name; older != nil && older != e {
			older.at = now
			l.used.UseAfter(older.place, last)
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
	e.place = l.used.Add(e.key.Scope, e)
	l.touch(e, now)
	l.evictOf(e.key.Scope)
}

// evict forgets what was used longest ago, as long as there is too much, or it was not used for too long.
func (l *Log) evict(now time.Time) {
	for e, left := l.used.Oldest(); left; e, left = l.used.Oldest() {
		if l.used.Len() <= l.limits.Threads && l.bytes <= l.limits.Bytes && now.Sub(e.at) <= l.limits.Keep {
			return
		}
		l.evicted++
		l.remove(e)
	}
}

// evictOf does the same where one scope has too many.
func (l *Log) evictOf(scope string) {
	for e, more := l.used.OldestBeyond(scope, l.limits.Scope); more; e, more = l.used.OldestBeyond(scope, l.limits.Scope) {
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
