package declared

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// encodeTable is how events are written. It never changes; encoders share it.
type encodeTable struct {
	name    []byte // of the dialect
	byKind  [hub.NumKinds][]*encodeRule
	flat    bool // events of sub-agents are written as if they were the agent's
	endMark []byte

	serialise bool // calls of one name take turns
	announces bool // calls are announced when their arguments are complete
	keepsArgs bool // arguments are written with the end of a call
}

// readEncode reads the parts of the document that are about writing; nil if there are none.
func (c *compiler) readEncode(m fields, d *hub.Dialect) *encodeTable {
	t := &encodeTable{name: []byte(c.name), flat: m.get("lanes").choice("drop", "flat") == "flat"}
	mark, _ := m.get("end_mark").text()
	t.endMark = []byte(mark)
	if bytes.ContainsAny(t.endMark, "\r\n") {
		m.get("end_mark").problem("must be a single line")
	}
	c.keepAlive(m.get("keepalive"), d)
	c.httpError(m.get("http_error"), d)
	c.request(m.get("request"), d)
	list, isSet := c.ruleList(m.get("encode"))
	if !isSet {
		return nil
	}
	for _, n := range list {
		if r := c.encodeRule(n); r != nil {
			for _, k := range r.kinds {
				t.byKind[k] = append(t.byKind[k], r)
			}
		}
	}
	t.announces = len(t.byKind[hub.ToolStart]) == 0 && len(t.byKind[hub.ToolReady]) > 0
	t.keepsArgs = len(t.byKind[hub.ToolReady]) == 0 && slices.ContainsFunc(t.byKind[hub.ToolEnd], (*encodeRule).usesArgs)
	t.serialise = c.tools != nil && c.tools.serialise && !t.usesIDs()
	if len(list) > 0 {
		c.checkRunEnd(m, t)
	}
	return t
}

func (r *encodeRule) uses(f field) bool {
	return slices.ContainsFunc(r.templates, func(t *template) bool { return t.uses.has(f) })
}

func (r *encodeRule) usesArgs() bool { return r.uses(fieldArgs) }

// usesIDs reports whether results say which call they are of.
func (t *encodeTable) usesIDs() bool {
	ends := t.byKind[hub.ToolEnd]
	hasNone := func(r *encodeRule) bool { return len(r.templates) > 0 && !r.uses(fieldID) }
	return len(ends) > 0 && !slices.ContainsFunc(ends, hasNone)
}

// checkRunEnd reports ends of runs that clients would not hear of: a stream that was cut must not look like a good one.
func (c *compiler) checkRunEnd(m fields, t *encodeTable) {
	written := func(s hub.Status) bool {
		r, _ := t.pick(&hub.Event{Kind: hub.RunEnd, Status: s, More: &hub.More{Err: []byte("x"), ErrCode: []byte("x")}}, 0)
		return r != nil && len(r.templates) > 0
	}
	reported := len(t.endMark) > 0 || m.get("end_of_body").val == "done"
	if !written(hub.StatusDone) && !reported {
		m.get("encode").problem("no rule writes run.end with status done, so that clients would wait for ever; " +
			"add one, an end_mark, or end_of_body: done")
	}
	if !written(hub.StatusFailed) {
		m.get("encode").problem("no rule writes run.end with status failed, so that clients would take a failed run for a good one; " +
			"add one")
	}
}

// constantTemplate reads a record without placeholders.
func (c *compiler) constantTemplate(n node) []byte {
	t := c.template(n, 0, "this record")
	if t == nil {
		return nil
	}
	var record []byte
	for _, p := range t.pieces {
		record = p.appendLit(record)
	}
	return record
}

// keepAlive reads the sign of life: the JSON of a record, or a map with it and an SSE event name.
func (c *compiler) keepAlive(n node, d *hub.Dialect) {
	event := ""
	if !n.isSet() {
		return
	}
	if !isText(n.val) {
		m, _ := n.fixed("event", "write")
		event, _ = m.get("event").text()
		if n = m.get("write"); !n.isSet() {
			n.problem("is missing; give the JSON of the record")
			return
		}
	}
	record := c.constantTemplate(n)
	d.KeepAlive = func(out *wire.Out, _ hub.Options) {
		out.Begin(event)
		out.Buf = append(out.Buf, record...)
		out.End()
	}
}

// httpError reads the body of an HTTP error response.
func (c *compiler) httpError(n node, d *hub.Dialect) {
	t := c.template(n, setOf(fieldErr, fieldErrCode), "an HTTP error")
	if t == nil {
		return
	}
	d.AppendFailure = func(dst []byte, f *hub.Failure) []byte {
		end := hub.FailureEnd(f, &hub.More{})
		w := writer{ev: &end}
		body, _ := w.append(nil, t)
		return append(dst, body...)
	}
}

