package aisdk

import (
	"bytes"
	"hash/fnv"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// requests reads the body that DefaultChatTransport sends: {"id", "messages", "trigger", "messageId"?, …}.
type requests struct{}

// DecodeRequest takes the id of the chat as the thread. The run is the id of the message that the answer belongs to. Where
// that is the agent's, the answer goes on with it, and a client would show another id as a second message. Else it is made of
// the body, which holds the user's new message: the same for the same request, and different for every other.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	var json rawjson.Decoder
	var chat struct {
		ID        rawjson.Value `json:"id"`
		MessageID rawjson.Value `json:"messageId"`
		Messages  rawjson.Value `json:"messages"`
	}
	if err := json.Decode(body, &chat); err != nil {
		return hub.JSONError(err)
	}
	req.Thread, req.Body = optional(chat.ID), body
	req.Run = continued(chat.Messages, optional(chat.MessageID))
	if len(req.Run) == 0 {
		h := fnv.New64a()
		_, _ = h.Write(body) // never fails
		req.Run = strconv.AppendUint([]byte("msg_"), h.Sum64(), 16)
	}
	return nil
}

// continued returns the id of the agent's message that the answer goes on with: the one that the request names, or the last
// of the history. nil if that is the user's.
func continued(history rawjson.Value, named []byte) (id []byte) {
	for it := rawjson.Elems(history); ; {
		v, ok := it.Next()
		if !ok {
			return id
		}
		this := optional(rawjson.Get(v, "id"))
		agents := string(optional(rawjson.Get(v, "role"))) == "assistant"
		if agents && len(named) > 0 && bytes.Equal(this, named) {
			return this
		}
		if id = nil; agents {
			id = this
		}
	}
}

// AppendRequest appends the body as it came.
func (requests) AppendRequest(dst []byte, req *hub.Request) ([]byte, error) {
	return append(dst, req.Body...), nil
}
