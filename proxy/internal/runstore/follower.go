package runstore

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// follower reads what runs of other replicas say, all of a group with one request at a time, and what other replicas tell this one.
type follower struct {
	store *Store
	ctx   context.Context // until the store is closed

	mu     sync.Mutex
	groups map[string]*followedGroup

	owners  sync.Mutex     // guards what follows, and is held while owners are looked at
	missing map[string]int // so many times in a row, an owner was not there
	looked  time.Time      // when Redis could last be asked for them
	trust   time.Time      // from when on a missing owner counts as gone
}

// followedGroup is what is read with one request at a time.
type followedGroup struct {
	tag   string
	inbox string               // its key
	last  string               // the last message that was read
	runs  map[string]*Followed // by the key of the stream
}

// Followed is a run of another replica that is read here.
type Followed struct {
	Owner string

	token  string
	last   string // the entry that was read last
	number int64  // that of the owner's entries
	rest   int64  // so many bytes of the next ones have come already
	began  bool   // an entry was handed on
	sink   Sink
	store  *Store
}

// Sink takes what a run says.
type Sink interface {
	Restore(short []byte, of int64) // first, if it comes: what stands for so many bytes
	Append(p []byte)
	End(how, why string)
}

const (
	// page is how many entries are read at once.
	page = 512
	// block is how long a read waits for something to come.
	block = 5 * time.Second
)

func (f *follower) init(ctx context.Context, s *Store) {
	f.store, f.ctx, f.groups = s, ctx, map[string]*followedGroup{}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.groupOf(s.name)
}

// groupOf is the group of a run or a replica, which is read from now on.
func (f *follower) groupOf(name string) *followedGroup {
	tag := f.store.group(name)
	g := f.groups[tag]
	if g == nil {
		g = &followedGroup{tag: tag, inbox: f.store.inbox(tag, f.store.name), last: "0-0", runs: map[string]*Followed{}}
		f.groups[tag] = g
		go f.work(f.ctx, g)
	}
	return g
}

// Follow gives everything that a run has said to sink, and then what it says, until it ends or Leave is called.
func (s *Store) Follow(token, owner string, sink Sink) (*Followed, error) {
	r := &Followed{Owner: owner, token: token, last: "0-0", sink: sink, store: s}
	ctx, done := context.WithTimeout(context.Background(), s.cfg.Timeout)
	defer done()
	for {
		list, err := s.cfg.Client.XRangeN(ctx, s.key("run", token), "("+r.last, "+", page).Result()
		if err != nil {
			s.report(err)
			return nil, err
		}
		if len(list) > 0 && r.last == "0-0" {
			if err := r.begin(ctx, list); err != nil {
				s.report(err)
				return nil, err
			}
		}
		if r.take(list) {
			return r, nil
		}
		if len(list) < page {
			break
		}
	}
	s.reader.mu.Lock()
	g := s.reader.groupOf(token)
	g.runs[s.key("run", token)] = r
	s.reader.mu.Unlock()
	_ = s.put(ctx, g.inbox, "wake", token) // a read that waits does not know of it; it ends by itself where this fails
	return r, nil
}

// Leave ends following.
func (r *Followed) Leave() {
	f := &r.store.reader
	f.mu.Lock()
	defer f.mu.Unlock()
	if g := f.groups[r.store.group(r.token)]; g != nil {
		delete(g.runs, r.store.key("run", r.token))
	}
}

// inboxes are the keys by which the replica is woken.
func (f *follower) inboxes() (keys []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, g := range f.groups {
		keys = append(keys, g.inbox)
	}
	return keys
}

// take hands on what was read, and reports whether the run has ended.
func (r *Followed) take(list []redis.XMessage) (ended bool) {
	for _, m := range list {
		number, own := numberOf(m.ID)
		if r.last = m.ID; own && number <= r.number { // it stands in the short form
			continue
		}
		if own && number != r.number+1 { // Redis has lost what it held
			how := EndStore
			if !r.began {
				how = EndCut
			}
			r.sink.End(how, "")
			return true
		}
		if r.began = true; own {
			r.number = number
		}
		if data, _ := m.Values[fieldData].(string); data != "" {
			r.hand(data)
		}
		if how, is := m.Values[fieldEnd].(string); is {
			why, _ := m.Values[fieldWhy].(string)
			r.sink.End(how, why)
			return true
		}
	}
	return false
}

// hand hands on what has not come by the short form.
func (r *Followed) hand(data string) {
	n := min(r.rest, int64(len(data)))
	if r.rest -= n; n < int64(len(data)) {
		r.sink.Append([]byte(data[n:]))
	}
}

// numberOf is the number of an entry, and whether it is the owner's: another replica writes nothing but an end.
func numberOf(id string) (number int64, own bool) {
	epoch, text, _ := strings.Cut(id, "-")
	number, err := strconv.ParseInt(text, 10, 64)
	return number, epoch == "1" && err == nil
}

// idleGroup is how long a group is read of which no run is followed any more.
const idleGroup = time.Minute

