package datastream

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// source writes a citation, if it has an address.
func (e *encoder) source(out *wire.Out, ev *hub.Event) hub.Disposition {
	if len(ev.Rare().File.URL) == 0 {
		return hub.Dropped
	}
	if !e.step.open {
		e.openStep(out)
	}
	id := rawjson.First(ev.ID, ev.More.File.URL)
	b := member.Open(out, `h:{"sourceType":"url","id":"`, id)
	b = member.AppendText(b, `,"url":"`, ev.More.File.URL)
	b = member.AppendText(b, `,"title":"`, ev.Title)
	member.Close(out, append(b, quoted(ev.Text)...))
	return hub.FoldedIf(ev.Value != nil)
}

// quoted is the member that has what is quoted of a source, with its comma; nothing if nothing is.
func quoted(text []byte) []byte {
	if len(text) == 0 {
		return nil
	}
	return append(member.AppendText(nil, `,"providerMetadata":{"`+ownKey+`":{"quote":"`, text), "}}"...)
}

// ownKey is the provider in provider metadata that stands for Sabir.
const ownKey = "sabir"

// file writes a file, if its bytes are here.
func (e *encoder) file(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.Flags.Has(hub.User) || len(ev.Rare().File.Base64) == 0 {
		return hub.Dropped
	}
	if !e.step.open {
		e.openStep(out)
	}
	media := rawjson.Or(ev.More.File.Media, "application/octet-stream")
	b := member.Open(out, `k:{"data":"`, ev.More.File.Base64)
	member.Close(out, member.AppendText(b, `,"mimeType":"`, media))
	return hub.FoldedIf(ev.NamesFile())
}

// data writes data where clients collect it for the application.
func (e *encoder) data(out *wire.Out, ev *hub.Event) hub.Disposition {
	disposition := e.writeData(out, ev)
	if disposition == hub.Native && !rawjson.Harmless(ev.Value) {
		return hub.Folded
	}
	return disposition
}

func (e *encoder) writeData(out *wire.Out, ev *hub.Event) hub.Disposition {
	value := ev.Value
	if value == nil {
		value = rawjson.Value("null")
	}
	switch {
	case string(ev.Name) == annotationsName && ev.Op == hub.Emit && rawjson.Kind(value) == '[':
		line(out, `8:`, value, "")
		return hub.Native
	case string(ev.Name) == dataName && ev.Op == hub.Emit && ev.Value != nil:
		line(out, `2:[`, value, `]`)
		return hub.Native
	case e.aui && string(ev.Name) == operationsName && ev.Op == hub.Emit && rawjson.Kind(value) == '[':
		line(out, `aui-state:`, value, "")
		return hub.Native
	case e.aui && string(ev.Name) == stateName && ev.Op == hub.Set:
		line(out, `aui-state:[{"type":"set","path":[],"value":`, value, `}]`)
		return hub.Native
	case e.aui && string(ev.Name) == stateName && ev.Op == hub.Patch && e.patchState(out, value):
		return hub.Native
	case e.aui && (ev.Op == hub.Set || ev.Op == hub.Emit):
		b := append(append(append(member.Begin(out, ""), `aui-data:{"name":"`...), ev.Name...), `","data":`...)
		member.Close(out, rawjson.AppendHarmless(b, value))
		return hub.NativeIf(ev.Op == hub.Emit && ev.Value != nil)
	}
	b := append(append(append(member.Begin(out, ""), `2:[{"type":"data-`...), ev.Name...), '"')
	b = member.AppendText(b, `,"id":"`, ev.ID)
	if ev.Op == hub.Patch || ev.Op == hub.Merge {
		b = member.AppendText(b, `,"op":"`, []byte(ev.Op.String()))
	}
	b = append(rawjson.AppendHarmless(append(b, `,"data":`...), value), `}]`...)
	member.End(out, b)
	return hub.Extension
}

// line writes a line with one value.
func line(out *wire.Out, head string, value rawjson.Value, tail string) {
	member.End(out, append(rawjson.AppendHarmless(append(member.Begin(out, ""), head...), value), tail...))
}

// patchState writes a patch of the state as operations, if it does nothing but set members.
func (e *encoder) patchState(out *wire.Out, patch rawjson.Value) bool {
	b := append(member.Begin(out, ""), `aui-state:[`...)
	from := len(b)
	for op := range rawjson.Each(patch) {
		kind, value := rawjson.Text(op, "op"), rawjson.Get(op, "value")
		pointer := rawjson.Text(op, "path")
		last := pointer[bytes.LastIndexByte(pointer, '/')+1:]
		if string(kind) != "add" && string(kind) != "replace" || value == nil || string(kind) == "add" && isIndex(last) {
			out.Cancel()
			return false
		}
		if len(b) > from {
			b = append(b, ',')
		}
		b = appendPath(append(b, `{"type":"set","path":[`...), pointer)
		b = append(rawjson.AppendHarmless(append(b, `],"value":`...), value), '}')
	}
	out.Buf = append(b, ']')
	if len(b) == from {
		out.Cancel()
		return false
	}
	out.End()
	return true
}

// appendPath appends the tokens of a JSON pointer, a string body, as the elements of a list.
func appendPath(dst, pointer []byte) []byte {
	for i, token := range bytes.Split(pointer, []byte("/")) {
		if i == 0 {
			continue // before the first slash
		}
		if i > 1 {
			dst = append(dst, ',')
		}
		token = bytes.ReplaceAll(bytes.ReplaceAll(token, []byte("~1"), []byte("/")), []byte("~0"), []byte("~"))
		dst = rawjson.AppendQuoted(dst, token)
	}
	return dst
}
