package adk

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
	"github.com/sabir-proxy/sabir/adapters/internal/genai"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// call is a tool that has not ended.
type call struct {
	id, name, args, sig []byte
	code, client, past  bool
}

// maxAsked bounds the arguments that are kept for questions.
const maxAsked = 64 << 10

func (e *encoder) toolStart(ev *hub.Event) hub.Disposition {
	c := e.calls.Add(ev.Slot)
	*c = call{id: append(c.id[:0], ev.ID...), name: append(c.name[:0], ev.Name...), args: c.args[:0], sig: c.sig[:0]}
	if c.code = string(ev.Name) == genai.CodeTool && !ev.Flags.Has(hub.ClientRuns) && e.codes == 0; c.code {
		e.codes++ // the result of code names no call: a second one beside it is a call like others
	}
	if sig := ev.Rare().Sig; genai.IsBase64(sig) {
		c.sig = append(c.sig, sig...)
	}
	c.client, c.past = ev.Flags.Has(hub.ClientRuns), ev.Flags.Has(hub.Resumed)
	return hub.Implied
}

// hasCall reports whether a call of that id is open.
func (e *encoder) hasCall(id []byte) bool {
	for _, c := range e.calls.All {
		if bytes.Equal(c.id, id) {
			return true
		}
	}
	return false
}

// toolUpdate keeps the signature of a call for its part.
func (e *encoder) toolUpdate(ev *hub.Event) hub.Disposition {
	c := e.calls.Find(ev.Slot)
	if c == nil || len(ev.Rare().Sig) == 0 || len(c.args) > 0 || !genai.IsBase64(ev.Rare().Sig) {
		return hub.Dropped
	}
	c.sig = append(c.sig[:0], ev.More.Sig...)
	return hub.Deferred
}

// toolReady says the call at once, with the turn that it ends: clients show that it runs.
func (e *encoder) toolReady(out *wire.Out, ev *hub.Event) hub.Disposition {
	l, c := e.agent(ev.AgentSlot), e.calls.Find(ev.Slot)
	var object bool
	if c.args, object = appendArgs(c.args[:0], ev); c.past {
		return hub.Implied // the client has it
	}
	part := func(b []byte) []byte {
		if c.code {
			b, object = genai.AppendCode(b, ev)
		} else {
			b = appendCall(append(b, `{"functionCall":`...), ev.ID, c)
		}
		return append(genai.AppendSig(b, c.sig), '}')
	}
	e.writeCallEvent(out, l, ev, c, part)
	if len(c.args) > maxAsked {
		c.args = append(c.args[:0], "{}"...)
	}
	return hub.NativeIf(object)
}

// writeCallEvent says a call with its turn, or while a text of that goes on, in an event of its own.
func (e *encoder) writeCallEvent(out *wire.Out, l *agent, ev *hub.Event, c *call, part func(b []byte) []byte) {
	own := agent{branch: l.branch, author: l.author}
	if !l.speaks() {
		e.kept += grow(&l.parts, part)
	} else {
		grow(&own.parts, part)
		l = &own
	}
	if c.client {
		l.extra = append(append(append(l.extra, `,"longRunningToolIds":["`...), ev.ID...), `"]`...)
	}
	e.flush(out, l)
}

// appendArgs appends arguments, which readers want to be an object.
func appendArgs(dst []byte, ev *hub.Event) (args []byte, object bool) {
	if ev.Value != nil {
		return genai.AppendObject(dst, ev.Value)
	}
	return append(append(append(dst, `{"value":"`...), ev.Text...), `"}`...), false
}

// appendCall appends a call.
func appendCall(b, id []byte, c *call) []byte {
	b = append(append(b, `{"id":"`...), id...)
	b = append(append(b, `","args":`...), c.args...)
	b = append(append(b, `,"name":"`...), c.name...)
	return append(b, `"}`...)
}

