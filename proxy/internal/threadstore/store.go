// Package threadstore remembers conversations and runs in Redis, so that a client that says only what is new can go on at any replica.
//
//   - store.go: limits, keys, and what happens when Redis is away.
//   - hold.go: leases on conversations, answers and runs that go on. They expire with the replica that has them.
//   - record.go, pieces.go: what is stored of a conversation. What turns have in common is stored once.
//   - names.go, turns.go: the [threads.Store].
//   - runs.go: the [runlog.Store].
//
// The client of Redis asks again where an answer was lost, so each question gives the same answer when it is asked twice in a row.
//
// Everything expires when it has not been used for [Limits.Keep], and each use renews it.
package threadstore

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/threads"
)

// Limits bound what is remembered, by all replicas together.
type Limits struct {
	Names int           // conversations and answers at most; 0: nothing is remembered. Likewise runs.
	Scope int           // those of a scope at most; 0: as many as of all
	Bytes int           // of one conversation or run
	Keep  time.Duration // of what is not used
}

// Config says where the store is.
type Config struct {
	Client  redis.UniversalClient // the store does not close it
	Prefix  string                // of all keys
	Lease   time.Duration         // how long a turn goes on whose replica does not renew it
	Timeout time.Duration         // how long one operation waits for Redis
	OnError func(error)           // Redis cannot be reached, or answers with an error
	OnLost  func()                // what a turn said is not remembered
}

// Store is the part of one replica in the store.
type Store struct {
	cfg     Config
	limits  atomic.Pointer[Limits]
	spread  bool   // over the servers of a cluster
	name    string // no other replica has it
	counter atomic.Int64
	evicted atomic.Int64
	holds   holds
	stop    context.CancelFunc
	stopped sync.WaitGroup
}

// Open makes a store, which remembers nothing until [Store.Limit].
func Open(cfg Config) *Store {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	ctx, stop := context.WithCancel(context.Background())
	_, spread := cfg.Client.(*redis.ClusterClient)
	s := &Store{cfg: cfg, name: hex.EncodeToString(random[:]), spread: spread, stop: stop}
	s.Limit(Limits{})
	s.stopped.Go(func() { s.renew(ctx) })
	return s
}

// Close ends the renewal of leases.
func (s *Store) Close() {
	s.stop()
	s.stopped.Wait()
}

// Limit sets the limits; a reload may change them.
func (s *Store) Limit(l Limits) {
	l.Keep = max(l.Keep, time.Millisecond) // Redis knows nothing shorter
	s.limits.Store(&l)
}

// Evicted is how many conversations and answers this replica has deleted because there were too many.
func (s *Store) Evicted() int64 { return s.evicted.Load() }

// begin bounds how long one operation waits for Redis.
func (s *Store) begin() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), s.cfg.Timeout)
}

// fail reports an error of Redis, and returns what the client gets.
func (s *Store) fail(err error) error {
	if err == nil || errors.Is(err, redis.Nil) {
		return nil
	}
	s.cfg.OnError(err)
	return hub.Fail(hub.CodeStore, err)
}

// Kinds of keys.
const (
	keyThread = "thread:" // what is known of a conversation or answer: a hash
	keyHold   = "hold:"   // a lease on a conversation, an answer or a run
	keyNext   = "next:"   // the turn that goes on, or has gone on, from an answer
	keyPiece  = "said:"   // messages
	keyNames  = "names:"  // the conversations of a scope: a sorted set, by the time of the last use
	keyPast   = "past:"   // a run
	keyRuns   = "runs:"   // the runs of a conversation: a sorted set, by their beginning
	keyUsed   = "used:"   // all conversations, or all runs: a sorted set, by the time of the last use
)

// key is that of something with a name. A cluster holds what has the same name, the part in braces, at one server: only such keys can be
// changed together.
func (s *Store) key(kind, name string) string {
	if s.spread {
		name = "{" + name + "}"
	}
	return s.cfg.Prefix + kind + name
}

// nameOf is what stands for a name in keys. What it is made of cannot be read from it.
func nameOf(scope, kind, name string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", scope, kind, name))
	return hex.EncodeToString(sum[:16])
}

func nameOfKey(k threads.Key) string { return nameOf(k.Scope, kindNames[k.Kind], k.Name) }

var kindNames = map[threads.Kind]string{threads.Thread: "thread", threads.Answer: "answer", threads.Branch: "branch", threads.Unnamed: "unnamed"}

// unique is a name that nothing else has.
func (s *Store) unique() string { return s.name + "-" + strconv.FormatInt(s.counter.Add(1), 36) }

// usedThreads and usedRuns are the names of the sets of everything.
const usedThreads, usedRuns = "threads", "runs"

// used notes in pipe that something of a scope was used now. What a scope has is only known apart where that is bounded.
func (s *Store) used(ctx context.Context, pipe redis.Pipeliner, what, scope, key string) {
	l := s.limits.Load()
	sets := []string{s.usedKey(what)}
	if l.Scope > 0 {
		sets = append(sets, s.usedKey(what, scope))
	}
	for _, set := range sets {
		pipe.ZAdd(ctx, set, redis.Z{Score: now(), Member: key})
		pipe.PExpire(ctx, set, l.Keep)
	}
}

// notUsed notes in pipe that something is gone.
func (s *Store) notUsed(ctx context.Context, pipe redis.Pipeliner, what, scope, key string) {
	pipe.ZRem(ctx, s.usedKey(what), key)
	pipe.ZRem(ctx, s.usedKey(what, scope), key)
}

// usedKey is the key of the set of everything, or of what a scope has.
func (s *Store) usedKey(what string, scope ...string) string {
	if len(scope) > 0 {
		what += ":" + nameOf(scope[0], "scope", "")
	}
	return s.key(keyUsed, what)
}

// now is the place of something used now in a sorted set. Two uses within a millisecond have an order.
func now() float64 { return float64(time.Now().UnixMicro()) }

// since is the place of something used so long ago.
func since(ago time.Duration) string { return strconv.FormatInt(time.Now().Add(-ago).UnixMicro(), 10) }

// trim deletes what was used longest ago, if there is too much, of a scope or of all.
func (s *Store) trim(ctx context.Context, what, scope string) error {
	l := s.limits.Load()
	var err error
	if l.Scope > 0 {
		err = s.trimSet(ctx, what, s.usedKey(what, scope), l.Scope)
	}
	return errors.Join(err, s.trimSet(ctx, what, s.usedKey(what), l.Names))
}

// trimSet deletes what is in a set beyond most. What has expired by itself does not count.
func (s *Store) trimSet(ctx context.Context, what, set string, most int) error {
	pipe := s.cfg.Client.Pipeline()
	pipe.ZRemRangeByScore(ctx, set, "-inf", since(s.limits.Load().Keep))
	count := pipe.ZCard(ctx, set)
	if _, err := pipe.Exec(ctx); err != nil {
		return err
	}
	more := count.Val() - int64(most)
	if more <= 0 {
		return nil
	}
	old, err := s.cfg.Client.ZRange(ctx, set, 0, more-1).Result()
	if err != nil || len(old) == 0 {
		return err
	}
	pipe = s.cfg.Client.Pipeline()
	deleted := make([]*redis.IntCmd, len(old))
	for i, key := range old {
		deleted[i] = pipe.Del(ctx, key)
		for _, of := range slices.Compact([]string{set, s.usedKey(what)}) {
			pipe.ZRem(ctx, of, key)
		}
	}
	_, err = pipe.Exec(ctx)
	for _, cmd := range deleted {
		if what == usedThreads {
			s.evicted.Add(cmd.Val())
		}
	}
	return err
}
