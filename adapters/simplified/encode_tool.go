package simplified

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolinfo"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// reasons are texts for the ends of calls and sub-agents that give none; the server has one for any other call that failed.
var reasons = map[hub.Status]string{hub.StatusDenied: "Denied", hub.StatusAborted: "Aborted"}

const (
	toolErrorText = "Unknown tool error"
	waitingText   = "The tool waits for an answer that this client cannot give."
)

// call is a tool call that has not ended.
type call struct {
	name       string // plain
	attrs      []Attr
	isTodo     bool
	isHidden   bool
	isFinished bool // it arrived with its end, which tells it in one frame
	isShown    bool // its tool_call_started was written
}

// tool writes the three events of a call that have frames. Arguments on their way, progress and partial results have none.
func (e *encoder) tool(out *wire.Out, ev *hub.Event, a *agent) hub.Disposition {
	if ev.Kind == hub.ToolStart {
		return e.toolStart(out, ev, a)
	}
	c := e.tools.Find(ev.Slot)
	if c == nil {
		return hub.Dropped
	}
	if ev.Kind == hub.ToolReady {
		return e.toolReady(out, ev, a, c)
	}
	e.tools.Drop(ev.Slot)
	return e.toolEnd(out, ev, a, c)
}

// toolStart waits for the arguments, as the start has a place for some of them and later frames have not.
func (e *encoder) toolStart(out *wire.Out, ev *hub.Event, a *agent) hub.Disposition {
	c := e.tools.Add(ev.Slot)
	*c = call{
		name:       string(rawjson.AppendUnescaped(nil, ev.Name)),
		isTodo:     e.opt.todoTools.Has(ev.Name),
		isHidden:   e.opt.hiddenTools.Has(ev.Name),
		isFinished: ev.Status == hub.StatusOK,
	}
	switch {
	case c.isTodo || c.isHidden:
		return hub.Dropped
	case e.opt.announceStart && !c.isFinished:
		e.start(out, ev, a, c, nil, statusRunning)
		return lookDisposition(ev, hub.Native)
	}
	return lookDisposition(ev, hub.Deferred)
}

// lookDisposition is the disposition of a start: title, kind and locations have no place here.
func lookDisposition(ev *hub.Event, disposition hub.Disposition) hub.Disposition {
	if toolinfo.Has(ev) {
		return hub.Folded
	}
	return disposition
}

// toolReady is where the server, too, begins to show a call: when it runs.
func (e *encoder) toolReady(out *wire.Out, ev *hub.Event, a *agent, c *call) hub.Disposition {
	switch {
	case c.isTodo:
		return e.todoCall(out, ev, a)
	case c.isHidden:
		return hub.Dropped
	}
	isWhole := false
	c.attrs, isWhole = e.attributes(ev)
	if !c.isShown && !c.isFinished {
		e.start(out, ev, a, c, c.attrs, statusRunning)
		c.attrs = nil
	}
	if isWhole && !e.opt.announceStart && !c.isFinished {
		return hub.Native
	}
	return hub.Folded // what is written with the end may have attributes of the end among the arguments
}

// start writes a tool_call_started.
func (e *encoder) start(out *wire.Out, ev *hub.Event, a *agent, c *call, list []Attr, status string) {
	id := string(rawjson.AppendUnescaped(nil, ev.ID))
	e.plain = AppendToolCall(e.plain[:0], ToolCall{Type: c.name, Status: status, ID: id, Attrs: list})
	e.startWith(out, ev, a, c, e.plain, status)
}

// startWith writes a tool_call_started with this element.
func (e *encoder) startWith(out *wire.Out, ev *hub.Event, a *agent, c *call, element []byte, status string) {
	e.boundary(out, a)
	c.isShown = true
	out.Buf = append(e.open(out, a, typeToolStarted), `,"data":{"content":`...)
	out.Buf = rawjson.AppendString(out.Buf, element)
	out.Buf = append(append(out.Buf, `,"toolCallId":"`...), ev.ID...)
	e.close(out, append(append(append(out.Buf, `","status":"`...), status...), `"}`...), a)
}

