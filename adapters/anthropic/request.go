package anthropic

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
)

// requests reads and writes the body of POST /v1/messages.
type requests struct{}

// input are the members of a request that have a place in the model. The others are those of the application.
type input struct {
	Model      rawjson.Value `json:"model"`
	Messages   rawjson.Value `json:"messages"`
	System     rawjson.Value `json:"system"`
	Tools      rawjson.Value `json:"tools"`
	ToolChoice rawjson.Value `json:"tool_choice"`
	Thinking   rawjson.Value `json:"thinking"`
	Output     rawjson.Value `json:"output_config"`
	Metadata   rawjson.Value `json:"metadata"`
	Stream     rawjson.Value `json:"stream"`
	Thread     rawjson.Value `json:"thread"`
	All        rawjson.Object
}

// DecodeRequest reads a request. Clients always get the usage.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	var json rawjson.Decoder
	var in input
	if err := json.Decode(body, &in); err != nil {
		return hub.JSONError(err)
	}
	req.Model, req.Usage, req.Body = rawjson.Body(in.Model), true, body
	if req.Header != nil {
		req.Version = rawjson.AppendEscaped(nil, []byte(req.Header("anthropic-version")))
	}
	streams, _, err := conversation.Flag("stream", in.Stream)
	if err != nil {
		return err
	}
	req.Whole = !streams
	decodeThread(req, &in)
	req.Tools.Known = true // nothing else tells the model of a tool
	conversation.ReadTools(req, in.Tools, decodeTool)
	decodeSettings(req, &in)
	req.Extra = conversation.Extra(&in.All, dialectName, func(key []byte) bool { return read[string(key)] })
	if err := conversation.RequiredList("messages", in.Messages); err != nil {
		return err
	}
	return decodeConversation(req, &in)
}

// decodeThread reads whether the server keeps the conversation. Each answer can be gone on from once, and what goes on has the
// instructions and tools that the thread was created with.
func decodeThread(req *hub.Request, in *input) {
	if rawjson.IsNull(in.Thread) {
		return
	}
	req.Keep, req.Answer = true, append([]byte(messagePrefix), req.Unique...)
	if string(rawjson.Text(in.Thread, "type")) == "continue" {
		req.Partial, req.Alone, req.Inherits = true, true, rawjson.IsNull(in.Tools)
		req.Previous = rawjson.Text(in.Thread, "previous_message_id")
	}
}

// decodeConversation reads the instructions and the messages behind them.
func decodeConversation(req *hub.Request, in *input) (err error) {
	var system []hub.Message
	if !rawjson.IsNull(in.System) {
		whole := jsonwriter.New(nil)
		whole.Open('[')
		whole.Open('{')
		whole.Const("role", roleSystem)
		whole.Value("content", in.System)
		whole.Close('}')
		whole.Close(']')
		system, _ = messages{}.DecodeMessages(nil, whole.Buf)
		system[0].Meta = hub.Meta{} // it is no message of the list
	}
	req.Messages, err = messages{}.DecodeMessages(system, in.Messages)
	req.Remember(false)
	return err
}

func decodeTool(v rawjson.Value, o *rawjson.Object) hub.Tool {
	if kind := o.Text("type"); len(kind) > 0 && string(kind) != "custom" {
		return hub.Tool{Name: o.Text("name"), Meta: own(v)}
	}
	return conversation.ReadTool(o, "input_schema")
}

// members are the settings that the API has a member for. Numbers of reasoning, and what stands in an object, are elsewhere.
func members(s *hub.Settings) []settings.Member {
	return []settings.Member{
		{Name: "max_tokens", At: &s.MaxTokens, Kind: '0'},
		{Name: "temperature", At: &s.Temperature, Kind: '0'},
		{Name: "top_p", At: &s.TopP, Kind: '0'},
		{Name: "top_k", At: &s.TopK, Kind: '0'},
		{Name: "stop_sequences", At: &s.Stop, Kind: '['},
	}
}

func decodeSettings(req *hub.Request, in *input) {
	s := &req.Settings
	settings.Read(req, &in.All, members(s))
	req.Demanded.AddIf("settings.max_tokens", s.MaxTokens != nil)
	settings.ReadIn(req, in.Metadata, []settings.Member{{Name: "user_id", At: &s.User, Kind: '"'}})
	settings.ReadIn(req, in.Output, []settings.Member{{Name: "effort", At: &s.Effort, Kind: '"'}})
	switch string(rawjson.Text(in.Thinking, "type")) {
	case "enabled":
		settings.ReadIn(req, in.Thinking, []settings.Member{{Name: "budget_tokens", At: &s.Budget, Kind: '0'}})
	case "disabled":
		s.Effort = []byte("none")
	case "adaptive":
		if len(s.Effort) == 0 {
			s.Budget = []byte("-1")
		}
	default:
		req.Unread.AddIf("settings.budget", !rawjson.IsNull(in.Thinking))
	}
	format := rawjson.Get(in.Output, "format")
	if rawjson.IsNull(format) {
		format = in.All.Get("output_format") // its name before output_config
	}
	settings.TakeFormat(req, format, decodeFormat(format))
	settings.TakeChoice(req, in.ToolChoice, decodeChoice(in.ToolChoice))
	one := rawjson.Get(in.ToolChoice, "disable_parallel_tool_use")
	if settings.Take(req, one, &s.ParallelCalls, 't'); s.ParallelCalls != nil {
		s.ParallelCalls = strconv.AppendBool(nil, !rawjson.IsTrue(one))
	}
}

func decodeFormat(v rawjson.Value) hub.Format {
	if string(rawjson.Text(v, "type")) != "json_schema" {
		return hub.Format{}
	}
	return hub.Format{Kind: hub.FormatSchema, Schema: rawjson.NotNull(rawjson.Get(v, "schema"))}
}

func decodeChoice(v rawjson.Value) hub.ToolChoice {
	switch string(rawjson.Text(v, "type")) {
	case "auto":
		return hub.ToolChoice{Mode: hub.ChoiceAuto}
	case "none":
		return hub.ToolChoice{Mode: hub.ChoiceNone}
	case "any":
		return hub.ToolChoice{Mode: hub.ChoiceRequired}
	case "tool":
		return hub.ToolChoice{Mode: hub.ChoiceRequired, Names: [][]byte{rawjson.Text(v, "name")}}
	}
	return hub.ToolChoice{}
}

// read are the names of the members that have a place in the model. Others are container, context_management, mcp_servers,
// service_tier, thread …
var read = map[string]bool{
	"model": true, "messages": true, "system": true, "tools": true, "tool_choice": true, "thinking": true, "output_config": true,
	"output_format": true, "metadata": true, "stream": true, "max_tokens": true, "temperature": true, "top_p": true, "top_k": true, "stop_sequences": true,
}
