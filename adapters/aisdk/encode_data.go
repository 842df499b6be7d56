package aisdk

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/approval"
	"github.com/sabir-proxy/sabir/adapters/internal/eventjson"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// datum starts a data part up to its data, whose members follow with a comma before each. With an id it replaces the part
// of the same name and id.
func datum(out *wire.Out, head string, id []byte) []byte {
	b := member.AppendText(append(member.Begin(out, ""), head...), `,"id":"`, id)
	return append(b, `,"data":{`...)
}

// plan writes a plan, which replaces the one before.
func (e *encoder) plan(out *wire.Out, ev *hub.Event) hub.Disposition {
	id := rawjson.Or(ev.ID, "plan")
	b := append(datum(out, `{"type":"data-plan"`, id), `"items":[`...)
	for i := range ev.Rare().Items {
		it := &ev.More.Items[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, `{"content":"`...), it.Content...), '"')
		b = append(append(append(b, `,"status":"`...), it.Status...), '"')
		b = member.AppendText(b, `,"priority":"`, it.Priority)
		b = append(member.AppendText(b, `,"id":"`, it.ID), '}')
	}
	member.Close(out, append(b, `]}`...))
	return hub.Extension
}

// notice writes what the agent says about its work. What it is doing right now is not kept.
func (e *encoder) notice(out *wire.Out, ev *hub.Event) hub.Disposition {
	b := datum(out, `{"type":"data-notice"`, ev.ID)
	b = append(append(append(b, `"level":"`...), ev.Level.String()...), '"')
	b = append(append(append(b, `,"text":"`...), ev.Text...), '"')
	b = append(member.AppendText(b, `,"code":"`, ev.Name), '}')
	if ev.Level == hub.LevelStatus || ev.Level == hub.LevelIntent {
		b = append(b, `,"transient":true`...)
	}
	member.Close(out, b)
	return hub.Extension
}

// addUsage writes counts, or keeps those of the run for the metadata of the message.
func (e *encoder) addUsage(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.More == nil || e.usageIn == "none" {
		return hub.Dropped
	}
	c := &ev.More.Usage
	if e.usageIn == "metadata" {
		if ev.Scope != hub.RunScope {
			return hub.Dropped
		}
		if e.usage = appendCounts(append(e.usage[:0], '{'), c); len(e.usage) == 1 {
			e.usage = e.usage[:0]
			return hub.Dropped
		}
		e.usage = append(e.usage, '}')
		return hub.Deferred
	}
	id := []byte(ev.Scope.String())
	if len(ev.Ref) > 0 {
		id = append(append(append([]byte(nil), id...), '-'), ev.Ref...)
	}
	b := datum(out, `{"type":"data-usage"`, id)
	b = append(append(append(b, `"scope":"`...), ev.Scope.String()...), '"')
	b = member.AppendText(appendCounts(b, c), `,"model":"`, ev.More.Model)
	member.Close(out, append(b, '}'))
	return hub.Extension
}

// toolUpdate tells the application how a call goes on. The last word replaces the one before, and none is kept. A signature waits for the
// arguments of its call.
func (e *encoder) toolUpdate(out *wire.Out, ev *hub.Event) hub.Disposition {
	if t, sig := e.tools.Find(ev.Slot), ev.Rare().Sig; t != nil && len(sig) > 0 {
		t.sig = append(t.sig[:0], sig...)
		if len(ev.Text)+len(ev.Title)+len(ev.Value) == 0 {
			if t.ready {
				return hub.Dropped
			}
			return hub.Deferred
		}
	}
	b := datum(out, `{"type":"data-tool-update"`, ev.ID)
	b = append(append(append(b, `"toolCallId":"`...), ev.ID...), '"')
	b = member.AppendText(b, `,"status":"`, []byte(ev.Status.String()))
	b = member.AppendText(b, `,"title":"`, ev.Title)
	b = member.AppendText(b, `,"text":"`, ev.Text)
	if ev.Value != nil {
		b = appendValue(b, `,"value":`, ev.Value)
	}
	if rawjson.Kind(ev.Rare().Percent) == '0' {
		b = append(append(b, `,"percent":`...), ev.More.Percent...)
	}
	member.Close(out, append(b, `},"transient":true`...))
	return hub.Extension
}

