package threadstore

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// holds are the leases of this replica, by their keys. The values say who has a lease.
type holds struct {
	mu sync.Mutex
	of map[string]string
}

func (h *holds) add(key, token string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.of == nil {
		h.of = map[string]string{}
	}
	h.of[key] = token
}

func (h *holds) has(key, token string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.of[key] == token
}

func (h *holds) remove(keys ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, key := range keys {
		delete(h.of, key)
	}
}

// Values of a lease beside the token of who has it. None begins as a token does.
const (
	forgotten     = "forgotten"  // a client has deleted in the meantime what the lease is on
	over, lenOver = "over:", "5" // likewise, and the turn whose token follows has ended without writing it: the lease is free
)

// renewScript renews a lease. It says that there is none (2) if it has expired, or has been given back.
const renewScript = `local v = redis.call('GET', KEYS[1])
if not v then return 2 end
if v == ARGV[1] or v == '` + forgotten + `' then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0`

// renew renews the leases of this replica until the store is closed.
func (s *Store) renew(ctx context.Context) {
	tick := time.NewTicker(s.cfg.Lease / 3)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.renewAll(ctx)
		case <-ctx.Done():
			return
		}
	}
}

func (s *Store) renewAll(closed context.Context) {
	ctx, done := context.WithTimeout(closed, min(s.cfg.Timeout, s.cfg.Lease))
	defer done()
	pipe, renewed := s.cfg.Client.Pipeline(), map[*redis.Cmd][2]string{}
	s.holds.mu.Lock()
	for key, token := range s.holds.of {
		renewed[pipe.Eval(ctx, renewScript, []string{key}, token, s.cfg.Lease.Milliseconds())] = [2]string{key, token}
	}
	s.holds.mu.Unlock()
	if pipe.Len() == 0 {
		return
	}
	_, err := pipe.Exec(ctx)
	for cmd, of := range renewed {
		if n, _ := cmd.Int(); n == 2 {
			err = errors.Join(err, s.retake(ctx, of[0], of[1]))
		}
	}
	if closed.Err() == nil {
		_ = s.fail(err)
	}
}

// retake takes a lease again that has expired, because Redis or this replica was away. One that was given back while leases were renewed is
// left alone: for a moment, it would look as if a turn ran.
func (s *Store) retake(ctx context.Context, key, token string) error {
	if !s.holds.has(key, token) {
		return nil
	}
	_, err := takeScript.Run(ctx, s.cfg.Client, []string{key}, token, s.cfg.Lease.Milliseconds()).Text()
	if err == nil && !s.holds.has(key, token) {
		err = releaseScript.Run(ctx, s.cfg.Client, []string{key}, token).Err()
	}
	return err
}

// releaseScript gives a lease back, if it is still the own one.
var releaseScript = redis.NewScript(`local v = redis.call('GET', KEYS[1])
if v == ARGV[1] or v == '` + forgotten + `' then return redis.call('DEL', KEYS[1]) end
return 0`)

// release gives leases back.
func (s *Store) release(ctx context.Context, token string, keys ...string) error {
	s.holds.remove(keys...)
	for _, key := range keys {
		if err := releaseScript.Run(ctx, s.cfg.Client, []string{key}, token).Err(); err != nil {
			return err
		}
	}
	return nil
}

// takeScript takes a lease, unless another has it, and returns who has it then.
var takeScript = redis.NewScript(`local v = redis.call('GET', KEYS[1])
if v and v ~= ARGV[1] and string.sub(v, 1, ` + lenOver + `) ~= '` + over + `' then return v end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]`)

// take takes a lease, unless another has it, and returns who has it then: token, if it was free.
func (s *Store) take(ctx context.Context, key, token string) (holder string, err error) {
	holder, err = takeScript.Run(ctx, s.cfg.Client, []string{key}, token, s.cfg.Lease.Milliseconds()).Text()
	if holder == token {
		s.holds.add(key, token)
	}
	return holder, err
}
