package aisdk

import (
	"hash/fnv"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// requests reads the body that DefaultChatTransport sends: {"id", "messages", "trigger", "messageId"?, …}.
type requests struct{}

// DecodeRequest takes the id of the chat as the thread. The run is the id of the message that the answer belongs to: the
// last of the history where that is the agent's, for the answer then goes on with it, and a client would show another id as
// a second message. Else it is made of the body, which holds the user's new message: the same for the same request, and
// different for every other.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	var json rawjson.Decoder
	var chat struct {
		ID       rawjson.Value `json:"id"`
		Messages rawjson.Value `json:"messages"`
	}
	if err := json.Decode(body, &chat); err != nil {
		return hub.JSONError(err)
	}
	req.Thread, req.Body = optional(chat.ID), body
	if last := lastOf(chat.Messages); string(optional(rawjson.Get(last, "role"))) == "assistant" {
		req.Run = optional(rawjson.Get(last, "id"))
	}
	if len(req.Run) == 0 {
		h := fnv.New64a()
		_, _ = h.Write(body) // never fails
		req.Run = strconv.AppendUint([]byte("msg_"), h.Sum64(), 16)
	}
	return nil
}

// lastOf returns the last element of an array, nil if there is none.
func lastOf(list rawjson.Value) (last rawjson.Value) {
	for it := rawjson.Elems(list); ; {
		v, ok := it.Next()
		if !ok {
			return last
		}
		last = v
	}
}

// AppendRequest appends the body as it came.
func (requests) AppendRequest(dst []byte, req *hub.Request) ([]byte, error) {
	return append(dst, req.Body...), nil
}
