package copilot

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// requests reads what opens a stream: a WebSocket message of Caco's clients (subscribe, requestHistory), a JSON-RPC
// request of the SDK's, or the body of a POST, which names its session in the path instead.
type requests struct{ hub.PassThrough }

// DecodeRequest takes the session that the request names, if any.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	req.Body = body
	var json rawjson.Decoder
	var in struct {
		SessionID rawjson.Value `json:"sessionId"`
		Params    rawjson.Value `json:"params"`
	}
	if err := json.Decode(body, &in); err != nil {
		return hub.JSONError(err)
	}
	req.Thread = rawjson.First(rawjson.Body(in.SessionID), rawjson.Text(in.Params, "sessionId"))
	return nil
}
