package proxy

import (
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
	"github.com/sabir-proxy/sabir/proxy/internal/overload"
	"github.com/sabir-proxy/sabir/proxy/internal/urls"
)

// overload makes a process believe that it has too much to do, at each look. It does not look by itself any more.
func (r *rig) overload(looks int) {
	r.load.end()
	r.shed.Follow(overload.Settings{Memory: 1})
	for range looks {
		r.shed.Look(0, 1)
	}
}

// TestShedding: while the process is overloaded the client with the most runs gets no more, one with fewer does; what runs goes on, a
// run can be ended, and all is as before when it is over.
func TestShedding(t *testing.T) {
	t.Parallel()
	goOn := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok()
			if strings.Contains(string(p.body), "long") {
				p.chunk(lineStart + "\n")
				<-goOn
			}
			p.finish(strings.TrimPrefix(smallRun, map[bool]string{true: lineStart + "\n"}[strings.Contains(string(p.body), "long")]))
		}
	})
	r := start(t, simple(a.url(), keysYAML(), "", "client: agui\nauth: [keys]\n"))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if resp, body := r.post("/run", "long", "X-Api-Key: "+aliceKey); resp.StatusCode != 200 || !strings.Contains(body, "RUN_FINISHED") {
				t.Errorf("a stream that ran: %d %s", resp.StatusCode, body)
			}
		})
	}
	await(t, "four runs", func() bool { return r.open.Load() == 4 })
	ask := func(key string) *http.Response {
		resp, _ := r.post("/run", "short", "X-Api-Key: "+key)
		return resp
	}
	r.overload(1)
	resp, body := r.post("/run", "short", "X-Api-Key: "+aliceKey)
	if after := resp.Header.Get("Retry-After"); resp.StatusCode != 503 || resp.Header.Get("X-Sabir-Error") != "overloaded" || len(after) != 1 || after > "5" || after < "1" {
		t.Errorf("who has the most: %d %v %s", resp.StatusCode, resp.Header, body)
	}
	if resp := ask(bobKey); resp.StatusCode != 200 {
		t.Errorf("who has none: %d", resp.StatusCode)
	}
	r.overload(3)
	if resp := ask(bobKey); resp.StatusCode != 503 {
		t.Errorf("who has none, at last: %d", resp.StatusCode)
	}
	if n := r.metric("sabir_shed_total", "cause=memory"); n != 2 {
		t.Errorf("%v are counted", n)
	}
	if n := r.metric("sabir_overloaded", "cause=memory"); n != 1 {
		t.Errorf("sabir_overloaded is %v", n)
	}
	close(goOn)
	all.Wait()
	await(t, "their ends", r.noStreams)
	r.shed.Look(0, 0)
	if resp := ask(aliceKey); resp.StatusCode != 200 {
		t.Errorf("when it is over: %d", resp.StatusCode)
	}
}

// TestSheddingOnSockets: a message that asks for a run gets the refusal as the stream's end, and the connection lives on.
func TestSheddingOnSockets(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	r.overload(2)
	c := r.dialWS("/run")
	c.say("{}")
	if got := fmt.Sprint(c.run()); !strings.Contains(got, "overloaded") {
		t.Errorf("got %s", got)
	}
	r.shed.Look(0, 0)
	c.say("{}")
	if got := fmt.Sprint(c.run()); !strings.Contains(got, `"status":"done"`) {
		t.Errorf("then %s", got)
	}
}

// TestSheddingUnderLoad: with more runnable work than the processors can do, new runs are refused; no stream that runs is hurt by that.
func TestSheddingUnderLoad(t *testing.T) {
	a, goOn := heldAgent(t)
	r := start(t, simple(a.url(), "limits: {shed: {delay: 5ms}}\n", "", "client: twin\n"))
	runs := 40 * runtime.GOMAXPROCS(0) // fewer for a processor are never too many
	var all sync.WaitGroup
	for range runs {
		all.Go(func() {
			if resp, body := r.post("/run", "{}"); resp.StatusCode != 200 || !strings.Contains(body, `"status":"done"`) {
				t.Errorf("one that runs: %d %s", resp.StatusCode, body)
			}
		})
	}
	await(t, "all runs", func() bool { return r.open.Load() == int64(runs) })
	var stop atomic.Bool
	defer stop.Store(true)
	for range 4 * runtime.GOMAXPROCS(0) {
		go func() {
			for !stop.Load() {
			}
		}()
	}
	await(t, "a refusal", func() bool { // what is too much is looked at once a second, and may be a little less for one of them
		await(t, "the overload", r.shed.Sheds)
		c := r.dial()
		c.ask("POST", "/run", "{}")
		resp := c.response()
		return resp.StatusCode == 503 && resp.Header.Get("X-Sabir-Error") == "overloaded"
	})
	goOn()
	all.Wait()
	stop.Store(true)
	await(t, "the end of the overload", func() bool { return !r.shed.Sheds() })
	r.allowed("/run")
}

