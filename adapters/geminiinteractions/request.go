package geminiinteractions

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
)

// requests reads and writes the body of POST /interactions.
type requests struct{}

// Members of hub.Request.Call, which this dialect's own encoder reads: who is asked by which member, and what the interaction goes on from.
const (
	callAgent    = "agent"
	callPrevious = "previous_interaction_id"
)

// Members that have names in more than one place.
const (
	memberConfig     = "generation_config"
	memberFormat     = "response_format"
	memberTop        = "top_k" // which @ai-sdk/google says, and the types of the API lack
	memberSummaries  = "thinking_summaries"
	memberModalities = "response_modalities"
	mediaJSON        = "application/json"
)

// idPrefix begins the ids of interactions.
const idPrefix = "v1_"

// decodeFlags reads how the answer is wanted, and whether it is remembered.
func decodeFlags(req *hub.Request, o *rawjson.Object) error {
	streams, _, err := conversation.Flag("stream", o.Get("stream"))
	if err != nil {
		return err
	}
	stores, said, err := conversation.Flag("store", o.Get("store"))
	if err != nil {
		return err
	}
	req.Whole, req.Store = !streams, stores || !said
	req.Later, _, err = conversation.Flag("background", o.Get("background"))
	return err
}

// DecodeRequest reads a request. An agent is asked as a model is. Without a word of that, the answer is remembered.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	o, err := rawjson.DecodeObject(body)
	if err != nil {
		return hub.JSONError(err)
	}
	req.Body, req.Model = body, rawjson.First(o.Text("model"), o.Text("agent"))
	req.Call = appendCall(nil, o)
	if err := decodeFlags(req, o); err != nil {
		return err
	}
	if len(req.Unique) > 0 {
		req.Answer = append([]byte(idPrefix), req.Unique...)
	}
	if err := conversation.WantText(callPrevious, o.Get(callPrevious)); err != nil {
		return err
	}
	req.Previous = o.Text(callPrevious)
	req.Partial = len(req.Previous) > 0
	req.Tools.Known = !req.Partial // else the server may know of others
	conversation.ReadTools(req, o.Get("tools"), decodeTool)
	config := rawjson.ReadObject(o.Get(memberConfig))
	settings.TakeChoice(req, config.Get("tool_choice"), decodeChoice(config.Get("tool_choice")))
	req.Unread.AddIf("tools.strict", validates(config.Get("tool_choice")) && len(req.Tools.Defs) > 0)
	decodeSettings(req, o, &config)
	req.Extra = decodeExtra(o, &config)
	if err := conversation.Required("input", o.Get("input")); err != nil {
		return err
	}
	return decodeInput(req, o)
}

// decodeInput reads the conversation. Its instructions come first, and hold for this request alone.
func decodeInput(req *hub.Request, o *rawjson.Object) (err error) {
	var before []hub.Message
	if text := o.Text("system_instruction"); len(text) > 0 {
		req.Instructions = 1
		before = []hub.Message{{Role: hub.RoleSystem, Parts: []hub.Part{{Kind: hub.PartText, Text: text}}}}
	}
	req.Messages, err = messages{}.DecodeMessages(before, o.Get("input"))
	req.Remember(false)
	return err
}

// appendCall appends what the answer needs to know of the request, nothing if that is nothing.
func appendCall(dst []byte, o *rawjson.Object) []byte {
	agent, previous := o.Text(callAgent), o.Text(callPrevious)
	if len(agent)+len(previous) == 0 {
		return dst
	}
	w := jsonwriter.New(dst)
	w.Open('{')
	w.TextIf(callAgent, agent)
	w.TextIf(callPrevious, previous)
	w.Close('}')
	return w.Buf
}

// decodeTool reads a tool. Those that are no functions are the provider's.
func decodeTool(v rawjson.Value, o *rawjson.Object) hub.Tool {
	if string(o.Text("type")) != "function" {
		return hub.Tool{Meta: hub.Meta{Dialect: dialectName, Raw: v}}
	}
	return conversation.ReadTool(o, "parameters")
}

// decodeChoice reads which functions are called.
func decodeChoice(v rawjson.Value) (c hub.ToolChoice) {
	allowed := rawjson.Get(v, "allowed_tools")
	if rawjson.Kind(allowed) != '{' {
		c.Mode = choices[string(rawjson.Body(v))]
		return c
	}
	if c.Mode = choices[string(rawjson.Text(allowed, "mode"))]; c.Mode == hub.ChoiceUnset {
		c.Mode = hub.ChoiceAuto
	}
	for name := range rawjson.Each(rawjson.Get(allowed, "tools")) {
		c.Names = append(c.Names, rawjson.Body(name))
	}
	return c
}

// modeValidated is auto with arguments that are sure to fit. Other APIs say that of a tool, but refuse it of one whose schema is not of their kind.
const modeValidated = "validated"

