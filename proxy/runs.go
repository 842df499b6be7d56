package proxy

import (
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

// runKey names a thread of a route, or an answer, where clients know that before it ends.
type runKey struct{ route, name string }

type cancelableRun struct {
	id       string // as the client named it
	canceler *canceler
}

// add takes in the run of a call, if its client can end it, and returns what forgets it.
func (r *runs) add(c *call, st *canceler) (forget func()) {
	if c.asked == nil || !stoppable(c.target.dialect) {
		return func() {}
	}
	key, run := runKey{c.route.name, plainText(c.asked.Thread)}, &cancelableRun{plainText(c.asked.Run), st}
	if len(c.asked.Answer) > 0 {
		key.name = plainText(c.asked.Answer)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byKey == nil {
		r.byKey = map[runKey][]*cancelableRun{}
	}
	r.byKey[key] = append(r.byKey[key], run)
	return func() { r.remove(key, run) }
}

func (r *runs) remove(key runKey, run *cancelableRun) {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := slices.DeleteFunc(r.byKey[key], func(o *cancelableRun) bool { return o == run })
	if r.byKey[key] = list; len(list) == 0 {
		delete(r.byKey, key)
	}
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

func stoppable(d *hub.Dialect) bool {
	return slices.ContainsFunc(d.Endpoints, func(e hub.Endpoint) bool { return e.Operation == hub.OpStop })
}

// plainText is the text of a string body.
func plainText(body []byte) (text string) {
	_ = json.Unmarshal(slices.Concat([]byte{'"'}, body, []byte{'"'}), &text)
	return text
}
