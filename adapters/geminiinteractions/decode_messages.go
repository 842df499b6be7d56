package geminiinteractions

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// messages reads and writes the member input of a request.
type messages struct{}

// DecodeMessages reads a text of the user's, one content, or a list of contents, steps or turns. Steps of the model's in a row are one
// message.
func (messages) DecodeMessages(dst []hub.Message, v rawjson.Value) ([]hub.Message, error) {
	r := inputReader{Builder: conversation.Builder{Messages: dst, Unread: unread}}
	err := r.input(v)
	return r.Messages, err
}

var unread = conversation.Unread{Dialect: dialectName, Ignored: rawjson.NamesOf([]string{"status"})}

// inputReader puts messages together.
type inputReader struct {
	conversation.Builder
	speaker hub.Role // of the message that goes on; none: the next part begins one
	scratch hub.Scratch
}

func (r *inputReader) input(v rawjson.Value) error {
	switch rawjson.Kind(v) {
	case '"':
		r.contents(hub.RoleUser, v)
	case '{':
		o := rawjson.ReadObject(v)
		err := r.element(v, &o, "input")
		r.HasRead(v, &o)
		return err
	case '[':
		i := 0
		for item, o := range r.Objects(v) {
			if err := r.element(item, o, "input."+strconv.Itoa(i)); err != nil {
				return err
			}
			i++
		}
	default:
		if !rawjson.IsNull(v) {
			return hub.NewError(hub.ReasonType, "input", -1, "want a text, a content or a list")
		}
	}
	return nil
}

// element reads a step, a content of the user's, or a turn, as which the API had conversations before it had steps.
func (r *inputReader) element(v rawjson.Value, o *rawjson.Object, path string) error {
	if rawjson.Kind(v) != '{' {
		return hub.NewError(hub.ReasonType, path, -1, "want an object")
	}
	role, isTurn := rawjson.Str(o.Get("role"))
	typ := o.Text("type")
	switch {
	case isTurn && string(role) == "user", string(typ) == "user_input":
		r.contents(hub.RoleUser, o.Get("content"))
	case isTurn && string(role) == "model", string(typ) == "model_output":
		r.contents(hub.RoleAgent, o.Get("content"))
	case isTurn:
		return hub.NewError(hub.ReasonUnknown, path+".role", -1, "want user or model")
	case len(typ) == 0:
		return hub.NewError(hub.ReasonMissing, path+".type", -1, "want the type of a step or a content")
	case string(typ) == "text" || isFile(typ):
		r.content(hub.RoleUser, v, o)
	case kindOf(typ) == otherBlock:
		r.say(hub.RoleAgent, hub.Part{Kind: hub.PartRaw, Value: v, Meta: hub.Meta{Dialect: dialectName, Raw: v}})
	default:
		r.step(v, o, typ)
	}
	return nil
}

// contents reads what a step or a turn holds, which begins a message of the user's. Members of other types are raw, and kept in a step.
func (r *inputReader) contents(role hub.Role, list rawjson.Value) {
	if role == hub.RoleUser {
		r.speaker = hub.RoleNone
	}
	if text, ok := rawjson.Str(list); ok && len(text) > 0 {
		r.say(role, hub.Part{Kind: hub.PartText, Text: text})
	}
	if rawjson.Kind(list) == '{' {
		list = slices.Concat([]byte{'['}, list, []byte{']'})
	}
	for v, o := range r.Objects(list) {
		typ := o.Text("type")
		switch {
		case string(typ) == "text" || isFile(typ):
			r.content(role, v, o)
		case kindOf(typ) == otherBlock || kindOf(typ) == textBlock:
			r.say(role, hub.Part{Kind: hub.PartRaw, Value: v, Meta: hub.Meta{Dialect: dialectName, Raw: stepOf(role, v)}})
		default:
			r.step(v, o, typ)
		}
	}
}

// stepOf is a step with one content.
func stepOf(role hub.Role, content rawjson.Value) rawjson.Value {
	return slices.Concat([]byte(`{"type":"`), []byte(stepTypes[role]), []byte(`","content":[`), content, []byte("]}"))
}

