package bedrock

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
)

// requests reads and writes the body of Converse and ConverseStream, which is the same.
type requests struct{}

// input are the members of a request that have a place in the model.
type input struct {
	Messages  rawjson.Value `json:"messages"`
	System    rawjson.Value `json:"system"`
	Inference rawjson.Value `json:"inferenceConfig"`
	Tools     rawjson.Value `json:"toolConfig"`
	Output    rawjson.Value `json:"outputConfig"`
	All       rawjson.Object
}

// DecodeRequest reads a request. The model, and whether a stream is wanted, stand in the path: who has read that says so before.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	var json rawjson.Decoder
	var in input
	if err := json.Decode(body, &in); err != nil {
		return hub.JSONError(err)
	}
	req.Usage, req.Body = true, body
	req.Tools.Known = true // nothing else tells the model of a tool
	req.Unread.AddIf("tools", !rawjson.IsNull(in.Tools) && rawjson.Kind(in.Tools) != '{')
	conversation.ReadTools(req, rawjson.Get(in.Tools, "tools"), decodeTool)
	choice := rawjson.Get(in.Tools, "toolChoice")
	settings.TakeChoice(req, choice, decodeChoice(choice))
	decodeSettings(req, &in)
	req.Extra = conversation.Extra(&in.All, dialectName, func(key []byte) bool { return read[string(key)] })
	if err := conversation.RequiredList("messages", in.Messages); err != nil {
		return err
	}
	return decodeConversation(req, &in)
}

// decodeConversation reads the instructions and the messages behind them.
func decodeConversation(req *hub.Request, in *input) (err error) {
	var b conversation.Builder
	if rawjson.Kind(in.System) == '[' {
		b.Begin(hub.RoleSystem, nil)
		decodeContent(&b, in.System)
	}
	req.Messages, err = messages{}.DecodeMessages(b.Messages, in.Messages)
	req.Remember(false)
	return err
}

// decodeTool reads a tool. A cache point, or a tool of the API's, only the API has a form for.
func decodeTool(v rawjson.Value, o *rawjson.Object) hub.Tool {
	spec := rawjson.ReadObject(o.Get("toolSpec"))
	if spec.Len() == 0 {
		return hub.Tool{Name: rawjson.Text(v, "systemTool", "name"), Meta: own(v)}
	}
	t := hub.Tool{
		Name: spec.Text("name"), Description: spec.Text("description"),
		Schema: rawjson.NotNull(rawjson.Get(spec.Get("inputSchema"), "json")), Strict: rawjson.OfKind(spec.Get("strict"), 't'),
	}
	t.Unread = conversation.UnreadOfTool(&spec)
	return t
}

func decodeChoice(v rawjson.Value) hub.ToolChoice {
	o := rawjson.ReadObject(v)
	switch name := rawjson.Text(v, "tool", "name"); {
	case len(name) > 0:
		return hub.ToolChoice{Mode: hub.ChoiceRequired, Names: [][]byte{name}}
	case o.Get("any") != nil:
		return hub.ToolChoice{Mode: hub.ChoiceRequired}
	case o.Get("auto") != nil:
		return hub.ToolChoice{Mode: hub.ChoiceAuto}
	}
	return hub.ToolChoice{}
}

// members are the settings that inferenceConfig has a member for.
func members(s *hub.Settings) []settings.Member {
	return []settings.Member{
		{Name: "maxTokens", At: &s.MaxTokens, Kind: '0'},
		{Name: "temperature", At: &s.Temperature, Kind: '0'},
		{Name: "topP", At: &s.TopP, Kind: '0'},
		{Name: "stopSequences", At: &s.Stop, Kind: '['},
	}
}

// decodeSettings reads the settings. The schema of an answer is a string that holds JSON.
func decodeSettings(req *hub.Request, in *input) {
	s := &req.Settings
	settings.ReadIn(req, in.Inference, members(s))
	settings.LostOthers(req, in.Inference, func(key string) bool { return settings.Knows(members(s), key) })
	settings.ReadIn(req, in.Output, []settings.Member{{Name: "effort", At: &s.Effort, Kind: '"'}})
	schema := rawjson.ReadObject(rawjson.Get(in.Output, "textFormat", "structure", "jsonSchema"))
	if value, ok := rawjson.ValueOfText(nil, schema.Text("schema")); ok {
		s.Format = hub.Format{Kind: hub.FormatSchema, Name: schema.Text("name"), Description: schema.Text("description"), Schema: value}
	} else {
		req.Unread.AddIf("settings.format", !rawjson.IsNull(rawjson.Get(in.Output, "textFormat")))
	}
}

// read are the names of the members that have a place in the model.
var read = map[string]bool{"messages": true, "system": true, "inferenceConfig": true, "toolConfig": true, "outputConfig": true}