// toolEnd writes success or error: clients know no third way for a call to end.
func (e *encoder) toolEnd(out *wire.Out, ev *hub.Event, a *agent, c *call) hub.Disposition {
	if c.isTodo || c.isHidden {
		return hub.Dropped
	}
	extra := e.extraOf(ev, c)
	switch {
	case hub.Failed(ev):
		return e.toolFailed(out, ev, a, c, nil)
	case ev.Status == hub.StatusPaused:
		if e.opt.v2 {
			e.ensureShown(out, ev, a, c)
			return hub.Implied // its widget goes on waiting
		}
		return e.toolFailed(out, ev, a, c, []byte(waitingText))
	}
	if c.isFinished {
		e.finished(out, ev, a, c, extra)
	} else {
		e.ensureShown(out, ev, a, c)
		out.Buf = member.AppendRaw(e.openEnd(out, ev, a, typeToolSuccess, statusSuccess), `,"extra":`, extra)
		e.close(out, append(out.Buf, '}'), a)
	}
	return endDisposition(ev, c, extra)
}

// endDisposition says whether a reader gets the end as it is: there is no place for results.
func endDisposition(ev *hub.Event, c *call, extra rawjson.Value) hub.Disposition {
	hasResult := len(ev.Text) > 0 || ev.Value != nil || ev.Rare().Content != nil
	isExtra := extra != nil && bytes.Equal(extra, ev.Value) && !c.isFinished
	return hub.NativeIf(ev.Status == hub.StatusOK && (!hasResult || isExtra) && len(hub.Why(ev)) == 0)
}

// ensureShown starts a call whose end is not the one that it arrived with.
func (e *encoder) ensureShown(out *wire.Out, ev *hub.Event, a *agent, c *call) {
	if !c.isShown {
		e.start(out, ev, a, c, c.attrs, statusRunning)
	}
}

// finished writes a call and its end in one frame. What the end brings is merged into the tag as clients would do it.
func (e *encoder) finished(out *wire.Out, ev *hub.Event, a *agent, c *call, extra rawjson.Value) {
	id := string(rawjson.AppendUnescaped(nil, ev.ID))
	element := AppendToolCall(nil, ToolCall{Type: c.name, Status: statusSuccess, ID: id, Attrs: c.attrs})
	if list := attrsOf(extra); len(list) > 0 {
		element = UpdateToolCallMarkup(element, id, ToolCallUpdate{Extra: list, ExtraLimit: e.extraLimit()})
	}
	e.startWith(out, ev, a, c, element, statusSuccess)
}

// extraLimit is the limit of an extra value; version 2 has none.
func (e *encoder) extraLimit() int {
	if e.opt.v2 {
		return -1
	}
	return maxMarkupExtra
}

// openEnd begins the end of a call, up to its status.
func (e *encoder) openEnd(out *wire.Out, ev *hub.Event, a *agent, typ, status string) []byte {
	out.Buf = append(append(e.open(out, a, typ), `,"data":{"toolCallId":"`...), ev.ID...)
	out.Buf = append(append(append(out.Buf, `","status":"`...), status...), '"')
	return out.Buf
}

// toolFailed writes the end of a call that has failed, for the reason given or the one that the end has.
func (e *encoder) toolFailed(out *wire.Out, ev *hub.Event, a *agent, c *call, reason []byte) hub.Disposition {
	e.ensureShown(out, ev, a, c)
	if reason == nil {
		reason = e.reasonOf(ev)
	}
	cut := cutBody(reason, e.opt.errorLimit)
	out.Buf = append(append(append(e.openEnd(out, ev, a, typeToolError, statusError), `,"error":"`...), cut...), '"')
	out.Buf = member.AppendRaw(out.Buf, `,"extra":`, ownExtra(ev))
	e.close(out, append(out.Buf, '}'), a)
	return hub.NativeIf(ev.Status == hub.StatusError && len(cut) == len(reason) && isErrorOnly(ev))
}

// isErrorOnly reports whether its error is all that the end of a failed call says.
func isErrorOnly(ev *hub.Event) bool {
	if len(hub.Why(ev)) == 0 || ev.More.Content != nil {
		return false
	}
	isText := len(ev.Text) == 0 || bytes.Equal(ev.Text, ev.More.Err)
	return isText && (ev.Value == nil || ownExtra(ev) != nil)
}

// reasonOf is why a call failed, as the body of a string: there is no other place for what it gave all the same.
func (e *encoder) reasonOf(ev *hub.Event) []byte {
	reported := *ev
	if ownExtra(ev) != nil {
		reported.Value = nil // it has its own place
	}
	e.next = hub.AppendFault(e.next[:0], &reported)
	return rawjson.First(e.next, []byte(reasons[ev.Status]), []byte(toolErrorText))
}

// ownExtra is the extra of a call's end as our own decoder read it.
func ownExtra(ev *hub.Event) rawjson.Value { return rawjson.Get(ev.Meta(name), "extra") }

