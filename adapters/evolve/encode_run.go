package evolve

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// runStart writes the start of the run. One that the sequencer made up waits for the next event: if that is a
// lifecycle record, run_start may be among those that follow.
func (e *encoder) runStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	if len(ev.Ref) > 0 {
		e.nameSession(ev.Ref)
	}
	e.flushEarly(out)
	e.event = ev
	switch {
	case isLifecycle(ev.Rare().Meta):
		return e.lifecycle(out, ev.More.Meta)
	case e.opt.envelope == envelopeACP || !e.opt.lifecycle:
		return hub.Implied
	case ev.Flags.Has(hub.Synthetic):
		e.startOwed = true
		return hub.Deferred
	}
	return e.makeStart(out)
}

// payStart writes the start of the run before ev, unless the upstream is about to say it, or nothing ever started.
func (e *encoder) payStart(out *wire.Out, ev *hub.Event) {
	if ev.Kind == hub.RunEnd {
		return
	}
	if ev.Kind == hub.Data && string(ev.Name) == dataLifecycle {
		reason := rawjson.Text(ev.Value, "reason")
		e.startOwed = string(reason) != runStarted.reason
		return
	}
	e.startOwed = false
	e.makeStart(out)
}

// makeStart writes a start that no record of the upstream says. One that it says later is not written again.
func (e *encoder) makeStart(out *wire.Out) hub.Disposition {
	e.startMade = true
	return e.makeLifecycle(out, runStarted)
}

// lifecycle writes a LifecycleEvent.
func (e *encoder) lifecycle(out *wire.Out, record rawjson.Value) hub.Disposition {
	if id := rawjson.Get(record, "sandboxId"); id != nil {
		e.sandbox = append(e.sandbox[:0], id...)
	}
	out.Begin("")
	disposition := hub.Native
	switch e.opt.envelope {
	case envelopeBridge:
		out.Buf = append(out.Buf, `{"jsonrpc":"2.0","method":"event","params":`...)
		out.Buf = append(appendToBridge(out.Buf, record), '}')
	case envelopeACP:
		out.Buf = append(out.Buf, `{"jsonrpc":"2.0","method":"`+methodLifecycle+`","params":`...)
		out.Buf = append(append(out.Buf, record...), '}')
		disposition = hub.Extension
	default:
		out.Buf = append(out.Buf, record...)
	}
	out.End()
	return disposition
}

// lifecycleData writes a LifecycleEvent that is neither the start nor the end, but if the start came late.
func (e *encoder) lifecycleData(out *wire.Out, record rawjson.Value) hub.Disposition {
	if reason := rawjson.Text(record, "reason"); e.startMade && string(reason) == runStarted.reason {
		return hub.Implied
	}
	return e.lifecycle(out, record)
}

func (e *encoder) makeLifecycle(out *wire.Out, s lifecycleState) hub.Disposition {
	e.next = appendLifecycle(e.next[:0], e.sandbox, s, e.time)
	return e.lifecycle(out, e.next)
}

// runEnd writes the end of the run. An end that is not a good one is always visible, whatever the options say.
func (e *encoder) runEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	if e.opt.envelope == envelopeACP {
		return e.acpEnd(out, ev)
	}
	switch {
	case isLifecycle(ev.Rare().Meta):
		return e.lifecycle(out, ev.More.Meta)
	case e.opt.envelope == envelopeBridge && isResponse(ev.Rare().Meta):
		return e.splice(out, ev.More.Meta)
	case outcomes[string(ev.Name)] == ev.Status && ev.Status != hub.StatusNone:
		return hub.Implied // the record with that reason was written
	}
	return e.makeEnd(out, ev)
}

