package eventlog

import (
	"container/list"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A Key is a name by which clients know a run. Scope separates routes and clients: the runs of another are not found.
type Key struct{ Scope, Kind, Name string }

// Run is a run that clients can come to.
type Run[T any] struct {
	*Log
	About T
	keys  []Key
	past  *list.Element // among the runs that have ended
	timer *time.Timer   // until it is forgotten
	gone  bool          // it has no names any more, and is forgotten when it ends
}

// Runs are those that clients can come to, within a bound of memory. When it is reached, those that have ended are forgotten, the one
// that ended first before the others.
type Runs[T any] struct {
	memory   memory
	settings settings

	mu    sync.Mutex
	byKey map[Key][]*Run[T] // the newest last
	past  list.List         // of *Run[T] that have ended, the oldest in front
	live  int

	awaited map[Key]*awaited
}

// settings are those of all logs.
type settings struct {
	shorten         func(lines []byte) []byte // nil: there are no snapshots
	shortened, cuts atomic.Int64
}

// Shorten makes logs keep a snapshot of their beginning where they are full: shorten makes one of whole lines, which may begin with one.
// It is called before the first run begins.
func (r *Runs[T]) Shorten(shorten func(lines []byte) []byte) { r.settings.shorten = shorten }

// memory is what logs hold together.
type memory struct {
	held, limit atomic.Int64
}

// has reports whether there is room for so many bytes. evict makes some; it is false if it cannot.
func (m *memory) has(n int, evict func() bool) bool {
	for m.held.Load()+int64(n) > m.limit.Load() {
		if !evict() {
			return false
		}
	}
	return true
}

func (m *memory) add(n int) { m.held.Add(int64(n)) }

// Limit sets how many bytes all logs may hold; a reload may change it.
func (r *Runs[T]) Limit(bytes int64) {
	r.memory.limit.Store(bytes)
	r.memory.has(0, r.forgetOldest)
}

// Begin adds a run under its names. Its log holds so many bytes at most; of an opaque one no snapshots are made.
func (r *Runs[T]) Begin(about T, limit int, opaque bool, keys ...Key) *Run[T] {
	log := &Log{memory: &r.memory, evict: r.forgetOldest, limit: limit, runs: &r.settings, opaque: opaque, readers: map[*Reader]struct{}{}}
	run := &Run[T]{Log: log, About: about}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byKey == nil {
		r.byKey = map[Key][]*Run[T]{}
	}
	for _, key := range keys {
		if key.Name != "" {
			run.keys = append(run.keys, key)
			r.byKey[key] = append(r.byKey[key], run)
			r.tell(key)
		}
	}
	r.live++
	return run
}

// End ends the log of a run, and forgets the run after a while.
func (r *Runs[T]) End(run *Run[T], err error, keep time.Duration) {
	run.Log.End(err)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.live--
	if run.gone {
		keep = 0
	}
	run.past = r.past.PushBack(run)
	run.timer = time.AfterFunc(keep, func() { r.forget(run) })
}

// Find returns the newest run of a name, nil if there is none.
func (r *Runs[T]) Find(key Key) *Run[T] {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.byKey[key]
	if len(list) == 0 {
		return nil
	}
	return list[len(list)-1]
}

// forgetOldest lets go of the run that ended first; false if there is none.
func (r *Runs[T]) forgetOldest() bool {
	r.mu.Lock()
	at := r.past.Front()
	r.mu.Unlock()
	if at == nil {
		return false
	}
	r.forget(at.Value.(*Run[T]))
	return true
}

// forget lets go of a run that has ended.
func (r *Runs[T]) forget(run *Run[T]) {
	r.mu.Lock()
	known := run.past != nil
	if known {
		run.timer.Stop()
		r.past.Remove(run.past)
		run.past = nil
		r.unname(run)
	}
	r.mu.Unlock()
	if known {
		run.Log.forget()
	}
}

// Forget lets go of the runs of a name, of those that go on when they end. None of them is found by any name any more.
func (r *Runs[T]) Forget(key Key) {
	r.mu.Lock()
	all := slices.Clone(r.byKey[key])
	for _, run := range all {
		run.gone = true
		r.unname(run)
	}
	r.mu.Unlock()
	for _, run := range all {
		r.forget(run)
	}
}

func (r *Runs[T]) unname(run *Run[T]) {
	for _, key := range run.keys {
		list := slices.DeleteFunc(r.byKey[key], func(o *Run[T]) bool { return o == run })
		if r.byKey[key] = list; len(list) == 0 {
			delete(r.byKey, key)
		}
	}
}

// Count is how many runs go on and have ended, and how many bytes their logs hold.
func (r *Runs[T]) Count() (live, past int, bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.live, r.past.Len(), r.memory.held.Load()
}

// Full is how often a log that was full was shortened, and how many logs have lost their beginning.
func (r *Runs[T]) Full() (shortened, cut int64) {
	return r.settings.shortened.Load(), r.settings.cuts.Load()
}

// After returns the run of a name that follows another, or the newest if that is not known; nil if there is none.
func (r *Runs[T]) After(key Key, before *Run[T]) *Run[T] {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.byKey[key]
	for i, run := range list {
		if run == before {
			if list = list[i+1:]; len(list) > 0 {
				return list[0]
			}
			return nil
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[len(list)-1]
}

// awaited is who waits for a run of a name.
type awaited struct {
	begun chan struct{}
	n     int // who waits
}

// Await returns what is closed when a run of a name begins. Who does not wait any more says so by forget.
func (r *Runs[T]) Await(key Key) (begun <-chan struct{}, forget func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.awaited[key]
	if a == nil {
		if r.awaited == nil {
			r.awaited = map[Key]*awaited{}
		}
		a = &awaited{begun: make(chan struct{})}
		r.awaited[key] = a
	}
	a.n++
	return a.begun, func() { r.forgetAwaited(key, a) }
}

func (r *Runs[T]) forgetAwaited(key Key, a *awaited) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a.n--; a.n == 0 && r.awaited[key] == a {
		delete(r.awaited, key)
	}
}

// tell tells who waits for a run of a name. The caller holds r.mu.
func (r *Runs[T]) tell(key Key) {
	if a := r.awaited[key]; a != nil {
		delete(r.awaited, key)
		close(a.begun)
	}
}
