// Package threads remembers conversations for clients that say only what is new, in front of agents that want to be told everything.
// It is held in memory, within bounds; what was used longest ago goes first.
package threads

import (
	"container/list"
	"errors"
	"sync"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// A Key names a conversation. Scope separates routes and clients: the threads of another are not found.
type Key struct{ Scope, Thread string }

// Limits bound a log.
type Limits struct {
	Threads int           // at most
	Bytes   int           // of all together
	Keep    time.Duration // of a thread without a turn
}

// Log is what was said in conversations. The zero value remembers nothing until [Log.Limit].
type Log struct {
	mu      sync.Mutex
	limits  Limits
	byKey   map[Key]*list.Element // of *thread
	used    list.List             // the one used last in front
	bytes   int
	evicted int64
}

// thread is a conversation. Its messages are never changed, only replaced.
type thread struct {
	key      Key
	messages []hub.Message
	size     int
	busy     bool
	at       time.Time // when it was used last
}

// Errors of [Log.Begin].
var (
	ErrUnknown = errors.New("the conversation is not known, or not any more")
	ErrBusy    = errors.New("the conversation has a turn that runs")
)

// Limit sets the limits; a reload may change them.
func (l *Log) Limit(limits Limits) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.limits = limits
	l.evict(time.Now())
}

// Create makes a conversation in which nothing was said yet, unless there is one of that name.
func (l *Log) Create(key Key) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.find(key) == nil {
		l.add(&thread{key: key})
	}
}

// Messages are those of a conversation, without the turn that may run; ok is false if it is not known.
func (l *Log) Messages(key Key) (ms []hub.Message, busy, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t := l.find(key); t != nil {
		return t.messages, t.busy, true
	}
	return nil, false, false
}

// Begin returns what was said in a conversation, about how many bytes that holds, and gives it to a turn that ends with [Log.End].
func (l *Log) Begin(key Key) (ms []hub.Message, size int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.find(key)
	switch {
	case t == nil:
		return nil, 0, ErrUnknown
	case t.busy:
		return nil, 0, ErrBusy
	}
	t.busy = true
	return t.messages, t.size, nil
}

// End ends a turn. ms is the conversation with what was said in it, about size bytes; nil leaves it as it was before.
func (l *Log) End(key Key, ms []hub.Message, size int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.find(key)
	if t == nil {
		return // forgotten in the meantime
	}
	if t.busy = false; ms != nil {
		l.bytes += size - t.size
		t.messages, t.size = ms, size
	}
	l.evict(time.Now())
}

// Forget lets go of a conversation, and reports whether there was one.
func (l *Log) Forget(key Key) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.find(key)
	if t != nil {
		l.remove(l.byKey[key])
	}
	return t != nil
}

// Counts are how many conversations are known, about how many bytes they hold, and how many were forgotten for want of room or
// because they were not used.
func (l *Log) Counts() (threads, bytes int, evicted int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.evict(time.Now())
	return l.used.Len(), l.bytes, l.evicted
}

// find returns a conversation as the one used last.
func (l *Log) find(key Key) *thread {
	now := time.Now()
	l.evict(now)
	e := l.byKey[key]
	if e == nil {
		return nil
	}
	l.used.MoveToFront(e)
	t := e.Value.(*thread)
	t.at = now
	return t
}

func (l *Log) add(t *thread) {
	if l.byKey == nil {
		l.byKey = map[Key]*list.Element{}
	}
	t.at, t.size = time.Now(), len(t.key.Scope)+len(t.key.Thread)
	l.bytes += t.size
	l.byKey[t.key] = l.used.PushFront(t)
	l.evict(t.at)
}

// evict forgets what was used longest ago, as long as there is too much, or it was not used for too long.
func (l *Log) evict(now time.Time) {
	for e := l.used.Back(); e != nil; e = l.used.Back() {
		t := e.Value.(*thread)
		if l.used.Len() <= l.limits.Threads && l.bytes <= l.limits.Bytes && now.Sub(t.at) <= l.limits.Keep {
			return
		}
		l.evicted++
		l.remove(e)
	}
}

func (l *Log) remove(e *list.Element) {
	t := e.Value.(*thread)
	l.used.Remove(e)
	delete(l.byKey, t.key)
	l.bytes -= t.size
}
