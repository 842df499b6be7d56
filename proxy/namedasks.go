package proxy

import (
	"bytes"
	"errors"
	"time"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/runlog"
)

// Some servers take the answer to a question by its name, or by that of its run, from any client. Only the one that was asked may answer: each
// question is remembered with the runs of its client.

// remembersAsks reports whether a client may answer only what Sabir remembers to have asked it.
func (c *call) remembersAsks() bool { return c.answersByName() || c.guardsRuns() }

// answersByName reports whether the server knows a question by its name alone.
func (c *call) answersByName() bool { return c.route.sessions != nil && c.route.sessions.AnswersByName }

// guardsRuns reports whether a client may go on only with runs that Sabir remembers to be its own: the server goes by their names, and may
// learn nothing of who the client is.
func (c *call) guardsRuns() bool {
	return c.route.sessions != nil && c.route.sessions.RunsByName && c.isNamed()
}

// askKey names a question. No run has such a scope: clients name runs.
func (c *call) askKey(id []byte) runlog.Key {
	return runlog.Key{Scope: "asks " + c.scope, Run: plainText(id)}
}

// noteAsk notes a question that the run waits for.
func (x *stream) noteAsk(ev *hub.Event) {
	if n := x.call.rememberAsk(ev); n > 0 {
		x.server.metrics.asks.WithLabelValues(x.call.route.up.Cfg.Name, asksForgotten).Add(float64(n))
	}
	if x.call.lines != nil {
		x.call.lines.ask(ev.ID)
	}
}

// asksForgotten is the label of questions that cannot be answered any more, or never could: there were too many, or they were too long.
const asksForgotten = "forgotten"

// maxAsks is how many questions of one conversation are remembered, and maxAskSize how large each may be, in bytes: an agent that asks without
// end makes Sabir forget no questions of other conversations, and no runs.
const (
	maxAsks    = 128
	maxAskSize = 64 << 10
)

// rememberAsk notes that the client is asked, and which form of an answer is wanted, and returns how many questions cannot be answered because
// of it. The store reports errors; the question cannot be answered then.
func (c *call) rememberAsk(ev *hub.Event) (forgotten int) {
	if !c.remembersAsks() {
		return 0
	}
	key := c.askKey(ev.ID)
	run := runlog.Run{Thread: c.asksIn(), PastRun: hub.PastRun{Began: time.Now().UnixMilli()}, Size: briefRun}
	run.Ended = true // it is held by no replica
	if c.answersByName() && ev.AskKind != hub.AskPermission && ev.More != nil && len(ev.More.Schema) > 0 {
		run.Asks = []hub.Event{{Kind: hub.Ask, ID: []byte(key.Run), AskKind: ev.AskKind, More: &hub.More{Schema: bytes.Clone(ev.More.Schema)}}}
		run.Size += len(ev.More.Schema)
	}
	if run.Size+len(key.Run) > maxAskSize {
		return 1
	}
	if c.route.runs.Put(key, run) != nil {
		return 0
	}
	forgotten, _ = c.route.runs.Trim(key.Scope, run.Thread, maxAsks)
	return forgotten
}

// asksIn is the conversation that questions of the call belong to; one without a name is the call's alone.
func (c *call) asksIn() string {
	if c.asked != nil && len(c.asked.Thread) > 0 {
		return plainText(c.asked.Thread)
	}
	return string(c.unique)
}

// checkAsks refuses answers to questions that the client was not asked, and gives the others the form that is wanted.
func (c *call) checkAsks(asked *hub.Request) *hub.Failure {
	if !c.remembersAsks() {
		return nil
	}
	fitted := map[string]bool{}
	for _, d := range conversation.Decided(asked) {
		if len(d.Ask) == 0 || fitted[string(d.Ask)] {
			continue // it names no question, so that it is no answer there; or one that another one names, too
		}
		fitted[string(d.Ask)] = true
		run, err := c.route.runs.Find(c.askKey(d.Ask))
		switch {
		case errors.Is(err, runlog.ErrUnknown):
			return hub.Fail(hub.CodeAskUnknown, nil)
		case err != nil:
			return asFailure(err)
		case len(run.Asks) > 0:
			fit(asked.Answers, d.Ask, run.Asks[0].More.Schema)
		}
	}
	return nil
}

// fit gives an answer the form that its question wants.
func fit(answers []hub.Decision, ask, schema []byte) {
	for i := range answers {
		if bytes.Equal(answers[i].Ask, ask) {
			conversation.Fit(&answers[i], schema)
		}
	}
}
