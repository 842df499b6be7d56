package runstore

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// A name leads to the newest of its runs. Replicas write names a little later than the runs begin, and much later where one has lost Redis for
// a while, so that the last one to write need not have the newest run. So beside each name stands when its run has begun, by the clock of
// Redis: those of replicas differ. An earlier version writes the name alone.

// learnTime asks Redis for its time. Without an answer, what is known of its clock stays. Nothing is corrected that may only be the way there and
// back: clocks that agree do so better than that tells.
func (s *Store) learnTime(ctx context.Context) {
	asked := time.Now()
	at, err := s.cfg.Client.Time(ctx).Result()
	answered := time.Now()
	s.report(err)
	if err == nil {
		least, most := at.Sub(answered), at.Sub(asked)
		s.ahead.Store(min(max(0, least), most).Microseconds())
	}
}

// now is the time of Redis, in microseconds.
func (s *Store) now() int64 { return time.Now().UnixMicro() + s.ahead.Load() }

// nameKeys are the keys of a name, and of when its run has begun.
func (s *Store) nameKeys(name string) []string {
	return []string{s.key("name", name), s.key("begun", name)}
}

// nameScript makes a name lead to a run, unless it leads to one that has not begun before. Errors are answered as other commands answer them.
var nameScript = redis.NewScript(`local newest = redis.call('GET', KEYS[2])
if newest and tonumber(newest) >= tonumber(ARGV[2]) then return 0 end
local set = redis.pcall('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
if set.err then return set end
return redis.pcall('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])`)

// deleteScript makes all runs of a name unknown that have begun until now, also those of which a replica has yet to write, and returns the token
// of the newest. A server that is full has no room for that, and forgets the name alone.
var deleteScript = redis.NewScript(`local token, newest = redis.call('GET', KEYS[1]), redis.call('GET', KEYS[2])
if newest and tonumber(newest) > tonumber(ARGV[2]) then ARGV[2] = newest end
if redis.pcall('SET', KEYS[1], ARGV[1], 'PX', ARGV[3]).err then redis.call('DEL', KEYS[1], KEYS[2])
else redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3]) end
return token or ''`)

// Named is the newest run of a name.
type Named struct {
	Token string // "" if there is none
	begun int64  // 0 if that is not known
}

// Find returns the newest run of a name.
func (s *Store) Find(name string) (Named, error) {
	ctx, done := context.WithTimeout(context.Background(), s.cfg.Timeout)
	defer done()
	var n Named
	pipe, keys := s.cfg.Client.Pipeline(), s.nameKeys(name)
	token, begun := pipe.Get(ctx, keys[0]), pipe.Get(ctx, keys[1])
	if _, err := pipe.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
		s.report(err)
		return n, err
	}
	if n.Token = token.Val(); n.Token == "" {
		return n, s.missing()
	}
	n.begun, _ = begun.Int64() // none: an earlier version has written the name
	return n, nil
}

// IsBefore reports whether the named run has begun before one of this replica, whose name may not have reached Redis.
func (n Named) IsBefore(r *Run) bool { return n.begun > 0 && n.begun < r.begun }

// Deleted is the token to which names lead whose runs a client has deleted.
const Deleted = "deleted"

// Delete makes the runs of each name unknown, and returns the tokens of the newest. keep is how long they would be kept after their end.
func (s *Store) Delete(keep time.Duration, names ...string) (tokens []string, err error) {
	ctx, done := context.WithTimeout(context.Background(), s.cfg.Timeout)
	defer done()
	pipe, now, found := s.cfg.Client.Pipeline(), s.now(), make([]*redis.Cmd, len(names))
	for i, name := range names {
		found[i] = deleteScript.Eval(ctx, pipe, s.nameKeys(name), Deleted, now, (unended + keep).Milliseconds())
	}
	if _, err = pipe.Exec(ctx); err != nil {
		s.report(err)
		return nil, err
	}
	heads := s.cfg.Client.Pipeline()
	for _, cmd := range found {
		if token, _ := cmd.Text(); token != "" && token != Deleted {
			tokens = append(tokens, token)
			heads.Del(ctx, s.key("head", token))
		}
	}
	if len(tokens) > 0 {
		_, err = heads.Exec(ctx)
		s.report(err)
	}
	return tokens, err
}

// Claim makes a name lead to a run that is about to begin, for so long, unless it leads to another one.
func (s *Store) Claim(name, token string, most time.Duration) (mine bool, err error) {
	ctx, done := context.WithTimeout(context.Background(), s.cfg.Timeout)
	defer done()
	mine, err = s.cfg.Client.SetNX(ctx, s.key("name", name), token, most).Result()
	if err == nil && !mine { // the answer may have been lost by which it was; the client of Redis asks again then
		var holder string
		if holder, err = s.cfg.Client.Get(ctx, s.key("name", name)).Result(); errors.Is(err, redis.Nil) {
			err = nil // it has expired just now
		}
		mine = holder == token
	}
	s.report(err)
	return mine, err
}

// Unclaim gives a claim back whose run does not begin.
func (s *Store) Unclaim(name, token string) {
	ctx, done := context.WithTimeout(context.Background(), s.cfg.Timeout)
	defer done()
	s.report(unclaimScript.Run(ctx, s.cfg.Client, []string{s.key("name", name)}, token).Err())
}

// unclaimScript deletes a claim, if it is still the own one.
var unclaimScript = redis.NewScript(`if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`)
