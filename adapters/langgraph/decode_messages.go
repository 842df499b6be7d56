package langgraph

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// messages reads and writes lists of LangChain's messages, as states of graphs hold them.
type messages struct{}

// DecodeMessages takes the results of calls to the calls. A message that is no object is one of the user's, as LangChain reads a
// text; a message that only changes the list says nothing.
func (messages) DecodeMessages(dst []hub.Message, v rawjson.Value) ([]hub.Message, error) {
	b := conversation.Builder{Messages: dst, Unread: conversation.Unread{Dialect: nameRaw}}
	if rawjson.Kind(v) != '[' {
		decodeMessage(&b, v)
		return b.Messages, nil
	}
	for m := range rawjson.Each(v) {
		decodeMessage(&b, m)
	}
	return b.Messages, nil
}

func decodeMessage(b *conversation.Builder, v rawjson.Value) {
	if text, ok := rawjson.Str(v); ok {
		b.Begin(hub.RoleUser, nil)
		b.Add(hub.Part{Kind: hub.PartText, Text: text})
		return
	}
	m := readFields(v)
	switch m.author() {
	case instructions:
		b.Begin(hub.RoleSystem, m.id).Name = m.name
	case user:
		b.Begin(hub.RoleUser, m.id).Name = m.name
	case agent:
		b.BeginAgent(m.id).Name = m.name
	case toolbox:
		b.Result(m.callID, m.name, m.result())
		return
	default:
		return
	}
	decodeContent(b, &m)
	decodeCalls(b, &m)
	if extra := rawjson.ReadObject(m.extra); m.beyond || conversation.HasBeyond(&extra, readOfExtra) {
		b.NoteUnread(v)
	}
}

// readOfExtra is what is read of additional_kwargs, or says what other members say.
var readOfExtra = rawjson.NamesOf([]string{"reasoning_content", "tool_calls", "function_call", "refusal", "parsed"})

// decodeContent adds what the content of a message holds.
func decodeContent(b *conversation.Builder, m *fields) {
	if reasoning := rawjson.Text(m.extra, "reasoning_content"); len(reasoning) > 0 {
		b.Add(hub.Part{Kind: hub.PartReasoning, Text: reasoning})
	}
	if text, ok := rawjson.Str(m.content); ok {
		if len(text) > 0 {
			b.Add(hub.Part{Kind: hub.PartText, Text: text})
		}
		return
	}
	for v := range rawjson.Each(m.content) {
		if p, ok := decodeBlock(v); ok {
			b.Add(p)
		}
	}
}

// channels are the kinds of the texts of blocks.
var channels = map[hub.Chan]hub.PartKind{hub.AnswerText: hub.PartText, hub.Reasoning: hub.PartReasoning, hub.Refusal: hub.PartRefusal}

// decodeBlock reads a block; ok is false for one that repeats a call.
func decodeBlock(v rawjson.Value) (p hub.Part, ok bool) {
	b := readBlock(v)
	own := hub.Meta{Dialect: nameRaw, Raw: v}
	ch, body := b.body()
	file, isFile := b.file()
	switch {
	case len(body) > 0 && ch == hub.AnswerText:
		return hub.Part{Kind: hub.PartText, Text: body}, true
	case len(body)+len(b.signature) > 0:
		return hub.Part{Kind: channels[ch], Text: body, Sig: b.signature, Meta: own}, true
	case isFile:
		return hub.Part{Kind: hub.PartFile, File: &file, Meta: own}, true
	}
	switch string(b.kind) {
	case "text", "tool_use", "tool_call", "input_json_delta":
		return p, false
	}
	return hub.Part{Kind: hub.PartRaw, Value: v, Meta: own}, true
}

// decodeCalls adds the calls of a message; those whose arguments are no JSON stand in a list of their own.
func decodeCalls(b *conversation.Builder, m *fields) {
	for _, c := range rawjson.EachObject(m.calls) {
		b.Add(hub.Part{Kind: hub.PartCall, ID: c.Text("id"), Name: c.Text("name"), Value: rawjson.NotNull(c.Get("args"))})
	}
	for v := range rawjson.Each(m.invalid) {
		b.Add(hub.Part{Kind: hub.PartCall, ID: rawjson.Text(v, "id"), Name: rawjson.Text(v, "name"), Text: rawjson.Text(v, "args")})
	}
}

// result reads a message with the result of a call.
func (m *fields) result() hub.CallResult {
	r := hub.CallResult{Status: hub.StatusOK, ID: m.id}
	if string(m.status) == "error" {
		r.Status = hub.StatusError
	}
	if text, ok := rawjson.Str(m.content); ok {
		r.Text = text
		return r
	}
	if rawjson.Kind(m.content) != '[' {
		r.Value = rawjson.NotNull(m.content)
		return r
	}
	joined, others := toolresult.JoinTexts(m.content, new(hub.Scratch))
	if r.Text = joined; others > 0 {
		r.Text, r.Content = nil, toolresult.Wrap(m.content, new(hub.Scratch), appendBlock)
	}
	return r
}

// appendBlock appends a block of a result as MCP has it. What has no form there stays as it is.
func appendBlock(dst []byte, v rawjson.Value) []byte {
	b := readBlock(v)
	f, isFile := b.file()
	w := jsonwriter.New(dst)
	w.Open('{')
	switch {
	case isFile:
		if len(f.Media) == 0 && bytes.HasPrefix(b.kind, []byte("image")) {
			f.Media = []byte("image/*")
		}
		toolresult.WriteBlock(w, &f)
	case string(b.kind) == "text":
		w.Const("type", "text")
		w.Text("text", b.text)
	default:
		return append(dst, v...)
	}
	w.Close('}')
	return w.Buf
}
