package proxy

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/runlog"
	"github.com/sabir-proxy/sabir/proxy/internal/threads"
)

// breakdowns make a store fail in the middle of a request: the n-th use of one method fails, and each one behind it.
type breakdowns struct {
	mu   sync.Mutex
	at   string
	left int
}

func (f *breakdowns) set(at string, left int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at, f.left = at, left
}

func (f *breakdowns) of(method string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.at != method {
		return nil
	}
	if f.left--; f.left > 0 {
		return nil
	}
	return hub.Fail(hub.CodeStore, errors.New("it is away"))
}

// brokenThreads are conversations whose store fails.
type brokenThreads struct {
	threads.Store
	faults *breakdowns
}

func (s brokenThreads) SetMeta(key threads.Key, meta []byte) error {
	if err := s.faults.of("SetMeta"); err != nil {
		return err
	}
	return s.Store.SetMeta(key, meta)
}

func (s brokenThreads) Of(scope string) ([]string, error) {
	if err := s.faults.of("Of"); err != nil {
		return nil, err
	}
	return s.Store.Of(scope)
}

func (s brokenThreads) Look(key threads.Key) (threads.View, error) {
	if err := s.faults.of("Look"); err != nil {
		return threads.View{}, err
	}
	return s.Store.Look(key)
}

func (s brokenThreads) Create(key threads.Key, seed threads.Seed) error {
	if err := s.faults.of("Create"); err != nil {
		return err
	}
	return s.Store.Create(key, seed)
}

func (s brokenThreads) Find(key threads.Key) (threads.View, error) {
	if err := s.faults.of("Find"); err != nil {
		return threads.View{}, err
	}
	return s.Store.Find(key)
}

func (s brokenThreads) Forget(key threads.Key) error {
	if err := s.faults.of("Forget"); err != nil {
		return err
	}
	return s.Store.Forget(key)
}

func (s brokenThreads) Begin(turn *threads.Turn) error {
	if err := s.faults.of("Begin"); err != nil {
		return err
	}
	return s.Store.Begin(turn)
}

// brokenRuns are runs whose store fails.
type brokenRuns struct {
	runlog.Store
	faults *breakdowns
}

func (s brokenRuns) Find(key runlog.Key) (runlog.Run, error) {
	if err := s.faults.of("runs.Find"); err != nil {
		return runlog.Run{}, err
	}
	return s.Store.Find(key)
}

func (s brokenRuns) Of(scope, thread string) ([]runlog.Run, error) {
	if err := s.faults.of("runs.Of"); err != nil {
		return nil, err
	}
	return s.Store.Of(scope, thread)
}

func (s brokenRuns) Put(key runlog.Key, run runlog.Run) error {
	if err := s.faults.of("runs.Put"); err != nil {
		return err
	}
	return s.Store.Put(key, run)
}

func (s brokenRuns) Replace(key runlog.Key, run runlog.Run) error {
	if err := s.faults.of("runs.Put"); err != nil {
		return err
	}
	return s.Store.Replace(key, run)
}

func (s brokenRuns) Forget(scope, thread string) error {
	if err := s.faults.of("runs.Forget"); err != nil {
		return err
	}
	return s.Store.Forget(scope, thread)
}

// startFaulty starts a proxy in front of a faulty store.
func startFaulty(t *testing.T, yaml string) (*rig, *breakdowns) {
	t.Helper()
	r, f := start(t, yaml), new(breakdowns)
	r.kept.threads, r.kept.runs = brokenThreads{r.kept.threads, f}, brokenRuns{r.kept.runs, f}
	if err := r.Reload(r.cfg); err != nil {
		t.Fatal(err)
	}
	return r, f
}

// faultyRequest is one in which a method of the store fails, at its n-th use.
type faultyRequest struct {
	fails              string
	nth                int
	method, path, body string
}

// failEach makes each request, and wants to read that the store is away. When the store is back, what is known is what it was.
func failEach(t *testing.T, r *rig, f *breakdowns, all []faultyRequest) {
	t.Helper()
	for _, q := range all {
		f.set(q.fails, q.nth)
		c := r.dial()
		c.ask(q.method, "/run"+q.path, q.body, alice)
		if resp, got := c.whole(); resp.StatusCode != 503 || resp.Header.Get("X-Sabir-Error") != "store_unavailable" || !strings.Contains(got, "store_unavailable") {
			t.Errorf("%s %s, %s fails at its use %d: status %d, %s", q.method, q.path, q.fails, q.nth, resp.StatusCode, got)
		}
		c.Close()
	}
	f.set("", 0)
}