// AppendRequest writes a request. The model, and that a stream is wanted, are for the path.
func (requests) AppendRequest(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, error) {
	w := requestWriter{Writer: jsonwriter.New(dst), req: req, losses: l}
	system, rest := conversation.Hoist(conversation.ForModel(req.Messages, l), nil, l)
	rest = conversation.Opened(system, rest, false)
	w.Open('{')
	write := func(dst []byte) ([]byte, hub.Role) { return appendMessages(dst, rest, l) }
	if err := conversation.WriteMessages(w.Writer, "messages", req, write); err != nil {
		return nil, err
	}
	newTurnWriter(new(conversation.IDs), l).WriteSystem(w.Writer, system)
	w.settings()
	w.tools(rest)
	conversation.AppendExtra(w.Writer, req, dialectName)
	conversation.LostBeside(req, dialectName, l)
	w.Close('}')
	return w.Buf, nil
}

type requestWriter struct {
	*jsonwriter.Writer
	req    *hub.Request
	losses *hub.Losses
}

func (w *requestWriter) settings() {
	s := w.req.Settings // a copy, of which is taken away what has been seen to
	settings.MostTemperature(&s, 1, w.losses)
	settings.EffortForBudget(&s, w.req.Upstream, w.losses)
	b := jsonwriter.New(nil)
	settings.Write(b, members(&s))
	if len(b.Buf) > 0 {
		w.OpenAt("inferenceConfig", '{')
		w.Raw(b.Buf)
		w.Close('}')
	}
	w.output(&s)
	s.Effort = nil
	settings.Lost(&s, members(&s), w.losses)
}

// output writes the effort and the form of the answer.
func (w *requestWriter) output(s *hub.Settings) {
	b := jsonwriter.New(nil)
	w.losses.AddIf("settings.effort", string(s.Effort) == "none") // there is no word for it
	if effort := settings.LowToMax(s.Effort, w.losses); effort != "" {
		b.Const("effort", effort)
	}
	if f := &s.Format; f.Kind == hub.FormatSchema && rawjson.Kind(f.Schema) == '{' {
		b.OpenAt("textFormat", '{')
		b.Const("type", "json_schema")
		b.OpenAt("structure", '{')
		b.OpenAt("jsonSchema", '{')
		b.Text("schema", rawjson.AppendEscaped(nil, conversation.FormatSchema(f.Schema, w.losses)))
		b.TextIf("name", f.Name)
		b.TextIf("description", f.Description)
		b.Close('}')
		b.Close('}')
		b.Close('}')
	} else {
		w.losses.AddIf("settings.format", f.Kind != hub.FormatText)
	}
	if len(b.Buf) > 0 {
		w.OpenAt("outputConfig", '{')
		w.Raw(b.Buf)
		w.Close('}')
	}
}

// tools writes the tools that may be called. The API refuses calls in the conversation where there is none, as when the client offers its
// tools no more: then those that were called stand there.
func (w *requestWriter) tools(ms []hub.Message) {
	c := w.req.Choice
	tools, byName := conversation.Offered(w.req, dialectName, w.losses)
	w.losses.AddIf("settings.tool_choice", c.Mode == hub.ChoiceNone)
	if len(tools) == 0 {
		c, byName, tools = hub.ToolChoice{}, false, conversation.Called(ms, dialectName)
	}
	if len(tools) == 0 {
		return
	}
	w.OpenAt("toolConfig", '{')
	w.OpenAt("tools", '[')
	for i := range tools {
		w.tool(&tools[i])
	}
	w.Close(']')
	c = conversation.Chosen(c, tools, w.losses)
	w.choice(c, byName && len(c.Names) > 0)
	w.Close('}')
}

func (w *requestWriter) tool(t *hub.Tool) {
	if own := t.Meta.Of(dialectName); own != nil {
		w.Raw(own)
		return
	}
	w.Open('{')
	w.OpenAt("toolSpec", '{')
	w.Text("name", t.Name)
	w.TextIf("description", t.Description)
	w.OpenAt("inputSchema", '{')
	w.Value("json", conversation.ObjectSchema(t.Schema, w.losses))
	w.Close('}')
	w.ValueIf("strict", t.StrictSaid())
	w.Close('}')
	w.Close('}')
}

func (w *requestWriter) choice(c hub.ToolChoice, byName bool) {
	switch {
	case byName:
		w.OpenAt("toolChoice", '{')
		w.OpenAt("tool", '{')
		w.Text("name", c.Names[0])
		w.Close('}')
		w.Close('}')
	case c.Mode == hub.ChoiceRequired:
		w.Value("toolChoice", []byte(`{"any":{}}`))
	case c.Mode == hub.ChoiceAuto:
		w.Value("toolChoice", []byte(`{"auto":{}}`))
	}
}
