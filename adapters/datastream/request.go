package datastream

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/history"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// requests reads the body that useChat of version 4 sends, {"id", "messages", …}, or that of assistant-ui, which has a
// threadId in place of the id.
type requests struct{ hub.PassThrough }

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
	req.History.Known = rawjson.Kind(chat.Messages) == '['
	history.Each(chat.Messages, func(m rawjson.Value) {
		last = m
		id := rawjson.Text(m, "id")
		history.Each(rawjson.Get(m, "toolInvocations"), func(v rawjson.Value) { addCall(&req.History, v, id) })
		history.Each(rawjson.Get(m, "parts"), func(v rawjson.Value) { addCall(&req.History, rawjson.Get(v, "toolInvocation"), id) })
	})
	if string(rawjson.Text(last, "role")) == "assistant" {
		req.Run = rawjson.Text(last, "id")
	}
	return nil
}

// addCall adds a call of a message. Messages have theirs twice: in a list of their own, and among the parts.
func addCall(h *hub.History, v rawjson.Value, message []byte) {
	id := rawjson.Text(v, "toolCallId")
	if c := h.Find(id); c == nil || !bytes.Equal(c.Msg, message) {
		h.Add(hub.PastCall{ID: id, Name: rawjson.Text(v, "toolName"), Args: rawjson.NotNull(rawjson.Get(v, "args")), Msg: message})
	}
	if string(rawjson.Text(v, "state")) == "result" {
		h.Answer(id)
	}
}
