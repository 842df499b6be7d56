package copilot

import (
	"bytes"
	"strconv"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// runStart names the session. A session that the upstream described is described again; a run with an id of its own is
// shown as a turn until the first turn comes, so that clients see that the agent is at work.
func (e *encoder) runStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	if len(ev.Ref) > 0 {
		e.session = append(e.session[:0], ev.Ref...)
	}
	e.seed = hash(strconv.AppendInt(append(bytes.Clone(e.session), ev.ID...), e.millis, 10))
	e.flushEarly(out)
	switch kept := meta(ev); {
	case kept != nil:
		out.Buf = e.appendMeta(appendText(e.begin(out, typeStart, nil), `"sessionId":"`, e.session), kept)
		if !hasMember(kept, []byte("selectedModel")) && !hasMember(kept, []byte("model")) {
			out.Buf = appendSome(out.Buf, `"selectedModel":"`, ev.Rare().Model)
		}
		return e.end(out, out.Buf, hub.Native)
	case len(ev.ID) > 0:
		e.turn = bytes.Clone(ev.ID)
		e.turnEvent(out, "assistant.turn_start", nil, e.turn, nil)
		return hub.Folded
	}
	return hub.Implied
}

// turnEvent writes the start or end of a turn; ev is nil for the turn that stands for the run.
func (e *encoder) turnEvent(out *wire.Out, typ string, subAgent, id []byte, ev *hub.Event) hub.Disposition {
	out.Buf = appendText(e.begin(out, typ, subAgent), `"turnId":"`, id)
	if ev != nil {
		out.Buf = appendSome(out.Buf, `"model":"`, ev.Rare().Model)
		out.Buf = e.appendMeta(out.Buf, meta(ev))
	}
	return e.end(out, out.Buf, hub.Native)
}

// closeTurn ends the turn that stands for the run.
func (e *encoder) closeTurn(out *wire.Out) {
	if e.turn != nil {
		e.turnEvent(out, "assistant.turn_end", nil, e.turn, nil)
		e.turn = nil
	}
}

// stepStart writes a turn. Turns of one agent do not overlap, so the one that stands for the run is over.
func (e *encoder) stepStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	if len(ev.SubAgent) == 0 {
		e.closeTurn(out)
	}
	return e.turnEvent(out, "assistant.turn_start", ev.SubAgent, turnID(ev), ev)
}

// stepEnd writes the end of a turn; how it ended, Copilot does not say.
func (e *encoder) stepEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	return e.turnEvent(out, "assistant.turn_end", ev.SubAgent, turnID(ev), ev)
}

// turnID is the id of a step as its agent counts it.
func turnID(ev *hub.Event) []byte {
	if len(ev.SubAgent) > 0 {
		if own, ok := bytes.CutPrefix(ev.ID, ev.SubAgent); ok && len(own) > 1 && own[0] == '/' {
			return own[1:]
		}
	}
	return ev.ID
}

// runEnd writes session.idle, or session.error and no idle.
func (e *encoder) runEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.closeTurn(out)
	switch ev.Status {
	case hub.StatusFailed:
		return e.sessionError(out, ev, hub.Native)
	case hub.StatusTruncated:
		return e.sessionError(out, ev, hub.Folded)
	case hub.StatusCancelled:
		e.end(out, appendText(e.begin(out, "abort", nil), `"reason":"`, rawjson.First(ev.Name, []byte("user_initiated"))), hub.Native)
		out.Buf = append(e.begin(out, "session.idle", nil), `"aborted":true,`...)
		return e.idle(out, ev, hub.Native)
	}
	e.begin(out, "session.idle", nil)
	if ev.Status == hub.StatusDone {
		return e.idle(out, ev, hub.Native)
	}
	out.Buf = appendText(out.Buf, `"`+propReason+`":"`, []byte(ev.Status.String()))
	return e.idle(out, ev, hub.Extension)
}

// idle ends the event that says that all is over. A run may end early without having failed, and say why.
func (e *encoder) idle(out *wire.Out, ev *hub.Event, disposition hub.Disposition) hub.Disposition {
	out.Buf = appendSome(out.Buf, `"`+propMessage+`":"`, hub.Why(ev))
	return e.end(out, e.appendMeta(out.Buf, meta(ev)), disposition)
}

