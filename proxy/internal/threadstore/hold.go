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

// forgotten is the value of a lease on what a client has deleted in the meantime.
const forgotten = "forgotten"

// renewScript renews a lease. One that has expired, because Redis or this replica was away, is taken again (2), unless another has it.
const renewScript = `local v = redis.call('GET', KEYS[1])
if not v then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) return 2 end
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

func (s *Store) renewAll(ctx context.Context) {
	ctx, done := context.WithTimeout(ctx, min(s.cfg.Timeout, s.cfg.Lease))
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
		if n, _ := cmd.Int(); n == 2 && !s.holds.has(of[0], of[1]) { // given back in the meantime: it had not expired
			err = errors.Join(err, releaseScript.Run(ctx, s.cfg.Client, []string{of[0]}, of[1]).Err())
		}
	}
	if ctx.Err() == nil {
		_ = s.fail(err)
	}
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

// take takes a lease, and reports whether it was free.
func (s *Store) take(ctx context.Context, key, token string) (free bool, err error) {
	free, err = s.cfg.Client.SetNX(ctx, key, token, s.cfg.Lease).Result()
	if free {
		s.holds.add(key, token)
	}
	return free, err
}