// pick returns the rule for ev, nil if there is none. flags are those of ev and of the tool call that it is about. An end
// with a status that no rule knows is written as the one that comes nearest, which is returned as well.
func (t *encodeTable) pick(ev *hub.Event, flags hub.Flags) (*encodeRule, hub.Status) {
	rules := t.byKind[ev.Kind]
	for _, r := range rules {
		if r.holds(ev, flags, ev.Status, t.flat) {
			return r, ev.Status
		}
	}
	if len(rules) == 0 {
		return nil, ev.Status
	}
	near := nearest(ev.Kind, ev.Status)
	for _, r := range rules {
		if near != hub.StatusNone && r.holds(ev, flags, near, t.flat) {
			return r, near
		}
	}
	return nil, ev.Status
}

// nearest is the status that stands for another one where that is not known; StatusNone: nothing does.
func nearest(k hub.Kind, s hub.Status) hub.Status {
	switch {
	case k == hub.RunEnd && slices.Contains([]hub.Status{hub.StatusLength, hub.StatusRefused, hub.StatusFiltered}, s):
		return hub.StatusDone // the answer ends here, if not as one would like
	case k == hub.RunEnd && s != hub.StatusDone && s != hub.StatusFailed:
		return hub.StatusFailed
	case k != hub.ToolEnd && k != hub.AgentEnd:
		return hub.StatusNone
	case s == hub.StatusDenied || s == hub.StatusAborted:
		return hub.StatusError
	case s != hub.StatusOK && s != hub.StatusError:
		return hub.StatusOK
	}
	return hub.StatusNone
}

// holds reports whether the rule is about ev, with these flags and this status in the place of its own.
func (r *encodeRule) holds(ev *hub.Event, flags hub.Flags, status hub.Status, flat bool) bool {
	for i := range r.words {
		w := &r.words[i]
		v := uint8(status)
		if w.field != fieldStatus {
			v = wordOf(w.field, ev)
		}
		if !w.holds(v) {
			return false
		}
	}
	switch {
	case flags&r.flags != r.want:
		return false
	case flags.Has(hub.User) && !r.flags.Has(hub.User):
		return false // an echo is no answer
	case len(ev.SubAgent) > 0 && !r.subAgents && !flat:
		return false
	}
	for i := range r.tests {
		if !r.tests[i].isMet(ev) {
			return false
		}
	}
	return true
}

// isMet looks at the event alone: what encoders know besides cannot be asked for.
func (t *fieldTest) isMet(ev *hub.Event) bool {
	w := writer{ev: ev}
	val, isJSON, ok := w.find(&t.ref)
	switch {
	case t.has || t.lacks:
		return ok == t.has // null is a value
	case !ok:
		return t.holds(nil)
	case isJSON:
		return t.holds(val)
	}
	return t.holdsBody(val)
}

// caps are the abilities that follow from the rules.
func (t *encodeTable) caps() (caps hub.Caps) {
	add := func(c hub.Caps, has bool) {
		if has {
			caps |= c
		}
	}
	ready := len(t.byKind[hub.ToolReady]) > 0
	add(hub.CapSubAgents, t.tells(hub.AgentStart, fieldNone, 0))
	add(hub.CapReplace, t.tells(hub.TextDelta, fieldOp, uint8(hub.Replace)))
	add(hub.CapExecutedTools, t.tells(hub.ToolEnd, fieldNone, 0))
	add(hub.CapClientTools, ready && t.tells(hub.RunEnd, fieldStatus, uint8(hub.StatusTools)))
	add(hub.CapReasoning, t.tells(hub.TextDelta, fieldChan, uint8(hub.Reasoning)))
	add(hub.CapAsks, t.tells(hub.Ask, fieldNone, 0))
	add(hub.CapPlan, t.tells(hub.Plan, fieldNone, 0))
	add(hub.CapUsage, t.tells(hub.Usage, fieldNone, 0))
	return caps
}

// tells reports whether some rule is made for a kind, with this word in field f.
func (t *encodeTable) tells(k hub.Kind, f field, word uint8) bool {
	return slices.ContainsFunc(t.byKind[k], func(r *encodeRule) bool {
		isMeant := (r.main == k || r.main == hub.KindNone) && !(r.hasDisposition && r.disposition != hub.Native)
		differs := func(w wordTest) bool { return w.field == f && !w.holds(word) }
		return len(r.templates) > 0 && isMeant && !slices.ContainsFunc(r.native[k], differs)
	})
}
