package proxy

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync"

	"github.com/sabir-proxy/sabir/adapters/hub"
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
}

// add takes in the run of a call, if its client can end it, and returns what forgets it.
func (r *runs) add(c *call, st *canceler) (forget func()) {
	if c.asked == nil || !c.target.dialect.Serves(hub.OpStop) {
		return func() {}
	}
	run := &cancelableRun{plainText(c.asked.Run), st}
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
	return func() { r.remove(keys, run) }
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
}

// cancelNamed is cancel for another replica.
func (r *runs) cancelNamed(what []byte) bool {
	var n namedRuns
	return json.Unmarshal(what, &n) == nil && r.cancel(runKey{string(n.Scope), n.Thread, n.Run, n.Answer}, n.ID)
}

// cancelElsewhere cancels runs of that name at other replicas, and reports whether there were any.
func (r *replicas) cancelElsewhere(key runKey, id string) (found bool, f *hub.Failure) {
	if r == nil || !key.names() {
		return false, nil
	}
	what, _ := json.Marshal(namedRuns{[]byte(key.scope), key.thread, key.run, key.answer, id}) // texts never fail
	found, err := r.store.Cancel(what)
	if err != nil {
		return false, hub.Fail(hub.CodeStore, err)
	}
	return found, nil
}

// cancel ends the runs of that name, or only the one of that id, and reports whether there were any.
func (r *runs) cancel(key runKey, id string) (found bool) {
	r.mu.Lock()
	list := slices.Clone(r.byKey[key])
	r.mu.Unlock()
	for _, run := range list {
		if id == "" || id == run.id {
			found = true
			run.canceler.cancel(hub.Fail(hub.CodeCancelled, nil))
		}
	}
	return found
}

// plainText is the text of a string body.
func plainText(body []byte) (text string) {
	if bytes.IndexByte(body, '\\') < 0 {
		return string(body)
	}
	_ = json.Unmarshal(slices.Concat([]byte{'"'}, body, []byte{'"'}), &text)
	return text
}