// work reads a group until the store is closed, or nothing of it is followed any more. That of the replica itself is always read.
func (f *follower) work(ctx context.Context, g *followedGroup) {
	for used := time.Now(); ctx.Err() == nil; {
		asked := f.asked(g)
		if len(asked) > 2 || g.tag == f.store.group(f.store.name) {
			used = time.Now()
		}
		if time.Since(used) > idleGroup && f.leave(g) {
			return
		}
		streams, err := f.store.cfg.Client.XRead(ctx, &redis.XReadArgs{Streams: asked, Count: page, Block: block}).Result()
		if ctx.Err() != nil {
			return
		}
		if err != nil && err != redis.Nil { // nothing came in time
			f.store.report(err)
			select {
			case <-time.After(pause):
			case <-ctx.Done():
			}
			continue
		}
		for i := range streams {
			f.got(g, &streams[i])
		}
	}
}

// leave forgets a group, unless a run of it is followed.
func (f *follower) leave(g *followedGroup) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(g.runs) > 0 {
		return false
	}
	delete(f.groups, g.tag)
	return true
}

// asked are the keys to read, and behind them from where.
func (f *follower) asked(g *followedGroup) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	keys, from := []string{g.inbox}, []string{g.last}
	for key, r := range g.runs {
		keys, from = append(keys, key), append(from, r.last)
	}
	return append(keys, from...)
}

func (f *follower) got(g *followedGroup, s *redis.XStream) {
	f.mu.Lock()
	r := g.runs[s.Stream]
	f.mu.Unlock()
	switch {
	case r == nil && s.Stream == g.inbox:
		f.messages(g, s.Messages)
	case r != nil && r.take(s.Messages):
		r.Leave()
	}
}

// messages are what other replicas tell this one.
func (f *follower) messages(g *followedGroup, list []redis.XMessage) {
	for _, m := range list {
		f.mu.Lock()
		g.last = m.ID
		f.mu.Unlock()
		if token, is := m.Values["stop"].(string); is {
			f.store.cfg.OnStop(token)
		}
		if token, is := m.Values["watch"].(string); is {
			f.store.cfg.OnWatch(token)
		}
	}
}

// look notes whether Redis could be reached. After a time without, the owners that are alive have not been able to say so either, and
// get the time to do it.
func (f *follower) look(reached bool) {
	f.owners.Lock()
	defer f.owners.Unlock()
	now, lease := time.Now(), f.store.cfg.Lease
	if !reached || !f.looked.IsZero() && now.Sub(f.looked) > lease*2/3 {
		f.trust = now.Add(lease)
	}
	f.looked = now
}

// endOrphans ends the runs that are followed and whose owners are gone. Of several replicas that try, the first succeeds; all read
// its end.
func (f *follower) endOrphans(ctx context.Context) {
	f.owners.Lock()
	defer f.owners.Unlock()
	if time.Now().Before(f.trust) {
		return
	}
	s, owners := f.store, f.followed()
	pipe, there := s.cfg.Client.Pipeline(), make(map[string]*redis.IntCmd, len(owners))
	for owner := range owners {
		there[owner] = pipe.Exists(ctx, s.key("replica", owner))
	}
	_, err := pipe.Exec(ctx)
	s.report(err)
	var orphans []*Followed
	missing := map[string]int{}
	for owner, runs := range owners {
		if n, err := there[owner].Result(); err != nil || n > 0 {
			continue
		}
		if missing[owner] = f.missing[owner] + 1; missing[owner] >= checksUntilDead {
			orphans = append(orphans, runs...)
		}
	}
	f.missing = missing
	s.endRuns(ctx, orphans)
}

// followed are the runs that are followed, by their owners.
func (f *follower) followed() map[string][]*Followed {
	f.mu.Lock()
	defer f.mu.Unlock()
	owners := map[string][]*Followed{}
	for _, g := range f.groups {
		for _, r := range g.runs {
			owners[r.Owner] = append(owners[r.Owner], r)
		}
	}
	return owners
}

// checksUntilDead is how often in a row an owner must not be there: a server that was restarted, and is empty, knows it again after one
// at most.
const checksUntilDead = 3

// endRuns ends runs whose owners are gone, in one round trip however many they are: the replica says that it is there only behind it.
func (s *Store) endRuns(ctx context.Context, orphans []*Followed) {
	pipe, ends := s.cfg.Client.Pipeline(), make([]*redis.StringCmd, len(orphans))
	for i, r := range orphans {
		stream := s.key("run", r.token)
		ends[i] = pipe.XAdd(ctx, &redis.XAddArgs{Stream: stream, ID: "2-1", Values: []any{fieldData, "", fieldEnd, EndOwner}})
		pipe.Expire(ctx, stream, unended)
	}
	_, _ = pipe.Exec(ctx) // what follows looks at each
	var failed error
	for _, end := range ends {
		switch err := end.Err(); {
		case err == nil:
			s.cfg.Count(EventOrphan)
		case !isReply(err): // else another replica was first
			failed = err
		}
	}
	s.report(failed)
}