// validates reports whether a choice is of that mode.
func validates(v rawjson.Value) bool {
	return string(rawjson.First(rawjson.Body(v), rawjson.Text(v, "allowed_tools", "mode"))) == modeValidated
}

// choices are the types of tool_choice.
var choices = map[string]hub.ChoiceMode{
	"auto": hub.ChoiceAuto, modeValidated: hub.ChoiceAuto, "none": hub.ChoiceNone, "any": hub.ChoiceRequired,
}

// members are the settings that generation_config has a member for.
func members(s *hub.Settings) []settings.Member {
	return []settings.Member{
		{Name: "max_output_tokens", At: &s.MaxTokens, Kind: '0'},
		{Name: "temperature", At: &s.Temperature, Kind: '0'},
		{Name: "top_p", At: &s.TopP, Kind: '0'},
		{Name: "seed", At: &s.Seed, Kind: '0'},
		{Name: "stop_sequences", At: &s.Stop, Kind: '['},
		{Name: "thinking_level", At: &s.Effort, Kind: '"'},
	}
}

func decodeSettings(req *hub.Request, o, config *rawjson.Object) {
	s := &req.Settings
	settings.ReadIn(req, o.Get(memberConfig), append(members(s), settings.Member{Name: memberTop, At: &s.TopK, Kind: '0'}))
	if shown := config.Text(memberSummaries); string(shown) == "auto" {
		s.Summary = shown
	}
	decodeFormat(s, o)
}

// decodeFormat reads the form of the answer: the first that is one of text. A schema alone is how it was said before forms had a type.
func decodeFormat(s *hub.Settings, o *rawjson.Object) {
	if string(o.Text("response_mime_type")) == mediaJSON {
		s.Format.Kind = hub.FormatJSON
	}
	for _, f := range formats(o) {
		form := rawjson.ReadObject(f)
		switch typ := form.Text("type"); {
		case string(typ) == "text" && string(form.Text("mime_type")) == mediaJSON:
			s.Format.Kind = hub.FormatJSON
			if schema := rawjson.NotNull(form.Get("schema")); schema != nil {
				s.Format = hub.Format{Kind: hub.FormatSchema, Schema: schema}
			}
		case string(typ) != "text" && !isFile(typ):
			s.Format = hub.Format{Kind: hub.FormatSchema, Schema: f}
		default:
			continue
		}
		return
	}
}

// formats are the forms of the answer, one or several.
func formats(o *rawjson.Object) (all []rawjson.Value) {
	v := o.Get(memberFormat)
	if rawjson.Kind(v) == '{' {
		return []rawjson.Value{v}
	}
	for f := range rawjson.Each(v) {
		all = append(all, f)
	}
	return all
}

// read are the members that have a place in the model.
var read = map[string]bool{
	"model": true, "agent": true, "input": true, "system_instruction": true, "tools": true, "stream": true, "store": true, "background": true,
	callPrevious: true, memberConfig: true, memberFormat: true, "response_mime_type": true,
}

// readConfig are those of generation_config.
var readConfig = map[string]bool{
	"max_output_tokens": true, "temperature": true, "top_p": true, memberTop: true, "seed": true, "stop_sequences": true,
	"thinking_level": true, "tool_choice": true,
}

// decodeExtra keeps what only the API knows: members at the top, forms of the answer that are no text, and settings. That the answer
// is to be text says nothing.
func decodeExtra(o, config *rawjson.Object) hub.Meta {
	w := jsonwriter.New(nil)
	w.Open('{')
	top := conversation.Extra(o, dialectName, func(key []byte) bool {
		return read[string(key)] || string(key) == memberModalities && asksText(o.Get(memberModalities))
	})
	for key, v := range rawjson.EachField(top.Raw) {
		w.Value(string(key), v)
	}
	rest := conversation.Extra(config, dialectName, func(key []byte) bool {
		return readConfig[string(key)] || string(key) == memberSummaries && string(config.Text(memberSummaries)) == "auto"
	})
	w.ValueIf(memberConfig, rest.Raw)
	if others := otherFormats(o); len(others) > 0 {
		w.Value(memberFormat, others)
	}
	w.Close('}')
	if len(w.Buf) == len("{}") {
		return hub.Meta{}
	}
	return hub.Meta{Dialect: dialectName, Raw: w.Buf}
}

// asksText reports whether a list of modalities is text alone.
func asksText(list rawjson.Value) bool {
	for v := range rawjson.Each(list) {
		if !bytes.EqualFold(rawjson.Body(v), []byte("text")) {
			return false
		}
	}
	return true
}

// otherFormats is a list of the forms of the answer that are no text, nil for none.
func otherFormats(o *rawjson.Object) rawjson.Value {
	w := jsonwriter.New(nil)
	w.Open('[')
	for _, f := range formats(o) {
		if isFile(rawjson.Text(f, "type")) {
			w.Raw(f)
		}
	}
	w.Close(']')
	if len(w.Buf) == len("[]") {
		return nil
	}
	return w.Buf
}
