package proxy

import (
	"net/http"
	"strings"
	"testing"
)

// TestVersions: a dialect may live in versions that its clients do not share. A stream is copied for a client of the
// upstream's version, and translated for one of another, with the id of the call that it answers.
func TestVersions(t *testing.T) {
	t.Parallel()
	sse := func(results ...string) string {
		return `data: {"jsonrpc":"2.0","id":7,"result":` + strings.Join(results, "}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":") + "}\n\n"
	}
	newer := sse(`{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_SUBMITTED"},"history":[]}}`,
		`{"artifactUpdate":{"taskId":"t1","contextId":"c1","artifact":{"artifactId":"a1","parts":[{"text":"Hi"}]},"lastChunk":true}}`,
		`{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}}`)
	older := sse(`{"kind":"task","id":"t1","contextId":"c1","status":{"state":"submitted"},"history":[]}`,
		`{"kind":"artifact-update","taskId":"t1","contextId":"c1","artifact":{"artifactId":"a1","parts":[{"kind":"text","text":"Hi"}]},"lastChunk":true}`,
		`{"kind":"status-update","taskId":"t1","contextId":"c1","status":{"state":"completed"},"final":true}`)
	asks := map[string]string{
		"1.0": `{"jsonrpc":"2.0","id":7,"method":"SendStreamingMessage","params":{"message":{"messageId":"u","role":"ROLE_USER","parts":[{"text":"hi"}]}}}`,
		"0.3": `{"jsonrpc":"2.0","id":7,"method":"message/stream","params":{"message":{"kind":"message","messageId":"u","role":"user","parts":[{"kind":"text","text":"hi"}]}}}`,
	}
	f := func(upstream, body, client string, copied bool, wants ...string) {
		t.Run(client+" before "+upstream, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, streaming(body))
			up := ""
			if upstream != "" {
				up = "options: {version: \"" + upstream + "\"}\n"
			}
			r := start(t, strings.ReplaceAll(simple(a.url(), "", up, "client: a2a\n"), "dialect: native", "dialect: a2a"))
			resp, got := r.post("/run", asks[client])
			if resp.StatusCode != http.StatusOK || (got == body) != copied {
				t.Fatalf("status %d, copied %t, got\n%s", resp.StatusCode, got == body, got)
			}
			for _, want := range wants {
				if !strings.Contains(got, want) {
					t.Errorf("there is no %s in\n%s", want, got)
				}
			}
		})
	}
	f("1.0", newer, "1.0", true)
	f("0.3", older, "0.3", true)
	f("", newer, "1.0", true)
	f("1.0", newer, "0.3", false, `"id":7,"result":{"kind":"task","id":"t1","contextId":"c1"`, `{"kind":"text","text":"Hi"}`, `"state":"completed"},"final":true`)
	f("0.3", older, "1.0", false, `"id":7,"result":{"task":{"id":"t1","contextId":"c1"`, `"parts":[{"text":"Hi"}]`, `"TASK_STATE_COMPLETED"`)
}
