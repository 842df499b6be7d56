package datastream

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/history"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// requests reads the body that useChat of version 4 sends, {"id", "messages", …}, or that of assistant-ui, which has a
// threadId in place of the id.
type requests struct{ hub.AsItCame }

// DecodeRequest takes the id of the chat as the thread. Where the answer goes on with a message of the agent's, the last of
// the history, that is the run: a client would show another id as a second message.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	var json rawjson.Decoder
	var chat struct {
		ID       rawjson.Value `json:"id"`
		ThreadID rawjson.Value `json:"threadId"`
		Messages rawjson.Value `json:"messages"`
	}
	if err := json.Decode(body, &chat); err != nil {
		return hub.JSONError(err)
	}
	req.Body = body
	if req.Thread = rawjson.Body(chat.ID); req.Thread == nil {
		req.Thread = rawjson.Body(chat.ThreadID)
	}
	req.MessageIDs = history.MessageIDs(chat.Messages)
	var last rawjson.Value
	for it := rawjson.Elems(chat.Messages); ; {
		v, ok := it.Next()
		if !ok {
			break
		}
		last = v
	}
	if string(rawjson.Body(rawjson.Get(last, "role"))) == "assistant" {
		req.Run = rawjson.Body(rawjson.Get(last, "id"))
	}
	return nil
}
