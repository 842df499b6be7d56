package aisdk

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/history"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// requests reads the body that DefaultChatTransport sends: {"id", "messages", "trigger", "messageId"?, …}.
type requests struct{ hub.PassThrough }

// DecodeRequest takes the id of the chat as the thread. Where the answer goes on with a message of the agent's, that is the
// run: a client would show another id as a second message. Applications that keep the history on the server send the last
// message alone.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	var json rawjson.Decoder
	var chat struct {
		ID        rawjson.Value `json:"id"`
		MessageID rawjson.Value `json:"messageId"`
		Messages  rawjson.Value `json:"messages"`
		Message   rawjson.Value `json:"message"`
	}
	if err := json.Decode(body, &chat); err != nil {
		return hub.JSONError(err)
	}
	req.Thread, req.Body, req.MessageIDs = rawjson.Body(chat.ID), body, history.MessageIDs(chat.Messages)
	req.History.Known = rawjson.Kind(chat.Messages) == '['
	for message := range rawjson.Each(chat.Messages) {
		addCalls(&req.History, message)
	}
	if !req.History.Known {
		addCalls(&req.History, chat.Message)
	}
	message := continued(chat.Messages, rawjson.Body(chat.MessageID))
	if message == nil && isAgents(chat.Message) {
		message = chat.Message
	}
	req.Run = rawjson.Text(message, "id")
	return nil
}

// continued returns the agent's message that the answer goes on with: the one that the request names, or the last of the
// history. nil if that is the user's.
func continued(history rawjson.Value, named []byte) (message rawjson.Value) {
	for v := range rawjson.Each(history) {
		agents := isAgents(v)
		if agents && len(named) > 0 && bytes.Equal(rawjson.Text(v, "id"), named) {
			return v
		}
		if message = nil; agents {
			message = v
		}
	}
	return message
}

func isAgents(message rawjson.Value) bool {
	return string(rawjson.Text(message, "role")) == "assistant"
}

// addCalls adds the calls of a message.
func addCalls(h *hub.History, message rawjson.Value) {
	id := rawjson.Text(message, "id")
	for part := range rawjson.Each(rawjson.Get(message, "parts")) {
		kind := rawjson.Text(part, "type")
		name, static := bytes.CutPrefix(kind, []byte("tool-"))
		c := hub.PastCall{ID: rawjson.Text(part, "toolCallId"), Name: name, Msg: id}
		if c.Dynamic = string(kind) == "dynamic-tool"; c.Dynamic {
			c.Name = rawjson.Text(part, "toolName")
		} else if !static {
			continue
		}
		c.Args = rawjson.NotNull(rawjson.Get(part, "input"))
		c.Ask = rawjson.Text(part, "approval", "id")
		h.Add(c)
		switch string(rawjson.Text(part, "state")) {
		case "output-available", "output-error", "output-denied":
			h.Answer(c.ID)
		}
	}
}
