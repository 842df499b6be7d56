package openairesponses

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/history"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// messages reads and writes the member input of a request.
type messages struct{}

// DecodeMessages reads a text of the user's, or a list of items. Items of the agent's in a row are one message, with the id of
// the first: what the agent says behind results is the next.
func (messages) DecodeMessages(dst []hub.Message, v rawjson.Value) ([]hub.Message, error) {
	r := inputReader{Builder: conversation.Builder{Messages: dst}}
	err := r.input(v)
	return r.Messages, err
}

// inputReader puts messages together from items.
type inputReader struct {
	conversation.Builder
	speaking bool                 // the item before was the agent's
	asked    map[string]*question // by the id of the item
	answers  []hub.Decision       // to questions that are not among these
	scratch  hub.Scratch
}

func (r *inputReader) input(v rawjson.Value) error {
	if text, ok := rawjson.Str(v); ok {
		r.Begin(hub.RoleUser, nil)
		r.Add(hub.Part{Kind: hub.PartText, Text: text})
		return nil
	}
	i := 0
	for item := range rawjson.Each(v) {
		if err := r.item(item, "input."+strconv.Itoa(i)); err != nil {
			return err
		}
		i++
	}
	return nil
}

// item reads an item. One without a type is a message, or with an id alone the reference to a stored item.
func (r *inputReader) item(v rawjson.Value, path string) error {
	if rawjson.Kind(v) != '{' {
		return hub.NewError(hub.ReasonType, path, -1, "want an object")
	}
	switch typ := rawjson.Text(v, "type"); string(typ) {
	case "message":
		return r.message(v, path)
	case "":
		if rawjson.Get(v, "role") != nil {
			return r.message(v, path)
		}
		r.agent(v, hub.Part{Kind: hub.PartRaw, Value: v})
	case "reasoning":
		r.agent(v, r.reasoning(v))
	case "function_call", "custom_tool_call":
		r.agent(v, decodeCall(v))
	case "function_call_output", "custom_tool_call_output":
		r.speaking = false
		r.Result(rawjson.Text(v, "call_id"), nil, r.output(v))
	case "mcp_call":
		r.mcpCall(v)
	case "mcp_approval_request":
		r.approvalRequest(v)
	case "mcp_approval_response":
		r.approvalResponse(v)
	case "image_generation_call":
		r.agent(v, decodeImage(v))
	default:
		r.agent(v, hub.Part{Kind: hub.PartRaw, Value: v})
	}
	return nil
}

// agent adds a part that is an item of the agent's.
func (r *inputReader) agent(item rawjson.Value, p hub.Part) {
	id := rawjson.Text(item, "id")
	if !r.speaking {
		r.Begin(hub.RoleAgent, id)
		r.speaking = true
	}
	if len(p.ID) == 0 {
		p.ID = id
	}
	p.Meta = hub.Meta{Dialect: name, Raw: item}
	r.Add(p)
}

func (r *inputReader) message(v rawjson.Value, path string) error {
	role := hub.RoleUser
	switch string(rawjson.Text(v, "role")) {
	case "assistant":
		r.said(v)
		return nil
	case "system", "developer":
		role = hub.RoleSystem
	case "user":
	default:
		return hub.NewError(hub.ReasonUnknown, path+".role", -1, "want user, assistant, system or developer")
	}
	r.speaking = false
	r.Begin(role, rawjson.Text(v, "id"))
	content := rawjson.Get(v, "content")
	if text, ok := rawjson.Str(content); ok {
		r.Add(hub.Part{Kind: hub.PartText, Text: text})
	}
	for part := range rawjson.Each(content) {
		r.Add(decodePart(part))
	}
	return nil
}

