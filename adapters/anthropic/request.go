package anthropic

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/history"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// requests reads the body of POST /v1/messages.
type requests struct{ hub.PassThrough }

// DecodeRequest takes what the answer depends on: the name of the model, and the version that the client speaks. The
// stream is the same in all versions so far. Clients always get the usage.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	var json rawjson.Decoder
	var input struct {
		Model    rawjson.Value `json:"model"`
		Messages rawjson.Value `json:"messages"`
		Tools    rawjson.Value `json:"tools"`
	}
	if err := json.Decode(body, &input); err != nil {
		return hub.JSONError(err)
	}
	req.Model, req.Usage, req.Body = rawjson.Body(input.Model), true, body
	req.Tools.Known = true // nothing else tells the model of a tool
	history.Each(input.Tools, func(tool rawjson.Value) { req.Tools.Add(rawjson.Text(tool, "name")) })
	history.Each(input.Messages, func(m rawjson.Value) {
		history.Each(rawjson.Get(m, "content"), func(block rawjson.Value) { addBlock(&req.History, block) })
	})
	if req.Header != nil {
		req.Version = rawjson.AppendEscaped(nil, []byte(req.Header("anthropic-version")))
	}
	return nil
}

// addBlock adds a call, or the result of one.
func addBlock(h *hub.History, block rawjson.Value) {
	kind := rawjson.Text(block, "type")
	switch {
	case bytes.HasSuffix(kind, []byte("tool_use")):
		h.Add(hub.PastCall{
			ID: rawjson.Text(block, "id"), Name: rawjson.Text(block, "name"), Args: rawjson.NotNull(rawjson.Get(block, "input")),
			ClientRuns: string(kind) == "tool_use",
		})
	case bytes.HasSuffix(kind, []byte("tool_result")):
		h.Answer(rawjson.Text(block, "tool_use_id"))
	}
}
