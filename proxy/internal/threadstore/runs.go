package threadstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/runlog"
)

// Runs is the [runlog.Store] of a [Store].
type Runs struct{ *Store }

// pastRun is what is stored of a run.
type pastRun struct {
	Format int
	Thread string
	Size   int
	Given  []hub.Decision `json:",omitempty"`
	Past   hub.PastRun
}

func runName(key runlog.Key) string { return nameOf(key.Scope, "run", key.Run) }

func (r Runs) listKey(scope, thread string) string {
	return r.key(keyRuns, nameOf(scope, "runs", thread))
}

// Find implements [runlog.Reader].
func (r Runs) Find(key runlog.Key) (runlog.Run, error) {
	ctx, done := r.begin()
	defer done()
	all, err := r.find(ctx, key.Scope, []string{key.Run})
	switch {
	case err != nil:
		return runlog.Run{}, r.fail(err)
	case len(all) == 0:
		return runlog.Run{}, runlog.ErrUnknown
	}
	return all[0], nil
}

// find returns those of some runs that are known, and renews them.
func (r Runs) find(ctx context.Context, scope string, names []string) (all []runlog.Run, err error) {
	pipe := r.cfg.Client.Pipeline()
	found := make([]*redis.SliceCmd, len(names))
	for i, name := range names {
		name := runName(runlog.Key{Scope: scope, Run: name})
		// At once, else a run that ends between two commands looks like one without a replica.
		found[i] = pipe.MGet(ctx, r.key(keyPast, name), r.key(keyHold, name))
		pipe.PExpire(ctx, r.key(keyPast, name), r.limits.Load().Keep)
		pipe.ZAddXX(ctx, r.key(keyUsed, usedRuns), redis.Z{Score: now(), Member: r.key(keyPast, name)})
	}
	pipe.PExpire(ctx, r.key(keyUsed, usedRuns), r.limits.Load().Keep)
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, err
	}
	for _, cmd := range found {
		var p pastRun
		text, known := cmd.Val()[0].(string)
		if !known {
			continue
		}
		if err = json.Unmarshal([]byte(text), &p); err != nil || p.Format != format {
			r.cfg.OnError(fmt.Errorf("a run: %w", errFormat))
			continue
		}
		run := runlog.Run{Thread: p.Thread, Size: p.Size, Given: p.Given, PastRun: p.Past}
		if !run.Ended && cmd.Val()[1] == nil {
			run.Ended, run.Status, run.Err = true, hub.StatusFailed, []byte("The replica that read the agent is gone.")
		}
		all = append(all, run)
	}
	return all, r.renewLists(ctx, scope, all)
}

// renewLists renews the lists that runs stand in, each once where they are of one conversation.
func (r Runs) renewLists(ctx context.Context, scope string, all []runlog.Run) error {
	pipe, last := r.cfg.Client.Pipeline(), ""
	for i := range all {
		if thread := all[i].Thread; i == 0 || thread != last {
			pipe.PExpire(ctx, r.listKey(scope, thread), r.limits.Load().Keep)
			last = thread
		}
	}
	if pipe.Len() == 0 {
		return nil
	}
	_, err := pipe.Exec(ctx)
	return err
}

// Of implements [runlog.Reader].
func (r Runs) Of(scope, thread string) ([]runlog.Run, error) {
	ctx, done := r.begin()
	defer done()
	names, err := r.cfg.Client.ZRevRange(ctx, r.listKey(scope, thread), 0, mostRuns-1).Result()
	if err != nil || len(names) == 0 {
		return nil, r.fail(err)
	}
	all, err := r.find(ctx, scope, names)
	return all, r.fail(err)
}

// mostRuns is how many runs of one conversation are listed.
const mostRuns = 1000

// Put implements [runlog.Writer]. A run that goes on is held until it is put as one that has ended.
func (r Runs) Put(key runlog.Key, run runlog.Run) error { return r.write(key, &run, "") }

// Replace implements [runlog.Writer].
func (r Runs) Replace(key runlog.Key, run runlog.Run) error { return r.write(key, &run, onlyKnown) }

// onlyKnown is for runScript: a run that is not known stays so.
const onlyKnown = "known"

// runScript writes a run, and holds it while it goes on. It reports whether it did.
var runScript = redis.NewScript(`if ARGV[5] == '` + onlyKnown + `' and redis.call('EXISTS', KEYS[1]) == 0 then
redis.call('DEL', KEYS[2])
return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
if ARGV[3] == '' then redis.call('DEL', KEYS[2]) else redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[4]) end
return 1`)

