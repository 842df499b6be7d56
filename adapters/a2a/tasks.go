package a2a

import (
	"strconv"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// answering returns an encoder of the form that a request wants. A REST call without a message says its version by its header alone; without
// one it is the older.
func answering(asked *hub.Request) *encoder {
	e := new(encoder)
	e.Reset()
	e.Answer(asked)
	if len(asked.Call) == 0 && len(asked.Version) == 0 {
		e.shape = shapeOf(string(versionOf(asked, nil, nil, &object{})), false)
	}
	return e
}

// appendPast appends a task that a client asks for: its state, what the user said, and what the agent has made.
func appendPast(dst []byte, a *hub.Agent) []byte {
	e, run := answering(a.Asked), &a.Runs[0]
	e.nameTask(run.ID, run.Thread)
	st := stateWorking
	if run.Ended {
		st = stateOf(run.Status)
	}
	dst = e.appendEnvelope(dst)
	if e.shape == shapeFlat {
		dst = append(dst, `{"kind":"task","id":"`...)
	} else {
		dst = append(dst, `{"id":"`...)
	}
	dst = append(append(append(dst, e.task...), `","contextId":"`...), e.context...)
	dst = append(dst, `","status":{"timestamp":"`+time.UnixMilli(run.Changed).UTC().Format(time.RFC3339Nano)+`","state":"`...)
	dst = e.appendOutcome(dst, &run.Run, st, new(hub.Losses))
	dst = append(dst, `,"history":`...)
	dst = e.appendHistory(dst, run.Messages, limitOf(a))
	dst = append(dst, '}')
	if e.rpc {
		dst = append(dst, '}')
	}
	return dst
}

// appendHistory appends what the user said, in the last messages. What the agent said stands in artifacts.
func (e *encoder) appendHistory(dst []byte, ms []hub.Message, limit int) []byte {
	var said []hub.Message
	for _, m := range ms {
		if m.Role == hub.RoleUser {
			said = append(said, m)
		}
	}
	said = said[max(0, len(said)-limit):]
	w := writer{Writer: jsonwriter.New(dst), shape: e.shape, losses: new(hub.Losses), context: e.context, task: e.task}
	return w.list(said)
}

// limitOf is how many messages of the history a client wants.
func limitOf(a *hub.Agent) int {
	said := string(rawjson.Get(a.Asked.Body, "params", "historyLength"))
	if said == "" && a.Query != nil {
		said = a.Query("historyLength")
	}
	if n, err := strconv.Atoi(said); err == nil && n >= 0 {
		return n
	}
	return 1 << 30
}
