package anthropic

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/claudewire"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/legalid"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// decodeResult gives a result to its call. That of a call which the server has run is noted with the call, as both go back to
// the server in one message.
func decodeResult(b *conversation.Builder, v rawjson.Value, o *rawjson.Object) {
	id := legalid.AppendPlain(nil, o.Text("tool_use_id"))
	if call := b.Call(id); call != nil && !call.ClientRuns && rawjson.Kind(call.Meta.Raw) == '{' {
		pair := append(append([]byte{'['}, call.Meta.Raw...), ',')
		call.Meta.Raw = append(append(pair, v...), ']')
	}
	b.Result(id, nil, resultOf(o))
}

func resultOf(o *rawjson.Object) hub.CallResult {
	content := o.Get("content")
	r := hub.CallResult{Status: hub.StatusOK}
	text, isText := rawjson.Str(content)
	if one, ok := toolresult.OneText(content); ok {
		text, isText = one, true
	}
	failed, _ := rawjson.Bool(o.Get("is_error"))
	code, hasCode := resultError(content)
	switch {
	case failed && isText:
		return hub.CallResult{Status: hub.StatusError, Err: text}
	case hasCode:
		return hub.CallResult{Status: hub.StatusError, Err: code, Value: content}
	case failed:
		r.Status = hub.StatusError
	}
	switch {
	case isText:
		r.Text = text
	case rawjson.Kind(content) == '[' && isBlocks(content):
		r.Content = toolresult.Wrap(content, new(hub.Scratch), appendBlock)
	default:
		r.Value = rawjson.NotNull(content)
	}
	return r
}

// isBlocks reports whether a list holds blocks of contents, and not the results of a search.
func isBlocks(list rawjson.Value) bool {
	for v := range rawjson.Each(list) {
		switch string(rawjson.Text(v, "type")) {
		case "text", "image", "document", "search_result", "tool_reference":
		default:
			return false
		}
	}
	return !rawjson.Equal(list, rawjson.Value("[]"))
}

// appendBlock appends a block as MCP has it.
func appendBlock(dst []byte, v rawjson.Value) []byte {
	o := rawjson.ReadObject(v)
	if isPassage(&o) {
		return append(rawjson.AppendQuoted(append(dst, `{"type":"text","text":`...), passage(v, &o).Text), '}')
	}
	if f, ok := claudewire.ReadFile(&o); ok && len(f.FileID) == 0 {
		w := jsonwriter.New(dst)
		w.Open('{')
		conversation.WriteBlock(w, &f)
		w.Close('}')
		return w.Buf
	}
	if string(o.Text("type")) == "text" {
		dst = append(dst, `{"type":"text","text":`...)
		return append(rawjson.AppendQuoted(dst, o.Text("text")), '}')
	}
	return append(dst, v...)
}

// isPassage reports whether a block gives the model a text of the application's: what a search has found, or a document in words.
func isPassage(o *rawjson.Object) bool {
	source := string(rawjson.Text(o.Get("source"), "type"))
	return string(o.Text("type")) == "search_result" || string(o.Text("type")) == "document" && (source == "content" || source == "text")
}

// passage is such a block as a text.
func passage(v rawjson.Value, o *rawjson.Object) hub.Part {
	content, source := o.Get("content"), o.Get("source")
	if rawjson.Kind(source) == '{' {
		content = rawjson.Get(source, "content")
		if content == nil {
			content = rawjson.Get(source, "data")
		}
		source = nil
	}
	return conversation.Passage(o.Text("title"), rawjson.First(rawjson.Body(source), o.Text("context")), content, own(v))
}
