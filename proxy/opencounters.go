package proxy

import (
	"sync"
	"sync/atomic"
)

// openCounters count open streams by path, across reloads.
type openCounters struct {
	mu sync.Mutex
	by map[string]*atomic.Int64
}

func (o *openCounters) of(path string) *atomic.Int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.by == nil {
		o.by = map[string]*atomic.Int64{}
	}
	if o.by[path] == nil {
		o.by[path] = new(atomic.Int64)
	}
	return o.by[path]
}
