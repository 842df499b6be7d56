package adapters_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestBodiesOfOtherDialects: a client that speaks another dialect than its route says learns that, or what it says is read all the same. It must
// not be that the agent is asked without a word of it.
func TestBodiesOfOtherDialects(t *testing.T) {
	bodies := map[string]string{
		"chat":      `{"model":"m","messages":[{"role":"user","content":"Hi"}]}`,
		"aisdk":     `{"id":"c","messages":[{"id":"m1","role":"user","parts":[{"type":"text","text":"Hi"}]}],"trigger":"submit-message"}`,
		"agui":      `{"threadId":"t","runId":"r","messages":[{"id":"m1","role":"user","content":"Hi"}],"tools":[],"context":[]}`,
		"responses": `{"model":"m","input":"Hi"}`,
		"gemini":    `{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}`,
	}
	read := 0
	for _, d := range adapters.All() {
		if d.Messages == nil {
			continue
		}
		name := d.Name
		for of, body := range bodies {
			req := hub.Request{Header: func(string) string { return "" }}
			err := d.Requests.DecodeRequest(&req, []byte(body))
			switch {
			case err != nil:
				if !strings.Contains(err.Error(), "missing") && !strings.Contains(err.Error(), "unknown: want") {
					t.Errorf("%s, body of %s: %v", name, of, err)
				}
			case strings.Contains(string(conversation.AppendTexts(nil, req.Messages, "\n")), "Hi"):
				read++
			case req.Other: // refused, as it asks for no turn
			case req.Partial && len(req.Thread) == 0: // refused where the agent needs what was said, as all do without a thread
			default:
				if !req.Partial {
					t.Errorf("%s, body of %s: nothing of it would reach the agent", name, of)
				}
			}
		}
	}
	if read < 5 {
		t.Errorf("only %d bodies were read", read)
	}
}
