package agui

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/history"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// requests reads RunAgentInput, the body that opens a run.
type requests struct{ hub.PassThrough }

// DecodeRequest takes the names that the client has for the conversation and the run, so that the stream can echo
// them. Both are required by the protocol; a body without them is left to the agent to refuse.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	var json rawjson.Decoder
	var input struct {
		ThreadID rawjson.Value `json:"threadId"`
		RunID    rawjson.Value `json:"runId"`
		Messages rawjson.Value `json:"messages"`
		Tools    rawjson.Value `json:"tools"`
	}
	if err := json.Decode(body, &input); err != nil {
		return hub.JSONError(err)
	}
	req.Thread, req.Run, req.Body = rawjson.Body(input.ThreadID), rawjson.Body(input.RunID), body
	req.MessageIDs = history.MessageIDs(input.Messages)
	req.Tools.Known = rawjson.Kind(input.Tools) == '['
	history.Each(input.Tools, func(tool rawjson.Value) { req.Tools.Add(rawjson.Text(tool, "name")) })
	req.History.Known = rawjson.Kind(input.Messages) == '['
	history.Each(input.Messages, func(m rawjson.Value) {
		history.AddFunctions(&req.History, rawjson.Get(m, "toolCalls"), rawjson.Text(m, "id"), req.Tools.Has)
		if string(rawjson.Text(m, "role")) == "tool" {
			req.History.Answer(rawjson.Text(m, "toolCallId"))
		}
	})
	return nil
}
