package proxy

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/runlog"
	"github.com/sabir-proxy/sabir/proxy/internal/urls"
)

// TestRunThatDoesNotGoOn: a run that waits for its client, and whose agent refuses the answer, waits as it did.
func TestRunThatDoesNotGoOn(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			if strings.Contains(string(p.body), "Oslo") {
				p.answer("503 Service Unavailable", "Content-Length: 0")
				continue
			}
			p.ok("Content-Type: application/x-ndjson")
			p.finish(lines(lineStart, `{"kind":"ask","id":"q1","what":"question","title":"Which city?"}`, `{"kind":"run.end","status":"paused"}`))
		}
	})
	r := below(t, a, "a2a")
	id := a2aTaskID(t, r.call(t, 200, alice, "POST", "/run", a2aMessage("u1", "", "weather"), "TASK_STATE_INPUT_REQUIRED"))
	r.call(t, 503, alice, "POST", "/run", strings.Replace(a2aMessage("u2", "", "Oslo"), `"messageId"`, `"taskId":"`+id+`","messageId"`, 1))
	r.awaitEnds(2)
	got := r.call(t, 200, alice, "POST", "/run", a2aCall("GetTask", `"id":"`+id+`"`), `"state":"TASK_STATE_INPUT_REQUIRED"`, "Which city?")
	if strings.Contains(got, "Oslo") {
		t.Errorf("the task has what its agent has refused: %s", got)
	}
}

// TestRunThatIsGone: a run that is known to go on, and that no process has any more, cannot be stopped.
func TestRunThatIsGone(t *testing.T) {
	t.Parallel()
	r := knowing(t, newAgent(t, streaming(smallRun)), "", "")
	way, _ := r.table.Load().find(urls.Path{Raw: "/run", Plain: "/run"})
	var h fasthttp.RequestHeader
	field, value, _ := strings.Cut(alice, ": ")
	h.Set(field, value)
	lost := runlog.Run{Thread: "t1", PastRun: hub.PastRun{Began: 1}}
	if err := r.kept.runs.Put(runlog.Key{Scope: way.scope(&h, nil), Run: "r9"}, lost); err != nil {
		t.Fatal(err)
	}
	r.call(t, 409, alice, "POST", "/run/threads/t1/runs/r9/cancel", "", `"code":"run_ended"`)
	r.call(t, 404, alice, "POST", "/run/threads/t1/runs/r8/cancel", "")
}

// TestWaitingInFullServer: who waits for the end of a run is one of its clients, for whom there may be no room.
func TestWaitingInFullServer(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	yaml := simple(a.url(), "limits: {streams: 2}", "", "client: langgraph\nrequests: {mode: translate}\nresume: {grace: 1m}")
	r := start(t, strings.Replace(yaml, "path: /run", "path: /run/*", 1))
	first := r.dial()
	first.ask("POST", "/run/threads/t1/runs/stream", said("hi"), alice)
	resp := first.response()
	firstHalf(t, resp)
	r.call(t, 503, alice, "GET", "/run"+resp.Header.Get("Content-Location")+"/join", "", "too_many_streams")
	close(goOn)
	rest(t, resp)
}

// meanwhile is a store of runs in which something happens while a request looks for its run.
type meanwhile struct {
	runlog.Store
	happens func()
}

func (s meanwhile) Find(key runlog.Key) (runlog.Run, error) {
	defer s.happens()
	return s.Store.Find(key)
}

// TestWaitingFindsNoRoom: likewise one for whom there was room when its request came, and no more when it is to wait.
func TestWaitingFindsNoRoom(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	yaml := simple(a.url(), "limits: {streams: 3}", "", "client: langgraph\nrequests: {mode: translate}\nresume: {grace: 1m}")
	r := start(t, strings.Replace(yaml, "path: /run", "path: /run/*", 1))
	first := r.dial()
	first.ask("POST", "/run/threads/t1/runs/stream", said("hi"), alice)
	resp := first.response()
	firstHalf(t, resp)
	r.kept.runs = meanwhile{r.kept.runs, func() { r.open.Add(1) }}
	if err := r.Reload(r.cfg); err != nil {
		t.Fatal(err)
	}
	r.call(t, 503, alice, "GET", "/run"+resp.Header.Get("Content-Location")+"/join", "", "too_many_streams")
	r.open.Add(-1)
	close(goOn)
	rest(t, resp)
}