// stepTypes are the types of steps that hold contents.
var stepTypes = map[hub.Role]string{hub.RoleUser: "user_input", hub.RoleAgent: "model_output"}

// say adds a part to the message of that side.
func (r *inputReader) say(role hub.Role, p hub.Part) {
	if r.speaker != role {
		r.Begin(role, nil)
		r.speaker = role
	}
	r.Add(p)
}

// content reads a text with its sources, or a file.
func (r *inputReader) content(role hub.Role, v rawjson.Value, o *rawjson.Object) {
	if text := o.Text("text"); string(o.Text("type")) == "text" {
		if len(text) > 0 {
			r.say(role, hub.Part{Kind: hub.PartText, Text: text})
		}
		for a := range rawjson.Each(o.Get("annotations")) {
			r.say(role, sourceOf(a))
		}
		return
	}
	f := &hub.FileRef{Media: mediaOf(o), Name: o.Text("name"), URL: o.Text("uri"), Base64: o.Text("data")}
	r.say(role, hub.Part{Kind: hub.PartFile, File: f, Meta: hub.Meta{Dialect: dialectName, Raw: v}})
}

// mediaOf is the type of a file: its own, or that which the type of the content says.
func mediaOf(o *rawjson.Object) []byte {
	media := o.Text("mime_type")
	if typ := o.Text("type"); len(media) == 0 && string(typ) != "document" {
		return append(typ[:len(typ):len(typ)], "/*"...)
	}
	return media
}

func sourceOf(v rawjson.Value) hub.Part {
	o := rawjson.ReadObject(v)
	return hub.Part{
		Kind: hub.PartSource, Title: titleOf(&o), File: &hub.FileRef{URL: rawjson.First(o.Text("url"), o.Text("document_uri"))},
		Meta: hub.Meta{Dialect: dialectName, Raw: v},
	}
}

// step reads a thought, a call or a result.
func (r *inputReader) step(v rawjson.Value, o *rawjson.Object, typ []byte) {
	switch kindOf(typ) {
	case thoughtBlock:
		r.thought(o)
	case callBlock:
		r.say(hub.RoleAgent, callOf(o))
	case serverBlock:
		r.say(hub.RoleAgent, hub.Part{
			Kind: hub.PartCall, ID: o.Text("id"), Name: serverTool(o, typ, "_call"), Value: rawjson.NotNull(o.Get("arguments")),
			Meta: hub.Meta{Dialect: dialectName, Raw: v},
		})
	case resultBlock:
		r.result(v, o, typ)
	}
}

// serverTool is the name of a tool of the server's: that of an MCP server has one, others are named by their type.
func serverTool(o *rawjson.Object, typ []byte, suffix string) []byte {
	if string(typ) == mcpCall || string(typ) == mcpResult {
		return o.Text("name")
	}
	return bytes.TrimSuffix(typ, []byte(suffix))
}

// thought reads a thought, unless it says nothing. Its texts are one.
func (r *inputReader) thought(o *rawjson.Object) {
	text, others := toolresult.JoinTexts(o.Get("summary"), &r.scratch)
	if sig := o.Text("signature"); len(text)+len(sig) > 0 {
		r.say(hub.RoleAgent, hub.Part{Kind: hub.PartReasoning, Text: text, Sig: sig})
	}
	if others == 0 {
		return
	}
	for v, c := range rawjson.EachObject(o.Get("summary")) {
		if isFile(c.Text("type")) {
			r.content(hub.RoleAgent, v, c)
		}
	}
}

// callOf reads a call for the client. Arguments may be a text that holds JSON.
func callOf(o *rawjson.Object) hub.Part {
	p := hub.Part{Kind: hub.PartCall, ID: o.Text("id"), Name: o.Text("name"), Sig: o.Text("signature"), ClientRuns: true}
	args := o.Get("arguments")
	if text, ok := rawjson.Str(args); ok {
		p.Text, args = text, conversation.Args(text)
	}
	p.Value = rawjson.NotNull(args)
	return p
}
