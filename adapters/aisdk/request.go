package aisdk

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/history"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// requests reads the body that DefaultChatTransport sends: {"id", "messages", "trigger", "messageId"?, …}.
type requests struct{ hub.AsItCame }

// DecodeRequest takes the id of the chat as the thread. Where the answer goes on with a message of the agent's, that is the
// run: a client would show another id as a second message. The calls that it has of that message are known.
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
	req.Thread, req.Body, req.MessageIDs = rawjson.Body(chat.ID), body, history.MessageIDs(chat.Messages)
	if message := continued(chat.Messages, rawjson.Body(chat.MessageID)); message != nil {
		req.Run, req.Known = rawjson.Body(rawjson.Get(message, "id")), knownCalls(message)
	}
	return nil
}

// continued returns the agent's message that the answer goes on with: the one that the request names, or the last of the
// history. nil if that is the user's.
func continued(history rawjson.Value, named []byte) (message rawjson.Value) {
	for it := rawjson.Elems(history); ; {
		v, ok := it.Next()
		if !ok {
			return message
		}
		agents := string(rawjson.Body(rawjson.Get(v, "role"))) == "assistant"
		if agents && len(named) > 0 && bytes.Equal(rawjson.Body(rawjson.Get(v, "id")), named) {
			return v
		}
		if message = nil; agents {
			message = v
		}
	}
}

// knownCalls lists the calls of a message as an object: by id, whether each is dynamic.
func knownCalls(message rawjson.Value) []byte {
	list := []byte{'{'}
	for it := rawjson.Elems(rawjson.Get(message, "parts")); ; {
		part, ok := it.Next()
		if !ok {
			break
		}
		id, kind := rawjson.Body(rawjson.Get(part, "toolCallId")), string(rawjson.Body(rawjson.Get(part, "type")))
		if len(id) == 0 || kind != "dynamic-tool" && !strings.HasPrefix(kind, "tool-") {
			continue
		}
		if len(list) > 1 {
			list = append(list, ',')
		}
		list = append(rawjson.AppendQuoted(list, id), ':')
		list = strconv.AppendBool(list, kind == "dynamic-tool")
	}
	return append(list, '}')
}
