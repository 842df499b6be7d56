package mastra

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/eventjson"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// approvalSchema is the form of the answer to the question whether a call may run, as text.
const approvalSchema = `{\"type\":\"object\",\"properties\":{\"approved\":{\"type\":\"boolean\"},\"reason\":{\"type\":\"string\"}},\"required\":[\"approved\"]}`

// ask asks the client, which names the run and the call in its answer. A question about no call is asked as if it were one. Of a call whose
// arguments are too long the client has them from the call alone.
func (e *encoder) ask(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.asked++
	e.asking++
	l, typ, c := &e.root, "tool-call-suspended", e.calls.Find(ev.RefSlot)
	if ev.AskKind == hub.AskPermission {
		typ = "tool-call-approval"
	}
	id, name, args, unkept := rawjson.First(ev.Ref, ev.ID), rawjson.First(ev.Title, []byte("question")), []byte("{}"), false
	if c != nil && len(ev.Ref) > 0 {
		name, args, unkept = c.name, rawjson.First(c.args, args), c.unkept
	}
	b := append(l.open(out, typ, `"toolCallId":"`, id), `,"toolName":"`...)
	b = append(append(b, name...), '"')
	if !unkept {
		b = append(append(b, `,"args":`...), args...)
	}
	if ev.AskKind == hub.AskPermission {
		b = append(b, `,"resumeSchema":"`+approvalSchema+`"`...)
	} else {
		b = appendSuspension(b, ev)
	}
	l.end(out, b)
	return hub.NativeIf(!unkept && e.isOwn(ev, id, name))
}

// appendSuspension appends what is asked, and the form of the answer.
func appendSuspension(b []byte, ev *hub.Event) []byte {
	b = append(b, `,"suspendPayload":`...)
	if ev.Value != nil {
		b = append(b, ev.Value...)
	} else {
		b = append(b, eventjson.AppendObject(nil, ev, eventjson.AskKind|eventjson.Title|eventjson.Text|eventjson.Options|eventjson.Expires)...)
	}
	if schema := ev.Rare().Schema; len(schema) > 0 {
		b = append(rawjson.AppendEscaped(append(b, `,"resumeSchema":"`...), schema), '"')
	}
	return b
}

// isOwn reports whether a reader of the question has all of it again.
func (e *encoder) isOwn(ev *hub.Event, id, name []byte) bool {
	rest, ok := bytes.CutPrefix(ev.ID, e.root.run)
	if !ok || len(rest) == 0 || rest[0] != askSeparator || !bytes.Equal(rest[1:], id) || len(ev.Text) > 0 || ev.AgentSlot != 0 {
		return false
	}
	if !bytes.Equal(ev.Title, name) || ev.AskKind != hub.AskPermission && ev.AskKind != hub.AskInput {
		return false
	}
	return ev.AskKind == hub.AskPermission || ev.Value != nil
}

// datum begins data of the application up to its members. Each replaces the one before with its id.
func (e *encoder) datum(out *wire.Out, ev *hub.Event, name string, id []byte) []byte {
	b := append(append(member.Begin(out, ""), e.lane(ev).head...), `{"type":"data-`...)
	b = append(append(b, name...), `","from":"AGENT"`...)
	return append(member.AppendText(b, `,"id":"`, id), `,"data":{`...)
}

// endDatum ends data behind its last member.
func (e *encoder) endDatum(out *wire.Out, ev *hub.Event, b []byte, transient bool) {
	b = append(b, '}')
	if transient {
		b = append(b, `,"transient":true`...)
	}
	member.End(out, append(append(b, '}'), e.lane(ev).tail...))
}

// answer shows what came back within the run.
func (e *encoder) answer(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.asking--
	b := append(append(e.datum(out, ev, "answer", ev.ID), `"status":"`...), ev.Status.String()...)
	b = member.AppendText(append(b, '"'), `,"option":"`, ev.Name)
	e.endDatum(out, ev, eventjson.Append(b, ev, eventjson.Value|eventjson.Text), false)
	return hub.Extension
}

// plan writes a plan, which replaces the one before.
func (e *encoder) plan(out *wire.Out, ev *hub.Event) hub.Disposition {
	b := e.datum(out, ev, "plan", rawjson.Or(ev.ID, "plan"))
	from := len(b)
	b = eventjson.Append(b, ev, eventjson.Items)
	if len(b) > from { // behind the bracket no comma stands
		b = append(b[:from], b[from+1:]...)
	}
	e.endDatum(out, ev, b, false)
	return hub.Extension
}

