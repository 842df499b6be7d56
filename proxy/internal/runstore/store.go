// Package runstore shares runs between replicas through Redis: what each run has said, under which names clients know it, and which
// replica owns it. store.go finds runs and says that a replica is there, keys.go says where things are, run.go takes what
// runs say, writer.go and commands.go send it, cancel.go cancels runs that are not stored, follower.go reads what runs of other replicas say.
//
// A run is a Redis stream whose entries have explicit ids, epoch-number. Redis refuses an id that is not greater than the last one: so
// the id keeps out an owner that was taken for dead, whose run another replica has ended in epoch 2.
package runstore

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// Config says where the store is.
type Config struct {
	Client redis.UniversalClient
	Prefix string        // of all keys
	Lease  time.Duration // how long a replica counts as alive that says nothing

	Timeout time.Duration // how long one operation waits for Redis

	Flush    time.Duration          // how long what runs say may wait to be sent together
	Backlog  int                    // bytes that wait for Redis; beyond, the runs that they belong to are lost to other replicas
	OnStop   func(token string)     // another replica wants a run of this one to end
	OnWatch  func(token string)     // another replica has clients that read it
	OnCancel func(what []byte) bool // a replica cancels runs; false: there are none here
	OnError  func(err error)        // Redis cannot be reached, or answers with an error
	Count    func(event string)     // something happened that operators want to know of: one of [Events]
}

// Events are what is counted.
const (
	EventError  = "error"  // Redis could not be reached, or answered with an error
	EventLost   = "lost"   // a run that other replicas cannot read any more, because the store was away for too long
	EventFenced = "fenced" // a run of this replica that another one has ended
	EventOrphan = "orphan" // a run that this replica has ended, because its owner is gone
)

// Store is the part of one replica in the store.
type Store struct {
	cfg    Config
	name   string
	spread bool         // over the servers of a cluster
	full   atomic.Bool  // the store takes nothing more
	ahead  atomic.Int64 // of this replica's clock is that of Redis, by so many microseconds
	writer writer
	reader follower
	stop   context.CancelFunc
}

// Head is what is known of a run beside what it says.
type Head struct {
	Format int           `json:"format"` // one of [FormatEvents], [FormatRecords]
	Owner  string        `json:"owner"`  // its name among the replicas
	Scope  []byte        `json:"scope"`  // of the clients that may come to it
	About  []byte        `json:"about"`  // the owner's matter
	Keep   time.Duration `json:"keep"`   // after its end
}

// Formats of what runs say. A replica does not read those that it does not know.
const (
	FormatEvents  = 1 // the owner's events
	FormatRecords = 2 // records of a dialect, as they came
)

// unended is how long what belongs to a run that goes on is kept without being renewed.
const unended = 30 * time.Minute

// ErrFormat says that a run was written by another version of Sabir.
var ErrFormat = errors.New("the run was begun by another version of Sabir")

// Open makes the replica known, under a name that no other has.
func Open(cfg Config) *Store {
	ctx, stop := context.WithCancel(context.Background())
	_, spread := cfg.Client.(*redis.ClusterClient)
	s := &Store{cfg: cfg, name: newID(), spread: spread, stop: stop}
	s.writer.init(s)
	s.reader.init(ctx, s)
	go s.stayAlive(ctx)
	go s.writer.work(ctx)
	s.listen(ctx)
	return s
}

// newID is a name that nothing else has.
func newID() string {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	return hex.EncodeToString(random[:])
}

// Close sends what waits, and takes the replica out.
func (s *Store) Close() {
	left := s.writer.flush(s.cfg.Timeout)
	s.stop()
	if left > 0 { // it expires as well
		s.loseUnsent(left)
		_ = s.cfg.Client.Close()
		return
	}
	ctx, done := context.WithTimeout(context.Background(), s.cfg.Timeout)
	defer done()
	pipe := s.cfg.Client.Pipeline()
	pipe.Del(ctx, s.key("replica", s.name))
	for _, inbox := range s.reader.inboxes() {
		pipe.Del(ctx, inbox)
	}
	_, _ = pipe.Exec(ctx) // they expire where this fails
	_ = s.cfg.Client.Close()
}

