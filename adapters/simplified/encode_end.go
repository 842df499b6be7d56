package simplified

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// The kinds that questions of other dialects get, so that some widget of the client fits: an open question, and the
// approval of a tool of which nothing more is known.
const (
	kindQuestion   = "user_question"
	kindPermission = "mcp_tool"
)

// ask writes a question. Version 1 has none: its clients would wait for something they cannot show.
func (e *encoder) ask(out *wire.Out, ev *hub.Event, a *agent) hub.Disposition {
	kept, isOwn := rawjson.Str(rawjson.Get(ev.Meta(name), "kind"))
	if !e.opt.v2 && !isOwn {
		return hub.Dropped
	}
	kind, disposition := kindPermission, hub.Folded
	switch {
	case isOwn:
		kind, disposition = string(kept), hub.Native
	case ev.AskKind == hub.AskQuestion:
		kind, disposition = kindQuestion, hub.Native
	case ev.AskKind == hub.AskInput:
		kind = kindQuestion
	case ev.AskKind == hub.AskPermission:
		disposition = hub.Native
	}
	*e.asks.Add(ev.Slot) = kind
	e.open(out, a, kind+endPending)
	if isOwn {
		out.Buf = member.AppendRaw(out.Buf, `,"data":`, ev.Value)
	} else {
		out.Buf = appendQuestion(append(out.Buf, `,"data":`...), ev, kind)
	}
	e.close(out, out.Buf, a)
	return disposition
}

// appendQuestion appends the data of a question. The call that it is about is known by one id only.
func appendQuestion(dst []byte, ev *hub.Event, kind string) []byte {
	dst = append(append(append(dst, `{"approvalId":"`...), ev.ID...), '"')
	dst = member.AppendText(dst, `,"toolCallId":"`, ev.Ref)
	dst = member.AppendText(dst, `,"markupToolCallId":"`, ev.Ref)
	if kind == kindPermission {
		dst = member.AppendText(dst, `,"description":"`, ev.Title)
		dst = member.AppendRaw(dst, `,"input":`, ev.Value)
		return append(dst, '}')
	}
	dst = append(append(append(dst, `,"question":"`...), ev.Title...), `","options":[`...)
	for i, o := range ev.Rare().Options {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, `{"label":"`...), rawjson.First(o.Name, o.ID)...), `"}`...)
	}
	return append(dst, `],"multiSelect":false,"allowFreeformInput":true}`...)
}

// answer closes the question on all screens. One that the stream itself never answered is left as it is.
func (e *encoder) answer(out *wire.Out, ev *hub.Event, a *agent) hub.Disposition {
	kind := e.asks.Find(ev.Slot)
	e.asks.Drop(ev.Slot)
	switch {
	case kind == nil:
		return hub.Dropped
	case ev.Flags.Has(hub.Synthetic):
		return hub.Implied
	}
	end := endAnswered
	switch ev.Status {
	case hub.StatusCancelled, hub.StatusExpired:
		end = endCancelled
	case hub.StatusUnresolved:
		end = endStale
	}
	if data := rawjson.Get(ev.Meta(name), "data"); data != nil {
		if status, _ := decision(ev.Value); status == ev.Status {
			end = endAnswered // that it was not answered is in the answer
		}
		e.close(out, member.AppendRaw(e.open(out, a, *kind+end), `,"data":`, data), a)
		return hub.Native
	}
	out.Buf = append(append(append(e.open(out, a, *kind+end), `,"data":{"approvalId":"`...), ev.ID...), '"')
	out.Buf = appendResponse(out.Buf, ev)
	e.close(out, append(out.Buf, '}'), a)
	return hub.Folded
}

// appendResponse appends what came back: as it is, or the option that was chosen.
func appendResponse(dst []byte, ev *hub.Event) []byte {
	switch {
	case ev.Value != nil:
		return member.AppendRaw(dst, `,"response":`, ev.Value)
	case len(ev.Name) > 0:
		dst = append(append(dst, `,"response":{"decision":"`...), ev.Name...)
		return append(append(append(dst, `","selectedOptions":["`...), ev.Name...), `"]}`...)
	}
	return dst
}

// runEnd writes the end. A run that failed before it began has no message.
func (e *encoder) runEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	disposition := hub.Folded
	switch ev.Status {
	case hub.StatusDone:
		disposition = hub.Native
	case hub.StatusPaused:
		if e.opt.v2 && e.asks.Len() > 0 {
			return hub.Implied // the stream stays with the question
		}
	case hub.StatusFailed:
		return e.failed(out, ev, failedText, hub.Native)
	case hub.StatusTruncated:
		return e.failed(out, ev, failedText, hub.Folded)
	case hub.StatusCancelled:
		if why := hub.Why(ev); len(why) > 0 && string(why) != cancelText && e.begun {
			e.notice(out, &hub.Event{Kind: hub.Notice, Text: why}, e.root)
		}
		return e.failed(out, ev, cancelText, hub.Folded)
	}
	if why := rawjson.Or(hub.Why(ev), phrases.Early(ev.Status)); len(why) > 0 {
		e.explain(out, ev, `\n\n`, why)
		disposition = hub.Folded
	}
	e.messageEnd(out, ev)
	return disposition
}

// explain tells why a run ended early, in the answer, as the agent itself does: the message goes on to its end.
func (e *encoder) explain(out *wire.Out, ev *hub.Event, before string, why []byte) {
	if !e.begun {
		e.begin(out, ev)
	}
	e.boundary(out, e.root)
	out.Buf = append(append(e.open(out, e.root, typeResponse), `,"data":"`...), before...)
	e.close(out, append(append(out.Buf, why...), '"'), e.root)
}

// failed writes the end of a run that did not do what it should. A reason of its own would hide that a run was
// cancelled: the server has one text for that.
func (e *encoder) failed(out *wire.Out, ev *hub.Event, reason string, disposition hub.Disposition) hub.Disposition {
	text := []byte(reason)
	if reason != cancelText && len(hub.Why(ev)) > 0 {
		text = ev.More.Err
	}
	if e.opt.failure == failureText {
		e.explain(out, ev, "", text)
		e.messageEnd(out, ev)
		return hub.Folded
	}
	member.Close(out, member.Open(out, `{"type":"error","data":"`, text))
	if e.opt.failure == failureBoth {
		e.messageEnd(out, ev)
	}
	return disposition
}

func (e *encoder) messageEnd(out *wire.Out, ev *hub.Event) {
	if !e.begun {
		e.begin(out, ev)
	}
	e.boundary(out, e.root)
	e.finalSources(out)
	out.Buf = member.Open(out, `{"type":"messageEnd","messageId":"`, e.id)
	if kept := ev.Meta(name); kept != nil {
		out.Buf = appendMembers(out.Buf, kept)
	} else {
		out.Buf = e.appendEnd(out.Buf)
	}
	member.End(out, append(out.Buf, '}'))
}

// appendEnd appends what is known of the run. Its duration is not: there is no clock here.
func (e *encoder) appendEnd(dst []byte) []byte {
	dst = member.AppendRaw(dst, `,"modelStats":`, rawjson.Or(e.stats, `{"modelName":"","usedLocation":false,"usedPersonalization":false}`))
	return append(dst, `,"usedLocation":false,"usedPersonalization":false`...)
}