// TestFaultyStoreOfGraphs: whichever use of the store fails, a client of LangGraph learns that, and nothing is answered as if it were done.
func TestFaultyStoreOfGraphs(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(lines(lineStart, `{"kind":"tool.start","id":"c1","name":"drop"}`, `{"kind":"tool.ready","id":"c1","name":"drop","value":{}}`,
		`{"kind":"ask","id":"q1","ref":"c1","what":"permission","title":"Drop it?"}`, `{"kind":"run.end","status":"paused"}`)))
	yaml := simple(a.url(), "", "", "client: langgraph\nmethods: [GET, POST, DELETE, PATCH]\nrequests: {mode: translate}")
	r, f := startFaulty(t, strings.Replace(yaml, "path: /run", "path: /run/*", 1))
	stream := r.call(t, 200, alice, "POST", "/run/threads/t1/runs/stream", said("one"), "drop")
	_, id, _ := strings.Cut(stream, `"run_id":"`)
	id, _, _ = strings.Cut(id, `"`)
	const one = "/threads/t1"
	failEach(t, r, f, []faultyRequest{
		{"Find", 1, "GET", one, ""},
		{"runs.Of", 1, "GET", one, ""},
		{"Find", 1, "PATCH", one, `{"metadata":{"a":1}}`},
		{"SetMeta", 1, "PATCH", one, `{"metadata":{"a":1}}`},
	})
	r.call(t, 200, alice, "GET", "/run"+one, "", `"metadata":{},`)
	r.call(t, 200, alice, "POST", "/run/threads", `{"thread_id":"t3"}`)
	f.set("Look", 2)
	r.call(t, 200, alice, "POST", "/run/threads/search", `{"limit":1}`, `"t3"`) // the store is asked for no more than the answer has
	failEach(t, r, f, []faultyRequest{
		{"Find", 2, "PATCH", one, `{"metadata":{"a":1}}`},
		{"Find", 1, "POST", "/threads", `{"thread_id":"t2"}`},
		{"Create", 1, "POST", "/threads", `{"thread_id":"t2"}`},
		{"Of", 1, "POST", "/threads/search", `{}`},
		{"Look", 1, "POST", "/threads/search", `{}`},
		{"runs.Of", 1, "POST", "/threads/search", `{}`},
		{"runs.Of", 2, "GET", one + "/runs", ""},
		{"runs.Find", 1, "GET", one + "/runs/" + id, ""},
		{"runs.Put", 1, "POST", one + "/runs/" + id + "/cancel", ""},
		{"runs.Find", 1, "POST", one + "/runs/" + id + "/cancel", ""},
		{"Begin", 1, "POST", one + "/runs/stream", said("two")},
		{"runs.Of", 1, "POST", one + "/runs/stream", `{"assistant_id":"agent","command":{"resume":{"approved":true}}}`},
		{"Forget", 1, "DELETE", one, ""},
		{"runs.Forget", 1, "DELETE", one, ""},
	})
	r.call(t, 404, alice, "GET", "/run/threads/t1", "")
}

// TestFaultyStoreOfModels: likewise a client of the Responses API.
func TestFaultyStoreOfModels(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	yaml := simple(a.url(), "", "", "client: openai-responses\nmethods: [GET, POST, DELETE]\nrequests: {mode: translate}")
	r, f := startFaulty(t, strings.Replace(yaml, "path: /run", "path: /run/*", 1))
	_, id, _ := strings.Cut(r.call(t, 200, alice, "POST", "/run/v1/responses", `{"model":"m","input":"one"}`, "Hello"), `"id":"`)
	id, _, _ = strings.Cut(id, `"`)
	_, talk, _ := strings.Cut(r.call(t, 200, alice, "POST", "/run/v1/conversations", `{}`), `"id":"`)
	talk, _, _ = strings.Cut(talk, `"`)
	const item = `{"items":[{"type":"message","role":"user","content":"more"}]}`
	answer, conversation := "/v1/responses/"+id, "/v1/conversations/"+talk
	failEach(t, r, f, []faultyRequest{
		{"Find", 1, "GET", answer, ""},
		{"Find", 1, "GET", answer + "/input_items", ""},
		{"Find", 1, "GET", conversation, ""},
		{"Begin", 1, "POST", conversation + "/items", item},
		{"Create", 1, "POST", "/v1/conversations", `{}`},
		{"Begin", 1, "POST", "/v1/responses", `{"model":"m","input":"two","previous_response_id":"` + id + `"}`},
		{"Forget", 1, "DELETE", answer, ""},
		{"Forget", 1, "DELETE", conversation, ""},
	})
	r.call(t, 200, alice, "DELETE", "/run"+answer, "")
	r.call(t, 404, alice, "GET", "/run"+answer, "")
}

// TestFaultyStoreOfKeepers: where the agent keeps the conversation, what the runs have said does not take its place while the store is away.
func TestFaultyStoreOfKeepers(t *testing.T) {
	t.Parallel()
	r, f := startFaulty(t, newKeeper(t, adkAnswer).config("adk", "", "langgraph"))
	r.call(t, 200, alice, "POST", "/run/threads/t1/runs/stream", said("one"), "Hi!")
	r.call(t, 200, alice, "GET", "/run/threads/t1/state", "", `"content":"one"`)
	failEach(t, r, f, []faultyRequest{{"Find", 1, "GET", "/threads/t1/state", ""}})
}
