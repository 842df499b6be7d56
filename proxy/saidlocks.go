package proxy

import (
	"sync"
	"time"

	"github.com/sabir-proxy/sabir/proxy/internal/threads"
)

// saidLocks let one turn at a time change what is remembered by some words, in this process. Of two replicas that do so in the same instant, one
// may undo what the other has noted: a session is not found then, or by both. The zero value is ready for use.
type saidLocks struct {
	mu   sync.Mutex
	held map[threads.Key]*saidLock
}

// saidLock is held by who has put something into it.
type saidLock struct {
	holder chan struct{}
	turns  int // that hold it, or wait for it
}

// longestSaidWait is how long a turn waits for others that change the same. That takes longer only while a store hardly answers, and then clients
// must not wait for each other in a line.
const longestSaidWait = time.Second

// lock locks what has a key, and returns what unlocks it; nil: others have had it all the time.
func (l *saidLocks) lock(key threads.Key) (unlock func()) {
	one := l.enter(key)
	longest := time.NewTimer(longestSaidWait)
	defer longest.Stop()
	select {
	case one.holder <- struct{}{}:
		return func() {
			<-one.holder
			l.leave(key, one)
		}
	case <-longest.C:
		l.leave(key, one)
		return nil
	}
}

// enter is the lock of a key, which others know as long as somebody wants it.
func (l *saidLocks) enter(key threads.Key) *saidLock {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.held[key]
	if one == nil {
		one = &saidLock{holder: make(chan struct{}, 1)}
		if l.held == nil {
			l.held = map[threads.Key]*saidLock{}
		}
		l.held[key] = one
	}
	one.turns++
	return one
}

func (l *saidLocks) leave(key threads.Key, one *saidLock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one.turns--; one.turns == 0 {
		delete(l.held, key)
	}
}
