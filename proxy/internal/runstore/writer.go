package runstore

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// writer sends what the runs of this replica say. It never holds up a run: what is said while Redis answers, in the time of [Config.Flush], or
// shortly behind the last round trip, goes together with the next one, what one run has said in the meantime as one entry.
type writer struct {
	store  *Store
	kick   chan struct{} // something waits
	urgent chan struct{} // something waits that is to go at once

	mu      sync.Mutex
	waiting []*Run // those that have something to send, in the order in which they said it
	spare   []*Run // memory for the next ones
	batch   []entry
	args    []any         // of the commands of a batch
	fences  []redis.Cmder // one for each entry of a batch
	bytes   int           // that wait
	live    map[*Run]struct{}
	idle    sync.Cond // nothing waits, and nothing is on its way
	sending bool
	unsent  int // entries at the beginning of the batch that Redis has not taken yet

	answered time.Time // when Redis has answered last; of the goroutine that sends
}

// spacing is the least time between two round trips. Each costs about as much as forty entries: where runs say a lot, one by one, they share
// trips, and what is said behind a pause goes at once.
const spacing = 5 * time.Millisecond

// Entries have these members.
const (
	fieldData = "d"
	fieldEnd  = "end"
	fieldWhy  = "why" // beside an end
)

// Ends of a run that its agent has not brought about.
const (
	EndDone  = ""           // the log holds the end
	EndOwner = "owner_lost" // the replica that read the agent is gone
	EndStore = "store_lost" // the store was away for too long, or has lost a part
	EndCut   = "cut"        // for who comes late: the run has said more than is held of it
)

func (w *writer) init(s *Store) {
	w.store, w.kick, w.urgent, w.live = s, make(chan struct{}, 1), make(chan struct{}, 1), map[*Run]struct{}{}
	w.idle.L = &w.mu
}

// queue notes that a run has something to send.
func (w *writer) queue(r *Run, n int) {
	w.bytes += n
	if !r.queued {
		r.queued = true
		w.waiting = append(w.waiting, r)
	}
	if len(w.waiting) == 1 { // behind the first, the writer will look in any case
		wake(w.kick)
	}
}

// wake makes the writer look.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // it will look in any case
	}
}

// lose lets go of what a run has not sent. Others learn that it cannot be read any more.
func (w *writer) lose(r *Run) {
	w.store.cfg.Count(EventLost)
	w.bytes -= len(r.said) + r.short.size()
	r.short = nil
	r.said, r.lost, r.ended, r.end = nil, true, true, EndStore
	w.queue(r, 0)
	wake(r.stored)
}

// work sends until the store is closed.
func (w *writer) work(ctx context.Context) {
	for {
		select {
		case <-w.kick:
		case <-ctx.Done():
			return
		}
		w.gather(ctx)
		batch := w.take()
		if len(batch) == 0 {
			continue
		}
		w.send(ctx, batch)
		if ctx.Err() != nil {
			return
		}
		w.answered = time.Now()
		w.sent()
	}
}

// sent notes that nothing is on its way.
func (w *writer) sent() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sending = false; len(w.waiting) == 0 {
		w.idle.Broadcast()
	}
}

// gather gives more the time to come, unless something is to go at once.
func (w *writer) gather(ctx context.Context) {
	wait := max(w.store.cfg.Flush, spacing-time.Since(w.answered))
	if wait <= 0 {
		select {
		case <-w.urgent: // it goes with the others
		default:
		}
		return
	}
	late := time.NewTimer(wait)
	defer late.Stop()
	select {
	case <-late.C:
	case <-w.urgent:
	case <-ctx.Done():
	}
}

// entry is what is sent of a run at once.
type entry struct {
	run    *Run
	head   []byte
	data   []byte
	short  *short
	number int64
	least  int64 // those before it are let go of; 0: none is
	ended  bool
	end    string
	why    []byte
	id     [24]byte // memory for the id

	refused error // what Redis has said against it
}

// take takes what waits.
func (w *writer) take() []entry {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.batch) // it was sent
	batch := w.batch[:0]
	for _, r := range w.waiting {
		e := entry{run: r, head: r.head, data: r.said, ended: r.ended, end: r.end, why: r.why}
		if len(e.data) > 0 || e.ended {
			r.number++
			e.number = r.number
			r.trim(len(e.data))
		}
		w.bytes -= len(e.head) + len(e.data) + r.short.size()
		e.short = r.takeShort()
		e.least = r.least
		r.head, r.said, r.queued = nil, nil, false
		if e.ended {
			delete(w.live, r)
		}
		if e.head != nil || e.number > 0 || e.short != nil {
			batch = append(batch, e)
		}
	}
	clear(w.waiting)
	w.waiting, w.spare = w.spare[:0], w.waiting
	w.batch, w.sending, w.unsent = batch, len(batch) > 0, len(batch)
	if !w.sending {
		w.idle.Broadcast()
	}
	return batch
}

