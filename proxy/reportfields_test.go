package proxy

import (
	"errors"
	"io"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/internal/auth"
	"github.com/sabir-proxy/sabir/proxy/internal/upstream"
)

// ended is a stream that has ended, of which a line of log is written.
func ended() *stream {
	source := events()
	r := &route{
		cfg: &config.Route{Path: "/run"}, name: "/run", up: &upstream.Upstream{Cfg: &config.Upstream{Name: "agent"}}, source: &source,
		metrics: new(routeMetrics),
	}
	return &stream{call: &call{route: r, target: &target{dialect: &twin}, id: "id-1", peer: "peer"}, stats: new(engine.Stats)}
}

// usualFields are in the line of each stream, by name.
var usualFields = []string{
	"bytes_in", "bytes_out", "dropped", "ending", "events_in", "events_out", "first_event", "from", "peer", "records", "repairs", "request_id", "route",
	"to", "total", "upstream",
}

// TestFieldsOfTheLog: what only some streams have is in the line of log of these, and of no others.
func TestFieldsOfTheLog(t *testing.T) {
	t.Parallel()
	failed := func(code hub.Code) *hub.Failure { return hub.Fail(code, nil) }
	for name, c := range map[string]struct {
		set  func(*stream)
		f    *hub.Failure
		want map[string]any
	}{
		"nothing":              {func(*stream) {}, nil, nil},
		"a failure":            {func(*stream) {}, failed(hub.CodeIdle), nil},
		"its cause":            {func(*stream) {}, hub.Fail(hub.CodeIdle, errors.New("cut")), map[string]any{"cause": "cut"}},
		"a principal":          {func(x *stream) { x.call.from.who = &auth.Identity{Name: "alice"} }, nil, map[string]any{"principal": "alice"}},
		"no name":              {func(x *stream) { x.call.from.who = &auth.Identity{} }, nil, nil},
		"a session":            {func(x *stream) { x.call.agentSession = &agentSession{state: "known"} }, nil, map[string]any{"session": "known"}},
		"a session not known":  {func(x *stream) { x.call.agentSession = &agentSession{} }, nil, nil},
		"losses":               {func(x *stream) { x.call.losses.Names = []string{"tools"} }, nil, map[string]any{"request_losses": []any{"tools"}}},
		"what is new":          {func(x *stream) { x.call.turn = turn{"message", 3} }, nil, map[string]any{"new": "message", "messages": int64(3)}},
		"what passes":          {func(x *stream) { x.passed, x.status = "image/png", 201 }, nil, map[string]any{"passed_status": int64(201), "passed_type": "image/png"}},
		"a redirect":           {func(x *stream) { x.redirected = "https://there/" }, nil, map[string]any{"redirected_to": "https://there/"}},
		"what the agent said":  {func(x *stream) { x.agentError = "no" }, nil, map[string]any{"agent_error": "no"}},
		"no stream, malformed": {func(x *stream) { x.unlike = "status 200, text/html" }, failed(hub.CodeMalformed), map[string]any{"hint": "the answer does not look like a stream: status 200, text/html"}},
		"no stream, truncated": {func(x *stream) { x.unlike = "status 200, text/html" }, failed(hub.CodeTruncated), map[string]any{"hint": "the answer does not look like a stream: status 200, text/html"}},
		"no stream, idle":      {func(x *stream) { x.unlike = "status 200, text/html" }, failed(hub.CodeIdle), nil},
		"a code":               {func(x *stream) { x.agentCode = "overloaded" }, failed(hub.CodeIdle), map[string]any{"agent_code": "overloaded"}},
		"no stream, and done":  {func(x *stream) { x.unlike = "status 200, text/html" }, nil, nil},
		"a stream, malformed":  {func(*stream) {}, failed(hub.CodeMalformed), nil},
		"something was read":   {func(x *stream) { x.unlike, x.pump.wrote = "status 200, text/html", 1 }, failed(hub.CodeMalformed), nil},
	} {
		x := ended()
		usual := mapOf(x.appendFields(nil, nil, "done", time.Second))
		if got := slices.Sorted(maps.Keys(usual)); !slices.Equal(got, usualFields) {
			t.Errorf("each line has %v", got)
		}
		c.set(x)
		got := mapOf(x.appendFields(nil, c.f, "done", time.Second))
		for key := range usual {
			if key != "bytes_out" && got[key] != usual[key] {
				t.Errorf("%s: %s is %v", name, key, got[key])
			}
			delete(got, key)
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: the line has %v, want %v", name, got, c.want)
		}
		for key, want := range c.want {
			if list, ok := want.([]any); ok && slices.Equal(got[key].([]any), list) {
				continue
			} else if ok || got[key] != want {
				t.Errorf("%s: %s is %v", name, key, got[key])
			}
		}
	}
}

func mapOf(fields []zapcore.Field) map[string]any {
	m := zapcore.NewMapObjectEncoder()
	for _, f := range fields {
		f.AddTo(m)
	}
	return m.Fields
}

