package proxy

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"
)

// storeLog logs what goes wrong with a store. The same happens again and again while that is away or full: a line says how often.
type storeLog struct {
	log  *zap.Logger
	what string        // that fails
	wait time.Duration // how long the store may take

	mu   sync.Mutex
	said map[string]*storeFault // by the first word, which names the fault
}

// storeFault is an error that has been logged.
type storeFault struct {
	at      time.Time
	skipped int // lines since
}

const (
	storeLogPause = time.Minute // how long a fault is not logged again
	storeFaults   = 32          // so many are kept apart
)

func (l *storeLog) note(err error) {
	if t := net.Error(nil); errors.As(err, &t) && t.Timeout() {
		err = fmt.Errorf("timeout: Redis has not answered within %s; where it is only slow, raise store.redis.timeout: %w", l.wait, err)
	}
	word, _, _ := strings.Cut(err.Error(), " ")
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.said == nil || len(l.said) >= storeFaults {
		l.said = map[string]*storeFault{}
	}
	f, now := l.said[word], time.Now()
	if f != nil && now.Sub(f.at) < storeLogPause {
		f.skipped++
		return
	}
	skipped := 0
	if f != nil {
		skipped = f.skipped
	}
	l.said[word] = &storeFault{at: now}
	l.log.Warn(l.what+" has failed", zap.Error(err), zap.Int("skipped", skipped))
}