// said reads a message of the agent's. Its parts have the id of the item.
func (r *inputReader) said(v rawjson.Value) {
	var phase []byte
	if p := rawjson.Text(v, "phase"); string(p) == commentary {
		phase = p
	}
	content := rawjson.Get(v, "content")
	if text, ok := rawjson.Str(content); ok {
		r.agent(v, hub.Part{Kind: hub.PartText, Name: phase, Text: text})
	}
	for part := range rawjson.Each(content) {
		p := decodePart(part)
		if p.Kind == hub.PartText || p.Kind == hub.PartRefusal {
			p.Name = phase
		}
		r.agent(v, p)
		if p.Kind == hub.PartFile || p.Kind == hub.PartRaw {
			parts := r.Messages[len(r.Messages)-1].Parts
			parts[len(parts)-1].Meta = hub.Meta{} // an answer has no such parts: it cannot be written again
		}
	}
}

func decodePart(v rawjson.Value) hub.Part {
	p := hub.Part{Kind: hub.PartFile, Meta: hub.Meta{Dialect: name, Raw: v}}
	switch string(rawjson.Text(v, "type")) {
	case "input_text", "output_text", "text":
		return hub.Part{Kind: hub.PartText, Text: rawjson.Text(v, "text")}
	case "refusal":
		return hub.Part{Kind: hub.PartRefusal, Text: rawjson.Text(v, "refusal")}
	case "input_image":
		p.File = conversation.FileOf(rawjson.Text(v, "image_url"), []byte("image/*"), nil)
		p.File.FileID = rawjson.Text(v, "file_id")
	case "input_file":
		p.File = decodeFile(v)
	case "input_audio":
		format := rawjson.Or(rawjson.Text(v, "input_audio", "format"), "wav")
		p.File = &hub.FileRef{Media: append([]byte("audio/"), format...), Base64: rawjson.Text(v, "input_audio", "data")}
	default:
		p.Kind, p.Value = hub.PartRaw, v
	}
	return p
}

// decodeFile reads a file whose bytes may stand in a data: URL or alone.
func decodeFile(v rawjson.Value) *hub.FileRef {
	data, fileName := rawjson.Text(v, "file_data"), rawjson.Text(v, "filename")
	f := &hub.FileRef{Media: []byte("application/octet-stream"), Name: fileName, Base64: data}
	if len(data) == 0 || bytes.HasPrefix(data, []byte("data:")) {
		f = conversation.FileOf(rawjson.First(data, rawjson.Text(v, "file_url")), nil, fileName)
	}
	f.FileID = rawjson.Text(v, "file_id")
	return f
}

// decodeImage reads a picture that the server made.
func decodeImage(v rawjson.Value) hub.Part {
	f := &hub.FileRef{Media: []byte("image/png"), Base64: rawjson.Text(v, "result")}
	if format := rawjson.Text(v, "output_format"); len(format) > 0 {
		f.Media = append([]byte("image/"), format...)
	}
	return hub.Part{Kind: hub.PartFile, File: f}
}

// reasoning reads the summary, or where there is none the reasoning itself.
func (r *inputReader) reasoning(v rawjson.Value) hub.Part {
	text := r.paragraphs(rawjson.Get(v, "summary"))
	if len(text) == 0 {
		text = r.paragraphs(rawjson.Get(v, "content"))
	}
	return hub.Part{Kind: hub.PartReasoning, Text: text, Sig: rawjson.Text(v, "encrypted_content")}
}

// paragraphs are the texts of parts, with blank lines between them.
func (r *inputReader) paragraphs(list rawjson.Value) []byte {
	dst := r.scratch.Begin()
	from := len(dst)
	for part := range rawjson.Each(list) {
		if len(dst) > from {
			dst = append(dst, `\n\n`...)
		}
		dst = append(dst, rawjson.Text(part, "text")...)
	}
	return r.scratch.Since(dst)
}

// decodeCall reads a call of a function, or of a tool that takes free text.
func decodeCall(v rawjson.Value) hub.Part {
	p := hub.Part{Kind: hub.PartCall, ID: rawjson.Text(v, "call_id"), Name: rawjson.Text(v, "name"), ClientRuns: true}
	if p.Text = rawjson.Text(v, "input"); p.Text == nil {
		p.Text = rawjson.Text(v, "arguments")
		p.Value = history.Args(p.Text)
	}
	return p
}
