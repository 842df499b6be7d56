package threadstore

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sabir-proxy/sabir/proxy/internal/runlog"
	"github.com/sabir-proxy/sabir/proxy/internal/threads"
	"github.com/sabir-proxy/sabir/proxy/internal/threads/threadstest"
)

// twice sends each command twice, as the client of Redis does where the answer to the first was lost.
type twice struct{ redis.Hook }

// ProcessHook implements [redis.Hook].
func (twice) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		_ = next(ctx, cmd)
		return next(ctx, cmd)
	}
}

// ProcessPipelineHook implements [redis.Hook].
func (twice) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		_ = next(ctx, cmds)
		return next(ctx, cmds)
	}
}

// openTwice is open where all answers are lost once.
func openTwice(t *testing.T, address string) *rig {
	t.Helper()
	r := open(t, address, time.Minute)
	r.client.AddHook(twice{r})
	return r
}

// TestTwice: where Redis has done what it was asked for, and its answer was lost, it is asked again; nothing is refused, lost or forgotten
// for that.
func TestTwice(t *testing.T) {
	t.Parallel()
	threadstest.Run(t, func(t *testing.T) threads.Store { return openTwice(t, newServer(t).address) })
}

// TestTwiceAlone: a turn that has to be the only one to go on from an answer has gone on, though it was said twice; another has not.
func TestTwiceAlone(t *testing.T) {
	t.Parallel()
	r := openTwice(t, newServer(t).address)
	threadstest.Say(t, r, threads.Turn{Answer: threadstest.Answer("a")}, 10, "one")
	threadstest.Say(t, r, threads.Turn{From: threadstest.Answer("a"), Answer: threadstest.Answer("b"), Alone: true}, 10, "two")
	threadstest.Wants(t, r, threadstest.Answer("b"), "one two")
	if err := r.Begin(&threads.Turn{From: threadstest.Answer("a"), Alone: true}); !errors.Is(err, threads.ErrWentOn) {
		t.Errorf("another turn goes on: %v", err)
	}
	r.wants(0, nil)
}

// TestTwiceTrimmed: what there is no room for is deleted, and no more.
func TestTwiceTrimmed(t *testing.T) {
	t.Parallel()
	r := openTwice(t, newServer(t).address)
	r.Limit(Limits{Names: 3, Bytes: wide.Bytes, Keep: wide.Keep})
	names := []string{"a", "b", "c", "d"}
	for _, name := range names {
		if err := r.Create(threadstest.Thread(name), threads.Seed{}); err != nil {
			t.Fatal(err)
		}
	}
	for i, name := range names {
		if _, err := r.Look(threadstest.Thread(name)); errors.Is(err, threads.ErrUnknown) != (i == 0) {
			t.Errorf("%s: %v", name, err)
		}
	}
	runs := Runs{r.Store}
	for i, name := range names {
		if err := runs.Put(runlog.Key{Scope: "s", Run: name}, runlog.Run{Thread: "t"}); err != nil {
			t.Errorf("run %d: %v", i, err)
		}
	}
	if all, err := runs.Of("s", "t"); err != nil || len(all) != 3 {
		t.Errorf("%d runs are known, %v", len(all), err)
	}
}
