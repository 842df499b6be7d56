package datastream

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
)

// requests reads the body that useChat of version 4 sends, {"id", "messages", …}, or that of assistant-ui, which has a
// threadId in place of the id. It writes the former.
type requests struct{}

// DecodeRequest takes the id of the chat as the thread. Where the answer goes on with a message of the agent's, the last of
// the history, that is the run: a client would show another id as a second message.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	var json rawjson.Decoder
	var chat struct {
		ID       rawjson.Value `json:"id"`
		ThreadID rawjson.Value `json:"threadId"`
		Messages rawjson.Value `json:"messages"`
		System   rawjson.Value `json:"system"`
		Tools    rawjson.Value `json:"tools"`
		State    rawjson.Value `json:"state"`
		All      rawjson.Object
	}
	if err := json.Decode(body, &chat); err != nil {
		return hub.JSONError(err)
	}
	req.Body = body
	if req.Thread = rawjson.Body(chat.ID); req.Thread == nil {
		req.Thread = rawjson.Body(chat.ThreadID)
	}
	if err := conversation.WantList("messages", chat.Messages); err != nil {
		return err
	}
	if req.Partial = rawjson.Kind(chat.Messages) != '['; !req.Partial {
		b := conversation.Builder{}
		if text := rawjson.Body(chat.System); len(text) > 0 {
			b.Begin(hub.RoleSystem, nil)
			b.Add(hub.Part{Kind: hub.PartText, Text: text})
		}
		req.Messages, _ = messages{}.DecodeMessages(b.Messages, chat.Messages)
	}
	req.Tools.Known = rawjson.Kind(chat.Tools) == '{' && !rawjson.IsEmptyObject(chat.Tools)
	conversation.ReadNamedTools(req, chat.Tools, decodeTool)
	conversation.MarkClients(req.Messages, &req.Tools)
	req.State, req.Extra = rawjson.NotNull(chat.State), conversation.Others(&chat.All, Dialect.Name, "id", "threadId", "messages", "system", "tools", "state")
	if n := len(req.Messages); n > 0 && req.Messages[n-1].Role == hub.RoleAgent {
		req.Run = req.Messages[n-1].ID
	}
	req.Remember(true)
	return nil
}

// decodeTool reads a tool of assistant-ui, which is one of the client, by its name.
func decodeTool(name []byte, v rawjson.Value) hub.Tool {
	return hub.Tool{Name: name, Description: rawjson.Text(v, "description"), Schema: rawjson.NotNull(rawjson.Get(v, "parameters"))}
}

// AppendRequest writes the body of useChat. Answers to questions have no place in it.
func (requests) AppendRequest(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, error) {
	w := jsonwriter.New(dst)
	w.Open('{')
	w.Text("id", rawjson.First(req.Thread, append([]byte("chat-"), rawjson.Or(req.Unique, "1")...)))
	w.Key("messages")
	w.Append(func(dst []byte) []byte { return messages{}.AppendMessages(dst, conversation.Ready(req.Messages), l) })
	for key, value := range rawjson.EachField(req.Extra.Of(Dialect.Name)) {
		w.Value(string(key), value)
	}
	w.Close('}')
	settings.LostAll(req, l)
	l.AddIf("tools", len(req.Tools.Defs) > 0)
	conversation.LostBeside(req, Dialect.Name, l)
	return w.Buf, nil
}
