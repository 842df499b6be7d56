package copilot

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// What Copilot has no event for is written as an event whose type is ours: sabir. and the kind. Clients ignore types
// that they do not know.

const extensionPrefix = "sabir."

// extension writes an event of our own.
func (e *encoder) extension(out *wire.Out, ev *hub.Event) hub.Disposition {
	if !e.opt.extensions {
		return hub.Dropped
	}
	buf := e.beginAs(out, extensionPrefix+ev.Kind.String(), ev)
	m := ev.Rare()
	switch ev.Kind {
	case hub.Plan:
		buf = appendPlan(appendSome(buf, `"planId":"`, ev.ID), m.Items)
	case hub.Source, hub.File:
		buf = appendFile(appendSome(buf, `"ref":"`, ev.Ref), ev, &m.File)
	case hub.Data:
		buf = appendSome(appendText(buf, `"name":"`, ev.Name), `"dataId":"`, ev.ID)
		buf = appendText(buf, `"op":"`, []byte(ev.Op.String()))
		buf = appendValue(buf, `"value":`, ev.Value)
	case hub.Usage:
		buf = appendUsage(appendText(buf, `"scope":"`, []byte(ev.Scope.String())), m)
	case hub.Raw:
		buf = appendSome(appendText(buf, `"dialect":"`, ev.Name), `"event":"`, ev.ID)
		if buf = appendValue(buf, `"record":`, ev.Value); ev.Value == nil {
			buf = appendText(buf, `"record":"`, ev.Text)
		}
	}
	return e.end(out, buf, hub.Extension)
}

// holdPlan keeps the event of a plan until the next word of the stream. Where a source tells a plan by the call of a todo tool
// as well, the call is shown, as clients know calls, and says all of it.
func (e *encoder) holdPlan(out *wire.Out, ev *hub.Event) hub.Disposition {
	if e.reported.Plan(ev) {
		return hub.Implied
	}
	e.hold = &e.plan
	disposition := e.extension(out, ev)
	e.hold = nil
	return disposition
}

// payPlan writes what holdPlan has kept, unless ev belongs to a call that may tell it, or does.
func (e *encoder) payPlan(out *wire.Out, ev *hub.Event) {
	switch ev.Kind {
	case hub.ToolStart, hub.ToolArgs:
		return
	case hub.ToolReady:
		if _, again := e.reported.Call(ev); !again {
			e.plan.Write(out)
		}
	default:
		e.plan.Write(out)
	}
	e.plan = e.plan[:0]
}

// extensionType is the type of events that carry what Copilot has no event for in the notation of the model.
const extensionType = extensionPrefix + hub.ExtensionKey

// Extend implements [hub.Extender]. The filter does not concern it: it leaves out what Caco has no use for, and this is for
// others. What comes before the start of the run, which names the session, waits for it: envelopes name it, too.
func (e *encoder) Extend(out *wire.Out, payload []byte) {
	if !e.begun {
		e.early.Keep(payload)
		return
	}
	e.open(out, extensionType, true, nil)
	e.endDelta(out, appendMembers(out.Buf, payload))
}

// flushEarly writes what has waited for the start of the run.
func (e *encoder) flushEarly(out *wire.Out) {
	e.begun = true
	e.early.Flush(out, e)
}

// extensionOf is where Extend writes.
func extensionOf(rec wire.Record) rawjson.Value {
	ev, _ := unwrap(rec.Data)
	if string(rawjson.Body(rawjson.Get(ev, "type"))) != extensionType {
		return nil
	}
	_, payload := Properties(nil, ev)
	return payload
}

// appendPlan appends the entries of a plan. The names of the members are none that the filter of Caco looks for.
func appendPlan(dst []byte, items []hub.PlanItem) []byte {
	dst = append(dst, `"items":[`...)
	for i := range items {
		it := &items[i]
		dst = appendText(append(dst, '{'), `"step":"`, it.Content)
		dst = appendSome(dst, `"status":"`, it.Status)
		dst = appendSome(dst, `"priority":"`, it.Priority)
		dst = append(closeObject(appendSome(dst, `"itemId":"`, it.ID)), ',')
	}
	if len(items) > 0 {
		dst = dst[:len(dst)-1]
	}
	return append(dst, `],`...)
}

// appendFile appends a source or a file by its address.
func appendFile(dst []byte, ev *hub.Event, f *hub.FileRef) []byte {
	dst = appendSome(dst, `"refId":"`, ev.ID)
	dst = appendSome(dst, `"title":"`, ev.Title)
	dst = appendSome(dst, `"quote":"`, ev.Text)
	dst = appendSome(dst, `"url":"`, f.URL)
	dst = appendSome(dst, `"fileName":"`, f.Name)
	dst = appendSome(dst, `"fileId":"`, f.FileID)
	dst = appendSome(dst, `"mimeType":"`, f.Media)
	return appendValue(dst, `"range":`, ev.Value)
}

// appendUsage appends counts under the names that Copilot has for them.
func appendUsage(dst []byte, m *hub.More) []byte {
	dst = appendSome(dst, `"model":"`, m.Model)
	dst = appendCounts(dst, usageCounts, &m.Usage)
	dst = appendCount(dst, `"totalTokens":`, m.Usage.Total)
	dst = appendCount(dst, `"currentTokens":`, m.Usage.ContextUsed)
	dst = appendCount(dst, `"tokenLimit":`, m.Usage.ContextSize)
	if rawjson.Kind(m.Usage.Cost) == '0' {
		dst = appendValue(dst, `"cost":`, m.Usage.Cost)
		dst = appendSome(dst, `"currency":"`, m.Usage.Currency)
	}
	return dst
}
