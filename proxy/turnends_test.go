package proxy

import (
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/adapters/agui"
	"github.com/sabir-proxy/sabir/adapters/conform"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/recording"
)

// TestRefusedMessagesLeaveNoTurn: a message of a WebSocket that a limit refuses leaves the conversation free for the next one.
func TestRefusedMessagesLeaveNoTurn(t *testing.T) {
	t.Parallel()
	agent := newAgent(t, streaming(smallRun))
	r := start(t, simple(agent.url(), "", "", "client: a2a\nrequests: {mode: translate}\nlimits: {rate: 2/h}\n"))
	c := r.dialWS("/run") // a request itself
	c.say(a2aMessage("u1", "", "one"))
	context := a2aContext(t, c.hear())
	for range 2 {
		c.say(a2aMessage("u2", context, "two"))
		if got := c.hear(); !strings.Contains(got, "too_many_requests") {
			t.Errorf("got %s", got)
		}
	}
}

// TestIDsOfRememberedThreads: an agent that calls each of its messages alike gives a conversation that Sabir remembers no id twice,
// though the id looks as if it were unique.
func TestIDsOfRememberedThreads(t *testing.T) {
	t.Parallel()
	const id = "0b9e0d52-7f0e-4a34-9f0d-2f2c1a3b4c5d"
	agent := newAgent(t, streaming(lines(lineStart, `{"kind":"text.delta","msg":"`+id+`","id":"p1","text":"Hello"}`, lineEnd)))
	r := start(t, simple(agent.url(), "", "", "client: a2a\nrequests: {mode: translate}\n"))
	context, ids := "", []string(nil)
	for range 2 {
		_, body := r.post("/run", strings.Replace(a2aMessage("u", context, "hi"), "SendMessage", "SendStreamingMessage", 1))
		context = idsIn(body, "contextId")[0]
		ids = append(ids, idsIn(body, "artifactId")...)
	}
	if len(ids) != 2 || ids[0] != id || ids[1] == id {
		t.Errorf("the messages of two turns are %q", ids)
	}
}

// TestRulesOfClientsAtTheEnd: what a client got is judged at the end if it got a record, and not if it got an error instead, or left.
func TestRulesOfClientsAtTheEnd(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		records int
		failure *hub.Failure
		want    bool
	}{
		"nothing": {0, nil, false}, "one record": {1, nil, true}, "the agent failed": {1, hub.Fail(hub.CodeAgent, nil), true},
		"the client left": {1, hub.Fail(hub.CodeClientGone, nil), false},
	} {
		var found []conform.Violation
		checker := func(report func(conform.Violation)) *conform.Checker {
			return conform.New(conform.Config{Dialect: &agui.Dialect, Options: agui.Dialect.Defaults(), Framing: wire.WebSocket, Report: report})
		}
		k := &ruleCheck{x: &stream{}, upstream: checker(func(conform.Violation) {})}
		k.client = checker(func(v conform.Violation) { found = append(found, v) })
		for range tt.records {
			k.client.Record(wire.Record{Data: []byte(`{"type":"RUN_STARTED","threadId":"t","runId":"r"}`)})
		}
		k.end(tt.failure)
		if (len(found) > 0) != tt.want {
			t.Errorf("%s: found %v", name, found)
		}
	}
}

// TestRefusedRunBreaksNoRule: a client that gets the error of a run that never began got no stream.
func TestRefusedRunBreaksNoRule(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.answer("500 No", "Content-Length: 0")
		}
	})
	r := start(t, conformant(a.url(), "observe", "aisdk"))
	if resp, body := r.post("/run", "{}"); resp.StatusCode != 502 {
		t.Errorf("status %d: %s", resp.StatusCode, body)
	}
	if r.awaitEnds(1); r.violations("client") != 0 {
		t.Error("what was written breaks a rule")
	}
}

// TestStrictIsForAgents: the first violation of the agent is why a strict stream ends, and none of the client's; each is counted, and a few of a run
// are logged.
func TestStrictIsForAgents(t *testing.T) {
	t.Parallel()
	r := start(t, simple("http://127.0.0.1:1/", "", "", "client: twin\n"))
	way := r.table.Load().exact["/run"]
	k := &ruleCheck{x: &stream{server: r.Server, call: &call{route: way, id: "i1"}}}
	client, agent := k.broken(recording.Client, &twin), k.broken(recording.Agent, &native.Dialect)
	client(conform.Violation{Rule: hub.RuleOrder, Record: 1})
	client(conform.Violation{Rule: hub.RuleKnown, Record: 1}) // the agent's
	if k.first != nil {
		t.Errorf("the client ends it: %v", k.first)
	}
	for n := range int64(loggedOfRun) {
		agent(conform.Violation{Rule: hub.RuleKnown, Record: n + 1})
	}
	if k.first == nil || !strings.Contains(k.first.Cause.Error(), "record 1 breaks") {
		t.Errorf("it ends by %v", k.first)
	}
	for side, want := range map[string]float64{recording.Client: 1, recording.Agent: loggedOfRun} {
		if n := r.metric("sabir_violations_total", "side="+side); n != want {
			t.Errorf("%v are counted of the %s, want %v", n, side, want)
		}
	}
	if n := r.logs.FilterMessage("a stream breaks a rule of its dialect").FilterField(zap.String("request_id", "i1")).Len(); n != loggedOfRun {
		t.Errorf("%d are logged", n)
	}
}
