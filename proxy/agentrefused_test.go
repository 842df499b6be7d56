package proxy

import (
	"strings"
	"testing"
)

// TestAgentStrict: what an agent that is a process has no place for is refused by name where the route is strict, and a request without a
// body is none.
func TestAgentStrict(t *testing.T) {
	t.Parallel()
	yaml := strings.Replace(agentConfig(t, "openai-chat", t.TempDir(), "", ""), "mode: translate", "mode: translate, strict: true", 1)
	r := start(t, yaml)
	r.call(t, 400, alice, "POST", "/run", chatRequest, `"code":"request_lossy"`, "claude-cli has no place for: model, messages.system, settings.seed, extra.")
	r.call(t, 400, alice, "POST", "/run", "", `"code":"request_unreadable"`)
	r.call(t, 200, alice, "POST", "/run", `{"stream":true,"messages":[{"role":"user","content":"hi"}]}`, "you said hi")
}

// TestTraceOfAnswersInTheTurn: a trace says how a question was answered in the middle of a turn, once.
func TestTraceOfAnswersInTheTurn(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	r := start(t, agentConfig(t, "openai-chat", t.TempDir(), "", ", asks: {without: allow}")+"tracing: {endpoint: '"+c.URL+"', sample: 100}\n")
	r.post("/run", `{"model":"m","stream":true,"messages":[{"role":"user","content":"delete"}]}`)
	r.awaitEnds(1)
	r.end()
	var answers []string
	for _, ev := range c.span(t, 1).Events {
		if ev.Name == "answer" {
			answers = append(answers, ev.Attributes[1].Value.GetStringValue())
		}
	}
	if len(answers) != 1 || answers[0] != "approved" {
		t.Errorf("the answers are %v", answers)
	}
}
