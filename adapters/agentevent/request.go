package agentevent

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
)

// writeRequest writes the body that starts a run: {"conversationId","role":"user","content"}. The server keeps the conversation.
func writeRequest(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, error) {
	prompt, err := conversation.Prompt(req, l)
	if err != nil {
		return dst, err
	}
	w := jsonwriter.New(dst)
	w.Open('{')
	w.TextIf("conversationId", req.Thread)
	w.Const("role", "user")
	w.Text("content", prompt)
	w.Close('}')
	settings.LostAll(req, l)
	return w.Buf, nil
}
