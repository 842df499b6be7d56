package gemini

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/genai"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
)

// requests reads and writes the body of generateContent.
type requests struct{}

// DecodeRequest reads a request. The model, and whether a stream is wanted, stand in the path: who has read that says so
// before.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	o, err := rawjson.DecodeObject(body)
	if err != nil {
		return hub.JSONError(err)
	}
	req.Body = body
	if model := o.Text("model"); len(model) > 0 {
		req.Model = bytes.TrimPrefix(model, []byte("models/"))
	}
	req.Tools.Known = true // nothing else tells the model of a tool
	tools := o.Get("tools")
	req.Unread.AddIf("tools", !rawjson.IsNull(tools) && rawjson.Kind(tools) != '[')
	for tool := range rawjson.Each(tools) {
		decodeTools(&req.Tools, tool)
	}
	config := genai.Member(o, "toolConfig", "tool_config")
	settings.LostOthers(req, config, func(key string) bool { return isOne([]string{"functionCallingConfig"}, []byte(key)) })
	choice := genai.Get(config, "functionCallingConfig", "function_calling_config")
	req.Choice = decodeChoice(choice)
	req.Unread.AddIf("settings.tool_choice", req.Choice.Mode == hub.ChoiceUnset && !saysNoMode(choice))
	validates := string(rawjson.Text(choice, "mode")) == modeValidated
	req.Unread.AddIf("tools.strict", validates && len(req.Tools.Defs) > 0)
	decodeConfig(req, genai.Member(o, "generationConfig", "generation_config"))
	req.Extra = conversation.Extra(o, dialectName, isRead)
	if err := conversation.Required("contents", o.Get("contents")); err != nil {
		return err
	}
	return decodeConversation(req, o)
}

// decodeConversation reads the instructions and the contents behind them.
func decodeConversation(req *hub.Request, o *rawjson.Object) (err error) {
	var r contentReader
	if system := genai.Member(o, "systemInstruction", "system_instruction"); !rawjson.IsNull(system) {
		r.Begin(hub.RoleSystem, nil)
		parts := genai.Either(rawjson.Get(system, "parts"), system)
		if rawjson.Kind(parts) == '{' {
			parts = append(append([]byte{'['}, parts...), ']')
		}
		r.texts(parts)
	}
	req.Messages, err = messages{}.DecodeMessages(r.Messages, o.Get("contents"))
	req.Remember(false)
	return err
}

// decodeTools reads one of the tools: functions, and tools of Google's, each in a member of its own.
func decodeTools(l *hub.ToolList, tool rawjson.Value) {
	for key, v := range rawjson.EachField(tool) {
		switch string(key) {
		case "functionDeclarations", "function_declarations":
			for f := range rawjson.Each(v) {
				l.Define(decodeFunction(f))
			}
		default:
			own := jsonwriter.New(nil)
			own.Open('{')
			own.Value(string(key), v)
			own.Close('}')
			l.Define(hub.Tool{Meta: hub.Meta{Dialect: dialectName, Raw: own.Buf}})
		}
	}
}

// readOfFunctions are the members of a function that have a place in the model. Others are what it returns, and how.
var readOfFunctions = rawjson.NamesOf([]string{"name", "description", "parameters", "parametersJsonSchema", "parameters_json_schema"})

func decodeFunction(v rawjson.Value) hub.Tool {
	t := hub.Tool{Name: rawjson.Text(v, "name"), Description: rawjson.Text(v, "description")}
	if schema := genai.Get(v, "parametersJsonSchema", "parameters_json_schema"); !rawjson.IsNull(schema) {
		t.Schema = schema
	} else if schema := rawjson.Get(v, "parameters"); !rawjson.IsNull(schema) {
		t.Schema = jsonSchema(schema)
	}
	for key, member := range rawjson.EachField(v) {
		t.Unread = t.Unread || !readOfFunctions.Has(key) && conversation.SaysSomething(member)
	}
	return t
}

// saysNoMode reports whether a choice leaves its mode to the API.
func saysNoMode(choice rawjson.Value) bool {
	mode := rawjson.Get(choice, "mode")
	return rawjson.IsNull(choice) || rawjson.Kind(choice) == '{' && (rawjson.IsNull(mode) || string(rawjson.Body(mode)) == "MODE_UNSPECIFIED")
}

// modeValidated is AUTO with arguments that are sure to fit. Other APIs say that of a tool, but refuse it of one whose schema is not of their kind.
const modeValidated = "VALIDATED"

