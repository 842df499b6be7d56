package proxy

import (
	"strings"
	"testing"
)

// TestShapeWhole: an answer in one piece says what a stream says that its dialect has no form for, and keeps back what the route keeps back.
func TestShapeWhole(t *testing.T) {
	t.Parallel()
	run := strings.Join([]string{
		lineStart,
		`{"kind":"text.start","id":"h","chan":"reasoning"}`,
		`{"kind":"text.delta","id":"h","chan":"reasoning","text":"hm"}`,
		`{"kind":"text.end","id":"h","chan":"reasoning"}`,
		`{"kind":"tool.start","id":"t","name":"internal_log"}`,
		`{"kind":"tool.end","id":"t","name":"internal_log","status":"ok","text":"x"}`,
		`{"kind":"plan","items":[{"content":"look","status":"completed"}]}`,
		`{"kind":"notice","level":"warning","text":"slow today"}`,
		`{"kind":"text.delta","id":"a","text":"Hello"}`,
		lineEnd,
	}, "\n") + "\n"
	f := func(shape string, want, never []string) {
		t.Helper()
		a := newAgent(t, func(p *peer) {
			p.request()
			p.ok("Content-Type: application/x-ndjson")
			p.finish(run)
		})
		r := start(t, simple(a.url(), "", "", "client: gemini-interactions\nrequests: {mode: translate}\nshape: "+shape+"\n"))
		got := r.call(t, 200, alice, "POST", "/run", `{"model":"m","input":"hi"}`)
		inOrder(t, shape, got, want)
		for _, s := range never {
			if strings.Contains(got, s) {
				t.Errorf("%s: %s is still there: %s", shape, s, got)
			}
		}
		r.awaitEnds(1)
	}
	f("{}", []string{`"thought"`, "hm", "internal_log", "- [x] look", "[warning: ", `"Hello"`}, nil)
	f("{policy: {plan: drop, notice: drop, reasoning: drop}}", []string{"internal_log", `"Hello"`}, []string{"hm", "look", "[warning"})
	f("{policy: {reasoning: fold}}", []string{`<think>\nhm\n</think>`, `"Hello"`}, []string{`"thought"`})
	f(`{filter: {tools: ["internal_*"], classes: [plan]}}`, []string{"hm", "[warning: ", `"Hello"`}, []string{"internal_log", "look"})
}

// TestQuestionsInOnePiece: a run that ends with a question says it in an answer in one piece, too, where the client's dialect has no form for it.
func TestQuestionsInOnePiece(t *testing.T) {
	t.Parallel()
	run := strings.Join([]string{
		lineStart,
		`{"kind":"text.delta","id":"a","text":"Hello"}`,
		`{"kind":"text.end","id":"a"}`,
		`{"kind":"tool.start","id":"t","name":"delete"}`,
		`{"kind":"tool.ready","id":"t","args":{}}`,
		`{"kind":"ask","id":"q","ref":"t","what":"permission","title":"Delete a.txt?"}`,
		`{"kind":"ask","id":"w","what":"question","title":"Which one?"}`,
		`{"kind":"run.end","status":"paused"}`,
	}, "\n") + "\n"
	f := func(client, shape, body string, want ...string) {
		t.Helper()
		a := newAgent(t, func(p *peer) {
			p.request()
			p.ok("Content-Type: application/x-ndjson")
			p.finish(run)
		})
		r := start(t, simple(a.url(), "", "", "client: "+client+"\nrequests: {mode: translate}\nshape: "+shape+"\n"))
		got := r.call(t, 200, alice, "POST", "/run", body)
		inOrder(t, client, got, want)
		if n := strings.Count(got, "[permission") + strings.Count(got, "mcp_approval_request") + strings.Count(got, "[question"); n != len(want)-1 {
			t.Errorf("%s says %d questions, want %d: %s", client, n, len(want)-1, got)
		}
		r.awaitEnds(1)
	}
	const chat = `{"model":"m","messages":[{"role":"user","content":"hi"}]}`
	f("openai-chat", "{}", chat, "Hello", "[permission: Delete a.txt?]", "[question: Which one?]")
	f("openai-chat", "{policy: {asks: drop}}", chat, "Hello")
	f("anthropic", "{}", `{"max_tokens":9,`+chat[1:], "Hello", "[permission: Delete a.txt?]", "[question: Which one?]")
	f("openai-responses", "{}", `{"model":"m","input":"hi"}`, "Hello", "[question: Which one?]", `"mcp_approval_request"`)
}
