package threads

import (
	"slices"
	"time"
)

// SetMeta implements [Notes].
func (l *Log) SetMeta(key Key, meta []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.find(key); e != nil {
		l.bytes += len(meta) - len(e.meta)
		e.size += len(meta) - len(e.meta)
		e.meta = slices.Clone(meta)
		l.evict(e.at)
	}
	return nil
}

// Of implements [Notes].
func (l *Log) Of(scope string) (names []string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for e := range l.used.Of(scope) {
		if e.key.Kind == Thread {
			names = append(names, e.key.Name)
		}
	}
	return names, nil
}

// Look implements [Notes].
func (l *Log) Look(key Key) (View, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.evict(time.Now())
	return l.byKey[key].view()
}
