package runstore

import (
	"encoding/json"
	"errors"
	"slices"
	"time"
)

// Run is a run that this replica owns.
type Run struct {
	token     string
	stream    string // its key
	streamArg any    // the same as an argument of a command
	names     []string
	begun     int64 // by the clock of Redis
	keep      time.Duration
	limit     int // bytes of what it has said that Redis holds, about; 0: no bound
	fenced    func()
	writer    *writer
	stored    chan struct{} // something has become of what was sent

	// guarded by writer.mu
	head   []byte // is still to be written
	said   []byte // is still to be sent
	number int64  // of the last entry
	taken  int64  // of the last one that Redis has
	total  int    // bytes of all entries
	marks  []mark // places in what Redis holds, the first in front
	least  int64  // entries before it are let go of; 0: none is
	short  *short // is still to be written
	end    string // how it has ended, once it has
	why    []byte // what else there is to know of that
	ended  bool
	queued bool
	ahead  bool // its client may wait until Redis has what it said
	lost   bool // others cannot read it any more
	waits  []storedWait
}

// storedWait is who waits until Redis has an entry.
type storedWait struct {
	number int64
	then   func()
}

// mark is a place in what a run has said: behind which entry it is, and behind how many bytes.
type mark struct {
	number int64
	total  int
}

// marksOfLimit is how many marks there are in as many bytes as are held of a run.
const marksOfLimit = 16

// Create makes a run known under its names. Of what it says, so many bytes are held, about: who comes late to a run that has said more
// finds that its beginning is missing. fenced is called if another replica has ended it, because this one seemed dead. The owner of h is the
// store's to say.
func (s *Store) Create(token string, h Head, bytes int, names []string, fenced func()) (*Run, error) {
	h.Owner = s.name
	head, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	r := &Run{token: token, stream: s.key("run", token), names: names, begun: s.now(), keep: h.Keep, limit: bytes, fenced: fenced, writer: &s.writer, stored: make(chan struct{}, 1), head: head}
	r.streamArg = r.stream
	s.writer.mu.Lock()
	defer s.writer.mu.Unlock()
	if s.writer.bytes+len(head) > s.cfg.Backlog {
		s.cfg.Count(EventLost)
		return nil, errFull
	}
	s.writer.live[r] = struct{}{}
	s.writer.queue(r, len(head))
	wake(s.writer.urgent)
	return r, nil
}

var errFull = errors.New("as much waits for the store as may wait")

// Append sends what the run says. It does not wait.
func (r *Run) Append(p []byte) {
	w := r.writer
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.lost || r.ended || len(p) == 0 {
		return
	}
	if w.bytes+len(p) > w.store.cfg.Backlog {
		w.lose(r)
		return
	}
	r.said = append(r.said, p...)
	w.queue(r, len(p))
}

// AppendAhead sends what the run says, and waits until Redis has it. Where that takes too long, other replicas lose the run, and it goes on.
func (r *Run) AppendAhead(p []byte, most time.Duration) {
	w := r.writer
	w.mu.Lock()
	r.ahead = true
	w.mu.Unlock()
	r.Append(p)
	wake(w.urgent)
	late := time.NewTimer(most)
	defer late.Stop()
	for {
		w.mu.Lock()
		done := r.lost || !r.queued && r.taken == r.number
		w.mu.Unlock()
		if done {
			return
		}
		select {
		case <-r.stored:
		case <-late.C:
			w.mu.Lock()
			if !r.lost {
				w.lose(r)
			}
			w.mu.Unlock()
		}
	}
}

// Stored calls a function when Redis has what the run has said until now, and never if it does not come to that. It does not wait.
func (r *Run) Stored(then func()) {
	w := r.writer
	w.mu.Lock()
	defer w.mu.Unlock()
	number := r.number
	if len(r.said) > 0 || r.ended && r.queued {
		number++ // it is to be the next one
	}
	r.waits = append(r.waits, storedWait{number, then})
	r.callStored()
}

// callStored calls those that have waited long enough. The caller holds the lock.
func (r *Run) callStored() {
	if r.lost || len(r.waits) == 0 {
		return
	}
	r.waits = slices.DeleteFunc(r.waits, func(wait storedWait) bool {
		if wait.number > r.taken {
			return false
		}
		go wait.then() // it may ask the store
		return true
	})
}

// End says how the run has ended, and with why what else others are to know of that: earlier versions do not read it.
func (r *Run) End(how string, why []byte) {
	w := r.writer
	w.mu.Lock()
	defer w.mu.Unlock()
	if !r.ended {
		r.ended, r.end, r.why = true, how, why
		w.queue(r, 0)
		wake(w.urgent)
	}
}

// trim counts so many bytes more, and lets go of entries that Redis need not hold any more.
func (r *Run) trim(more int) {
	if r.limit <= 0 {
		return
	}
	r.total += more
	if n := len(r.marks); n == 0 || r.total-r.marks[n-1].total >= r.limit/marksOfLimit {
		r.marks = append(r.marks, mark{r.number, r.total})
	}
	for r.total-r.marks[0].total > r.limit {
		r.least, r.marks = r.marks[0].number+1, r.marks[1:]
	}
}