// source writes a citation: by its address if it has one, else as a document, whose title must be there.
func (e *encoder) source(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.ensureStep(out)
	f := ev.Rare().File
	own := appendSourceWords(nil, ev.Text, f.FileID, ev.Value)
	b := member.Open(out, head(len(f.URL) > 0, `{"type":"source-url","sourceId":"`, `{"type":"source-document","sourceId":"`), e.sourceID(ev))
	if len(f.URL) > 0 {
		b = member.AppendText(b, `,"url":"`, f.URL)
		b = member.AppendText(b, `,"title":"`, ev.Title)
	} else {
		title := rawjson.First(ev.Title, f.Name, f.FileID, []byte("source"))
		b = member.AppendText(b, `,"mediaType":"`, rawjson.First(f.Media, []byte("application/octet-stream")))
		b = member.AppendText(b, `,"title":"`, title)
		b = member.AppendText(b, `,"filename":"`, f.Name)
	}
	member.Close(out, appendMetadata(b, ev, own))
	return hub.FoldedIf(len(f.URL) == 0 && len(ev.Title) == 0 || !rawjson.Harmless(ev.Value))
}

// appendSourceWords appends what no member of a source has a place for, each with a comma before it: what is quoted, the id of the document at the
// provider, and the place that is meant.
func appendSourceWords(dst, quote, file []byte, place rawjson.Value) []byte {
	dst = member.AppendText(dst, `,"quote":"`, quote)
	dst = member.AppendText(dst, `,"fileId":"`, file)
	if place != nil {
		dst = rawjson.AppendHarmless(append(dst, `,"place":`...), place)
	}
	return dst
}

// sourceID is the id of a source, made up if it has none. Valid until the next call.
func (e *encoder) sourceID(ev *hub.Event) []byte {
	if e.sources++; len(ev.ID) > 0 {
		return ev.ID
	}
	e.scratch = member.AppendInt(e.scratch[:0], "source-", int64(e.sources))
	return e.scratch
}