// TestEventsOfFullRun: the events of a run that has as many readers as may be end in the middle: who reads them has not read the run.
func TestEventsOfFullRun(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	defer close(goOn)
	r := resuming(t, a, "langgraph", "grace: 1m, viewers: 1")
	first := r.dial()
	first.ask("POST", "/run/threads/t1/runs/stream", said("hi"), alice)
	firstHalf(t, first.response())
	events := r.events(t, alice, "t1", everyEvent)
	if got, err := io.ReadAll(events.Body); err == nil || strings.Contains(string(got), "Hello") {
		t.Errorf("%v behind %q", err, got)
	}
}

// TestEventsOfNoChannel: a request that does not say what it wants to read learns that, and nothing of a place in it where something is wrong.
func TestEventsOfNoChannel(t *testing.T) {
	t.Parallel()
	r := knowing(t, newAgent(t, streaming(smallRun)), "", "")
	if got := r.call(t, 400, alice, "POST", eventsPath, "{}", "channels"); strings.Contains(got, "byte") {
		t.Errorf("it gets %s", got)
	}
}

// TestNoSignsOfLifeForTwoRequests: a client that asks by two requests needs no signs of life.
func TestNoSignsOfLifeForTwoRequests(t *testing.T) {
	t.Parallel()
	r := start(t, chatConfig(newAgent(t, streaming(smallRun)), "timeouts: {keepalive: 0s}"))
	_, resp := r.listenTo("c1")
	r.part("/start/c1", 200, success)
	if body, err := io.ReadAll(resp.Body); err != nil || len(dataOf(string(body))) != 3 {
		t.Errorf("%v, %s", err, body)
	}
}

// TestRepeatsWhileStoreIsAway: whether a request with a key is one that comes again cannot be known while the store is away.
func TestRepeatsWhileStoreIsAway(t *testing.T) {
	t.Parallel()
	line := newCable(t, redisAddress(t))
	a := newAgent(t, streaming(smallRun))
	top := storeYAML(line.Addr().String(), fmt.Sprintf(", prefix: \"%s:\"", newToken()))
	r := start(t, simple(a.url(), top, "", "client: agui\nrequests: {mode: translate}\nresume: {grace: 1m}"))
	r.call(t, 200, repeated, "POST", "/run", resumeClients[0].body)
	asked := a.connections()
	line.set(true)
	r.call(t, 503, strings.Replace(repeated, "k1", "k2", 1), "POST", "/run", resumeClients[0].body, "store_unavailable")
	if n := a.connections(); n != asked {
		t.Errorf("the agent has %d connections, of which %d are new", n, n-asked)
	}
	line.set(false)
	await(t, "the store to be back", func() bool {
		c := r.dial()
		defer c.Close()
		c.ask("POST", "/run", resumeClients[0].body, alice, "Idempotency-Key: k3")
		resp, _ := c.whole()
		return resp.StatusCode == 200
	})
}

// TestWhoWasAsked: of several decisions each one that names a question is looked at, and while the store of questions is away none is passed on.
func TestWhoWasAsked(t *testing.T) {
	t.Parallel()
	c := &call{route: &route{sessions: &hub.SessionServer{AnswersByName: true}, runs: unknownRuns{}}}
	decided := func(ids ...string) *hub.Failure {
		asked := new(hub.Request)
		for _, id := range ids {
			asked.Answers = append(asked.Answers, hub.Decision{Ask: []byte(id), Call: []byte("c1"), Decided: true})
		}
		return c.checkAsks(asked)
	}
	for i, ids := range [][]string{{}, {""}, {"q1"}, {"", "q1"}, {"q1", ""}} {
		if f := decided(ids...); (f != nil) != (i > 1) || f != nil && f.Code != hub.CodeAskUnknown {
			t.Errorf("%q: %v", ids, f)
		}
	}
	c.route.runs = faultyRuns{}
	if f := decided("q1"); f == nil || f.Code != hub.CodeStore {
		t.Errorf("the store is away: %v", f)
	}
}

