package langgraph

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestUsageOfWholeAnswers: a state says once what the run has used, on the last message of the agent's in it, as the readers of streams find it.
func TestUsageOfWholeAnswers(t *testing.T) {
	text := func(role hub.Role, text string) hub.Message {
		return hub.Message{Role: role, Parts: []hub.Part{{Kind: hub.PartText, Text: []byte(text)}}}
	}
	used := hub.NoCounts
	used.In, used.Out, used.Cached = 5, 2, 1
	const counts = `"usage_metadata":{"input_tokens":5,"output_tokens":2,"total_tokens":7,"input_token_details":{"cache_read":1},"output_token_details":{}}`
	f := func(counted hub.Counts, want string, ms ...hub.Message) {
		t.Helper()
		req := hub.Request{Said: []hub.Message{text(hub.RoleUser, "q"), text(hub.RoleAgent, "before")}}
		got := string(appendAnswer(nil, hub.Options{}, &req, &hub.Run{Messages: ms, Usage: counted, Model: []byte("m")}, new(hub.Losses)))
		if !strings.Contains(got, want) || strings.Count(got, "usage_metadata") != strings.Count(want, "usage_metadata") {
			t.Errorf("want %s in\n%s", want, got)
		}
	}
	f(used, `"content":"b",`+counts+`,"response_metadata":{"model_name":"m"}}]`, text(hub.RoleAgent, "a"), text(hub.RoleAgent, "b"))
	f(used, `"content":"b",`+counts, text(hub.RoleAgent, "b"), hub.Message{Role: hub.RoleAgent}) // which is not written
	f(used, `"content":"before"},{"type":"ai","content":"",`+counts)
	f(hub.NoCounts, `"content":"b"}]`, text(hub.RoleAgent, "b"))
	f(hub.Counts{}, `"content":"b"}]`, text(hub.RoleAgent, "b"))
}
