package adapters_test

import (
	"slices"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestDemandedMembers: what a client cannot leave out is counted where it is lost, and is not why a strict route refuses the request. What the
// client has chosen besides is, and so is a value that cannot be read.
func TestDemandedMembers(t *testing.T) {
	f := func(from, to, body string, lost, chosen []string) {
		t.Helper()
		req := readFrom(t, from, body)
		var l hub.Losses
		if _, err := dialectOf(t, to).RequestWriter()(nil, req, &l); err != nil {
			t.Fatalf("%s to %s: %v", from, to, err)
		}
		if got := req.Chosen(&l); !slices.Equal(l.Names, lost) || !slices.Equal(got, chosen) {
			t.Errorf("%s to %s: %q are lost, %q by choice, want %q and %q: %s", from, to, l.Names, got, lost, chosen, body)
		}
	}
	asks := func(more string) string {
		return `{"model":"m","messages":[{"role":"user","content":"q"}]` + more + `}`
	}
	most := []string{"settings.max_tokens"}
	for _, to := range []string{"a2a", "acp", "adk", "agentevent", "agui", "aisdk", "claude-cli", "copilot", "langgraph", "simplified"} {
		f("anthropic", to, asks(`,"max_tokens":9`), most, nil)
		f("anthropic", to, asks(`,"max_tokens":9,"top_k":4`), append(most, "settings.top_k"), []string{"settings.top_k"})
		f("anthropic", to, asks(`,"max_tokens":"hot"`), most, most)
		f("openai-chat", to, asks(`,"max_completion_tokens":9`), most, most)
	}
	f("anthropic", "openai-chat", asks(`,"max_tokens":9`), nil, nil)

	runs := `{"appName":"a","userId":"ann","sessionId":"s","newMessage":{"role":"user","parts":[{"text":"q"}]}}`
	f("adk", "agentevent", runs, []string{"settings.user"}, nil)
	f("openai-chat", "agentevent", asks(`,"user":"ann"`), []string{"settings.user"}, []string{"settings.user"})

	chats := func(more string) string {
		return `{"message":{"messageId":"m","chatId":"c","content":"q"},"history":[],"files":[],"embeddingModel":{"provider":"p","name":"e"},` + more + `}`
	}
	extra := []string{"extra"}
	f("simplified", "agentevent", chats(`"focusMode":"webSearch","selectedSystemPromptIds":[]`), extra, nil)
	f("simplified", "agentevent", chats(`"focusMode":"chat"`), extra, extra)
	f("simplified", "agentevent", chats(`"focusMode":"webSearch","selectedSystemPromptIds":["p"]`), extra, extra)
}