// extraOf is the extra of a call's end: as it came, or the members of the result that the options name, and the
// arguments if the call was shown before it had them. nil if there is nothing to send.
func (e *encoder) extraOf(ev *hub.Event, c *call) rawjson.Value {
	if extra := ownExtra(ev); extra != nil {
		return extra
	}
	obj := append(e.next[:0], '{')
	if c.isShown {
		for _, at := range c.attrs {
			obj = append(rawjson.AppendString(obj, []byte(at.Name)), ':')
			obj = append(rawjson.AppendString(obj, []byte(at.Value)), ',')
		}
	}
	for key, val := range rawjson.EachField(ev.Value) {
		if body, isString := rawjson.Str(val); isString && len(body) > 0 && e.opt.extra.Has(key) {
			obj = append(rawjson.AppendQuoted(obj, key), ':')
			obj = append(rawjson.AppendQuoted(obj, cutBody(body, max(0, e.extraLimit()))), ',')
		}
	}
	e.next = obj
	if len(obj) == 1 {
		return nil
	}
	obj[len(obj)-1] = '}'
	return obj
}

// attrsOf are the string members of an object, as attributes.
func attrsOf(extra rawjson.Value) (list []Attr) {
	for key, val := range rawjson.EachField(extra) {
		if body, isString := rawjson.Str(val); isString {
			list = append(list, Attr{string(rawjson.AppendUnescaped(nil, key)), string(rawjson.AppendUnescaped(nil, body))})
		}
	}
	return list
}

// attributes takes from the arguments what clients show of a call. isWhole tells that nothing was left out.
func (e *encoder) attributes(ev *hub.Event) (list []Attr, isWhole bool) {
	args := ev.Value
	if body, ok := rawjson.Str(args); ok { // some servers send the object as text
		e.next, ok = rawjson.ValueOfText(e.next[:0], body)
		if !ok {
			return nil, false
		}
		args = e.next
	}
	if rawjson.Kind(args) != '{' {
		return nil, false
	}
	x := extraction{limit: e.opt.attrLimit, isWhole: rawjson.Kind(ev.Value) == '{'}
	x.query(args, e.opt.v2)
	x.count(args)
	x.text(args, attrURL, attrURL)
	x.text(args, "pdfUrl", attrURL)
	if e.opt.v2 {
		for _, key := range [...]string{"prompt", "imageId", "code", "description", "context"} {
			x.text(args, key, key)
		}
	}
	object := rawjson.ReadObject(args)
	return x.list, x.isWhole && object.Len() == len(x.list)
}

// extraction collects attributes.
type extraction struct {
	list    []Attr
	limit   int
	isWhole bool // what was taken was taken as it is
}

// query is what a call looks for. Version 2 shows the main argument of other tools in its place.
func (x *extraction) query(args rawjson.Value, v2 bool) {
	if x.text(args, attrQuery, attrQuery) || !v2 {
		return
	}
	for _, key := range [...]string{"question", "content", "file", "pattern"} {
		if x.text(args, key, attrQuery) {
			return
		}
	}
}

// text takes a string member, if there is one.
func (x *extraction) text(args rawjson.Value, key, attribute string) bool {
	body, ok := rawjson.Str(rawjson.Get(args, key))
	if !ok {
		return false
	}
	plain := string(rawjson.AppendUnescaped(nil, body))
	value := plain
	if x.limit > 0 && !isBase64(attribute) { // code is shown whole
		value = cutUnits(plain, x.limit)
	}
	x.isWhole = x.isWhole && value == plain && key == attribute
	x.set(attribute, value)
	return true
}

// set adds an attribute. Of two arguments for one attribute the last wins, in the place of the first.
func (x *extraction) set(attribute, value string) {
	for i := range x.list {
		if x.list[i].Name == attribute {
			x.list[i].Value = value
			return
		}
	}
	x.list = append(x.list, Attr{attribute, value})
}

// count is how many pages a call reads.
func (x *extraction) count(args rawjson.Value) {
	if urls := rawjson.Get(args, "urls"); rawjson.Kind(urls) == '[' {
		n := 0
		for range rawjson.Each(urls) {
			n++
		}
		x.isWhole = false
		x.set(attrCount, strconv.Itoa(n))
		return
	}
	if n, ok := rawjson.Int(rawjson.Get(args, attrCount)); ok && n >= 0 {
		x.set(attrCount, strconv.FormatInt(n, 10))
	}
}
