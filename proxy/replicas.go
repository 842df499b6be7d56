package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/internal/eventlog"
	"github.com/sabir-proxy/sabir/proxy/internal/runstore"
	"github.com/sabir-proxy/sabir/proxy/internal/threadstore"
)

// replicas shares runs with the other replicas of Sabir. What a run says goes to the store as well; a run of another replica is read
// from there into a log of this one, and clients read that.
type replicas struct {
	store *runstore.Store
	kept  *threadstore.Store
	runs  *sharedRuns
	log   *zap.Logger
	lease time.Duration

	mu      sync.Mutex
	owned   map[string]*sharedRun           // those of this replica that go on, by token
	lookups map[eventlog.Key]*pendingLookup // runs that are being looked for
	closed  chan struct{}
}

// pendingLookup is what comes of looking for a run, for all clients that wait for it.
type pendingLookup struct {
	done   chan struct{} // closed when the rest is known
	run    *sharedRun
	failed *hub.Failure
}

// openReplicas makes the replica known to the others; nil if there is no store.
func openReplicas(cfg *config.Redis, kept *conversations, log *zap.Logger, m *metrics, cancel func(what []byte) bool) (*replicas, error) {
	kept.share(nil)
	if !cfg.Used() {
		return nil, nil //nolint:nilnil // there is none
	}
	client, err := redisClient(cfg)
	if err != nil {
		return nil, err
	}
	r := &replicas{runs: &kept.shared, log: log, lease: cfg.Lease, owned: map[string]*sharedRun{}, lookups: map[eventlog.Key]*pendingLookup{}, closed: make(chan struct{})}
	redis.SetLogger(redisLog{log}) // of the whole process, else it writes to stderr
	fromZero(m.storeEvents, runstore.EventError, runstore.EventLost, runstore.EventFenced, runstore.EventOrphan, eventTurnLost)
	count := func(event string) { m.storeEvents.WithLabelValues(event).Inc() }
	r.store = runstore.Open(runstore.Config{
		Client: client, Prefix: cfg.Prefix, Lease: cfg.Lease, Timeout: cfg.Timeout, Flush: cfg.Flush, Backlog: storeBacklog,
		OnStop: r.stopOwn, OnWatch: r.watchOwn, OnCancel: cancel, Count: count,
		OnError: (&storeLog{log: log, what: "the store of runs", wait: cfg.Timeout}).note,
	})
	turns := &storeLog{log: log, what: "the store of conversations", wait: cfg.Timeout}
	r.kept = threadstore.Open(threadstore.Config{
		Client: client, Prefix: cfg.Prefix, Lease: cfg.Lease, Timeout: cfg.Timeout,
		OnError: func(err error) {
			count(runstore.EventError)
			turns.note(err)
		},
		OnLost: func() { count(eventTurnLost) },
	})
	kept.share(r.kept)
	return r, nil
}

// redisLog takes what the client of Redis logs by itself. What comes of its faults is logged by the stores.
type redisLog struct{ log *zap.Logger }

// Printf implements the interface of [redis.SetLogger].
func (l redisLog) Printf(_ context.Context, format string, v ...any) {
	if entry := l.log.Check(zap.DebugLevel, "the client of Redis"); entry != nil {
		entry.Write(zap.String("says", fmt.Sprintf(format, v...)))
	}
}

// eventTurnLost is counted where what a turn said could not be stored.
const eventTurnLost = "turn_lost"

// storeBacklog is how many bytes of what runs say wait for Redis while it is away.
const storeBacklog = 64 << 20

var errFenced = errors.New("another replica took this one for dead, and has ended the run")

func nameOf(key eventlog.Key) string { return runstore.NameOf(key.Scope, key.Kind, key.Name) }

// endRemote lets other replicas know how a run has ended; the first call counts.
func endRemote(run *runstore.Run, failed *hub.Failure) {
	if failed == nil {
		run.End(runstore.EndDone, nil)
		return
	}
	why, _ := json.Marshal(failureInfo{failed.Note, failed.Said, failed.Status, failed.RetryAfter, failed.Challenge}) // texts and numbers
	run.End(string(failed.Code), why)
}

// ended forgets a run of this replica that has ended.
func (r *replicas) ended(run *sharedRun, failed *hub.Failure) {
	endRemote(run.About.remote, failed)
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.owned, run.About.token)
}

