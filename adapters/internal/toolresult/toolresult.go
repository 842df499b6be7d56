// Package toolresult reads the result of a tool call, a string, another value or a list of content blocks, and writes it as
// text for dialects that have no other form.
package toolresult

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Separator stands between the texts of several blocks; it is a line feed in a string body.
const Separator = `\n`

// Set sets a result that is a string or another value. Null and an absent value are no result.
func Set(ev *hub.Event, v rawjson.Value) {
	if text, ok := rawjson.Str(v); ok {
		ev.Text = text
	} else if !rawjson.IsNull(v) {
		ev.Value = v
	}
}

// JoinTexts returns the texts of a list of blocks, joined in s; nil where no block has one. others is how many have none.
func JoinTexts(blocks rawjson.Value, s *hub.Scratch) (joined []byte, others int) {
	dst, texts := s.Begin(), 0
	for block := range rawjson.Each(blocks) {
		text, ok := rawjson.Str(rawjson.Get(block, "text"))
		if !ok {
			others++
			continue
		}
		if texts++; texts > 1 {
			dst = append(dst, Separator...)
		}
		dst = append(dst, text...)
	}
	if joined = s.Since(dst); texts == 0 {
		return nil, others
	}
	return joined, others
}

// Wrap returns blocks of MCP as content of the model, [{"type":"content","content":block}], made in s. block appends one of
// them; nil: as it is.
func Wrap(blocks rawjson.Value, s *hub.Scratch, block func(dst []byte, v rawjson.Value) []byte) rawjson.Value {
	dst, sep := s.Begin(), byte('[')
	for v := range rawjson.Each(blocks) {
		dst = append(append(dst, sep), `{"type":"content","content":`...)
		if block == nil {
			dst = append(dst, v...)
		} else {
			dst = block(dst, v)
		}
		dst, sep = append(dst, '}'), ','
	}
	if sep == '[' {
		dst = append(dst, '[')
	}
	return s.Since(append(dst, ']'))
}

// OneText returns the text of a list of one block; ok is false for any other list, and for an object of another kind that has a text.
func OneText(blocks rawjson.Value) (text []byte, ok bool) {
	it := rawjson.Elems(blocks)
	only, _ := it.Next()
	if _, more := it.Next(); more {
		return nil, false
	}
	block := rawjson.ReadObject(only)
	if block.Len() > 1 && string(block.Text("type")) != "text" {
		return nil, false
	}
	return rawjson.Str(block.Get("text"))
}

// Has reports whether a call has a result, empty text aside.
func Has(ev *hub.Event) bool {
	return len(ev.Text) > 0 || ev.Value != nil || Content(ev) != nil
}

// Silent reports whether a call ended without a result, and without anyone saying that it went wrong.
func Silent(ev *hub.Event) bool {
	switch ev.Status {
	case hub.StatusClient, hub.StatusPaused, hub.StatusAborted, hub.StatusUnknown:
		return !Has(ev) && len(hub.Why(ev)) == 0
	}
	return false
}

// Content returns the content blocks of a result, nil where it has none.
func Content(ev *hub.Event) rawjson.Value {
	if ev.More == nil {
		return nil
	}
	return ev.More.Content
}

// OnlyBlocks reports whether content blocks are all that a result has.
func OnlyBlocks(ev *hub.Event) bool {
	return len(ev.Text) == 0 && ev.Value == nil && Content(ev) != nil
}

// Text is what [AppendText] appends. It may alias the result.
func Text(ev *hub.Event) []byte {
	if len(ev.Text) > 0 {
		return ev.Text
	}
	return AppendText(nil, ev)
}

// AppendText appends a result as the body of a string, or why there is none. For members see [AppendBlocks].
func AppendText(dst []byte, ev *hub.Event, members ...string) []byte {
	from := len(dst)
	if dst = AppendValue(dst, ev); len(dst) > from {
		return dst
	}
	if why := hub.Why(ev); len(why) > 0 && ev.Value == nil {
		return append(dst, why...)
	}
	return AppendResult(dst, ev, members...)
}

// AppendResult appends a result as the body of a string: its text, a value as JSON, or what its blocks say.
func AppendResult(dst []byte, ev *hub.Event, members ...string) []byte {
	if OnlyBlocks(ev) {
		return AppendBlocks(dst, ev.More.Content, members...)
	}
	return AppendValue(dst, ev)
}

// AppendValue appends the text of a result, or its value: a string as it is, other JSON escaped.
func AppendValue(dst []byte, ev *hub.Event) []byte {
	if len(ev.Text) > 0 {
		return append(dst, ev.Text...)
	}
	return AppendJSON(dst, ev.Value)
}

// AppendJSON appends a value as the body of a string: a string as it is, other JSON escaped, nothing where it is absent.
func AppendJSON(dst []byte, v rawjson.Value) []byte {
	if text, ok := rawjson.Str(v); ok || v == nil {
		return append(dst, text...)
	}
	return rawjson.AppendEscaped(dst, v)
}

// AppendBlocks appends what content blocks say, one per line: the first of the members that a block has. Without members it
// is the text of a block, the path and the new text of a diff, the URI of a link, the text of a resource, or else the type in
// brackets, with what the file is called. A URI that holds the bytes themselves says nothing to a reader, and costs a model as many
// tokens as it is long.
func AppendBlocks(dst []byte, content rawjson.Value, members ...string) []byte {
	from := len(dst)
	for block := range rawjson.Each(content) {
		line := dst
		if len(dst) > from {
			line = append(line, Separator...)
		}
		inner := block
		if v := rawjson.Get(block, "content"); rawjson.Kind(v) == '{' {
			inner = v
		}
		if len(members) == 0 {
			dst = appendBlock(line, block, inner)
		} else if text := firstText(inner, members); text != nil {
			dst = append(line, text...)
		}
	}
	return dst
}

func appendBlock(dst []byte, block, inner rawjson.Value) []byte {
	if path := rawjson.Text(block, "path"); path != nil {
		return append(append(append(dst, path...), Separator...), rawjson.Text(block, "newText")...)
	}
	if text := rawjson.Text(inner, "text"); text != nil {
		return append(dst, text...)
	}
	if uri := rawjson.Text(inner, "uri"); uri != nil && !isData(uri) {
		return append(dst, uri...)
	}
	if text := rawjson.Text(inner, "resource", "text"); text != nil {
		return append(dst, text...)
	}
	dst = append(append(dst, '['), rawjson.Text(inner, "type")...)
	if name := rawjson.First(rawjson.Text(inner, "name"), NameOf(rawjson.Text(inner, "resource", "uri"))); len(name) > 0 && !isData(name) {
		dst = append(append(dst, ": "...), name...)
	}
	return append(dst, ']')
}

func isData(uri []byte) bool { return bytes.HasPrefix(uri, []byte("data:")) }

// firstText returns the first of the members that is a string, nil where none is.
func firstText(block rawjson.Value, members []string) []byte {
	for _, m := range members {
		if text := rawjson.Text(block, m); text != nil {
			return text
		}
	}
	return nil
}
