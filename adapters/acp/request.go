package acp

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// requests reads a message of a client: the prompt that opens a turn, most of all.
type requests struct{ hub.PassThrough }

// DecodeRequest takes the id that the response must have, and the session that the updates are of. Over HTTP the session
// is in the header as well.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	var json rawjson.Decoder
	var call struct {
		ID     rawjson.Value `json:"id"`
		Params struct {
			SessionID rawjson.Value `json:"sessionId"`
			Version   rawjson.Value `json:"protocolVersion"`
		} `json:"params"`
	}
	if err := json.Decode(body, &call); err != nil {
		return hub.JSONError(err)
	}
	if k := rawjson.Kind(call.ID); k == '"' || k == '0' {
		req.Call = call.ID
	}
	req.Thread, req.Body = rawjson.Body(call.Params.SessionID), body
	if len(req.Thread) == 0 && req.Header != nil {
		req.Thread = rawjson.AppendEscaped(nil, []byte(req.Header("Acp-Session-Id")))
	}
	if rawjson.Kind(call.Params.Version) == '0' {
		req.Version = call.Params.Version
	}
	return nil
}
