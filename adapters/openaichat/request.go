package openaichat

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
)

// requests reads and writes the body of a POST to …/chat/completions.
type requests struct{}

// DecodeRequest reads a request. The client expects to see the name of the model again, and says whether it wants the usage.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	var json rawjson.Decoder
	var asked struct {
		Model    rawjson.Value `json:"model"`
		Messages rawjson.Value `json:"messages"`
		Tools    rawjson.Value `json:"tools"`
		Choice   rawjson.Value `json:"tool_choice"`
		Format   rawjson.Value `json:"response_format"`
		Stream   rawjson.Value `json:"stream"`
		Options  rawjson.Value `json:"stream_options"`
		Legacy   rawjson.Value `json:"max_tokens"`
		User     rawjson.Value `json:"user"`
		All      rawjson.Object
	}
	if err := json.Decode(body, &asked); err != nil {
		return hub.JSONError(err)
	}
	req.Model, req.Body = rawjson.Body(asked.Model), body
	streams, _, err := conversation.Flag("stream", asked.Stream)
	if err != nil {
		return err
	}
	if req.Usage, _, err = conversation.Flag("stream_options.include_usage", rawjson.Get(asked.Options, "include_usage")); err != nil {
		return err
	}
	req.Whole = !streams
	req.Tools.Known = true // nothing else tells the model of a tool
	conversation.ReadTools(req, asked.Tools, decodeTool)
	settings.TakeChoice(req, asked.Choice, settings.OpenAIChoice(asked.Choice, rawjson.Get(asked.Choice, "allowed_tools"), toolName))
	s := &req.Settings
	known := members(s)
	settings.Read(req, &asked.All, known[:])
	if s.MaxTokens == nil {
		settings.Take(req, asked.Legacy, &s.MaxTokens, '0')
	}
	if len(s.User) == 0 {
		settings.Take(req, asked.User, &s.User, '"')
	}
	settings.TakeFormat(req, asked.Format, settings.OpenAIFormat(asked.Format, rawjson.Get(asked.Format, "json_schema")))
	req.Extra = conversation.Extra(&asked.All, Dialect.Name, func(key []byte) bool { return read[string(key)] })
	if err := conversation.RequiredList("messages", asked.Messages); err != nil {
		return err
	}
	req.Messages, err = messages{}.DecodeMessages(nil, asked.Messages)
	req.Remember(false)
	return err
}

// read are the members that have a place in the model, and behind them those that change nothing in the answer. Others are
// logit_bias, logprobs, modalities, prediction, web_search_options …
var read = map[string]bool{
	"model": true, "messages": true, "tools": true, "tool_choice": true, "response_format": true, "stream": true, "stream_options": true,
	"stop": true, "max_tokens": true, "max_completion_tokens": true, "temperature": true, "top_p": true, "seed": true, "n": true,
	"frequency_penalty": true, "presence_penalty": true, "parallel_tool_calls": true, "reasoning_effort": true, "verbosity": true, "user": true, "safety_identifier": true,
	"store": true, "metadata": true, "service_tier": true, "prompt_cache_key": true, "prompt_cache_retention": true, "prompt_cache_options": true,
}

// members are the settings that the API has a member for.
func members(s *hub.Settings) [12]settings.Member {
	return [...]settings.Member{
		{Name: "max_completion_tokens", At: &s.MaxTokens, Kind: '0'},
		{Name: "temperature", At: &s.Temperature, Kind: '0'},
		{Name: "top_p", At: &s.TopP, Kind: '0'},
		{Name: "seed", At: &s.Seed, Kind: '0'},
		{Name: "frequency_penalty", At: &s.FrequencyPenalty, Kind: '0'},
		{Name: "presence_penalty", At: &s.PresencePenalty, Kind: '0'},
		{Name: "n", At: &s.Choices, Kind: '0'},
		{Name: "stop", At: &s.Stop, Kind: '['},
		{Name: "parallel_tool_calls", At: &s.ParallelCalls, Kind: 't'},
		{Name: "reasoning_effort", At: &s.Effort, Kind: '"'},
		{Name: "verbosity", At: &s.Verbosity, Kind: '"'},
		{Name: "safety_identifier", At: &s.User, Kind: '"'},
	}
}

func decodeTool(v rawjson.Value, o *rawjson.Object) hub.Tool {
	f := o.Get("function")
	if string(o.Text("type")) != "function" || f == nil {
		return hub.Tool{Name: rawjson.Text(o.Get("custom"), "name"), Meta: hub.Meta{Dialect: Dialect.Name, Raw: v}}
	}
	function := rawjson.ReadObject(f)
	return conversation.ReadTool(&function, "parameters")
}

// toolName is the name in what names a tool: a function, or a tool that takes free text.
func toolName(v rawjson.Value) []byte {
	return rawjson.First(rawjson.Text(v, "function", "name"), rawjson.Text(v, "custom", "name"))
}

// mostStops is how many stop sequences the API takes.
const mostStops = 4

