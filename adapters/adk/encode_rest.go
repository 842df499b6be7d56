package adk

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/approval"
	"github.com/sabir-proxy/sabir/adapters/internal/genai"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// ask is a question that is open.
type ask struct {
	id       []byte // of the call that asks, unlike those of other calls
	confirms bool
	allow    [][]byte // options that say yes
}

// ask puts a question as the framework does: as a call, whose result the client sends.
func (e *encoder) ask(out *wire.Out, l *agent, ev *hub.Event) hub.Disposition {
	c := e.calls.Find(ev.RefSlot)
	confirms := ev.AskKind == hub.AskPermission && c != nil && !c.code
	a := e.asks.Add(ev.Slot)
	*a = ask{id: append(a.id[:0], ev.ID...), confirms: confirms, allow: approval.Allowing(ev)}
	if e.hasCall(ev.ID) {
		a.id = append(append(a.id[:0], "ask-"...), ev.ID...)
	}
	name, disposition := callInput, hub.NativeIf(ev.AskKind == hub.AskInput && len(ev.Ref) == 0)
	b := append(e.begin(out, `{"content":{"parts":[{"functionCall":{"id":"`), a.id...)
	b = append(b, `","args":{`...)
	switch {
	case ev.AskKind == hub.AskAuth && rawjson.Kind(ev.Value) == '{':
		name, disposition = callCredential, hub.NativeIf(len(ev.Title)+len(ev.Text) == 0)
		b = append(append(b, `"functionCallId":"`...), ev.Ref...)
		b = append(append(b, `","authConfig":`...), ev.Value...)
	case confirms:
		name, disposition = callConfirm, hub.NativeIf(isYesOrNo(ev.More))
		b = appendCall(append(b, `"originalFunctionCall":`...), ev.Ref, c)
		b = append(append(b, `,"toolConfirmation":{"hint":"`...), ev.Title...)
		b = append(appendPayload(append(b, `","confirmed":false`...), ev.Value), '}')
	default:
		b = appendInput(b, ev)
	}
	b = append(append(append(b, `},"name":"`...), name...), `"}}],"role":"model"},"longRunningToolIds":["`...)
	e.end(out, l, append(append(b, a.id...), `"],`...), e.newID())
	return disposition
}

func appendPayload(b []byte, v rawjson.Value) []byte {
	if v == nil {
		return b
	}
	return append(append(b, `,"payload":`...), v...)
}

// appendInput appends the arguments of a request for input. Choices go into the payload, if it is free.
func appendInput(b []byte, ev *hub.Event) []byte {
	message := rawjson.First(ev.Title, ev.Text)
	b = append(append(append(b, `"message":"`...), message...), '"')
	if b = appendPayload(b, ev.Value); ev.More == nil {
		return b
	}
	if ev.Value == nil && len(ev.More.Options) > 0 {
		b = append(b, `,"payload":{"what":"`...)
		b = append(append(b, ev.AskKind.String()...), '"')
		b = append(member.AppendOptions(b, ev.More.Options), '}')
	}
	if ev.More.Schema != nil {
		b = append(append(b, `,"responseSchema":`...), ev.More.Schema...)
	}
	return b
}

// isYesOrNo reports whether the choices of a question are those of a confirmation.
func isYesOrNo(m *hub.More) bool {
	return m != nil && len(m.Options) == 2 && string(m.Options[0].ID) == approval.Approve && string(m.Options[1].ID) == approval.Deny
}

// answer shows what came back, as the client has sent it.
func (e *encoder) answer(out *wire.Out, l *agent, ev *hub.Event) hub.Disposition {
	a := e.asks.Find(ev.Slot)
	defer e.asks.Drop(ev.Slot)
	if a == nil {
		return hub.Dropped
	}
	b := append(e.begin(out, `{"content":{"parts":[{"functionResponse":{"id":"`), a.id...)
	var disposition hub.Disposition
	if a.confirms {
		disposition = hub.NativeIf(ev.Status == hub.StatusChosen && (string(ev.Name) == approval.Approve || string(ev.Name) == approval.Deny))
		b = append(b, `","name":"`+callConfirm+`","response":{"confirmed":`...)
		b = append(strconv.AppendBool(b, approval.Approves(a.allow, ev)), '}')
	} else {
		var object bool
		b, object = genai.AppendObject(append(b, `","name":"`+callInput+`","response":`...), ev.Value)
		disposition = hub.NativeIf(ev.Status == hub.StatusChosen && object && len(ev.Name) == 0)
	}
	e.end(out, &agent{author: []byte(authorUser), branch: l.branch}, append(b, `}}],"role":"user"},`...), e.newID())
	return disposition
}

