package copilot

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
)

// writeRequest writes the body of a POST to the messages of a session: {"prompt"}. The server keeps the session, which its path
// names.
func writeRequest(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, error) {
	prompt, err := conversation.Prompt(req, l)
	if err != nil {
		return dst, err
	}
	w := jsonwriter.New(dst)
	w.Open('{')
	w.Text("prompt", prompt)
	w.Close('}')
	return w.Buf, nil
}