// AppendRequest writes a request that is answered by a stream with its usage.
func (requests) AppendRequest(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, error) {
	w := jsonwriter.New(dst)
	w.Open('{')
	w.TextIf("model", req.Model)
	err := conversation.WriteMessages(w, "messages", req, func(dst []byte) ([]byte, hub.Role) {
		w := messageWriter{Writer: jsonwriter.New(dst), losses: l, extra: extraOf}
		w.takes(req.Upstream)
		return w.messages(conversation.WithoutLone(conversation.Ready(req.Messages), l))
	})
	if err != nil {
		return nil, err
	}
	tools := conversation.Tools(req.Tools.Defs, Dialect.Name, l)
	if len(tools) > 0 {
		appendTools(w, tools, l)
		appendChoice(w, conversation.Chosen(req.Choice, tools, l), tools)
	}
	appendFormat(w, &req.Settings.Format)
	s := req.Settings // a copy, of which is taken away what the API refuses
	settings.LostLongUser(&s, l)
	if len(tools) == 0 && s.ParallelCalls != nil {
		s.ParallelCalls = nil
		l.Add("settings.parallel_calls")
	}
	settings.MostStops(&s, mostStops, l)
	settings.EffortForBudget(&s, req.Upstream, l)
	known := members(&s)
	settings.Write(w, known[:])
	settings.Lost(&s, known[:], l)
	conversation.AppendExtra(w, req, Dialect.Name)
	conversation.LostBeside(req, Dialect.Name, l)
	w.Bool("stream", !req.AskWhole)
	if !req.AskWhole {
		w.Value("stream_options", []byte(`{"include_usage":true}`))
	}
	w.Close('}')
	return w.Buf, nil
}

// takes notes in which member an agent takes its reasoning back.
func (w *messageWriter) takes(agent hub.Options) {
	switch member := agent.EnumOr(optionHistory, sameMember); member {
	case sameMember:
		w.same = true
	case noReasoning:
	default:
		w.reasoning = member
	}
}

func appendTools(w *jsonwriter.Writer, tools []hub.Tool, l *hub.Losses) {
	w.OpenAt("tools", '[')
	for i := range tools {
		t := &tools[i]
		if own := t.Meta.Of(Dialect.Name); own != nil {
			w.Raw(own)
			continue
		}
		w.Open('{')
		w.Const("type", "function")
		w.OpenAt("function", '{')
		w.Text("name", t.Name)
		w.TextIf("description", t.Description)
		if t.Schema != nil {
			w.Value("parameters", conversation.ObjectSchema(t.Schema, l))
		}
		w.ValueIf("strict", t.StrictSaid())
		w.Close('}')
		w.Close('}')
	}
	w.Close(']')
}

func appendChoice(w *jsonwriter.Writer, c hub.ToolChoice, tools []hub.Tool) {
	mode := [...]string{hub.ChoiceAuto: "auto", hub.ChoiceNone: "none", hub.ChoiceRequired: "required"}[c.Mode]
	switch {
	case c.Mode == hub.ChoiceUnset:
	case len(c.Names) == 0:
		w.Const("tool_choice", mode)
	case len(c.Names) == 1 && c.Mode == hub.ChoiceRequired:
		w.Key("tool_choice")
		appendNamed(w, c.Names[0], customTools(tools))
	default:
		w.OpenAt("tool_choice", '{')
		w.Const("type", "allowed_tools")
		w.OpenAt("allowed_tools", '{')
		w.Const("mode", mode)
		w.OpenAt("tools", '[')
		custom := customTools(tools)
		for _, name := range c.Names {
			appendNamed(w, name, custom)
		}
		w.Close(']')
		w.Close('}')
		w.Close('}')
	}
}

// customTools are the names of the tools that take free text.
func customTools(tools []hub.Tool) map[string]bool {
	names := map[string]bool{}
	for i := range tools {
		names[string(tools[i].Name)] = tools[i].Meta.Dialect != ""
	}
	return names
}

// appendNamed names a function, or a tool that takes free text.
func appendNamed(w *jsonwriter.Writer, name []byte, custom map[string]bool) {
	kind := "function"
	if custom[string(name)] {
		kind = "custom"
	}
	w.Open('{')
	w.Const("type", kind)
	w.OpenAt(kind, '{')
	w.Text("name", name)
	w.Close('}')
	w.Close('}')
}

func appendFormat(w *jsonwriter.Writer, f *hub.Format) {
	switch f.Kind {
	case hub.FormatJSON:
		w.Value("response_format", []byte(`{"type":"json_object"}`))
	case hub.FormatSchema:
		w.OpenAt("response_format", '{')
		w.Const("type", "json_schema")
		w.OpenAt("json_schema", '{')
		w.Text("name", rawjson.Or(f.Name, "answer"))
		w.TextIf("description", f.Description)
		w.ValueIf("strict", f.Strict)
		w.ValueIf("schema", f.Schema)
		w.Close('}')
		w.Close('}')
	}
}

// appendFailure appends the body of an HTTP error. The SDKs make their classes of errors from the status, and show the
// message.
func appendFailure(dst []byte, f *hub.Failure) []byte {
	dst = append(dst, `{"error":{"message":"`...)
	dst = append(dst, f.Text()...)
	dst = append(dst, `","type":"`...)
	dst = append(dst, errorType(f.HTTPStatus())...)
	dst = append(dst, `","param":null,"code":"`...)
	dst = append(dst, f.Code...)
	dst = append(dst, `","status":`...)
	dst = strconv.AppendInt(dst, int64(f.HTTPStatus()), 10)
	return append(dst, "}}"...)
}

// errorType is the word of the API for a status.
func errorType(status int) string {
	switch {
	case status == 429:
		return "rate_limit_error"
	case status < 500:
		return "invalid_request_error"
	}
	return typeFailed
}
