package threadstore

import (
	"context"
	"encoding/json"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sabir-proxy/sabir/proxy/internal/threads"
)

// Create implements [threads.Names].
func (s *Store) Create(key threads.Key, with threads.Seed) error {
	l := s.limits.Load()
	if l.Names == 0 || with.Size+len(with.Meta) > l.Bytes {
		return nil
	}
	ctx, done := s.begin()
	defer done()
	pieces, err := s.store(ctx, nil, 0, with.Messages)
	if err == nil {
		err = s.create(ctx, key, &record{Pieces: pieces, Size: with.Size}, with.Meta)
	}
	return s.fail(err)
}

// createScript writes the record of a conversation, unless there is another one.
var createScript = redis.NewScript(`if redis.call('HSETNX', KEYS[1], 'r', ARGV[1]) == 0 and redis.call('HGET', KEYS[1], 'v') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'v', ARGV[2])
if ARGV[3] ~= '' then redis.call('HSET', KEYS[1], 'm', ARGV[3]) end
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1`)

// create makes the record of a conversation, unless there is one.
func (s *Store) create(ctx context.Context, key threads.Key, r *record, meta []byte) error {
	r.Format, r.Version, r.Begun = format, s.unique(), time.Now()
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	keys, keep := []string{s.key(keyThread, nameOfKey(key))}, s.limits.Load().Keep.Milliseconds()
	made, err := createScript.Run(ctx, s.cfg.Client, keys, data, r.Version, meta, keep).Int()
	if err != nil || made == 0 {
		return err
	}
	return s.touch(ctx, key)
}

// touch notes that a conversation or an answer was used, which may be new.
func (s *Store) touch(ctx context.Context, key threads.Key) error {
	if err := s.use(ctx, key); err != nil {
		return err
	}
	return s.trim(ctx, usedThreads, key.Scope)
}

// use notes that a conversation or an answer was used.
func (s *Store) use(ctx context.Context, key threads.Key) error {
	l := s.limits.Load()
	pipe := s.cfg.Client.Pipeline()
	if key.Kind == threads.Thread {
		names := s.namesKey(key.Scope)
		pipe.ZAdd(ctx, names, redis.Z{Score: now(), Member: key.Name})
		pipe.ZRemRangeByScore(ctx, names, "-inf", since(l.Keep))
		pipe.ZRemRangeByRank(ctx, names, 0, int64(-l.Names-1))
		pipe.PExpire(ctx, names, l.Keep)
	}
	s.used(ctx, pipe, usedThreads, key.Scope, s.key(keyThread, nameOfKey(key)))
	_, err := pipe.Exec(ctx)
	return err
}

func (s *Store) namesKey(scope string) string { return s.key(keyNames, nameOf(scope, "scope", "")) }

// Find implements [threads.Names].
func (s *Store) Find(key threads.Key) (threads.View, error) {
	ctx, done := s.begin()
	defer done()
	v, err := s.view(ctx, key)
	if err != nil {
		return v, err
	}
	return v, s.fail(s.touch(ctx, key))
}

// Look implements [threads.Notes]. What it finds does not expire for a while, and is listed as before.
func (s *Store) Look(key threads.Key) (threads.View, error) {
	ctx, done := s.begin()
	defer done()
	return s.view(ctx, key)
}

// view is what is known under a name.
func (s *Store) view(ctx context.Context, key threads.Key) (v threads.View, err error) {
	if s.limits.Load().Names == 0 {
		return v, threads.ErrUnknown
	}
	f, err := s.read(ctx, nameOfKey(key))
	if err != nil {
		return v, err
	}
	v = threads.View{Busy: f.held, Begun: f.Begun, Meta: f.meta, Asked: f.asked(), Run: f.Run}
	if !f.next {
		v.Session = f.Session
	}
	if v.Messages, err = s.messages(ctx, nameOfKey(key), &f.record); err != nil {
		return v, err
	}
	v.From = max(0, len(v.Messages)-f.Said)
	v.Run.Messages = v.Messages[v.From:]
	return v, nil
}

// forgetScript deletes a conversation. A turn that runs learns of it when it ends.
var forgetScript = redis.NewScript(`redis.call('DEL', KEYS[1])
local v = redis.call('GET', KEYS[2])
if v and string.sub(v, 1, ` + lenOver + `) ~= '` + over + `' then redis.call('SET', KEYS[2], '` + forgotten + `', 'PX', ARGV[1]) end
return 1`)

// Forget implements [threads.Names].
func (s *Store) Forget(key threads.Key) error {
	ctx, done := s.begin()
	defer done()
	name := nameOfKey(key)
	keys := []string{s.key(keyThread, name), s.key(keyHold, name)}
	if err := forgetScript.Run(ctx, s.cfg.Client, keys, s.cfg.Lease.Milliseconds()).Err(); err != nil {
		return s.fail(err)
	}
	pipe := s.cfg.Client.Pipeline() // lists may have what is gone
	pipe.ZRem(ctx, s.namesKey(key.Scope), key.Name)
	s.notUsed(ctx, pipe, usedThreads, key.Scope, keys[0])
	_, err := pipe.Exec(ctx)
	return s.fail(err)
}

// noteScript replaces the notes on a conversation, if that is known.
var noteScript = redis.NewScript(`if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'm', ARGV[1])
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`)

// SetMeta implements [threads.Notes].
func (s *Store) SetMeta(key threads.Key, meta []byte) error {
	ctx, done := s.begin()
	defer done()
	keep := s.limits.Load().Keep.Milliseconds()
	known, err := noteScript.Run(ctx, s.cfg.Client, []string{s.key(keyThread, nameOfKey(key))}, meta, keep).Int()
	if err != nil || known == 0 {
		return s.fail(err)
	}
	return s.fail(s.use(ctx, key))
}

// Of implements [threads.Notes].
func (s *Store) Of(scope string) (names []string, err error) {
	ctx, done := s.begin()
	defer done()
	names, err = s.cfg.Client.ZRevRange(ctx, s.namesKey(scope), 0, -1).Result()
	return names, s.fail(err)
}