// sessionError writes the end of a run that failed. The SDK demands a type and a message.
func (e *encoder) sessionError(out *wire.Out, ev *hub.Event, disposition hub.Disposition) hub.Disposition {
	buf := appendText(e.begin(out, "session.error", nil), `"errorType":"`, rawjson.Or(ev.Rare().ErrCode, ev.Status.String()))
	buf = appendText(buf, `"message":"`, phrases.RunError(ev))
	return e.end(out, e.appendMeta(buf, meta(ev)), disposition)
}

// shownSubAgent is what is repeated of a sub-agent.
type shownSubAgent struct {
	call  []byte // that it runs in
	title []byte
}

// agentStart writes the start of a sub-agent. Where no call has spawned it, its own id stands for the call, which the SDK
// demands.
func (e *encoder) agentStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	l := e.subAgents.Add(ev.Slot)
	*l = shownSubAgent{call: append(l.call[:0], rawjson.First(ev.Ref, ev.ID)...), title: append(l.title[:0], ev.Title...)}
	buf := l.append(e.begin(out, "subagent.started", ev.ID), ev)
	if kept := meta(ev); !hasMember(kept, []byte("agentDescription")) {
		buf = appendText(buf, `"agentDescription":"`, nil)
	}
	buf = appendSome(buf, `"model":"`, ev.Rare().Model)
	buf = appendSome(buf, `"parentId":"`, ev.SubAgent)
	return e.end(out, e.appendMeta(buf, meta(ev)), hub.Native)
}

// append appends what the start and the end of a sub-agent have in common.
func (l *shownSubAgent) append(dst []byte, ev *hub.Event) []byte {
	dst = appendText(dst, `"toolCallId":"`, rawjson.First(l.call, ev.Ref, ev.ID))
	dst = appendText(dst, `"agentName":"`, ev.Name)
	return appendText(dst, `"agentDisplayName":"`, rawjson.First(l.title, ev.Name))
}

// agentEnd writes how a sub-agent ended. Its result is that of its call.
func (e *encoder) agentEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	l := e.subAgents.Find(ev.Slot)
	if l == nil {
		return hub.Dropped
	}
	e.subAgents.Drop(ev.Slot)
	switch ev.Status {
	case hub.StatusError, hub.StatusDenied:
		out.Buf = l.append(e.begin(out, "subagent.failed", ev.ID), ev)
		out.Buf = appendText(out.Buf, `"error":"`, rawjson.Or(hub.Why(ev), "The sub-agent failed."))
	case hub.StatusAborted:
		out.Buf = append(l.append(e.begin(out, "subagent.completed", ev.ID), ev), `"cancelled":true,`...)
		out.Buf = appendSome(out.Buf, `"error":"`, hub.Why(ev))
	default:
		out.Buf = l.append(e.begin(out, "subagent.completed", ev.ID), ev)
	}
	return e.end(out, e.appendMeta(out.Buf, meta(ev)), hub.Native)
}

// appendIDs appends the members by which the SDK chains the events of a session. The ids are no chance but of version 8
// (RFC 9562), made of the session, the run and the place in the stream. The time is the last that the upstream said.
func (e *encoder) appendIDs(dst []byte) []byte {
	dst = e.appendID(append(dst, `"id":"`...), e.events+1)
	dst = append(dst, `",`...)
	if e.millis > 0 {
		dst = append(dst, `"timestamp":"`...)
		dst = time.UnixMilli(e.millis).UTC().AppendFormat(dst, "2006-01-02T15:04:05.000Z")
		dst = append(dst, `",`...)
	}
	if e.events == 0 {
		return append(dst, `"parentId":null,`...)
	}
	dst = e.appendID(append(dst, `"parentId":"`...), e.events)
	return append(dst, `",`...)
}

// appendID appends the id of the event in that place.
func (e *encoder) appendID(dst []byte, n int) []byte {
	const digits = "0123456789abcdef"
	hi := e.seed&^0xf000 | 0x8000                      // version 8
	lo := (e.seed*31+uint64(n))&^(0b11<<62) | 0b10<<62 // variant of the RFC
	for i := range 32 {
		word := hi
		if i >= 16 {
			word = lo
		}
		if i == 8 || i == 12 || i == 16 || i == 20 {
			dst = append(dst, '-')
		}
		dst = append(dst, digits[word>>(60-4*(i%16))&15])
	}
	return dst
}