// pause is how long the writer waits before it tries again.
const pause = 100 * time.Millisecond

// send sends a batch, and what was not taken of it again and again while Redis is away.
func (w *writer) send(ctx context.Context, batch []entry) {
	for ctx.Err() == nil {
		commands, err := w.try(ctx, batch)
		if batch = w.answer(ctx, batch, commands); len(batch) == 0 {
			return
		}
		w.store.report(err)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// answer notes what Redis has said of each entry, and returns those that are to be sent again.
func (w *writer) answer(ctx context.Context, batch []entry, commands []redis.Cmder) []entry {
	again, over := batch[:0], batch[:0:0]
	w.mu.Lock()
	for i := range batch {
		e := &batch[i]
		switch e.refused = commands[i].Err(); {
		case e.refused == nil:
			w.took(e)
		case !isReply(e.refused) || isTemporary(e.refused):
			again = append(again, *e)
		default:
			over = append(over, *e)
		}
	}
	w.unsent = len(again)
	w.mu.Unlock()
	for i := range over {
		w.checkReply(ctx, over[i].run, over[i].refused)
		w.mu.Lock()
		w.took(&over[i])
		w.mu.Unlock()
	}
	return again
}

// took notes that Redis has an entry, or will never have it. The caller holds the lock.
func (w *writer) took(e *entry) {
	r := e.run
	if r.taken = max(r.taken, e.number); r.ahead {
		wake(r.stored)
	}
	r.callStored()
	if r.said == nil && cap(e.data) <= keptSaid {
		r.said = e.data[:0]
	}
}

// keptSaid is how large the memory of an entry is at most that the next entry of its run is put into.
const keptSaid = 1 << 10

// isReply reports whether Redis has answered, so that the connection is not to blame.
func isReply(err error) bool {
	var reply redis.Error
	return errors.As(err, &reply)
}

// isTemporary reports whether Redis answers like that for a while: when it starts, follows another server, has no memory left, or a cluster
// moves keys or misses a server.
func isTemporary(err error) bool {
	word, _, _ := strings.Cut(err.Error(), " ")
	return slices.Contains([]string{
		"LOADING", "READONLY", "MASTERDOWN", "OOM", "MISCONF", "BUSY", "NOREPLICAS", "CLUSTERDOWN", "TRYAGAIN", "MOVED", "ASK",
	}, word)
}

// checkReply looks why an entry was refused. One that is there already was sent before its answer was lost, unless another replica has
// ended the run.
func (w *writer) checkReply(ctx context.Context, r *Run, err error) {
	if !strings.Contains(err.Error(), "equal or smaller") {
		w.store.report(err)
		w.mu.Lock()
		defer w.mu.Unlock()
		if !r.lost {
			w.lose(r)
		}
		return
	}
	last, err := w.last(ctx, r)
	if err != nil || len(last) == 0 || strings.HasPrefix(last[0].ID, idPrefix) {
		w.store.report(err)
		return
	}
	w.mu.Lock()
	r.lost, r.ended = true, true
	delete(w.live, r)
	w.mu.Unlock()
	w.store.cfg.Count(EventFenced)
	r.fenced()
}

// last is the last entry of a run. It asks again while Redis is away: an owner must learn that it was taken for dead.
func (w *writer) last(ctx context.Context, r *Run) (last []redis.XMessage, err error) {
	for ctx.Err() == nil {
		if last, err = w.store.cfg.Client.XRevRangeN(ctx, r.stream, "+", "-", 1).Result(); err == nil || isReply(err) && !isTemporary(err) {
			break
		}
		w.store.report(err)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
	return last, err
}

// flush waits until everything is sent, but not for longer than that, and returns how many runs have said more than Redis has.
func (w *writer) flush(most time.Duration) (left int) {
	over := false
	timer := time.AfterFunc(most, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		over = true
		w.idle.Broadcast()
	})
	defer timer.Stop()
	wake(w.urgent)
	w.mu.Lock()
	defer w.mu.Unlock()
	for (len(w.waiting) > 0 || w.sending) && !over {
		w.idle.Wait()
	}
	runs := map[*Run]struct{}{}
	for _, r := range w.waiting {
		runs[r] = struct{}{}
	}
	for i := range w.batch[:w.unsent] {
		runs[w.batch[i].run] = struct{}{}
	}
	for r := range runs {
		if !r.lost { // else it was counted
			left++
		}
	}
	return left
}