func (r *replicas) own(token string) *sharedRun {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.owned[token]
}

func (r *replicas) stopOwn(token string) {
	if run := r.own(token); run != nil {
		run.About.canceler.cancel(hub.Fail(hub.CodeCancelled, nil))
	}
}

func (r *replicas) watchOwn(token string) {
	if run := r.own(token); run != nil {
		run.About.stay()
	}
}

// sharedRunOf returns the newest run of a name, here or at another replica; nil if there is none.
func (s *Server) sharedRunOf(key eventlog.Key) (*sharedRun, *hub.Failure) {
	here := s.kept.shared.Find(key)
	r := s.replicas
	if r == nil || key.Kind == byToken && here != nil {
		return here, nil
	}
	token := key.Name
	if key.Kind != byToken {
		named, err := r.store.Find(nameOf(key))
		switch token = named.Token; {
		case err != nil && here == nil:
			return nil, hub.Fail(hub.CodeStore, err)
		case token == "", here != nil && here.About.remote != nil && named.IsBefore(here.About.remote):
			return here, nil
		case token == runstore.Deleted:
			return nil, nil //nolint:nilnil // there is none any more
		}
	}
	run, f := r.lookUp(eventlog.Key{Scope: key.Scope, Kind: byToken, Name: token})
	if run == nil && here != nil { // the name of the run here has not reached the store
		return here, nil
	}
	return run, f
}

// lookUp returns a run that may be another replica's, and begins to read it if no client here does. Clients that come at the same time
// share the answer of the store: else each would wait for those before it.
func (r *replicas) lookUp(key eventlog.Key) (*sharedRun, *hub.Failure) {
	r.mu.Lock()
	a := r.lookups[key]
	if a != nil {
		r.mu.Unlock()
		<-a.done
		return a.run, a.failed
	}
	if run := r.runs.Find(key); run != nil {
		r.mu.Unlock()
		return run, nil
	}
	a = &pendingLookup{done: make(chan struct{})}
	r.lookups[key] = a
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.lookups, key)
		close(a.done)
	}()
	a.run, a.failed = r.read(key)
	return a.run, a.failed
}

// read begins to read a run of another replica.
func (r *replicas) read(key eventlog.Key) (*sharedRun, *hub.Failure) {
	head, err := r.head(key.Name)
	var info runInfo
	if err == nil && head != nil {
		err = json.Unmarshal(head.About, &info)
	}
	switch {
	case errors.Is(err, runstore.ErrFormat):
		return nil, hub.Fail(hub.CodeRunCut, err)
	case err != nil:
		return nil, hub.Fail(hub.CodeStore, err)
	case head == nil || string(head.Scope) != key.Scope:
		return nil, nil //nolint:nilnil // there is none
	}
	asked := info.Asked.Attach()
	asked.Said = info.Past
	run := r.runs.Begin(&shared{
		token: key.Name, body: info.Body, said: info.Said, asked: asked, canceler: new(canceler), grace: info.Grace, owner: head.Owner,
		records: info.Records,
	}, info.Bytes, info.Records != "", key)
	from := &remoteRun{replicas: r, run: run, keep: head.Keep, ended: make(chan struct{})}
	if _, err = r.store.Follow(key.Name, head.Owner, from); err != nil {
		r.runs.End(run, err, 0)
		return nil, hub.Fail(hub.CodeStore, err)
	}
	go from.watch()
	return run, nil
}

// Runs reach the store a little later than their clients learn their names. So one that is not there is looked for again, for so long however slow
// the store is.
const (
	lookAgain = 20 * time.Millisecond
	lookMost  = 80 * time.Millisecond
)

// head returns what is known of a run, nil if nothing is.
func (r *replicas) head(token string) (head *runstore.Head, err error) {
	for begun := time.Now(); ; time.Sleep(lookAgain) {
		if head, err = r.store.Head(token); head != nil || err != nil || time.Since(begun) >= lookMost {
			return head, err
		}
	}
}

// remoteRun takes what a run of another replica says.
type remoteRun struct {
	replicas *replicas
	run      *sharedRun
	keep     time.Duration
	ended    chan struct{}
}

// Restore implements [runstore.Sink].
func (m *remoteRun) Restore(short []byte, of int64) { m.run.Restore(short, of) }

// Append implements [runstore.Sink].
func (m *remoteRun) Append(p []byte) { m.run.Log.Append(p) }

