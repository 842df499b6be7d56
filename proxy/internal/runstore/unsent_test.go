package runstore

import (
	"testing"

	"github.com/alicebob/miniredis/v2"
)

// TestUnsent: what Redis has not taken when a replica ends counts as lost, each run once.
func TestUnsent(t *testing.T) {
	t.Parallel()
	server := miniredis.RunT(t)
	r := open(t, server.Addr(), 1<<20)
	sent, waits, flies := r.create(t, "sent", nil), r.create(t, "waits", nil), r.create(t, "flies", nil)
	for _, run := range []*Run{sent, waits, flies} {
		run.Append([]byte("a"))
	}
	flushed(t, r)
	server.SetError("LOADING not yet")
	flies.Append([]byte("b"))
	await(t, "it to be on its way", func() bool {
		r.writer.mu.Lock()
		defer r.writer.mu.Unlock()
		return r.writer.unsent > 0
	})
	for _, run := range []*Run{waits, flies} {
		run.Append([]byte("c"))
	}
	r.Close()
	if n := r.count(EventLost); n != 2 {
		t.Errorf("%d runs count as lost", n)
	}
}

// TestStored: who waits for Redis to have what a run has said is called then, and not before.
func TestStored(t *testing.T) {
	t.Parallel()
	server := miniredis.RunT(t)
	r := open(t, server.Addr(), 1000)
	run, lost := r.create(t, "run", nil), r.create(t, "lost", nil)
	called := make(chan string, 9)
	then := func(what string) func() { return func() { called <- what } }
	run.Append([]byte("a"))
	flushed(t, r)
	run.Stored(then("at once"))
	if what := <-called; what != "at once" {
		t.Error(what)
	}
	server.SetError("LOADING not yet")
	run.Append([]byte("b"))
	lost.Append([]byte("b"))
	lost.Stored(then("of a run that is lost"))
	await(t, "the backlog to be full", func() bool { lost.Append(make([]byte, 900)); return r.count(EventLost) > 0 })
	run.Stored(then("behind that"))
	server.SetError("")
	flushed(t, r)
	if what := <-called; what != "behind that" {
		t.Error(what)
	}
	if len(called) > 0 {
		t.Errorf("%s is called", <-called)
	}
}
