package a2a

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// A task ends with a state, and nothing follows it. Before the task began there is no state to give: then the binding has
// an error of its own, which clients throw.

// runEnd writes the last status.
func (e *encoder) runEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	if !e.started {
		return e.failFirst(out, ev)
	}
	st, disposition := stateOf(ev.Status), hub.Native
	parts := e.appendQuestions(nil)
	if len(e.asks) > 0 && e.asks[0].what == hub.AskAuth && st == stateInput {
		st = stateAuth
	}
	if st != stateInput && st != stateAuth {
		parts = nil
	}
	if len(hub.Why(ev)) > 0 {
		if st == stateInput || st == stateAuth || ev.Status == hub.StatusDone {
			disposition = hub.Folded // the message asks, or would be taken for the answer
		} else {
			parts = e.appendTextPart(nil, ev.More.Err)
		}
	}
	b := e.status(out, st, parts)
	e.close(out, appendEndMetadata(b, ev, st, e.usage.Sum()))
	return disposition
}

// stateOf is the state of a task whose run ended so.
func stateOf(status hub.Status) state {
	switch status {
	case hub.StatusFailed, hub.StatusTruncated:
		return stateFailed
	case hub.StatusCancelled:
		return stateCanceled
	case hub.StatusRefused:
		return stateRejected
	case hub.StatusPaused, hub.StatusTools:
		return stateInput
	}
	return stateCompleted
}

// appendEndMetadata appends what the last status has no words for, with what the run has used.
func appendEndMetadata(dst []byte, ev *hub.Event, st state, used hub.Counts) []byte {
	head := `,"metadata":{`
	if used.In >= 0 || used.Out >= 0 || used.Total >= 0 {
		dst = append(append(dst, head...), `"`+keyUsage+`":{`...)
		dst = append(counts.Append(dst, &used), '}')
		head = ","
	}
	code := ev.Rare().ErrCode
	plain := ev.Status == meant[st]
	if plain && len(code) == 0 {
		if head == "," {
			dst = append(dst, '}')
		}
		return dst
	}
	dst = append(append(append(dst, head...), `"`+keyOwn+`":{"status":"`...), ev.Status.String()...)
	dst = append(dst, '"')
	if len(code) > 0 {
		dst = append(append(append(dst, `,"code":"`...), code...), '"')
	}
	return append(dst, "}}"...)
}

// meant is how a run has ended that ends in a state.
var meant = [...]hub.Status{
	stateCompleted: hub.StatusDone, stateFailed: hub.StatusFailed, stateCanceled: hub.StatusCancelled,
	stateRejected: hub.StatusRefused, stateInput: hub.StatusPaused, stateAuth: hub.StatusPaused,
}

// failFirst ends a stream that never began, or one that was copied so far: with an error of the binding.
func (e *encoder) failFirst(out *wire.Out, ev *hub.Event) hub.Disposition {
	switch ev.Status {
	case hub.StatusFailed, hub.StatusTruncated, hub.StatusCancelled:
	default:
		e.runStart(out, &hub.Event{})
		return e.runEnd(out, ev)
	}
	message, code := []byte("The run ended before it began."), []byte(ev.Status.String())
	message, code = rawjson.First(ev.Rare().Err, message), rawjson.First(ev.Rare().ErrCode, code)
	if e.rpc {
		out.Begin("")
	} else {
		out.Begin("error")
	}
	member.End(out, e.appendFault(out.Buf, internal, message, code))
	return hub.NativeIf(ev.Status == hub.StatusFailed)
}
