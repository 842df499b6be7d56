package geminiinteractions

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/annotation"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// source writes an annotation of the text that it belongs to, which must be open. One without a form of the API is a link, if it has an
// address.
func (e *encoder) source(out *wire.Out, ev *hub.Event) hub.Disposition {
	slot := ev.RefSlot
	if len(ev.Ref) == 0 {
		slot = e.last
	}
	p := e.parts.Find(slot)
	if slot == 0 || p == nil || p.muted {
		return hub.Dropped
	}
	own := isCitation(ev.Value)
	if !own && len(ev.Rare().File.URL) == 0 {
		return hub.Dropped
	}
	b := append(e.atStep(out, "step.delta", p.index), `,"delta":{"type":"text_annotation_delta","annotations":[`...)
	if own {
		b = rawjson.AppendHarmless(b, ev.Value)
	} else {
		b = member.AppendText(append(b, `{"type":"url_citation"`...), `,"url":"`, ev.More.File.URL)
		b = append(member.AppendText(b, `,"title":"`, rawjson.First(ev.Title, ev.More.File.Name)), '}')
	}
	member.End(out, append(b, `]}}`...))
	return hub.FoldedIf(own && !rawjson.Harmless(ev.Value) || !own && len(ev.Text)+len(ev.Value) > 0)
}

// isCitation reports whether a value is an annotation of the API. Responses has some of the same names.
func isCitation(v rawjson.Value) bool {
	return bytes.HasSuffix(rawjson.Text(v, "type"), []byte("_citation")) && !annotation.IsOfFile(v)
}

// file writes a step of its own, in which clients look for one. Pictures and videos that are elsewhere are left to the policies: the AI SDK
// fetches them at once, and rejects the stream where it cannot.
func (e *encoder) file(out *wire.Out, ev *hub.Event) hub.Disposition {
	f := &ev.Rare().File
	kind := mediaType(f)
	if ev.Flags.Has(hub.User) || len(f.Base64) == 0 && (len(f.URL) == 0 || kind == "image" || kind == "video") {
		return hub.Dropped
	}
	b, index := e.startStep(out, []byte("model_output"))
	member.End(out, append(b, "}}"...))
	b = append(e.atStep(out, "step.delta", index), `,"delta":{"type":"`...)
	b = append(append(b, kind...), '"')
	b = member.AppendText(b, `,"mime_type":"`, f.Media)
	b = member.AppendText(b, `,"data":"`, f.Base64)
	if len(f.Base64) == 0 {
		b = member.AppendText(b, `,"uri":"`, f.URL)
	}
	member.End(out, append(b, "}}"...))
	e.stopStep(out, index)
	return hub.FoldedIf(ev.NamesFile() || len(f.FileID) > 0 || len(f.Base64) > 0 && len(f.URL) > 0)
}

// mediaType is the type of content for a file.
func mediaType(f *hub.FileRef) string {
	for _, kind := range [...]string{"image", "audio", "video"} {
		if f.IsMedia(kind) {
			return kind
		}
	}
	return "document"
}