// addUsage puts the usage of a turn on its event. The totals of a run are written where its turns do not say theirs.
func (e *encoder) addUsage(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.More == nil {
		return hub.Dropped
	}
	if ev.Scope == hub.RunScope && e.usage.Add(ev) {
		return hub.Folded
	}
	if ev.Scope != hub.StepScope {
		return hub.Dropped
	}
	if e.member = genai.AppendCounts(e.member[:0], &ev.More.Usage); len(e.member) == 0 {
		return hub.Dropped
	}
	e.steps = true
	e.member = member.AppendText(e.member, `,"modelVersion":"`, ev.More.Model)
	l := e.agent(ev.AgentSlot)
	e.attach(out, l)
	return hub.NativeIf(!l.speaks()) // of several for a turn, readers take the last
}

// attach puts a member that begins with its comma on the event of the turn, or on one of its own if the turn has it already, or
// there is none.
func (e *encoder) attach(out *wire.Out, l *agent) {
	name := e.member[:bytes.IndexByte(e.member, ':')]
	if (len(l.parts) > 0 || l.speaks()) && !bytes.Contains(l.extra, name) {
		l.extra = append(l.extra, e.member...)
		return
	}
	b := append(e.begin(out, `{`), e.member[1:]...)
	e.end(out, l, append(b, ','), e.newID())
}

// source puts a source on the event of the turn.
func (e *encoder) source(out *wire.Out, ev *hub.Event) hub.Disposition {
	var disposition hub.Disposition
	if e.member, disposition = genai.AppendSource(e.member[:0], ev); disposition != hub.Dropped {
		e.attach(out, e.agent(ev.AgentSlot))
	}
	return disposition
}

// file writes a document of the answer, after the text that goes on, or one of the user's.
func (e *encoder) file(out *wire.Out, l *agent, ev *hub.Event) hub.Disposition {
	if ev.More == nil || len(ev.More.File.Base64)+len(ev.More.File.URL) == 0 {
		return hub.Dropped
	}
	if ev.Flags.Has(hub.User) {
		b, _ := genai.AppendNamedFile(e.begin(out, `{"content":{"parts":[`), &ev.More.File)
		e.end(out, &agent{author: []byte(authorUser), branch: l.branch}, append(b, `],"role":"user"},`...), e.newID())
		return hub.NativeIf(len(ev.Ref) == 0 && !ev.DescribesFile())
	}
	e.kept += grow(&l.later, func(b []byte) []byte {
		b, _ = genai.AppendNamedFile(b, &ev.More.File)
		return b
	})
	e.flush(out, l)
	return hub.NativeIf(len(ev.Ref) == 0 && !ev.DescribesFile())
}

// data writes what ADK has a place for: the state, member by member, and versions of artifacts.
func (e *encoder) data(out *wire.Out, l *agent, ev *hub.Event) hub.Disposition {
	b, disposition := e.begin(out, `{"actions":{`), hub.Dropped
	switch {
	case string(ev.Name) == dataState:
		b, disposition = appendState(append(b, `"artifactDelta":{},"stateDelta":`...), ev)
	case string(ev.Name) == dataArtifacts && ev.Op == hub.Merge && areVersions(ev.Value):
		b, disposition = append(append(b, `"stateDelta":{},"artifactDelta":`...), ev.Value...), hub.Native
	}
	if disposition == hub.Dropped {
		out.Cancel()
		return disposition
	}
	e.endAction(out, l, append(b, `},`...), e.newID())
	return disposition
}

// appendState appends what sets members of the state. What takes members away, or goes into them, has no form.
func appendState(b []byte, ev *hub.Event) ([]byte, hub.Disposition) {
	if ev.Op != hub.Patch {
		if rawjson.Kind(ev.Value) == '{' && ev.Op != hub.Emit {
			return append(b, ev.Value...), hub.Folded
		}
		return b, hub.Dropped
	}
	b, disposition := append(b, '{'), hub.Native
	for op := range rawjson.Each(ev.Value) {
		path, found := bytes.CutPrefix(rawjson.Body(rawjson.Get(op, "path")), []byte("/"))
		kind, v := rawjson.Body(rawjson.Get(op, "op")), rawjson.Get(op, "value")
		if string(kind) == "replace" {
			disposition = hub.Folded
		}
		if !found || !isPlainPointer(path) || v == nil || string(kind) != "add" && string(kind) != "replace" {
			return b, hub.Dropped
		}
		b = append(append(b, '"'), bytes.ReplaceAll(bytes.ReplaceAll(path, []byte("~1"), []byte("/")), []byte("~0"), []byte("~"))...)
		b = append(append(append(b, `":`...), v...), ',')
	}
	if b[len(b)-1] == '{' {
		return b, hub.Dropped
	}
	b[len(b)-1] = '}'
	return b, disposition
}

