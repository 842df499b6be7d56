package threadstore

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sabir-proxy/sabir/proxy/internal/threads"
	"github.com/sabir-proxy/sabir/proxy/internal/threads/threadstest"
)

// late answers a command that has a word in it, once, when its time is over; Redis has done it.
type late struct {
	redis.Hook
	mu   sync.Mutex
	word string
	skip int // so many commands that have it are answered before
}

// hold holds the answer to the next command that has a word in it, but for some of them.
func (l *late) hold(word string, skip int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.word, l.skip = word, skip
}

// ProcessHook implements [redis.Hook].
func (l *late) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if l.holds(cmd) {
			<-ctx.Done()
			err = ctx.Err()
			cmd.SetErr(err)
		}
		return err
	}
}

// ProcessPipelineHook implements [redis.Hook].
func (l *late) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		err := next(ctx, cmds)
		if l.holds(cmds...) {
			<-ctx.Done()
			err = ctx.Err()
			for _, cmd := range cmds {
				cmd.SetErr(err)
			}
		}
		return err
	}
}

func (l *late) holds(cmds ...redis.Cmder) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, cmd := range cmds {
		if l.word == "" || !strings.Contains(cmd.String(), l.word) {
			continue
		}
		if l.skip--; l.skip < 0 {
			l.word = ""
			return true
		}
	}
	return false
}

// TestLateBegin: a turn that does not begin, because Redis was too slow, leaves no lease behind, whichever answer was late: the conversation goes
// on at once, and nothing says that a turn runs.
func TestLateBegin(t *testing.T) {
	t.Parallel()
	for word, skip := range map[string]int{keyHold: 0, keyNext: 1, keyPiece: 0, keyUsed: 0} { // the first to have a key of what goes on reads
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			r, slow := open(t, newServer(t).address, time.Minute), new(late)
			slow.Hook = r
			r.client.AddHook(slow)
			a, x := threadstest.Thread("a"), threadstest.Answer("x")
			threadstest.Say(t, r, threads.Turn{Thread: a, Answer: x, Create: true}, 3, "one")
			for _, turn := range []threads.Turn{{Thread: a, Answer: threadstest.Answer("y")}, {From: x, Alone: true, Answer: threadstest.Answer("z")}} {
				if word == keyNext && turn.From.Name == "" {
					continue // it takes none
				}
				slow.hold(r.cfg.Prefix+word, skip)
				unavailable(t, word, r.Begin(&turn))
				r.awaitNone(keyHold) // else the next answer that is late may be one to what gives these back
				r.awaitNone(keyNext)
			}
			threadstest.Say(t, r, threads.Turn{Thread: a}, 3, "two")
			threadstest.Wants(t, r, a, "one two")
			threadstest.Say(t, r, threads.Turn{From: x, Alone: true}, 3, "too")
		})
	}
}

// TestLateEnd: likewise a turn that cannot be remembered. The conversation is as it was before.
func TestLateEnd(t *testing.T) {
	t.Parallel()
	r, slow := open(t, newServer(t).address, time.Minute), new(late)
	slow.Hook = r
	r.client.AddHook(slow)
	a := threadstest.Thread("a")
	threadstest.Say(t, r, threads.Turn{Thread: a, Create: true}, 3, "one")
	turn := threadstest.Begin(t, r, threads.Turn{Thread: a, Answer: threadstest.Answer("y")})
	slow.hold(r.cfg.Prefix+keyPiece, 0)
	ends(r, turn, "lost")
	r.wants(1, context.DeadlineExceeded)
	r.awaitNone(keyHold)
	threadstest.Say(t, r, threads.Turn{Thread: a}, 3, "two")
	threadstest.Wants(t, r, a, "one two")
	r.unknown(threadstest.Answer("y"))
}

// awaitNone waits until there are no keys of a kind.
func (r *rig) awaitNone(kind string) {
	r.t.Helper()
	for end := time.Now().Add(2 * time.Minute); len(r.keys(kind)) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("the keys %v are left", r.keys(kind))
		}
	}
}
