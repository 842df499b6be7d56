package proxy

import (
	"fmt"
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

// TestAgentStrictToDemands: a strict route does not refuse a client for what its API demands, whether the agent is a process or a server. It is
// counted all the same, and a refusal for something else does not name it.
func TestAgentStrictToDemands(t *testing.T) {
	t.Parallel()
	const asks = `{"stream":true,"max_tokens":9,%s"messages":[{"role":"user","content":"hi"}]}`
	agent := newAgent(t, streaming(smallRun))
	for to, yaml := range map[string]string{
		"claude-cli": strings.Replace(agentConfig(t, "anthropic", t.TempDir(), "", ""), "mode: translate", "mode: translate, strict: true", 1),
		"native":     simple(agent.url(), "", `request: '{"prompt":"$input"}'`, "client: anthropic\nrequests: {strict: true}"),
	} {
		r := start(t, yaml)
		r.call(t, 400, alice, "POST", "/run", fmt.Sprintf(asks, `"top_k":4,`), to+" has no place for: settings.top_k.")
		r.call(t, 200, alice, "POST", "/run", fmt.Sprintf(asks, ""), "message_stop")
		if n := r.metric("sabir_request_losses_total", "field=settings.max_tokens"); n != 1 {
			t.Errorf("%s: max_tokens was counted %v times", to, n)
		}
	}
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