// isPlainPointer reports whether a reference names one member, without escapes of JSON.
func isPlainPointer(p []byte) bool {
	escapes := bytes.Count(p, []byte("~0")) + bytes.Count(p, []byte("~1"))
	return !bytes.ContainsAny(p, `/\`) && escapes == bytes.Count(p, []byte("~"))
}

// areVersions reports whether v is an object of whole numbers.
func areVersions(v rawjson.Value) bool {
	if rawjson.Kind(v) != '{' {
		return false
	}
	for _, n := range rawjson.EachField(v) {
		if _, whole := rawjson.Int(n); !whole {
			return false
		}
	}
	return true
}

// raw writes what came from this dialect: an event as it was, a part in an event of its own.
func (e *encoder) raw(out *wire.Out, l *agent, ev *hub.Event) hub.Disposition {
	if string(ev.Name) != dialectName || rawjson.Kind(ev.Value) != '{' || string(ev.ID) != rawPart {
		return hub.Dropped
	}
	b := append(e.begin(out, `{"content":{"parts":[`), ev.Value...)
	e.end(out, l, append(b, `],"role":"model"},`...), e.newID())
	return hub.Native
}

// runStart names the run and the agent.
func (e *encoder) runStart(ev *hub.Event) hub.Disposition {
	if len(ev.ID) > 0 {
		e.run = append(e.run[:0], ev.ID...)
	}
	if len(ev.Name) > 0 {
		e.agent(0).name(ev.Name)
	}
	return hub.NativeIf(len(ev.Ref) == 0 && ev.Value == nil)
}

// runEnd says the last turn whole, and why the run ended.
func (e *encoder) runEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	root := e.agent(0)
	if len(root.later) > 0 { // the reason belongs on the last event
		e.writeTurn(out, root)
		root.parts, root.later = append(root.parts, root.later...), root.later[:0]
	}
	if sum := e.usage.Sum(); !e.steps {
		root.extra = genai.AppendCounts(root.extra, &sum)
	}
	switch ev.Status {
	case hub.StatusFailed, hub.StatusTruncated, hub.StatusCancelled:
		e.flush(out, root)
		return e.failed(out, root, ev)
	case hub.StatusTools:
		e.flush(out, root)
		return hub.NativeIf(e.left)
	case hub.StatusPaused:
		e.flush(out, root)
		return hub.NativeIf(e.asks.Len() > 0)
	}
	reason, exact := genai.ReasonOf(ev.Status, ev.Name)
	if ev.Status == hub.StatusDone && len(root.parts) == 0 && e.events > 0 {
		e.flush(out, root)
		return hub.NativeIf(ev.Value == nil && !e.left) // clients take an event without content for an empty answer
	}
	root.extra = append(append(append(root.extra, `,"finishReason":"`...), reason...), '"')
	if ev.Status != hub.StatusDone {
		root.extra = append(append(append(root.extra, `,"errorCode":"`...), reason...), '"')
		root.extra = member.AppendText(root.extra, `,"errorMessage":"`, hub.Why(ev))
	}
	e.flush(out, root)
	return hub.NativeIf(exact && ev.Value == nil && !e.left)
}

// failed tells of a failure as servers do: in an event, and in a record that is none.
func (e *encoder) failed(out *wire.Out, l *agent, ev *hub.Event) hub.Disposition {
	code, why := []byte("ERROR"), phrases.RunError(ev)
	switch {
	case ev.Status == hub.StatusCancelled:
		code = []byte(codeCancelled)
	case len(ev.Rare().ErrCode) > 0:
		code = ev.More.ErrCode
	}
	b := append(e.begin(out, `{"errorCode":"`), code...)
	b = append(append(b, `","errorMessage":"`...), why...)
	e.end(out, l, append(b, `",`...), e.newID())
	b = append(append(append(e.begin(out, `{"error":"`), code...), ": "...), why...)
	b = append(append(b, `","error_details":{"error_type":"`...), code...)
	b = append(append(b, `","error_message":"`...), why...)
	out.Buf = append(b, `"}}`...)
	e.endLine(out)
	return hub.NativeIf(ev.Status != hub.StatusTruncated)
}