// End implements [runstore.Sink].
func (m *remoteRun) End(how, why string) {
	var err error
	switch how {
	case runstore.EndDone:
	case runstore.EndOwner:
		err = hub.Fail(hub.CodeReset, errors.New("the replica that read the agent is gone"))
	case runstore.EndStore:
		err = hub.Fail(hub.CodeStore, errors.New("the store was away for too long, or has lost a part"))
	case runstore.EndCut:
		err = hub.Fail(hub.CodeRunCut, eventlog.ErrCut)
	default:
		err = failureOf(hub.Code(how), why)
	}
	m.replicas.runs.End(m.run, err, m.keep)
	close(m.ended)
}

// failureInfo is what clients at other replicas learn of a failure beside its code. The cause stays in the log of its replica.
type failureInfo struct {
	Note       string   `json:"note,omitempty"`
	Said       string   `json:"said,omitempty"`
	Status     int      `json:"status,omitempty"`
	RetryAfter int      `json:"retry_after,omitempty"`
	Challenge  []string `json:"challenge,omitempty"`
}

// failureOf is a failure as another replica has it. An earlier version writes its code only.
func failureOf(code hub.Code, why string) *hub.Failure {
	var info failureInfo
	if why != "" && json.Unmarshal([]byte(why), &info) != nil {
		return hub.Fail(code, errors.New("what the other replica says of it cannot be read"))
	}
	return &hub.Failure{Code: code, Note: info.Note, Said: info.Said, Status: info.Status, RetryAfter: info.RetryAfter, Challenge: info.Challenge}
}

// watch tells the owner of the run that clients read it here, as long as they do.
func (m *remoteRun) watch() {
	tick := time.NewTicker(max(m.run.About.grace/3, time.Millisecond))
	defer tick.Stop()
	for {
		if m.run.About.watched() {
			_ = m.replicas.store.Watch(m.run.About.owner, m.run.About.token) // the store reports
		}
		select {
		case <-tick.C:
		case <-m.ended:
			return
		case <-m.replicas.closed:
			return
		}
	}
}

// close takes the replica out.
func (r *replicas) close() {
	if r == nil {
		return
	}
	close(r.closed)
	r.kept.Close()
	r.store.Close()
}

// stopElsewhere ends the run of another replica by a name of it, and returns the request that began it; nil if there is no such run.
func (s *Server) stopElsewhere(key eventlog.Key) (*hub.Request, *hub.Failure) {
	if s.replicas == nil || key.Name == "" {
		return nil, nil //nolint:nilnil // there is none
	}
	run, f := s.sharedRunOf(key)
	if f != nil || run == nil || run.Log.Ended() {
		return nil, f
	}
	return run.About.asked, s.stopShared(run)
}

// stopShared ends a run. Where its owner cannot be reached, the client learns that it may try again.
func (s *Server) stopShared(run *sharedRun) *hub.Failure {
	about := run.About
	if about.owner == "" {
		about.canceler.cancel(hub.Fail(hub.CodeCancelled, nil))
		return nil
	}
	if run.Log.Ended() {
		return nil
	}
	if err := s.replicas.store.Stop(about.owner, about.token); err != nil {
		return hub.Fail(hub.CodeStore, err)
	}
	return nil
}

// runKnown notes that a client knows its run, and so can come back at another replica. One that comes to know it while this replica
// drains is cut as those before it.
func (s *Server) runKnown(st *canceler, run *sharedRun) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st.known = run; s.cutting {
		st.move()
	}
}

// move ends the connection of a client that comes back at another replica, once others can have what the run has said until now. While the
// store does not take it, the client finds nothing there, and stays.
func (s *canceler) move() {
	move := func() { s.cancel(hub.Fail(hub.CodeShutdown, errMovedOn)) }
	switch about := s.known.About; {
	case about.owner != "": // they have it from there
		move()
	case about.remote != nil:
		about.remote.Stored(move)
	}
}

// errMovedOn is why a client is cut that can come back at another replica.
var errMovedOn = errors.New("this replica drains, and others have the run")

// cutViewers ends the connections of the clients that read runs, without an end: they come back at another replica. One that has got
// nothing yet does not know its run, and stays.
func (s *Server) cutViewers() {
	if s.replicas == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cutting = true
	for st := range s.streams {
		if st.known != nil {
			st.move()
		}
	}
}
