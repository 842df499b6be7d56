package simplified

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// writeRequest writes the body of POST /api/chat: the user's message, and before it what both have said, as pairs of who and
// what. A model is named with its provider, openai/gpt-5; servers want one.
func writeRequest(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, error) {
	prompt, err := conversation.Prompt(req, l)
	if err != nil {
		return dst, err
	}
	history, _ := conversation.SplitInput(req.Messages)
	w := jsonwriter.New(dst)
	w.Open('{')
	w.OpenAt("message", '{')
	w.Text("messageId", rawjson.First(req.Run, req.Unique))
	w.Text("chatId", rawjson.First(req.Thread, req.Unique))
	w.Text("content", prompt)
	w.Close('}')
	w.Const("focusMode", "webSearch")
	appendHistory(w, history)
	w.Value("files", []byte("[]"))
	if provider, name, ok := bytes.Cut(req.Model, []byte("/")); ok {
		w.OpenAt("chatModel", '{')
		w.Text("provider", provider)
		w.Text("name", name)
		w.Close('}')
	}
	w.Close('}')
	return w.Buf, nil
}

func appendHistory(w *jsonwriter.Writer, history []hub.Message) {
	who := map[hub.Role]string{hub.RoleUser: "human", hub.RoleAgent: "assistant"}
	w.OpenAt("history", '[')
	for i := range history {
		role, text := who[history[i].Role], conversation.Texts(&history[i])
		if role == "" || len(text) == 0 {
			continue
		}
		w.Open('[')
		w.String([]byte(role))
		w.String(text)
		w.Close(']')
	}
	w.Close(']')
}