func (r Runs) write(key runlog.Key, run *runlog.Run, which string) error {
	l, hold := r.limits.Load(), r.key(keyHold, runName(key))
	if run.Ended || l.Names == 0 {
		r.holds.remove(hold)
	}
	switch {
	case l.Names == 0:
		return nil
	case run.Size > l.Bytes:
		return r.tooLong(key, which)
	}
	data, err := json.Marshal(pastRun{Format: format, Thread: run.Thread, Size: run.Size, Given: run.Given, Past: run.PastRun})
	if err != nil {
		return err
	}
	ctx, done := r.begin()
	defer done()
	known, err := r.set(ctx, key, run, data, which)
	switch {
	case err != nil:
		r.cfg.OnLost()
		return r.fail(err)
	case !known:
		r.holds.remove(hold)
		return runlog.ErrUnknown
	}
	return r.fail(r.trim(ctx, usedRuns, key.Scope))
}

// tooLong deletes a run that has become too long to be remembered.
func (r Runs) tooLong(key runlog.Key, which string) error {
	if _, err := r.Find(key); which == onlyKnown && errors.Is(err, runlog.ErrUnknown) {
		return errors.Join(r.Drop(key), err)
	}
	r.cfg.OnLost()
	return r.Drop(key)
}

// set writes a run, and reports whether it did.
func (r Runs) set(ctx context.Context, key runlog.Key, run *runlog.Run, data []byte, which string) (written bool, err error) {
	l, name, holder := r.limits.Load(), runName(key), ""
	keys := []string{r.key(keyPast, name), r.key(keyHold, name)}
	if !run.Ended {
		holder = r.name
		r.holds.add(keys[1], holder)
	}
	n, err := runScript.Run(ctx, r.cfg.Client, keys, data, l.Keep.Milliseconds(), holder, r.cfg.Lease.Milliseconds(), which).Int()
	if err == nil && n > 0 {
		err = r.enlist(ctx, key, run)
	}
	return n > 0, err
}

// enlist puts a run into the lists that it belongs to.
func (r Runs) enlist(ctx context.Context, key runlog.Key, run *runlog.Run) error {
	pipe, list := r.cfg.Client.Pipeline(), r.listKey(key.Scope, run.Thread)
	pipe.ZAdd(ctx, list, redis.Z{Score: float64(run.Began), Member: key.Run})
	pipe.ZRemRangeByRank(ctx, list, 0, -mostRuns-1)
	pipe.PExpire(ctx, list, r.limits.Load().Keep)
	r.used(ctx, pipe, usedRuns, key.Scope, r.key(keyPast, runName(key)))
	_, err := pipe.Exec(ctx)
	return err
}

// Drop implements [runlog.Deleter].
func (r Runs) Drop(key runlog.Key) error {
	run, err := r.Find(key)
	if err != nil {
		r.holds.remove(r.key(keyHold, runName(key)))
		if errors.Is(err, runlog.ErrUnknown) {
			return nil
		}
		return err
	}
	ctx, done := r.begin()
	defer done()
	return r.fail(r.drop(ctx, key.Scope, run.Thread, key.Run))
}

// Forget implements [runlog.Deleter].
func (r Runs) Forget(scope, thread string) error {
	ctx, done := r.begin()
	defer done()
	names, err := r.cfg.Client.ZRange(ctx, r.listKey(scope, thread), 0, -1).Result()
	if err != nil || len(names) == 0 {
		return r.fail(err)
	}
	return r.fail(r.drop(ctx, scope, thread, names...))
}

// Trim implements [runlog.Deleter].
func (r Runs) Trim(scope, thread string, most int) (deleted int, err error) {
	ctx, done := r.begin()
	defer done()
	names, err := r.cfg.Client.ZRange(ctx, r.listKey(scope, thread), 0, int64(-most-1)).Result()
	if err != nil || len(names) == 0 {
		return 0, r.fail(err)
	}
	return len(names), r.fail(r.drop(ctx, scope, thread, names...))
}

// drop deletes runs of one conversation.
func (r Runs) drop(ctx context.Context, scope, thread string, runs ...string) error {
	pipe := r.cfg.Client.Pipeline()
	for _, run := range runs {
		name := runName(runlog.Key{Scope: scope, Run: run})
		r.holds.remove(r.key(keyHold, name))
		pipe.Del(ctx, r.key(keyPast, name), r.key(keyHold, name))
		r.notUsed(ctx, pipe, usedRuns, scope, r.key(keyPast, name))
		pipe.ZRem(ctx, r.listKey(scope, thread), run)
	}
	_, err := pipe.Exec(ctx)
	return err
}