// notice writes what the agent says about its work. An error chunk would end the run for clients.
func (e *encoder) notice(out *wire.Out, ev *hub.Event) hub.Disposition {
	b := append(append(e.datum(out, ev, "notice", ev.ID), `"level":"`...), ev.Level.String()...)
	b = append(append(append(b, `","text":"`...), ev.Text...), '"')
	b = member.AppendText(b, `,"code":"`, ev.Name)
	e.endDatum(out, ev, b, ev.Level == hub.LevelStatus || ev.Level == hub.LevelIntent)
	return hub.Extension
}

// source writes a citation: an address, or a document.
func (e *encoder) source(out *wire.Out, ev *hub.Event) hub.Disposition {
	l, f := e.content(out, ev), ev.Rare().File
	id, typ := rawjson.First(ev.ID, f.URL, f.FileID, []byte("source")), "document"
	if len(f.URL) > 0 {
		typ = "url"
	}
	b := append(append(l.open(out, "source", `"id":"`, id), `,"sourceType":"`...), typ...)
	b = append(append(append(b, `","title":"`...), rawjson.First(ev.Title, f.Name)...), '"')
	b = member.AppendText(b, `,"url":"`, f.URL)
	b = member.AppendText(b, `,"mimeType":"`, f.Media)
	l.end(out, appendMeta(member.AppendText(b, `,"filename":"`, f.Name), ev))
	return hub.FoldedIf(len(ev.Text) > 0 || len(ev.Value) > 0 || len(f.URL) == 0 && len(f.FileID) > 0)
}

// file writes a file, whose data are base64, or an address. One that only a provider can find has no place.
func (e *encoder) file(out *wire.Out, ev *hub.Event) hub.Disposition {
	f := ev.Rare().File
	data := rawjson.First(f.Base64, f.URL)
	if ev.Flags.Has(hub.User) || len(data) == 0 {
		return hub.Dropped
	}
	l := e.content(out, ev)
	b := append(l.open(out, "file", `"data":"`, data), `,"mimeType":"`...)
	b = append(append(b, rawjson.Or(f.Media, "application/octet-stream")...), '"')
	l.end(out, appendMeta(member.AppendText(b, `,"filename":"`, rawjson.First(f.Name, ev.Title)), ev))
	return hub.FoldedIf(ev.DescribesFile())
}

// objectName is the name of the data that structured output is.
const objectName = "object"

// data writes data of the application under its own name, and structured output in its own chunk. What replaces itself needs an id.
func (e *encoder) data(out *wire.Out, ev *hub.Event) hub.Disposition {
	if string(ev.Name) == hub.ExtensionKey {
		return hub.Dropped
	}
	l, disposition, suffix := e.lane(ev), hub.Native, ""
	if string(ev.Name) == objectName && ev.Op == hub.Set && len(ev.ID) == 0 {
		b := append(append([]byte(`{"type":"object","runId":"`), l.run...), `","from":"AGENT","object":`...)
		l.whole(out, append(append(b, rawjson.First(ev.Value, []byte("null"))...), '}'))
		return hub.Native
	}
	switch ev.Op {
	case hub.Patch:
		disposition, suffix = hub.Extension, "-patch"
	case hub.Merge:
		disposition, suffix = hub.Extension, "-merge"
	}
	name := rawjson.Or(ev.Name, "data")
	b := append(append([]byte(`{"type":"data-`), name...), suffix...)
	id := ev.ID
	if ev.Op == hub.Set || ev.Op == hub.Replace {
		id = rawjson.First(ev.ID, name)
	}
	b = member.AppendText(append(b, `","from":"AGENT"`...), `,"id":"`, id)
	b = append(append(b, `,"data":`...), rawjson.First(ev.Value, []byte("null"))...)
	if ev.Flags.Has(hub.Transient) {
		b = append(b, `,"transient":true`...)
	}
	l.whole(out, append(b, '}'))
	if ev.Value == nil || len(ev.Name) == 0 {
		return hub.Folded
	}
	return disposition
}

// raw writes back a chunk of the dialect's own.
func (e *encoder) raw(out *wire.Out, ev *hub.Event) hub.Disposition {
	if string(ev.Name) != dialectName || rawjson.Kind(ev.Value) != '{' {
		return hub.Dropped
	}
	e.lane(ev).whole(out, ev.Value)
	return hub.Native
}