// decodeChoice reads which functions are called.
func decodeChoice(v rawjson.Value) (c hub.ToolChoice) {
	switch string(rawjson.Text(v, "mode")) {
	case "AUTO", modeValidated:
		c.Mode = hub.ChoiceAuto
	case "NONE":
		c.Mode = hub.ChoiceNone
	case "ANY":
		c.Mode = hub.ChoiceRequired
	}
	for name := range rawjson.Each(genai.Get(v, "allowedFunctionNames", "allowed_function_names")) {
		c.Names = append(c.Names, rawjson.Body(name))
	}
	return c
}

// members are the settings that generationConfig has a member for.
func members(s *hub.Settings) []settings.Member {
	return []settings.Member{
		{Name: "maxOutputTokens", At: &s.MaxTokens, Kind: '0'},
		{Name: "temperature", At: &s.Temperature, Kind: '0'},
		{Name: "topP", At: &s.TopP, Kind: '0'},
		{Name: "topK", At: &s.TopK, Kind: '0'},
		{Name: "seed", At: &s.Seed, Kind: '0'},
		{Name: "frequencyPenalty", At: &s.FrequencyPenalty, Kind: '0'},
		{Name: "presencePenalty", At: &s.PresencePenalty, Kind: '0'},
		{Name: "candidateCount", At: &s.Choices, Kind: '0'},
		{Name: "stopSequences", At: &s.Stop, Kind: '['},
	}
}

// snake is a name of a member as protobuf allows it, too.
func snake(name string) string {
	var b []byte
	for _, c := range []byte(name) {
		if c >= 'A' && c <= 'Z' {
			b = append(b, '_', c+'a'-'A')
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}

func decodeConfig(req *hub.Request, v rawjson.Value) {
	s := &req.Settings
	snaked := members(s)
	for i := range snaked {
		snaked[i].Name = snake(snaked[i].Name)
	}
	settings.ReadIn(req, v, snaked)
	camel := members(s)
	settings.ReadIn(req, v, camel)
	settings.LostOthers(req, v, func(key string) bool {
		return settings.Knows(snaked, key) || settings.Knows(camel, key) || isOne(readConfig, []byte(key)) || isText(key, rawjson.Get(v, key))
	})
	decodeThinking(req, genai.Get(v, "thinkingConfig", "thinking_config"))
	decodeFormat(req, v)
}

func decodeThinking(req *hub.Request, thinking rawjson.Value) {
	s := &req.Settings
	settings.ReadIn(req, thinking, nil)
	settings.Take(req, genai.Get(thinking, "thinkingLevel", "thinking_level"), &s.Effort, '"')
	s.Effort = bytes.ToLower(s.Effort)
	if shown, _ := rawjson.Bool(genai.Get(thinking, "includeThoughts", "include_thoughts")); shown {
		s.Summary = []byte("auto")
	}
	if bytes.HasSuffix(s.Effort, []byte("_unspecified")) {
		s.Effort = nil
	}
	settings.Take(req, genai.Get(thinking, "thinkingBudget", "thinking_budget"), &s.Budget, '0')
	if n, ok := rawjson.Int(s.Budget); ok && n == 0 {
		s.Effort, s.Budget = []byte("none"), nil
	}
}

func decodeFormat(req *hub.Request, v rawjson.Value) {
	schema := genai.Get(v, "responseJsonSchema", "response_json_schema")
	if old := genai.Get(v, "responseSchema", "response_schema"); rawjson.IsNull(schema) && !rawjson.IsNull(old) {
		schema = jsonSchema(old)
	}
	switch {
	case !rawjson.IsNull(schema):
		req.Settings.Format = hub.Format{Kind: hub.FormatSchema, Schema: schema}
	case string(rawjson.Body(genai.Get(v, "responseMimeType", "response_mime_type"))) == mediaJSON:
		req.Settings.Format.Kind = hub.FormatJSON
	}
}

const mediaJSON = "application/json"

// read are the names of the members that have a place in the model, in camel case. Others are safetySettings, cachedContent,
// labels …
var read = []string{"model", "contents", "systemInstruction", "tools", "toolConfig", "generationConfig"}

func isRead(key []byte) bool { return isOne(read, key) }

// readConfig are those of generationConfig beside the settings that are values. Others are mediaResolution, responseLogprobs, speechConfig …
var readConfig = []string{"responseMimeType", "responseSchema", "responseJsonSchema", "thinkingConfig"}

// isText reports whether a member says that the answer is to be text, which says nothing.
func isText(key string, v rawjson.Value) bool {
	if !isOne([]string{"responseModalities"}, []byte(key)) {
		return false
	}
	for modality := range rawjson.Each(v) {
		if string(rawjson.Body(modality)) != "TEXT" {
			return false
		}
	}
	return true
}

// isOne reports whether a key is one of the names, in camel case or as protobuf allows it, too.
func isOne(names []string, key []byte) bool {
	for _, name := range names {
		if string(key) == name || string(key) == snake(name) {
			return true
		}
	}
	return false
}
