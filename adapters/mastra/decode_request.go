package mastra

import (
	"strings"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
)

// requests reads and writes the body of a turn, or of the answer to a question.
type requests struct{}

// Members that have names in more than one place.
const (
	memberSettings = "modelSettings"
	memberChoice   = "toolChoice"
	memberFormat   = "structuredOutput"
	memberTools    = "clientTools"
	memberCall     = "toolCallId"
	memberResume   = "resumeData"
)

// DecodeRequest reads a request. With a thread it says only what is new, as servers remember what was said before; without one it says all,
// and its run may ask something, by whose id the answer goes on.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	o, err := rawjson.DecodeObject(body)
	if err != nil {
		return hub.JSONError(err)
	}
	req.Body, req.Run = body, o.Text("runId")
	thread := rawjson.Get(o.Get("memory"), "thread")
	req.Thread = rawjson.First(rawjson.Body(thread), rawjson.Text(thread, "id"), o.Text("threadId"))
	req.Tools.Known = rawjson.Kind(o.Get(memberTools)) == '{'
	conversation.ReadNamedTools(req, o.Get(memberTools), decodeTool)
	settings.TakeChoice(req, o.Get(memberChoice), decodeChoice(o.Get(memberChoice)))
	model := members(&req.Settings)
	settings.ReadIn(req, o.Get(memberSettings), model)
	settings.LostOthers(req, o.Get(memberSettings), func(key string) bool { return settings.Knows(model, key) || key == "maxRetries" })
	if schema := rawjson.NotNull(rawjson.Get(o.Get(memberFormat), "schema")); schema != nil {
		req.Settings.Format = hub.Format{Kind: hub.FormatSchema, Schema: schema}
	} else {
		req.Unread.AddIf("settings.format", !rawjson.IsNull(o.Get(memberFormat)))
	}
	req.Extra = conversation.Extra(o, dialectName, func(key []byte) bool { return read[string(key)] })
	if o.Get("messages") == nil && len(req.Run) > 0 {
		return decodeAnswer(req, o)
	}
	req.Partial, req.Create = len(req.Thread) > 0, len(req.Thread) > 0
	req.Begins, req.Tools.Known = !req.Partial, true
	decodeInput(req, o)
	return conversation.Required("messages", o.Get("messages"))
}

// decodeInput reads what is said. Instructions come first, and hold for this request alone; so does what the application adds.
func decodeInput(req *hub.Request, o *rawjson.Object) {
	b := conversation.Builder{}
	for _, name := range [...]string{"instructions", "system"} {
		decodeList(&b, o.Get(name), hub.RoleSystem)
	}
	before, _ := messages{}.DecodeMessages(b.Messages, o.Get("context"))
	req.Instructions = len(before)
	req.Messages, _ = messages{}.DecodeMessages(before, o.Get("messages"))
	conversation.MarkClients(req.Messages, &req.Tools)
	req.Remember(false)
}

// decodeAnswer reads the answer to a question of a run. Where it is sent says whether a call may run; where that is not known, it may not.
func decodeAnswer(req *hub.Request, o *rawjson.Object) error {
	approves, resume := strings.Contains(req.Endpoint, "/approve-"), o.Get(memberResume)
	d := hub.Decision{Decided: true, Approved: approves, Reason: o.Text("reason")}
	switch {
	case approves || strings.Contains(req.Endpoint, "/decline-"):
	case resume != nil:
		d = conversation.Decision(resume)
	case len(req.Endpoint) > 0:
		return hub.NewError(hub.ReasonMissing, memberResume, -1, "want the answer to the question of the run")
	}
	if d.Call = o.Text(memberCall); len(d.Call) > 0 {
		d.Ask = append(append(append([]byte(nil), req.Run...), askSeparator), d.Call...)
	}
	req.Partial, req.Resumes, req.Answers = true, true, []hub.Decision{d}
	return nil
}

// read are the members that have a place in the model, or that mean nothing to others.
var read = map[string]bool{
	"messages": true, "instructions": true, "system": true, "context": true, "runId": true, "threadId": true, "resourceId": true, "memory": true,
	memberTools: true, memberChoice: true, memberSettings: true, memberFormat: true, memberCall: true, memberResume: true, "reason": true,
}

// members are the settings that modelSettings has a member for.
func members(s *hub.Settings) []settings.Member {
	return []settings.Member{
		{Name: "maxOutputTokens", At: &s.MaxTokens, Kind: '0'},
		{Name: "temperature", At: &s.Temperature, Kind: '0'},
		{Name: "topP", At: &s.TopP, Kind: '0'},
		{Name: "topK", At: &s.TopK, Kind: '0'},
		{Name: "seed", At: &s.Seed, Kind: '0'},
		{Name: "frequencyPenalty", At: &s.FrequencyPenalty, Kind: '0'},
		{Name: "presencePenalty", At: &s.PresencePenalty, Kind: '0'},
		{Name: "stopSequences", At: &s.Stop, Kind: '['},
	}
}

// choices are the values of toolChoice, but for one that names a tool.
var choices = map[string]hub.ChoiceMode{"auto": hub.ChoiceAuto, "none": hub.ChoiceNone, "required": hub.ChoiceRequired}

func decodeChoice(v rawjson.Value) (c hub.ToolChoice) {
	if name := rawjson.Text(v, "toolName"); len(name) > 0 {
		return hub.ToolChoice{Mode: hub.ChoiceRequired, Names: [][]byte{name}}
	}
	c.Mode = choices[string(rawjson.Body(v))]
	return c
}

// decodeTool reads a tool of the client, which is named by its key.
func decodeTool(name []byte, v rawjson.Value) hub.Tool {
	schema := rawjson.NotNull(rawjson.Get(v, "inputSchema"))
	if schema == nil {
		schema = rawjson.NotNull(rawjson.Get(v, "parameters"))
	}
	return hub.Tool{Name: name, Description: rawjson.Text(v, "description"), Schema: schema}
}
