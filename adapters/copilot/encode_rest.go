package copilot

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// notice writes a text for people by its level, or in the form that it came in.
func (e *encoder) notice(out *wire.Out, ev *hub.Event) hub.Disposition {
	kept := meta(ev)
	typ, disposition := "session.info", hub.Native
	code := rawjson.First(ev.Name, []byte("notification"))
	switch ev.Level {
	case hub.LevelIntent:
		return e.end(out, e.appendMeta(appendText(e.beginAs(out, "assistant.intent", ev), `"intent":"`, ev.Text), kept), hub.Native)
	case hub.LevelError:
		if e.envelopeOf(out) == envelopeWS && len(ev.SubAgent) == 0 {
			return e.control(out, frameError, `"error":`, rawjson.AppendQuoted(nil, ev.Text))
		}
		typ, disposition = "session.warning", hub.Folded
	case hub.LevelWarning:
		typ = "session.warning"
	case hub.LevelStatus:
		code = []byte(infoStatus)
	}
	if own := rawjson.Text(kept, metaType); noticeTypes[string(own)].text != "" {
		typ, code = string(own), ev.Name
	}
	buf, t := e.beginAs(out, typ, ev), noticeTypes[typ]
	if t.code != "" {
		buf = appendSome(buf, `"`+t.code+`":"`, code)
	}
	buf = appendText(buf, `"`+t.text+`":"`, ev.Text)
	return e.end(out, appendMembers(buf, kept, metaType), disposition)
}

// usage writes what a call of the model has used, or how full the context is. The totals of a run are written if those
// of its calls were not: clients add them up.
func (e *encoder) usage(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.More == nil {
		return hub.Dropped
	}
	c := &ev.More.Usage
	switch {
	case ev.Scope == hub.SessionScope && (c.ContextUsed >= 0 || c.ContextSize >= 0):
		buf := appendCounts(e.beginAs(out, "session.usage_info", ev), contextCounts, c)
		return e.end(out, e.appendMeta(buf, meta(ev)), hub.FoldedIf(c.In >= 0 || c.Out >= 0))
	case ev.Scope == hub.StepScope:
		e.billed = true
	case ev.Scope == hub.SessionScope, e.billed:
		return e.extension(out, ev)
	}
	buf := appendSome(e.beginAs(out, "assistant.usage", ev), `"model":"`, ev.More.Model)
	buf = appendCounts(buf, usageCounts, c)
	if string(c.Currency) == currency {
		buf = appendValue(buf, `"`+propCost+`":`, c.Cost)
	}
	buf = e.appendSubAgent(buf, ev.AgentSlot)
	return e.end(out, e.appendMeta(buf, meta(ev)), hub.Native)
}

// file writes a file that comes with its bytes.
func (e *encoder) file(out *wire.Out, ev *hub.Event) hub.Disposition {
	if len(ev.Rare().File.Base64) == 0 {
		return e.extension(out, ev)
	}
	f := &ev.More.File
	if ev.Flags.Has(hub.User) {
		return e.userFile(out, ev, f)
	}
	kind := "resource"
	if bytes.HasPrefix(f.Media, []byte("image/")) {
		kind = "image"
	}
	buf := appendText(e.beginAs(out, "session.binary_asset", ev), `"assetId":"`, rawjson.First(f.FileID, ev.ID, []byte("asset")))
	buf = appendCount(buf, `"byteLength":`, base64Len(f.Base64))
	buf = appendText(buf, `"data":"`, f.Base64)
	buf = appendSome(buf, `"description":"`, f.Name)
	buf = appendText(buf, `"mimeType":"`, rawjson.First(f.Media, []byte("application/octet-stream")))
	if !e.opt.rootProperties { // there it would be taken for that of the event
		buf = appendText(buf, `"type":"`, []byte(kind))
	}
	return e.end(out, e.appendMeta(buf, meta(ev)), hub.FoldedIf(ev.DescribesFile()))
}

// userFile writes a file of the user's as a message that holds nothing else.
func (e *encoder) userFile(out *wire.Out, ev *hub.Event, f *hub.FileRef) hub.Disposition {
	e.begin(out, "user.message", ev.SubAgent)
	w := jsonwriter.New(append(out.Buf, `"content":"","`+propAttachments+`":[`...))
	appendBlob(w, f)
	return e.end(out, append(w.Buf, `],`...), hub.FoldedIf(len(ev.Ref) > 0))
}

// base64Len is how many bytes a text in base64 stands for.
func base64Len(body []byte) int64 {
	n := len(bytes.TrimRight(body, "="))
	return int64(n) * 3 / 4
}