// TestOverloadIsLogged: once when it begins, once when it is over, and not again at once where it comes and goes.
func TestOverloadIsLogged(t *testing.T) {
	t.Parallel()
	core, logs := observer.New(zap.InfoLevel)
	var streams atomic.Int64
	streams.Store(7)
	l, began := loadLog{log: zap.New(core), streams: &streams}, time.Now()
	high := overload.State{Cause: overload.CauseMemory, Delay: time.Millisecond, Used: 0.5}
	for i, step := range []struct {
		load overload.State
		at   time.Duration
		want string
	}{
		{overload.State{}, 0, ""},
		{high, time.Second, "overloaded"},
		{overload.State{}, 2 * time.Second, "not overloaded"},
		{high, 3 * time.Second, ""},
		{overload.State{}, 4 * time.Second, ""}, // nothing has been said of it
		{high, time.Second + inbound.SayPause - 1, ""},
		{high, time.Second + inbound.SayPause, "overloaded"},
		{overload.State{}, time.Minute, "not overloaded"},
		{overload.State{}, time.Hour, ""},
	} {
		l.note(step.load, began.Add(step.at))
		all := logs.TakeAll()
		if step.want == "" && len(all) > 0 || step.want != "" && (len(all) != 1 || !strings.HasPrefix(all[0].Message, step.want)) {
			t.Errorf("step %d: %v", i, all)
		}
		if step.want == "overloaded" {
			got := fmt.Sprint(all[0].Level, all[0].ContextMap())
			if got != "warn map[cause:memory delay:1ms memory:0.5 streams:7]" {
				t.Errorf("step %d: %s", i, got)
			}
		}
	}
}

// TestRetryOfShedding: a client that is refused is asked to come again after one to five seconds, and not all after the same; nothing is
// refused where nothing is too much.
func TestRetryOfShedding(t *testing.T) {
	t.Parallel()
	r := &route{name: "/run", metrics: &routeMetrics{all: newMetrics("test")}}
	seen := map[int]bool{}
	for range 500 {
		f := r.overloaded(overload.CauseDelay)
		if f == nil || f.Code != hub.CodeOverload {
			t.Fatalf("it is refused with %v", f)
		}
		seen[f.RetryAfter] = true
	}
	if want := map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true}; !maps.Equal(seen, want) {
		t.Errorf("after %v seconds", seen)
	}
	if f := r.overloaded(""); f != nil {
		t.Errorf("without a cause: %v", f)
	}
	rig := &rig{t: t, Server: &Server{metrics: r.metrics.all}}
	if n := rig.ownMetric("sabir_shed_total", "cause=delay", "route=/run"); n != 500 || rig.ownMetric("sabir_shed_total") != 500 {
		t.Errorf("%v are counted", n)
	}
}

// TestShedSettings: what is too much is what the configuration says, and a reload changes it.
func TestShedSettings(t *testing.T) {
	t.Parallel()
	yaml := func(memory string) string {
		return simple("http://127.0.0.1:1/", "limits: {shed: {memory: "+memory+"}}\n", "", "client: twin\n")
	}
	r := start(t, yaml("50"))
	r.load.end()
	if r.shed.Look(0, 0.6); !r.shed.Sheds() {
		t.Error("more than is too much is taken")
	}
	if err := r.Reload(parse(t, yaml("90"))); err != nil {
		t.Fatal(err)
	}
	if r.shed.Look(0, 0.6); r.shed.Sheds() {
		t.Error("less than is too much is not")
	}
}

// TestLoadIsWatched: while a server runs, it looks at its load by itself, so that what is over does not stay.
func TestLoadIsWatched(t *testing.T) {
	t.Parallel()
	r := start(t, simple("http://127.0.0.1:1/", "", "", "client: twin\n"))
	r.shed.Follow(overload.Settings{Memory: 1})
	r.shed.Look(0, 1)
	await(t, "the end of the overload", func() bool { return !r.shed.Sheds() })
}

// TestWhatIsShed: of what comes while the process is overloaded, requests that would begin a run are refused before their bodies are read, and
// nothing else is.
func TestWhatIsShed(t *testing.T) {
	t.Parallel()
	r := start(t, simple("http://127.0.0.1:1/", "", "", "client: agui\nrequests: {mode: translate}\nresume: {grace: 1m}"))
	route, _ := r.table.Load().find(urls.Path{Raw: "/run", Plain: "/run"})
	asks := func(sub *subpath, header ...string) bool {
		var ctx fasthttp.RequestCtx
		ctx.Init(new(fasthttp.Request), nil, nil)
		ctx.Request.Header.SetMethod("POST")
		for i := 0; i < len(header); i += 2 {
			ctx.Request.Header.Set(header[i], header[i+1])
		}
		return r.refuseOverloaded(&ctx, route, route.targets[0], sub) != nil
	}
	run := &subpath{op: hub.OpRun}
	if asks(run) {
		t.Error("a run is refused without an overload")
	}
	r.overload(10)
	if !asks(run) || !asks(&subpath{op: hub.OpWhole}) {
		t.Error("a run is taken")
	}
	for name, refused := range map[string]bool{
		"another request": asks(&subpath{op: hub.OpRuns}), "one that comes back": asks(run, "X-Sabir-Run", "r"),
		"a socket": asks(run, "Connection", "Upgrade", "Upgrade", "websocket"),
	} {
		if refused {
			t.Errorf("%s is refused", name)
		}
	}
	route.part++
	if asks(run) {
		t.Error("a part of one is refused")
	}
	route.part--
}
