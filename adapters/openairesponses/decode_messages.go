package openairesponses

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/annotation"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/responsestream"
)

// messages reads and writes the member input of a request.
type messages struct{}

// DecodeMessages reads a text of the user's, or a list of items. Items of the agent's in a row are one message, with the id of
// the first: what the agent says behind results is the next.
func (messages) DecodeMessages(dst []hub.Message, v rawjson.Value) ([]hub.Message, error) {
	r := inputReader{Builder: conversation.Builder{Messages: dst, Unread: unread}}
	err := r.input(v)
	return r.Messages, err
}

var unread = conversation.Unread{Dialect: name, Ignored: rawjson.NamesOf([]string{"status", "logprobs"})}

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
	for item, o := range r.Objects(v) {
		if err := r.item(item, o, "input."+strconv.Itoa(i)); err != nil {
			return err
		}
		i++
	}
	return nil
}

// item reads an item. One without a type is a message, or with an id alone the reference to a stored item.
func (r *inputReader) item(v rawjson.Value, o *rawjson.Object, path string) error {
	if rawjson.Kind(v) != '{' {
		return hub.NewError(hub.ReasonType, path, -1, "want an object")
	}
	it := inputItem{o, v}
	switch string(it.Text("type")) {
	case "message":
		return r.message(&it, path)
	case "":
		if it.Get("role") != nil {
			return r.message(&it, path)
		}
		r.agent(&it, hub.Part{Kind: hub.PartRaw, Value: v})
	case "reasoning":
		r.agent(&it, r.reasoning(&it))
	case "function_call", "custom_tool_call":
		r.agent(&it, decodeCall(&it))
	case "function_call_output", "custom_tool_call_output":
		r.speaking = false
		r.Result(it.Text("call_id"), nil, r.output(&it))
	case "mcp_call":
		r.mcpCall(&it)
	case "mcp_approval_request":
		r.approvalRequest(&it)
	case "mcp_approval_response":
		r.approvalResponse(&it)
	case "image_generation_call":
		r.agent(&it, decodeImage(&it))
	default:
		r.agent(&it, hub.Part{Kind: hub.PartRaw, Value: v})
	}
	return nil
}

// inputItem is an item of the input, with its members.
type inputItem struct {
	*rawjson.Object
	raw rawjson.Value
}

// agent adds a part that is an item of the agent's.
func (r *inputReader) agent(item *inputItem, p hub.Part) {
	id := item.Text("id")
	if !r.speaking {
		r.Begin(hub.RoleAgent, id)
		r.speaking = true
	}
	p.ID = rawjson.First(p.ID, id)
	p.Meta = hub.Meta{Dialect: name, Raw: item.raw}
	r.Add(p)
}

func (r *inputReader) message(v *inputItem, path string) error {
	role := hub.RoleUser
	switch string(v.Text("role")) {
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
	r.Begin(role, v.Text("id"))
	content := v.Get("content")
	if text, ok := rawjson.Str(content); ok {
		r.Add(hub.Part{Kind: hub.PartText, Text: text})
	}
	for part, o := range r.Objects(content) {
		r.Add(decodePart(part, o))
	}
	return nil
}

// said reads a message of the agent's. Its parts have the id of the item.
func (r *inputReader) said(v *inputItem) {
	var phase []byte
	if p := v.Text("phase"); string(p) == responsestream.Commentary {
		phase = p
	}
	content := v.Get("content")
	if text, ok := rawjson.Str(content); ok {
		r.agent(v, hub.Part{Kind: hub.PartText, Name: phase, Text: text})
	}
	later, cited := false, []rawjson.Value(nil)
	for part, o := range r.Objects(content) {
		if a := o.Get("annotations"); len(a) > len("[]") {
			cited = append(cited, a)
		}
		p := decodePart(part, o)
		if p.Kind == hub.PartText || p.Kind == hub.PartRefusal {
			p.Name = phase
		}
		r.agent(v, p)
		parts := r.Messages[len(r.Messages)-1].Parts
		switch last := &parts[len(parts)-1]; {
		case p.Kind == hub.PartFile || p.Kind == hub.PartRaw:
			last.Meta = hub.Meta{} // an answer has no such parts: it cannot be written again
		case later:
			last.Meta.Raw, last.ID = rawjson.Value("{}"), []byte(conversation.Base(last.ID)) // the item stands with its first part
		}
		later = true
	}
	for _, a := range cited { // behind the texts, which are one item
		r.AddCited(a, "", annotation.ReadOfMessage)
	}
}

func decodePart(v rawjson.Value, o *rawjson.Object) hub.Part {
	p := hub.Part{Kind: hub.PartFile, Meta: hub.Meta{Dialect: name, Raw: v}}
	switch string(o.Text("type")) {
	case "input_text", "output_text", "text":
		return hub.Part{Kind: hub.PartText, Text: o.Text("text")}
	case "refusal":
		return hub.Part{Kind: hub.PartRefusal, Text: o.Text("refusal")}
	case "input_image":
		p.File = conversation.FileOf(o.Text("image_url"), []byte("image/*"), nil)
		p.File.FileID = o.Text("file_id")
	case "input_file":
		p.File = decodeFile(o)
	case "input_audio":
		audio := rawjson.ReadObject(o.Get("input_audio"))
		p.File = &hub.FileRef{Media: append([]byte("audio/"), rawjson.Or(audio.Text("format"), "wav")...), Base64: audio.Text("data")}
	default:
		p.Kind, p.Value = hub.PartRaw, v
	}
	return p
}

// decodeFile reads a file whose bytes may stand in a data: URL or alone.
func decodeFile(v *rawjson.Object) *hub.FileRef {
	data, fileName := v.Text("file_data"), v.Text("filename")
	f := &hub.FileRef{Media: []byte("application/octet-stream"), Name: fileName, Base64: data}
	if len(data) == 0 || bytes.HasPrefix(data, []byte("data:")) {
		f = conversation.FileOf(rawjson.First(data, v.Text("file_url")), nil, fileName)
	}
	f.FileID = v.Text("file_id")
	return f
}

// decodeImage reads a picture that the server made.
func decodeImage(v *inputItem) hub.Part {
	f := &hub.FileRef{Media: []byte("image/png"), Base64: v.Text("result")}
	if format := v.Text("output_format"); len(format) > 0 {
		f.Media = append([]byte("image/"), format...)
	}
	return hub.Part{Kind: hub.PartFile, File: f}
}

// reasoning reads the summary, or where there is none the reasoning itself.
func (r *inputReader) reasoning(v *inputItem) hub.Part {
	text := r.paragraphs(v.Get("summary"))
	if len(text) == 0 {
		text = r.paragraphs(v.Get("content"))
	}
	return hub.Part{Kind: hub.PartReasoning, Text: text, Sig: v.Text("encrypted_content")}
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
func decodeCall(v *inputItem) hub.Part {
	p := hub.Part{Kind: hub.PartCall, ID: v.Text("call_id"), Name: v.Text("name"), ClientRuns: true}
	if p.Text = v.Text("input"); p.Text == nil {
		p.Text, p.Value = conversation.ReadArgs(v.Get("arguments"))
	}
	return p
}
