package proxy

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/runlog"
	"github.com/sabir-proxy/sabir/proxy/internal/threads"
	"github.com/sabir-proxy/sabir/proxy/internal/urls"
)

// brokenStore fails in one of its methods.
type brokenStore struct{ broken atomic.Pointer[string] }

func (b *brokenStore) fails(method string) error {
	if m := b.broken.Load(); m != nil && *m == method {
		return hub.Fail(hub.CodeStore, errors.New("it is full"))
	}
	return nil
}

type brokenThreads struct {
	threads.Store
	*brokenStore
}

func (b brokenThreads) Create(key threads.Key, seed threads.Seed) error {
	return errors.Join(b.fails("create"), b.Store.Create(key, seed))
}

func (b brokenThreads) SetMeta(key threads.Key, meta []byte) error {
	return errors.Join(b.fails("meta"), b.Store.SetMeta(key, meta))
}

func (b brokenThreads) Forget(key threads.Key) error {
	return errors.Join(b.fails("forget"), b.Store.Forget(key))
}

type brokenRuns struct {
	runlog.Store
	*brokenStore
}

func (b brokenRuns) Of(scope, thread string) ([]runlog.Run, error) {
	runs, err := b.Store.Of(scope, thread)
	return runs, errors.Join(b.fails("runs"), err)
}

func (b brokenRuns) Put(key runlog.Key, run runlog.Run) error {
	if err := b.fails("put"); err != nil {
		return err
	}
	return b.Store.Put(key, run)
}

func (b brokenRuns) Forget(scope, thread string) error {
	return errors.Join(b.fails("forget runs"), b.Store.Forget(scope, thread))
}

// TestStoreThatFailsHalfway: where a store answers what is asked first, and fails in what comes then, the client learns that it failed.
func TestStoreThatFailsHalfway(t *testing.T) {
	t.Parallel()
	for dialect, calls := range map[string][]struct{ method, begin, call string }{
		"langgraph": {
			{"create", "", `POST /run/threads {"thread_id":"t2"}`},
			{"meta", "", `PATCH /run/threads/t1 {"metadata":{"a":"b"}}`},
			{"runs", "", "GET /run/threads/t1 "},
			{"runs", "", "GET /run/threads/t1/runs "},
			{"forget", "", "DELETE /run/threads/t1 "},
			{"forget runs", "POST /run/threads/t1/runs/wait " + said("two"), "DELETE /run/threads/t1 "},
		},
		"openai-responses": {
			{"forget", "", "DELETE /run/responses/ID "},
		},
	} {
		a := newAgent(t, streaming(smallRun))
		r := start(t, strings.Replace(simple(a.url(), "", "", "client: "+dialect+
			"\nmethods: [GET, POST, DELETE, PATCH]\nagent: {name: helper}\nrequests: {mode: translate}"), "path: /run", "path: /run/*", 1))
		var store brokenStore
		route, _ := r.table.Load().find(urls.Path{Raw: "/run/x", Plain: "/run/x"})
		route.threads, route.runs = brokenThreads{route.threads, &store}, brokenRuns{route.runs, &store}
		id := ""
		call := func(status int, what string, want ...string) string {
			t.Helper()
			method, rest, _ := strings.Cut(strings.ReplaceAll(what, "ID", id), " ")
			path, body, _ := strings.Cut(rest, " ")
			return r.call(t, status, alice, method, path, body, want...)
		}
		begin := map[string]string{
			"langgraph": "POST /run/threads/t1/runs/wait " + said("one"), "openai-responses": `POST /run/responses {"model":"m","input":"one"}`,
		}[dialect]
		_, id, _ = strings.Cut(call(200, begin), `"id":"`)
		id, _, _ = strings.Cut(id, `"`)
		for _, c := range calls {
			if c.begin != "" {
				call(200, c.begin)
			}
			store.broken.Store(&c.method)
			call(503, c.call, "store_unavailable")
			store.broken.Store(nil)
		}
	}
}

// TestWaitingRunAtAStoreThatFails: a run that waits for its client is ended only if the store takes that.
func TestWaitingRunAtAStoreThatFails(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(lines(lineStart, `{"kind":"tool.start","id":"c1","name":"drop"}`, `{"kind":"ask","id":"q1","ref":"c1","what":"permission","title":"Drop it?"}`,
		`{"kind":"run.end","status":"paused"}`)))
	r := below(t, a, "langgraph")
	r.call(t, 200, alice, "POST", "/run/threads/t1/runs/wait", said("one"), `"__interrupt__":`)
	_, id, _ := strings.Cut(r.call(t, 200, alice, "GET", "/run/threads/t1/runs", "", `"status":"interrupted"`), `"run_id":"`)
	id, _, _ = strings.Cut(id, `"`)
	var store brokenStore
	route, _ := r.table.Load().find(urls.Path{Raw: "/run/x", Plain: "/run/x"})
	route.runs = brokenRuns{route.runs, &store}
	put := "put"
	store.broken.Store(&put)
	r.call(t, 503, alice, "POST", "/run/threads/t1/runs/"+id+"/cancel", "", "store_unavailable")
	store.broken.Store(nil)
	r.call(t, 200, alice, "POST", "/run/threads/t1/runs/"+id+"/cancel", "")
	r.call(t, 409, alice, "POST", "/run/threads/t1/runs/"+id+"/cancel", "", "run_ended")
}