// TestWhoLeftTheUpstream: a run that the client ends counts as left by it from the start, one that Sabir ends where the upstream was still
// answering, and none that the upstream has ended.
func TestWhoLeftTheUpstream(t *testing.T) {
	t.Parallel()
	byClient := []hub.Code{hub.CodeClientGone, hub.CodeClientSlow, hub.CodeCancelled, hub.CodeRunUnread}
	byProxy := []hub.Code{
		hub.CodeShutdown, hub.CodeDuration, hub.CodeExpired, hub.CodeIdle, hub.CodeMalformed, hub.CodeViolation, hub.CodeTooLong, hub.CodeBlocked,
	}
	for _, code := range hub.Codes() {
		for _, at := range []struct{ opened, over bool }{{false, false}, {true, false}, {true, true}} {
			x, client, proxy := ended(), new(counts), new(counts)
			x.call.route.metrics.cancels = map[string]prometheus.Counter{"client": client, "proxy": proxy}
			x.opened, x.pump.atEnd = at.opened, at.over
			x.countCancel(hub.Fail(code, nil))
			want := [2]counts{}
			switch {
			case slices.Contains(byClient, code):
				want[0] = 1
			case slices.Contains(byProxy, code) && at.opened && !at.over:
				want[1] = 1
			}
			if got := [2]counts{*client, *proxy}; got != want {
				t.Errorf("%s, %+v: left by clients and proxy %v times, want %v", code, at, got, want)
			}
		}
	}
}

// counts is a counter that can be read.
type counts int

func (c *counts) Inc()                           { *c++ }
func (c *counts) Add(n float64)                  { *c += counts(n) }
func (*counts) Desc() *prometheus.Desc           { return nil }
func (*counts) Write(*dto.Metric) error          { return nil }
func (*counts) Describe(chan<- *prometheus.Desc) {}
func (*counts) Collect(chan<- prometheus.Metric) {}

// TestWhyRunsAreCancelled: a run that may go on at the upstream is cancelled there, with the reason; one that is over, or that the upstream
// has refused, is not.
func TestWhyRunsAreCancelled(t *testing.T) {
	t.Parallel()
	reasons := map[hub.Code]string{
		hub.CodeClientGone: reasonClientLeft, hub.CodeClientSlow: reasonClientLeft, hub.CodeRunUnread: reasonClientLeft, hub.CodeCancelled: reasonCancelled,
	}
	for _, code := range []hub.Code{
		hub.CodeShutdown, hub.CodeDuration, hub.CodeIdle, hub.CodeTimeout, hub.CodeReset, hub.CodeInternal, hub.CodeTooLong, hub.CodeBlocked,
	} {
		reasons[code] = reasonGivenUp
	}
	for _, opened := range []bool{true, false} {
		if got := cancelReason(nil, opened); got != "" {
			t.Errorf("a run that is done is cancelled: %s", got)
		}
		for _, code := range hub.Codes() {
			want := reasons[code]
			if code == hub.CodeMalformed && opened {
				want = reasonGivenUp
			}
			if got := cancelReason(hub.Fail(code, nil), opened); got != want {
				t.Errorf("%s, opened %t: %q, want %q", code, opened, got, want)
			}
		}
	}
}

// TestLevelsOfTheLog: a run that has failed is a warning; one that its client has ended, or that had no reader, is not.
func TestLevelsOfTheLog(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end   func(*peer)
		leave func(*client)
		want  zapcore.Level
	}{
		"done":           {func(p *peer) { p.finish(lineEnd + "\n") }, nil, zapcore.InfoLevel},
		"client_gone":    {func(p *peer) { p.awaitGone() }, func(c *client) { c.reset() }, zapcore.InfoLevel},
		"run_unread":     {func(p *peer) { p.awaitGone() }, func(c *client) { c.reset() }, zapcore.InfoLevel},
		"upstream_reset": {func(p *peer) { p.reset() }, nil, zapcore.WarnLevel},
	} {
		a := newAgent(t, func(p *peer) {
			p.request()
			p.ok("Content-Type: application/x-ndjson")
			p.chunk(lines(lineStart, lineHello))
			c.end(p)
		})
		var r *rig
		if name == "run_unread" {
			r = resuming(t, a, "agui", "grace: 10ms")
		} else {
			r = start(t, simple(a.url(), "", "", "client: agui\nrequests: {mode: translate}"))
		}
		conn := r.dial()
		conn.ask("POST", "/run", resumeClients[0].body, alice)
		if resp := conn.response(); c.leave != nil {
			readSome(t, resp, "Hello")
			c.leave(conn)
		} else {
			_, _ = io.Copy(io.Discard, resp.Body)
		}
		if end := r.awaitEnds(1); end["ending"] != name {
			t.Errorf("%s: it ended with %v", name, end["ending"])
		}
		if level := r.logs.FilterMessage("stream ended").All()[0].Level; level != c.want {
			t.Errorf("%s: %v", name, level)
		}
	}
}

// TestDroppedParameters: parameters of a query that were dropped are counted and logged, and where there are none nothing is.
func TestDroppedParameters(t *testing.T) {
	t.Parallel()
	for _, dropped := range []int{0, 1, 3} {
		core, logs := observer.New(zapcore.DebugLevel)
		x, parameters := ended(), new(counts)
		x.call.dropped, x.call.route.metrics.parameters = dropped, parameters
		(&Server{log: zap.New(core)}).noteDropped(x.call)
		lines := logs.All()
		if int(*parameters) != dropped || len(lines) != min(dropped, 1) {
			t.Errorf("%d: %v are counted, %v", dropped, *parameters, lines)
		}
		for _, l := range lines {
			if got := l.ContextMap(); got["parameters"] != int64(dropped) || got["route"] != "/run" || got["upstream"] != "agent" || got["request_id"] != "id-1" {
				t.Errorf("%d: %v", dropped, got)
			}
		}
	}
}
