package agui

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/eventjson"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// tool is a call whose arguments are not complete. head is its args event up to the fragment.
type tool struct{ head []byte }

// wireTool is the id that a call has on the wire. Valid until the next call.
func (e *encoder) wireTool(id []byte) []byte {
	if !e.tagTools {
		return id
	}
	e.scratch = append(append(append(e.scratch[:0], e.ids.tag...), '-'), id...)
	return e.scratch
}

// wireSubAgent is the id that a sub-agent has on the wire. Valid until the next call, as that of wireTool.
func (e *encoder) wireSubAgent(id []byte) []byte {
	if len(id) == 0 {
		return nil
	}
	e.scratch = e.ids.appendSubAgent(e.scratch[:0], id)
	return e.scratch
}

// toolStart announces a call. One that the client knows is not announced again: it would get its arguments twice.
func (e *encoder) toolStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.Flags.Has(hub.Resumed) { // the client has the call, arguments and all
		e.resumed.Put(string(ev.ID), !ev.Flags.Has(hub.Synthetic))
		return hub.Implied
	}
	e.waiting.add(ev.ID)
	id := e.wireTool(ev.ID)
	t := e.tools.Add(ev.Slot)
	t.head = append(append(append(t.head[:0], `{"type":"TOOL_CALL_ARGS","toolCallId":"`...), id...), `","delta":"`...)
	b := member.Open(out, `{"type":"TOOL_CALL_START","toolCallId":"`, id)
	b = member.AppendText(b, `,"toolCallName":"`, ev.Name)
	b = e.appendParent(b, ev, id)
	own := toolStartMembers
	if ev.Status == hub.StatusUnknown {
		own &^= eventjson.Status // no start says who runs the call
	}
	member.End(out, e.close(b, ev, own))
	e.signCall(out, ev)
	return hub.Native
}

// signCall writes the signature of a call, if it has one.
func (e *encoder) signCall(out *wire.Out, ev *hub.Event) {
	if sig := ev.Rare().Sig; len(sig) > 0 {
		e.sign(out, ev, `{"type":"REASONING_ENCRYPTED_VALUE","subtype":"tool-call","entityId":"`, e.wireTool(ev.ID), sig)
	}
}

// appendParent appends the message that holds the call. Without one the client makes a message with the id of the call, which must then be
// free. Calls at once, of which the upstream names no message, are in that of the first: the model has made them together.
func (e *encoder) appendParent(dst []byte, ev *hub.Event, id []byte) []byte {
	subAgent := e.subAgent(ev)
	if parent, ok := e.ids.parent(subAgent, ev.Msg); ok {
		e.ids.calls.end()
		return append(append(append(dst, `,"parentMessageId":"`...), parent...), '"')
	}
	as, calls := owner{ownCall, subAgent}, &e.ids.calls
	switch {
	case len(ev.Msg) == 0 && len(calls.id) > 0 && calls.subAgent == subAgent:
		return append(append(append(dst, `,"parentMessageId":"`...), calls.id...), '"')
	case e.ids.free(id, as):
		e.ids.used.Put(string(id), as)
		calls.begin(id, subAgent)
		return dst
	}
	dst = append(dst, `,"parentMessageId":"`...)
	from := len(dst)
	dst = e.ids.claim(dst, append([]byte("call-"), id...), owner{assistantCalls, subAgent})
	calls.begin(dst[from:], subAgent)
	return append(dst, '"')
}

// toolArgs is the hot path of calls; see textDelta.
func (e *encoder) toolArgs(out *wire.Out, ev *hub.Event) hub.Disposition {
	t := e.tools.Find(ev.Slot)
	if t == nil {
		return hub.Implied
	}
	b := append(append(member.Begin(out, ""), t.head...), ev.Text...)
	member.End(out, e.close(append(b, '"'), ev, 0))
	return hub.Native
}

// toolReady says that the arguments are complete. Clients run their own tools from here on.
func (e *encoder) toolReady(out *wire.Out, ev *hub.Event) hub.Disposition {
	if e.tools.Find(ev.Slot) == nil {
		return hub.Implied
	}
	member.End(out, e.close(member.Open(out, `{"type":"TOOL_CALL_END","toolCallId":"`, e.wireTool(ev.ID)), ev, 0))
	e.tools.Drop(ev.Slot)
	e.flushSnapshot(out)
	return hub.Native
}

// toolUpdate signs a call, or reports progress in a form of ours.
func (e *encoder) toolUpdate(out *wire.Out, ev *hub.Event) hub.Disposition {
	if len(ev.Rare().Sig) == 0 {
		return e.extension(out, ev)
	}
	e.signCall(out, ev)
	return hub.Native
}

// toolEnd writes the result. A call that waits for the client has none: clients take exactly that as their turn to answer,
// and tell their application so, so any other call has one, even if it was aborted and there is nothing to say.
func (e *encoder) toolEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	blocks := ev.Rare().Content != nil
	if noResult(ev) && len(ev.Text) == 0 && ev.Value == nil && !blocks {
		return hub.Implied
	}
	e.waiting.answer(ev.ID)
	id := e.wireTool(ev.ID)
	want := ev.Msg
	as := owner{toolResult, e.subAgent(ev)}
	if len(want) == 0 || !e.ids.free(want, as) {
		want = append(append([]byte(nil), id...), "-result"...)
	}
	b := e.ids.claim(append(member.Begin(out, ""), `{"type":"TOOL_CALL_RESULT","messageId":"`...), want, as)
	b = append(b, '"')
	b = member.AppendText(b, `,"toolCallId":"`, id)
	b = append(b, `,"content":"`...)
	from := len(b)
	b = toolresult.AppendText(b, ev)
	if len(b) == from && ev.Status == hub.StatusDenied && ev.Value == nil {
		b = append(b, phrases.Denied...) // people and models would see an empty result
	}
	made := len(b) > from && len(ev.Text) == 0 && ev.Value == nil // for want of a result
	b = append(b, `","role":"tool"`...)
	own := toolEndMembers
	if ev.Status == hub.StatusOK {
		own &^= eventjson.Status
	}
	if made {
		own |= madeMember | eventjson.Text
	}
	if named, _ := e.resumed.Find(ev.ID); named {
		own |= eventjson.Name // nothing else in this stream says it
	}
	member.End(out, e.close(b, ev, own))
	return hub.FoldedIf(blocks && len(ev.Text) == 0 && ev.Value == nil)
}

// unanswered are the calls since the agent last spoke that have no result. They tell a reader that a run which ends in
// good order leaves them to the client.
type unanswered struct {
	calls int // since the agent last spoke, answered or not
	ids   map[string]bool
}

func (u *unanswered) reset() {
	u.calls = 0
	clear(u.ids)
}

func (u *unanswered) add(id []byte) {
	if u.calls++; u.calls > maxOpen {
		return
	}
	if u.ids == nil {
		u.ids = map[string]bool{}
	}
	u.ids[string(id)] = true
}

func (u *unanswered) answer(id []byte) { delete(u.ids, string(id)) }

// tell reports whether a reader takes the calls for the reason that a run ended, without a message about it. A reader remembers
// no more calls than maxOpen.
func (u *unanswered) tell(reason hub.Status) bool {
	return u.calls <= maxOpen && (reason == hub.StatusTools) == (len(u.ids) > 0)
}

// noResult reports whether the end of a call leaves it to the client.
func noResult(ev *hub.Event) bool {
	return ev.Status == hub.StatusClient || ev.Status == hub.StatusPaused
}