func head(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

// file writes a file by its address, or with its bytes. One that only a provider can find has no place here.
func (e *encoder) file(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.Flags.Has(hub.User) || len(ev.Rare().File.URL) == 0 && len(ev.Rare().File.Base64) == 0 {
		return hub.Dropped
	}
	e.ensureStep(out)
	f := &ev.More.File
	media := rawjson.First(f.Media, []byte("application/octet-stream"))
	b := append(member.Begin(out, ""), `{"type":"file","url":"`...)
	if len(f.URL) > 0 {
		b = append(b, f.URL...)
	} else {
		b = append(append(append(b, `data:`...), media...), `;base64,`...)
		b = append(b, f.Base64...)
	}
	b = append(append(append(b, `","mediaType":"`...), media...), '"')
	member.Close(out, appendMetadata(b, ev, appendFileWords(nil, f.Name, ev.Title, ev.Text)))
	return hub.Native
}

// appendFileWords appends what a file is called and what is said of it, each with a comma before it.
func appendFileWords(dst, name, title, description []byte) []byte {
	dst = member.AppendText(dst, `,"name":"`, name)
	dst = member.AppendText(dst, `,"title":"`, title)
	return member.AppendText(dst, `,"description":"`, description)
}

// data writes data of the application under its own name. What replaces itself needs an id.
func (e *encoder) data(out *wire.Out, ev *hub.Event) hub.Disposition {
	if string(ev.Name) == metadataName && ev.Op == hub.Merge && rawjson.Kind(ev.Value) == '{' {
		out.Begin("")
		member.Close(out, appendValue(out.Buf, `{"type":"message-metadata","messageMetadata":`, ev.Value))
		return hub.NativeIf(rawjson.Harmless(ev.Value))
	}
	name := rawjson.First(ev.Name, []byte("data"))
	if string(name) == hub.ExtensionKey {
		return hub.Dropped
	}
	disposition, suffix := hub.Native, ""
	switch ev.Op {
	case hub.Patch:
		disposition, suffix = hub.Extension, "-patch"
	case hub.Merge:
		disposition, suffix = hub.Extension, "-merge"
	}
	b := append(append(append(member.Begin(out, ""), `{"type":"data-`...), name...), suffix...)
	b = append(b, '"')
	switch {
	case ev.Op == hub.Set || ev.Op == hub.Replace:
		b = member.AppendText(b, `,"id":"`, rawjson.First(ev.ID, name))
	case suffix == "":
		b = member.AppendText(b, `,"id":"`, ev.ID)
	}
	b = appendValue(b, `,"data":`, ev.Value)
	if ev.Flags.Has(hub.Transient) {
		b = append(b, `,"transient":true`...)
	}
	member.Close(out, b)
	if !rawjson.Harmless(ev.Value) || ev.Value == nil || len(ev.Name) == 0 {
		return hub.Folded
	}
	return disposition
}

// ask is a question that a client was asked as an approval.
type ask struct {
	id    []byte
	allow [][]byte // ids of the options that say yes; none: any choice but a no
}

// ask asks the client. Only the permission to run a call has a chunk of its own, from version 6 on.
func (e *encoder) ask(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.asking++
	if e.version >= 6 && ev.AskKind == hub.AskPermission && e.tools.Find(ev.RefSlot) != nil && len(e.asks) < maxKnown {
		e.asks = append(e.asks, ask{bytes.Clone(ev.ID), approval.Allowing(ev)})
		b := member.Open(out, `{"type":"tool-approval-request","approvalId":"`, ev.ID)
		b = member.AppendText(b, `,"toolCallId":"`, ev.Ref)
		member.Close(out, b)
		return hub.NativeIf(len(ev.Title) == 0)
	}
	b := datum(out, `{"type":"data-ask"`, ev.ID)
	b = append(append(append(b, `"what":"`...), ev.AskKind.String()...), '"')
	b = member.AppendText(b, `,"toolCallId":"`, ev.Ref)
	b = member.AppendText(b, `,"title":"`, ev.Title)
	b = member.AppendText(b, `,"text":"`, ev.Text)
	if ev.Value != nil {
		b = appendValue(b, `,"value":`, ev.Value)
	}
	b = eventjson.Append(b, ev, eventjson.Expires)
	if m := ev.More; m != nil && rawjson.Kind(m.Schema) == '{' {
		b = appendValue(b, `,"schema":`, m.Schema) // its keys are the upstream's: readers reject some
	}
	member.Close(out, append(eventjson.Append(b, ev, eventjson.Options), '}'))
	return hub.Extension
}

// answer shows what came back.
func (e *encoder) answer(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.asking--
	for i := range e.asks {
		a := &e.asks[i]
		if !bytes.Equal(a.id, ev.ID) {
			continue
		}
		approved := approval.Approves(a.allow, ev)
		e.asks = append(e.asks[:i], e.asks[i+1:]...)
		if e.version < 7 {
			break
		}
		b := append(member.Open(out, `{"type":"tool-approval-response","approvalId":"`, ev.ID), `,"approved":`...)
		b = append(b, head(approved, "true", "false")...)
		member.Close(out, member.AppendText(b, `,"reason":"`, ev.Text))
		return hub.Folded // which option it was is not said
	}
	b := datum(out, `{"type":"data-answer"`, ev.ID)
	b = append(append(append(b, `"status":"`...), ev.Status.String()...), '"')
	b = member.AppendText(b, `,"option":"`, ev.Name)
	if ev.Value != nil {
		b = appendValue(b, `,"value":`, ev.Value)
	}
	member.Close(out, append(b, '}'))
	return hub.Extension
}
