package settings

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// OpenAIChoice reads which tools may be called, as both APIs of OpenAI say it. allowed has the members of a choice among several; name is
// what names a tool in it. That the model must use a tool of the provider's has no other form.
func OpenAIChoice(v, allowed rawjson.Value, name func(tool rawjson.Value) []byte) hub.ToolChoice {
	switch string(rawjson.First(rawjson.Body(v), rawjson.Text(v, "type"))) {
	case "auto":
		return hub.ToolChoice{Mode: hub.ChoiceAuto}
	case "none":
		return hub.ToolChoice{Mode: hub.ChoiceNone}
	case "required":
		return hub.ToolChoice{Mode: hub.ChoiceRequired}
	case "function", "custom":
		return hub.ToolChoice{Mode: hub.ChoiceRequired, Names: [][]byte{name(v)}}
	case "allowed_tools":
		c := OpenAIChoice(rawjson.Get(allowed, "mode"), nil, name)
		for tool := range rawjson.Each(rawjson.Get(allowed, "tools")) {
			c.Names = append(c.Names, name(tool))
		}
		return c
	}
	return hub.ToolChoice{}
}

// OpenAIFormat reads the form of the answer, as both APIs of OpenAI say it. schema has the members of one with a schema.
func OpenAIFormat(v, schema rawjson.Value) hub.Format {
	switch string(rawjson.Text(v, "type")) {
	case "json_object":
		return hub.Format{Kind: hub.FormatJSON}
	case "json_schema":
		return hub.Format{
			Kind: hub.FormatSchema, Name: rawjson.Text(schema, "name"), Description: rawjson.Text(schema, "description"),
			Schema: rawjson.Get(schema, "schema"), Strict: rawjson.OfKind(rawjson.Get(schema, "strict"), 't'),
		}
	}
	return hub.Format{}
}

// maxUser is how long a safety_identifier of OpenAI's may be. Claude Code names its users in 170 bytes.
const maxUser = 64

// LostLongUser takes the user away where the name is too long for the APIs of OpenAI.
func LostLongUser(s *hub.Settings, l *hub.Losses) {
	if len(rawjson.AppendUnescaped(nil, s.User)) > maxUser {
		s.User = nil
		l.Add("settings.user")
	}
}
