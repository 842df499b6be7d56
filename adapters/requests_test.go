package adapters_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestPrompts: agents that keep the conversation, and take a prompt, get what the user says that is new, in the body that their
// servers take; a request that says nothing new is refused.
func TestPrompts(t *testing.T) {
	f := func(dialect, want, losses string) {
		t.Helper()
		d, err := adapters.Lookup(dialect)
		if err != nil {
			t.Fatal(err)
		}
		say := func(role hub.Role, text string) hub.Message {
			return hub.Message{Role: role, Parts: []hub.Part{{Kind: hub.PartText, Text: []byte(text)}}}
		}
		req := &hub.Request{
			Thread: []byte("t-1"), Model: []byte("openai/gpt-5"), Unique: []byte("u7"),
			Messages: []hub.Message{say(hub.RoleSystem, "Be brief."), say(hub.RoleUser, "Hi"), say(hub.RoleAgent, "Hello."), say(hub.RoleUser, `a\nb`)},
		}
		var l hub.Losses
		got, err := d.RequestWriter()(nil, req, &l)
		if err != nil || string(got) != want || strings.Join(l.Names, " ") != losses {
			t.Errorf("%s: got %s, losses %q, %v\nwant %s", dialect, got, l.Names, err, want)
		}
		req.Messages = req.Messages[:3]
		if got, err := d.RequestWriter()(nil, req, &l); err == nil {
			t.Errorf("%s: nothing new became %s", dialect, got)
		}
	}
	f("agentevent", `{"conversationId":"t-1","role":"user","content":"a\nb"}`, "messages.system")
	f("copilot", `{"prompt":"a\nb"}`, "messages.system")
	f("simplified", `{"message":{"messageId":"u7","chatId":"t-1","content":"a\nb"},"focusMode":"webSearch",`+
		`"history":[["human","Hi"],["assistant","Hello."]],"files":[],"chatModel":{"provider":"openai","name":"gpt-5"}}`, "messages.system")
}