// TestMessageThatIsRefused: a message on a WebSocket that is too large, or for which there is no route any more, is refused; the connection goes
// on.
func TestMessageThatIsRefused(t *testing.T) {
	t.Parallel()
	was := simple(newAgent(t, streaming(smallRun)).url(), "limits: {request_body: 1KB}\n", "", "client: openai-responses\nrequests: {mode: translate}")
	r := start(t, was)
	c := r.dialWS("/run")
	ask := func(input, ending, code string) {
		t.Helper()
		c.say(`{"type":"response.create","model":"m","input":"` + input + `"}`)
		all := c.response()
		if last := all[len(all)-1]; last.Type != ending || code != "" && r.metric("sabir_requests_rejected_total", "code="+code) != 1 {
			t.Errorf("%.20s: %+v", input, last)
		}
	}
	ask("one", "response.completed", "")
	ask(strings.Repeat("x", 2000), "error", "body_too_large")
	ask("two", "response.completed", "")
	if err := r.Reload(parse(t, strings.Replace(was, "path: /run", "path: /other", 1))); err != nil {
		t.Fatal(err)
	}
	ask("three", "error", "no_route")
	if err := r.Reload(parse(t, was)); err != nil {
		t.Fatal(err)
	}
	ask("four", "response.completed", "")
}

// TestHasRecords: a client that does not count its records has none, as one that says that it has none.
func TestHasRecords(t *testing.T) {
	t.Parallel()
	counted := &hub.Dialect{Counted: &hub.Counted{Parameter: "has", Has: func(s string) (int64, bool) { return int64(len(s)), true }}}
	for d, want := range map[*hub.Dialect]int64{{}: 0, counted: 3} {
		var ctx fasthttp.RequestCtx
		ctx.Request.SetRequestURI("/run?has=abc")
		if got := hasRecords(&ctx, d); got != want {
			t.Errorf("it has %d, want %d", got, want)
		}
	}
}

// TestRunWhoseClientLeft: a run that was not read to its end is no success for those who ask for it.
func TestRunWhoseClientLeft(t *testing.T) {
	t.Parallel()
	a, goOn, gone := gatedAgent(t)
	defer close(goOn)
	r := below(t, a, "langgraph")
	c := r.dial()
	c.ask("POST", "/run/threads/t1/runs/stream", said("hi"), alice)
	firstHalf(t, c.response())
	r.call(t, 200, alice, "GET", "/run/threads/t1/runs", "", `"status":"running"`)
	c.reset()
	<-gone
	await(t, "the run to be noted as one that was not read", func() bool { // a little later than its end is in the log
		return strings.Contains(r.call(t, 200, alice, "GET", "/run/threads/t1/runs", ""), `"status":"interrupted"`)
	})
	r.call(t, 200, alice, "GET", "/run/threads/t1/state", "", `"content":"Hello"`)
}

// TestReaderInFullServer: a client that comes back to its run and finds no room is refused, counted and logged, and the run goes on.
func TestReaderInFullServer(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	yaml := simple(a.url(), "limits: {streams: 2}", "", "client: agui\nrequests: {mode: translate}\nresume: {grace: 1m}")
	r := start(t, yaml) // a run, and who reads it
	first, resp := r.openRun()
	defer first.Close()
	firstHalf(t, resp)
	late := r.dial()
	late.ask("GET", "/run", "", alice, "X-Sabir-Run: "+resp.Header.Get(runHeader), "X-Request-Id: late")
	if refused, body := late.whole(); refused.StatusCode != 503 || refused.Header.Get("X-Sabir-Error") != "too_many_streams" || !strings.Contains(body, "too_many_streams") {
		t.Errorf("status %d, %v: %s", refused.StatusCode, refused.Header, body)
	}
	if n := r.metric("sabir_requests_rejected_total", "code=too_many_streams"); n != 1 {
		t.Errorf("%v are counted", n)
	}
	said := r.logs.FilterMessage("request rejected").All()
	if len(said) != 1 || said[0].ContextMap()["request_id"] != "late" || said[0].ContextMap()["path"] != "/run" {
		t.Errorf("the log says %v", said)
	}
	close(goOn)
	if all := rest(t, resp); !strings.Contains(all, "world") {
		t.Errorf("the run says %s", all)
	}
}
