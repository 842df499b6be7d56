package simplified

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// requests reads the body of POST /api/chat.
type requests struct{ hub.PassThrough }

// DecodeRequest takes the id of the chat, and that of the user's message, by which client and server know the run: it is
// what /api/chat/cancel names. The message of the answer must have another.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	var json rawjson.Decoder
	var input struct {
		Message struct {
			MessageID rawjson.Value `json:"messageId"`
			ChatID    rawjson.Value `json:"chatId"`
		} `json:"message"`
		ChatID rawjson.Value `json:"chatId"` // once more, for older servers
	}
	if err := json.Decode(body, &input); err != nil {
		return hub.JSONError(err)
	}
	req.Run = rawjson.Body(input.Message.MessageID)
	req.Thread = rawjson.Body(input.Message.ChatID)
	if len(req.Thread) == 0 {
		req.Thread = rawjson.Body(input.ChatID)
	}
	req.Body = body
	return nil
}