// loseUnsent notes that runs have said what Redis will never have.
func (s *Store) loseUnsent(runs int) {
	for range runs {
		s.cfg.Count(EventLost)
	}
	s.cfg.OnError(fmt.Errorf("unsent: %d runs have said what Redis has not taken within store.redis.timeout, %s, of the end of this replica; others do not have it",
		runs, s.cfg.Timeout))
}

// NameOf is the key of a name of a run. What it is made of cannot be read from it.
func NameOf(scope, kind, name string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", scope, kind, name))
	return hex.EncodeToString(sum[:16])
}

// stayAlive says that the replica is there, and looks whether the others are.
func (s *Store) stayAlive(ctx context.Context) {
	tick := time.NewTicker(s.cfg.Lease / 3)
	defer tick.Stop()
	for renewed := time.Now(); ; {
		s.lookAround(ctx)
		if time.Since(renewed) > unended/3 {
			s.writer.renew()
			renewed = time.Now()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// lookAround does so once.
func (s *Store) lookAround(ctx context.Context) {
	err := s.sayAlive(ctx)
	s.report(err)
	s.reader.look(err == nil)
	if err == nil {
		s.learnTime(ctx)
	}
	s.reader.endOrphans(ctx)
}

// sayAlive says that the replica is there. A server that takes nothing more still renews what it has.
func (s *Store) sayAlive(ctx context.Context) error {
	key := s.key("replica", s.name)
	err := s.cfg.Client.Set(ctx, key, 1, s.cfg.Lease).Err()
	s.full.Store(isFull(err))
	if !isFull(err) {
		return err
	}
	s.report(err)
	renewed, err := s.cfg.Client.PExpire(ctx, key, s.cfg.Lease).Result()
	if err == nil && !renewed {
		err = errStoreFull
	}
	return err
}

// isFull reports whether Redis has answered that it has no memory left.
func isFull(err error) bool { return err != nil && strings.HasPrefix(err.Error(), "OOM ") }

// errStoreFull says that what is not in the store may be missing because that had no room for it.
var errStoreFull = errors.New("the store is full, so that runs may be missing")

// missing is what it means that the store does not know a run.
func (s *Store) missing() error {
	if s.full.Load() {
		return errStoreFull
	}
	return nil
}

func (s *Store) report(err error) {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, redis.Nil) {
		return
	}
	s.cfg.Count(EventError)
	s.cfg.OnError(err)
	if cluster, is := s.cfg.Client.(*redis.ClusterClient); is {
		cluster.ReloadState(context.Background()) // soon, and once: another server may have taken the place of one that is gone
	}
}

// Head returns what is known of a run, nil if nothing is.
func (s *Store) Head(token string) (*Head, error) {
	ctx, done := context.WithTimeout(context.Background(), s.cfg.Timeout)
	defer done()
	data, err := s.cfg.Client.Get(ctx, s.key("head", token)).Bytes()
	if errors.Is(err, redis.Nil) {
		return nil, s.missing()
	}
	s.report(err)
	h := new(Head)
	if err == nil {
		err = json.Unmarshal(data, h)
	}
	if err == nil && h.Format != FormatEvents && h.Format != FormatRecords {
		err = ErrFormat
	}
	return h, err
}

// Stop tells the owner of a run to end it.
func (s *Store) Stop(owner, token string) error { return s.tell(owner, "stop", token) }

// Watch tells the owner of a run that clients read it here.
func (s *Store) Watch(owner, token string) error { return s.tell(owner, "watch", token) }

// inboxSize is about how many messages to a replica are kept that it has not read.
const inboxSize = 10_000

func (s *Store) tell(owner, what, token string) error {
	ctx, done := context.WithTimeout(context.Background(), s.cfg.Timeout)
	defer done()
	return s.put(ctx, s.inbox(s.group(owner), owner), what, token)
}

// put puts a message into an inbox.
func (s *Store) put(ctx context.Context, inbox, what, token string) error {
	pipe := s.cfg.Client.Pipeline()
	pipe.XAdd(ctx, &redis.XAddArgs{Stream: inbox, MaxLen: inboxSize, Approx: true, Values: []any{what, token}})
	pipe.Expire(ctx, inbox, unended)
	_, err := pipe.Exec(ctx)
	s.report(err)
	return err
}
