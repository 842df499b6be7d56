package proxy

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/threadids"
)

// Some clients name the question that they answer, and some servers want to know the call that it is about. Between the two, the id of the
// question says both.

// maxAskCalls bounds how many questions of a stream name their calls.
const maxAskCalls = 1000

// namesCalls reports whether questions of the stream have such ids: the answers to them come back by Sabir.
func (c *call) namesCalls() bool {
	return c.route.source.FindsAsksByCall && c.target.dialect.AnswersNameAsks && c.route.translates(c.target)
}

// askCalls are the questions of a stream that name their calls, by the ids that the agent gave them.
type askCalls map[string][]byte

// askCalls are those of a stream that begins, nil where its questions do not name their calls.
func (c *call) askCalls() askCalls {
	if !c.namesCalls() {
		return nil
	}
	return askCalls{}
}

// name lets a question name its call, and the answer to it the same question.
func (a askCalls) name(ev *hub.Event) {
	if a == nil {
		return
	}
	if ev.Kind == hub.Ask && ev.AskKind == hub.AskPermission && len(ev.Ref) > 0 && len(a) < maxAskCalls {
		a[string(ev.ID)] = threadids.WithCall(ev.ID, ev.Ref)
	}
	if id := a[string(ev.ID)]; id != nil && (ev.Kind == hub.Ask || ev.Kind == hub.Answer) {
		ev.ID = id
	}
}

// cutCalls gives the answers of a request the ids of their questions that the agent knows, and the calls that these are about.
func cutCalls(asked *hub.Request) {
	var known map[string]bool // calls; made where it is asked for
	for i := range asked.Answers {
		d := &asked.Answers[i]
		ask, call := threadids.CutCall(d.Ask)
		if d.Ask = ask; call == nil {
			continue
		}
		if known == nil {
			known = callsIn(asked.Messages)
		}
		if known[string(call)] { // the client may have another id of it
			d.Call = call
		}
	}
}

func callsIn(ms []hub.Message) map[string]bool {
	ids := map[string]bool{}
	for i := range ms {
		for j := range ms[i].Parts {
			if p := &ms[i].Parts[j]; p.Kind == hub.PartCall {
				ids[string(p.ID)] = true
			}
		}
	}
	return ids
}
