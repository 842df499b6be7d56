package openairesponses

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
)

// members are the settings that the API has a member for, apart from those inside another member.
func members(s *hub.Settings) []settings.Member {
	return []settings.Member{
		{Name: "max_output_tokens", At: &s.MaxTokens, Kind: '0'},
		{Name: "temperature", At: &s.Temperature, Kind: '0'},
		{Name: "top_p", At: &s.TopP, Kind: '0'},
		{Name: "parallel_tool_calls", At: &s.ParallelCalls, Kind: 't'},
		{Name: "safety_identifier", At: &s.User, Kind: '"'},
	}
}

// reasoning are the settings inside the member of that name.
func reasoning(s *hub.Settings) []settings.Member {
	return []settings.Member{{Name: "effort", At: &s.Effort, Kind: '"'}, {Name: "summary", At: &s.Summary, Kind: '"'}}
}

// wording are the settings inside the member text.
func wording(s *hub.Settings) []settings.Member {
	return []settings.Member{{Name: "verbosity", At: &s.Verbosity, Kind: '"'}}
}

func decodeSettings(req *hub.Request, c *create) {
	s := &req.Settings
	settings.Read(req, &c.All, members(s))
	settings.ReadIn(req, c.Reasoning, reasoning(s))
	settings.ReadIn(req, c.Text, wording(s))
	if len(s.User) == 0 {
		settings.Take(req, c.User, &s.User, '"')
	}
	format := rawjson.Get(c.Text, "format")
	settings.TakeFormat(req, format, settings.OpenAIFormat(format, format))
}

// decodeTool reads a tool. Of those that are no functions, most are the provider's.
func decodeTool(v rawjson.Value, o *rawjson.Object) hub.Tool {
	if string(o.Text("type")) != "function" {
		return hub.Tool{Name: o.Text("name"), Meta: hub.Meta{Dialect: name, Raw: v}}
	}
	t := conversation.ReadTool(o, "parameters")
	if t.Strict == nil {
		t.Strict = []byte(hub.StrictAuto)
	}
	return t
}

// toolName is the name in what names a tool.
func toolName(v rawjson.Value) []byte { return rawjson.Text(v, "name") }
