package openaichat

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/history"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// messages reads and writes the member messages of a request.
type messages struct{}

// DecodeMessages takes the results of calls to the calls. Members that the helpers of the SDKs add (parsed, parsed_arguments,
// annotations) say nothing that another does not.
func (messages) DecodeMessages(dst []hub.Message, v rawjson.Value) ([]hub.Message, error) {
	b := conversation.Builder{Messages: dst}
	i := 0
	for m := range rawjson.Each(v) {
		if err := decodeMessage(&b, m, "messages."+strconv.Itoa(i)); err != nil {
			return b.Messages, err
		}
		i++
	}
	return b.Messages, nil
}

func decodeMessage(b *conversation.Builder, m rawjson.Value, path string) error {
	switch role := rawjson.Text(m, "role"); string(role) {
	case "system", "developer":
		b.Begin(hub.RoleSystem, nil)
		decodeContent(b, rawjson.Get(m, "content"))
	case "user":
		b.Begin(hub.RoleUser, nil).Name = rawjson.Text(m, "name")
		decodeContent(b, rawjson.Get(m, "content"))
	case "assistant":
		b.Begin(hub.RoleAgent, nil).Name = rawjson.Text(m, "name")
		decodeAnswer(b, m)
	case "tool", "function":
		call := rawjson.First(rawjson.Text(m, "tool_call_id"), rawjson.Text(m, "name"))
		b.Result(call, rawjson.Text(m, "name"), decodeResult(rawjson.Get(m, "content")))
	default:
		return hub.NewError(hub.ReasonUnknown, path+".role", -1, "want system, developer, user, assistant or tool")
	}
	return nil
}

// decodeAnswer reads a message of the model. Reasoning comes before the text in every server that has both.
func decodeAnswer(b *conversation.Builder, m rawjson.Value) {
	if text := rawjson.First(rawjson.Text(m, "reasoning_content"), rawjson.Text(m, "reasoning")); len(text) > 0 {
		b.Add(hub.Part{Kind: hub.PartReasoning, Text: text})
	}
	decodeContent(b, rawjson.Get(m, "content"))
	if text := rawjson.Text(m, "refusal"); len(text) > 0 {
		b.Add(hub.Part{Kind: hub.PartRefusal, Text: text})
	}
	for call := range rawjson.Each(rawjson.Get(m, "tool_calls")) {
		decodeCall(b, call)
	}
	if legacy := rawjson.NotNull(rawjson.Get(m, "function_call")); legacy != nil {
		name, args := rawjson.Text(legacy, "name"), rawjson.Text(legacy, "arguments")
		b.Add(hub.Part{Kind: hub.PartCall, ID: name, Name: name, Text: args, Value: history.Args(args), ClientRuns: true})
	}
}

// decodeCall reads a call of a function, or of a tool that takes free text, whose call has an input instead of arguments.
func decodeCall(b *conversation.Builder, call rawjson.Value) {
	p := hub.Part{Kind: hub.PartCall, ID: rawjson.Text(call, "id"), ClientRuns: true}
	if custom := rawjson.NotNull(rawjson.Get(call, "custom")); custom != nil {
		p.Name, p.Text, p.Meta = rawjson.Text(custom, "name"), rawjson.Text(custom, "input"), hub.Meta{Dialect: Dialect.Name, Raw: custom}
	} else {
		p.Name, p.Text = rawjson.Text(call, "function", "name"), rawjson.Text(call, "function", "arguments")
		p.Value = history.Args(p.Text)
	}
	b.Add(p)
}

// decodeContent adds what a content holds to the last message: a text, or a list of parts.
func decodeContent(b *conversation.Builder, content rawjson.Value) {
	if text, ok := rawjson.Str(content); ok {
		if len(text) > 0 {
			b.Add(hub.Part{Kind: hub.PartText, Text: text})
		}
		return
	}
	for v := range rawjson.Each(content) {
		b.Add(decodePart(v))
	}
}

func decodePart(v rawjson.Value) hub.Part {
	p := hub.Part{Kind: hub.PartFile, Meta: hub.Meta{Dialect: Dialect.Name, Raw: v}}
	switch string(rawjson.Text(v, "type")) {
	case "text":
		return hub.Part{Kind: hub.PartText, Text: rawjson.Text(v, "text")}
	case "refusal":
		return hub.Part{Kind: hub.PartRefusal, Text: rawjson.Text(v, "refusal")}
	case "image_url":
		url := rawjson.First(rawjson.Text(v, "image_url", "url"), rawjson.Text(v, "image_url"))
		p.File = conversation.FileOf(url, []byte("image/*"), nil)
	case "input_audio":
		format := rawjson.Or(rawjson.Text(v, "input_audio", "format"), "wav")
		p.File = &hub.FileRef{Media: append([]byte("audio/"), format...), Base64: rawjson.Text(v, "input_audio", "data")}
	case "file":
		p.File = conversation.FileOf(rawjson.Text(v, "file", "file_data"), nil, rawjson.Text(v, "file", "filename"))
		p.File.FileID = rawjson.Text(v, "file", "file_id")
	default:
		p.Kind, p.Value = hub.PartRaw, v
	}
	return p
}

// decodeResult reads the content of a tool message: a text, or parts of text.
func decodeResult(content rawjson.Value) hub.CallResult {
	if text, ok := rawjson.Str(content); ok {
		return hub.CallResult{Status: hub.StatusOK, Text: text}
	}
	return hub.CallResult{Status: hub.StatusOK, Text: joinTexts(content)}
}

func joinTexts(list rawjson.Value) (joined []byte) {
	for v := range rawjson.Each(list) {
		if len(joined) > 0 {
			joined = append(joined, `\n`...)
		}
		joined = append(joined, rawjson.Text(v, "text")...)
	}
	return joined
}