// makeEnd writes an end that no record of the upstream says.
func (e *encoder) makeEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	switch ev.Status {
	case hub.StatusDone:
		disposition := e.explain(out, ev, false)
		switch {
		case e.opt.lifecycle:
			e.makeLifecycle(out, runComplete)
		case disposition == hub.Native:
			return hub.Implied // by the end of the body
		}
		return disposition
	case hub.StatusCancelled, hub.StatusPaused:
		disposition := e.explain(out, ev, false)
		if e.makeLifecycle(out, runInterrupted); ev.Status == hub.StatusPaused {
			disposition = hub.Folded
		}
		return disposition
	case hub.StatusFailed, hub.StatusTruncated:
		e.explain(out, ev, true)
		e.makeLifecycle(out, runFailed)
		return hub.FoldedIf(ev.Status == hub.StatusTruncated || e.opt.errorText)
	}
	e.explain(out, ev, false)
	e.makeLifecycle(out, runComplete)
	return hub.Folded
}

// isResponse reports whether a record is a JSON-RPC response.
func isResponse(record rawjson.Value) bool {
	return rawjson.Get(record, "jsonrpc") != nil && rawjson.Get(record, "method") == nil
}

// splice writes a record of the upstream as it came.
func (e *encoder) splice(out *wire.Out, record rawjson.Value) hub.Disposition {
	member.End(out, append(member.Begin(out, ""), record...))
	return hub.Native
}

// endings say in words what the dialect has no reason for. They are texts for clients.
var endings = map[hub.Status]string{
	hub.StatusFailed:    agentFailed,
	hub.StatusTruncated: hub.Fail(hub.CodeTruncated, nil).Text(),
	hub.StatusPaused:    "The run waits for an answer that cannot be given here.",
	hub.StatusTools:     "The run waits for tools that cannot be run here.",
}

// explain writes the error of a run, or what its ending means, if there is something to say.
func (e *encoder) explain(out *wire.Out, ev *hub.Event, fatal bool) hub.Disposition {
	text := rawjson.Or(hub.Why(ev), endings[ev.Status]+phrases.Early(ev.Status))
	if len(text) == 0 {
		return hub.Native
	}
	e.writeError(out, nil, text, errorLabel, fatal)
	return hub.Folded
}

// Labels of failures in the text of the agent, as the SDK's own parsers for gemini and opencode write them.
const (
	errorLabel   = "❌ Error: "
	warningLabel = "⚠️ Warning: "
)

// writeError writes an error as its own update, or as text for clients that do not know that.
func (e *encoder) writeError(out *wire.Out, l *subAgent, text []byte, label string, fatal bool) {
	if e.opt.errorText {
		out.Buf = append(append(e.begin(out, l, "agent_message_chunk"), `,"content":{"type":"text","text":"\n`...), label...)
		out.Buf = append(out.Buf, text...)
		e.end(out, append(out.Buf, `\n"}`...), 0)
		return
	}
	buf := appendIn(e.begin(out, l, "error"), `,"message":"`, text, `","fatal":`)
	e.end(out, strconv.AppendBool(buf, fatal), 0)
}

// acpEnd writes the response to session/prompt. It says why a run failed; why another ended is said before it.
func (e *encoder) acpEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	if isResponse(ev.Rare().Meta) {
		return e.splice(out, ev.More.Meta)
	}
	why := hub.Why(ev)
	disposition := hub.Native
	switch ev.Status {
	case hub.StatusFailed, hub.StatusTruncated:
		why = rawjson.Or(why, endings[ev.Status])
		member.End(out, appendIn(e.beginResponse(out), `,"error":{"code":-32603,"message":"`, why, `"}}`))
		return hub.FoldedIf(ev.Status == hub.StatusTruncated)
	case hub.StatusFiltered, hub.StatusPaused, hub.StatusTools:
		disposition = hub.Folded
	}
	if len(why) > 0 {
		e.notice(out, &hub.Event{Level: hub.LevelError, Text: why}, nil)
		disposition = hub.Folded
	}
	member.End(out, appendIn(e.beginResponse(out), `,"result":{"stopReason":"`, acpwire.StopReason(ev.Status), `"}}`))
	return disposition
}

func (e *encoder) beginResponse(out *wire.Out) []byte {
	return append(append(member.Begin(out, ""), `{"jsonrpc":"2.0","id":`...), e.opt.promptID...)
}
