package proxy

import (
	"errors"
	"time"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/runlog"
)

// Some servers take the answer to a question by its name, from any client. Only the one that was asked may answer: each question is
// remembered with the runs of its client.

// remembersAsks reports whether a client may answer only what Sabir remembers to have asked it.
func (c *call) remembersAsks() bool { return c.route.sessions != nil && c.route.sessions.AnswersByName }

// askKey names a question. No run has such a scope: clients name runs.
func (c *call) askKey(id []byte) runlog.Key {
	return runlog.Key{Scope: "asks " + c.scope, Run: plainText(id)}
}

// rememberAsk notes that the client is asked. The store reports errors; the question cannot be answered then.
func (c *call) rememberAsk(id []byte) {
	if c.remembersAsks() {
		key := c.askKey(id)
		_ = c.route.runs.Put(key, runlog.Run{Thread: key.Run, PastRun: hub.PastRun{Began: time.Now().UnixMilli()}, Size: briefRun})
	}
}

// checkAsks refuses answers to questions that the client was not asked.
func (c *call) checkAsks(asked *hub.Request) *hub.Failure {
	if !c.remembersAsks() {
		return nil
	}
	for _, d := range conversation.Decided(asked) {
		if len(d.Ask) == 0 {
			continue // it names no question, so that it is no answer there
		}
		_, err := c.route.runs.Find(c.askKey(d.Ask))
		switch {
		case errors.Is(err, runlog.ErrUnknown):
			return hub.Fail(hub.CodeAskUnknown, nil)
		case err != nil:
			return asFailure(err)
		}
	}
	return nil
}