// toolEnd writes the result of a call. That of one that is left to the client is not there yet.
func (e *encoder) toolEnd(out *wire.Out, l *agent, ev *hub.Event) hub.Disposition {
	c := e.calls.Find(ev.Slot)
	defer e.calls.Drop(ev.Slot)
	if c != nil && c.code {
		e.codes--
	}
	switch {
	case c == nil:
		return hub.Dropped
	case ev.Status == hub.StatusClient || ev.Status == hub.StatusPaused && c.client:
		return e.leave(out, l, ev, c)
	case c.code && !c.past:
		b, exact := genai.AppendCodeResult(e.begin(out, `{"content":{"parts":[`), ev, nil)
		e.end(out, l, append(b, `],"role":"model"},`...), e.newID())
		return hub.NativeIf(exact)
	}
	b := append(e.begin(out, `{"content":{"parts":[{"functionResponse":{"id":"`), ev.ID...)
	b = append(append(b, `","name":"`...), c.name...)
	b = append(b, `","response":`...)
	if ev.Status == hub.StatusPaused {
		return e.waiting(out, l, ev, b)
	}
	b, disposition := appendResponse(b, ev)
	if c.client { // one of the agent's would be taken for a result that another follows
		l = &agent{author: []byte(authorUser), branch: l.branch}
	}
	e.end(out, l, append(b, `}}],"role":"user"},`...), e.newID())
	return disposition
}

// leave leaves a call to the client. Of one that was not known to be the client's, an event says so now.
func (e *encoder) leave(out *wire.Out, l *agent, ev *hub.Event, c *call) hub.Disposition {
	e.left = true
	if !c.client && !c.past {
		b := append(e.begin(out, `{"longRunningToolIds":["`), ev.ID...)
		e.end(out, l, append(b, `"],`...), e.newID())
	}
	return hub.Implied
}

// waiting writes the result for now of a call that waits for a human.
func (e *encoder) waiting(out *wire.Out, l *agent, ev *hub.Event, b []byte) hub.Disposition {
	b = append(b, `{"error":"This tool call requires confirmation, please approve or reject."}}}],"role":"user"},`...)
	b = append(b, `"actions":{"stateDelta":{},"artifactDelta":{},"requestedAuthConfigs":{},"requestedToolConfirmations":{"`...)
	b = append(append(b, ev.ID...), `":{"hint":"","confirmed":false}}},`...)
	e.endAction(out, l, b, e.newID())
	return hub.Native
}

// appendResponse appends what a tool returned, as the framework wraps it.
func appendResponse(b []byte, ev *hub.Event) ([]byte, hub.Disposition) {
	switch {
	case ev.Status == hub.StatusUnknown && len(ev.Text)+len(ev.Value) > 0: // there is a result, whatever it is
		known := *ev
		known.Status = hub.StatusOK
		b, _ = appendResponse(b, &known)
		return b, hub.Folded
	case ev.Status != hub.StatusOK:
		return appendError(append(b, `{"error":"`...), ev)
	case ev.Value == nil && len(ev.Text) == 0 && ev.Rare().Content != nil:
		_, joined := acpwire.JoinContent(nil, ev.More.Content)
		if joined == nil {
			return append(append(append(b, `{"result":`...), ev.More.Content...), '}'), hub.Folded
		}
		return append(append(append(b, `{"result":"`...), joined...), `"}`...), hub.Folded
	case ev.Value == nil:
		return append(append(append(b, `{"result":"`...), ev.Text...), `"}`...), hub.Native
	case rawjson.Kind(ev.Value) != '{' || isWrapper(ev.Value):
		return append(append(append(b, `{"result":`...), ev.Value...), '}'), hub.Native
	}
	return append(b, ev.Value...), hub.Native
}

// appendError appends why a call failed. That one was rejected is known by the words of the framework alone.
func appendError(b []byte, ev *hub.Event) ([]byte, hub.Disposition) {
	from, native := len(b), ev.Status == hub.StatusError && ev.Value == nil && len(ev.Text) == 0
	switch b = hub.AppendFault(b, ev); {
	case len(b) > from:
	case ev.Status == hub.StatusDenied:
		b, native = append(b, rejected...), true
	default:
		b, native = append(b, phrases.Call(ev.Status)...), false
	}
	return append(b, `"}`...), hub.NativeIf(native)
}

// isWrapper reports whether an object would be read as one that the framework has made.
func isWrapper(v rawjson.Value) bool {
	key, _ := onlyMember(v)
	return string(key) == "result" || string(key) == "error"
}
