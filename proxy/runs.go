package proxy

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/eventlog"
	"github.com/sabir-proxy/sabir/proxy/internal/runstore"
)

// runs are the runs that clients can end by another request: those of dialects that have an [hub.OpStop].
type runs struct {
	mu    sync.Mutex
	byKey map[runKey][]*cancelableRun
}

// runKey is what clients know runs by: their thread, the id of the run itself, or that of its answer. Those of another route or
// principal are not found.
type runKey struct{ scope, thread, run, answer string }

type cancelableRun struct {
	id       string // as the client named it
	canceler *canceler
	over     atomic.Bool   // its client may have read its end: it cannot be canceled any more
	left     atomic.Int32  // of its stream and the request that cancels it at its agent, those that have not ended
	ended    chan struct{} // closed when none is left
	forget   func()        // is called then
}

// keep lets the run be known until release is called once more.
func (r *cancelableRun) keep() {
	if r != nil {
		r.left.Add(1)
	}
}

func (r *cancelableRun) release() {
	if r != nil && r.left.Add(-1) == 0 {
		r.forget()
		close(r.ended)
	}
}

// conclude is called before the client learns that the run has ended.
func (r *cancelableRun) conclude() {
	if r != nil {
		r.over.Store(true)
	}
}

// add takes in the run of a call, if its client can end it, until it is released: nil is none.
func (r *runs) add(c *call, st *canceler) *cancelableRun {
	if c.asked == nil || !c.target.dialect.Serves(hub.OpStop) {
		return nil
	}
	run := &cancelableRun{id: plainText(c.asked.Run), canceler: st, ended: make(chan struct{})}
	keys := []runKey{
		{scope: c.scope, thread: plainText(c.asked.Thread)}, {scope: c.scope, run: run.id}, {scope: c.scope, answer: plainText(c.asked.Answer)},
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byKey == nil {
		r.byKey = map[runKey][]*cancelableRun{}
	}
	for _, key := range keys {
		if key.names() {
			r.byKey[key] = append(r.byKey[key], run)
		}
	}
	run.forget = func() { r.remove(keys, run) }
	run.keep()
	return run
}

// names reports whether the key is a name of anything.
func (k runKey) names() bool { return k.thread+k.run+k.answer != "" }

func (r *runs) remove(keys []runKey, run *cancelableRun) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, key := range keys {
		list := slices.DeleteFunc(r.byKey[key], func(o *cancelableRun) bool { return o == run })
		if r.byKey[key] = list; len(list) == 0 {
			delete(r.byKey, key)
		}
	}
}

// namedRuns are runs as replicas speak of them.
type namedRuns struct {
	Scope                   []byte
	Thread, Run, Answer, ID string
	Ended                   bool `json:",omitempty"` // all of them, and the answer comes when they have ended
}

// cancelNamed is cancel for another replica, or for this one as one of all.
func (r *runs) cancelNamed(what []byte) (found bool) {
	var n namedRuns
	if json.Unmarshal(what, &n) != nil {
		return false
	}
	key := runKey{string(n.Scope), n.Thread, n.Run, n.Answer}
	if n.Ended {
		return r.end(key)
	}
	return r.cancel(key, n.ID)
}

// longestRun is the longest name of a run that all replicas are asked for, in bytes: clients may choose any, and each of them would read it.
const longestRun = 4 << 10

// cancelElsewhere cancels runs of that name at other replicas, and reports whether there were any.
func (r *replicas) cancelElsewhere(key runKey, id string) (found bool, f *hub.Failure) {
	if r == nil || !key.names() || len(key.thread)+len(key.run)+len(key.answer)+len(id) > longestRun {
		return false, nil
	}
	what, _ := json.Marshal(namedRuns{Scope: []byte(key.scope), Thread: key.thread, Run: key.run, Answer: key.answer, ID: id}) // texts never fail
	found, err := r.store.Cancel(what)
	switch {
	case errors.Is(err, runstore.ErrSilent):
		return false, hub.Fail(hub.CodeReplica, err)
	case err != nil:
		return false, hub.Fail(hub.CodeStore, err)
	}
	return found, nil
}

// cancel ends the runs of that name that go on, or only the one of that id, and reports whether there were any.
func (r *runs) cancel(key runKey, id string) (found bool) {
	for _, run := range r.of(key) {
		if (id == "" || id == run.id) && !run.over.Load() {
			found = true
			run.canceler.cancel(hub.Fail(hub.CodeCancelled, nil))
		}
	}
	return found
}

// endRuns ends the runs of that name at all replicas, and waits for them, with what cancels them at their agents. A replica that does not answer
// in time ends its own when it goes on.
func (s *Server) endRuns(name eventlog.Key, key runKey) *hub.Failure {
	if s.replicas != nil {
		if _, f := s.stopElsewhere(name); f != nil {
			return f
		}
		what, _ := json.Marshal(namedRuns{Scope: []byte(key.scope), Thread: key.thread, Run: key.run, Answer: key.answer, Ended: true}) // texts never fail
		if err := s.replicas.store.CancelAll(what, maxCancelRequest+cancelAnswer); err != nil && !errors.Is(err, runstore.ErrSilent) {
			return hub.Fail(hub.CodeStore, err)
		}
	}
	s.runs.end(key) // this replica is one of all, but may not hear of it while its connection to the store is made anew
	return nil
}

// cancelAnswer is what the answer of another replica may take longer than the end of its runs.
const cancelAnswer = time.Second

// end cancels the runs of that name, waits until they have ended, and reports whether there were any.
func (r *runs) end(key runKey) (found bool) {
	ending, late := r.of(key), time.After(maxCancelRequest)
	for _, run := range ending {
		run.canceler.cancel(hub.Fail(hub.CodeCancelled, nil))
	}
	for _, run := range ending {
		select {
		case <-run.ended:
		case <-late:
			return true
		}
	}
	return len(ending) > 0
}

// of are the runs of a name.
func (r *runs) of(key runKey) []*cancelableRun {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.byKey[key])
}

// plainText is the text of a string body.
func plainText(body []byte) (text string) {
	if bytes.IndexByte(body, '\\') < 0 {
		return string(body)
	}
	_ = json.Unmarshal(slices.Concat([]byte{'"'}, body, []byte{'"'}), &text)
	return text
}
