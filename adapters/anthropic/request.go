package anthropic

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// requests reads the body of POST /v1/messages.
type requests struct{ hub.AsItCame }

// DecodeRequest takes what the answer depends on: the name of the model, and the version that the client speaks. The
// stream is the same in all versions so far. Clients always get the usage.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	var json rawjson.Decoder
	var input struct {
		Model rawjson.Value `json:"model"`
	}
	if err := json.Decode(body, &input); err != nil {
		return hub.JSONError(err)
	}
	req.Model, req.Usage, req.Body = rawjson.Body(input.Model), true, body
	if req.Header != nil {
		req.Version = rawjson.AppendEscaped(nil, []byte(req.Header("anthropic-version")))
	}
	return nil
}
