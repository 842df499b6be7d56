package anthropic

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/claudewire"
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
		r.Content = toolresult.Wrap(content, new(hub.Scratch), claudewire.AppendMCP)
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

// passage is such a block as a text.
func passage(v rawjson.Value, o *rawjson.Object) hub.Part {
	title, source, content := claudewire.Passage(o)
	return conversation.Passage(title, source, content, own(v))
}
