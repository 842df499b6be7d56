package threads_test

import (
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/proxy/internal/threads"
	"github.com/sabir-proxy/sabir/proxy/internal/threads/threadstest"
)

func TestStore(t *testing.T) {
	threadstest.Run(t, func(*testing.T) threads.Store {
		l := new(threads.Log)
		l.Limit(threads.Limits{Threads: threadstest.Most, Bytes: 1 << 20, Keep: time.Hour})
		return l
	})
}
