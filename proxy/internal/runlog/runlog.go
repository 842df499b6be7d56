// Package runlog remembers runs for clients that ask about them by their names, such as the tasks of A2A: [Log] in memory, within
// bounds; what was used longest ago goes first.
package runlog

import (
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/recency"
)

// A Key names a run. Scope separates routes and clients: the runs of another are not found.
type Key struct{ Scope, Run string }

// Limits bound a log.
type Limits struct {
	Runs  int           // at most
	Scope int           // of a scope at most; 0: as many as of all
	Bytes int           // of all together
	Keep  time.Duration // of a run that nothing is asked of
}

// Run is one that is remembered. Its messages are never changed, only replaced.
type Run struct {
	Thread string
	Size   int // about how many bytes its messages hold
	// Given are the answers to questions of the run, which waits for others as well. These are in Asks, those that were answered are not.
	Given []hub.Decision
	hub.PastRun
}

// Store is what remembers runs.
type Store interface {
	Reader
	Writer
	Deleter
}

// Reader finds runs.
type Reader interface {
	// Find returns a run, or [ErrUnknown].
	Find(Key) (Run, error)

	// Of returns the runs of a conversation, the newest first.
	Of(scope, thread string) ([]Run, error)
}

// Writer changes what is remembered.
type Writer interface {
	// Put remembers a run, in place of what was known of it.
	Put(Key, Run) error

	// Replace is Put for a run that is known. One that is not, as it was deleted or forgotten, stays unknown: it returns [ErrUnknown].
	Replace(Key, Run) error
}

// Deleter deletes runs.
type Deleter interface {
	// Drop deletes a run.
	Drop(Key) error

	// Forget deletes the runs of a conversation.
	Forget(scope, thread string) error

	// Trim deletes the oldest runs of a conversation that has more than most, and returns how many.
	Trim(scope, thread string, most int) (deleted int, err error)
}

// ErrUnknown says that there is no run of a name, or that it was forgotten.
var ErrUnknown = errors.New("the run is not known, or not any more")

// Log is what came of runs. The zero value remembers nothing until [Log.Limit].
type Log struct {
	mu       sync.Mutex
	limits   Limits
	byKey    map[Key]*entry
	byThread map[thread][]*entry // the oldest first
	used     recency.Order[*entry]
	bytes    int
}

type thread struct{ scope, name string }

type entry struct {
	key   Key
	named string // its conversation
	whole *Run   // nil where short is all there is
	short *brief
	size  int
	at    time.Time // when it was used last
	place *recency.Place
}

func (e *entry) thread() thread { return thread{e.key.Scope, e.named} }

// keep replaces what is known of the run.
func (e *entry) keep(run *Run) {
	for _, text := range []*[]byte{&run.Model, &run.Reason, &run.Err, &run.ErrCode} {
		if len(*text) == 0 {
			*text = nil
		}
	}
	if e.whole, e.short = nil, briefOf(run); e.short == nil {
		e.whole = run
	}
}

// run is what is known of it.
func (e *entry) run() Run {
	if e.short != nil {
		return e.short.run(e.named)
	}
	return *e.whole
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

// Find implements [Reader].
func (l *Log) Find(key Key) (Run, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.find(key); e != nil {
		return e.run(), nil
	}
	return Run{}, ErrUnknown
}

// Of implements [Reader].
func (l *Log) Of(scope, name string) (runs []Run, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.byThread[thread{scope, name}] {
		runs = append(runs, e.run())
	}
	slices.Reverse(runs)
	return runs, nil
}

// Put implements [Writer].
func (l *Log) Put(key Key, run Run) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.find(key)
	if e == nil {
		e = l.add(&entry{key: key, named: run.Thread})
		l.evictOf(key.Scope)
	}
	l.set(e, &run)
	return nil
}

// Replace implements [Writer].
func (l *Log) Replace(key Key, run Run) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.find(key)
	if e == nil {
		return ErrUnknown
	}
	l.set(e, &run)
	return nil
}

// set replaces what is known of a run.
func (l *Log) set(e *entry, run *Run) {
	size := run.Size + len(e.key.Scope) + len(e.key.Run) + len(run.Thread)
	l.bytes += size - e.size
	e.keep(run)
	e.size = size
	l.evict(e.at)
}

// Drop implements [Deleter].
func (l *Log) Drop(key Key) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.find(key); e != nil {
		l.remove(e)
	}
	return nil
}

// Forget implements [Deleter].
func (l *Log) Forget(scope, name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range slices.Clone(l.byThread[thread{scope, name}]) {
		l.remove(e)
	}
	return nil
}

// Trim implements [Deleter].
func (l *Log) Trim(scope, name string, most int) (deleted int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.byThread[thread{scope, name}]
	over := slices.Clone(all[:max(0, len(all)-most)])
	for _, e := range over {
		l.remove(e)
	}
	return len(over), nil
}

// find returns a run as the one used last.
func (l *Log) find(key Key) *entry {
	now := time.Now()
	l.evict(now)
	e := l.byKey[key]
	if e != nil {
		l.used.Use(e.place)
		e.at = now
	}
	return e
}

func (l *Log) add(e *entry) *entry {
	if l.byKey == nil {
		l.byKey, l.byThread = map[Key]*entry{}, map[thread][]*entry{}
	}
	if others := l.byThread[e.thread()]; len(others) > 0 { // they share their names
		e.key.Scope, e.named = others[0].key.Scope, others[0].named
	}
	e.at = time.Now()
	l.byKey[e.key], e.place = e, l.used.Add(e.key.Scope, e)
	l.byThread[e.thread()] = append(l.byThread[e.thread()], e)
	return e
}

// evict forgets what was used longest ago, as long as there is too much, or it was not used for too long.
func (l *Log) evict(now time.Time) {
	for e, left := l.used.Oldest(); left; e, left = l.used.Oldest() {
		if l.used.Len() <= l.limits.Runs && l.bytes <= l.limits.Bytes && now.Sub(e.at) <= l.limits.Keep {
			return
		}
		l.remove(e)
	}
}

// evictOf does the same where one scope has too many.
func (l *Log) evictOf(scope string) {
	for e, more := l.used.OldestBeyond(scope, l.limits.Scope); more; e, more = l.used.OldestBeyond(scope, l.limits.Scope) {
		l.remove(e)
	}
}

func (l *Log) remove(e *entry) {
	l.used.Remove(e.place)
	delete(l.byKey, e.key)
	l.bytes -= e.size
	of := e.thread()
	rest := slices.DeleteFunc(l.byThread[of], func(o *entry) bool { return o == e })
	if l.byThread[of] = rest; len(rest) == 0 {
		delete(l.byThread, of)
	}
}
