package openaichat_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/openaichat"
)

// TestReasoningHistory: reasoning goes back in the member that the agent has for it, and is a loss where it has none.
func TestReasoningHistory(t *testing.T) {
	const body = `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a","reasoning_content":"So."},{"role":"assistant","reasoning":"Only."}]}`
	for value, want := range map[string]string{
		"none":              `{"role":"assistant","content":"a"}]`,
		"reasoning_content": `{"role":"assistant","content":"a","reasoning_content":"So."}]`,
		"reasoning":         `{"role":"assistant","content":"a","reasoning":"So."}]`,
	} {
		req := hub.Request{Upstream: adaptertest.Options(t, &openaichat.Dialect, "reasoning_history="+value), Header: func(string) string { return "" }}
		if err := openaichat.Dialect.Requests.DecodeRequest(&req, []byte(body)); err != nil {
			t.Fatal(err)
		}
		var l hub.Losses
		got, err := openaichat.Dialect.RequestWriter()(nil, &req, &l)
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s: %v, want %s in %s", value, err, want, got)
		}
		if lost := strings.Join(l.Names, ","); lost != "messages.reasoning" { // of the message that has nothing else
			t.Errorf("%s: lost %s", value, lost)
		}
	}
}
