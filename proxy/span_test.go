package proxy

import (
	"strings"
	"testing"
)

// TestTracesOfQuestions: a span has the questions of a run, and what became of them, with its model and its tokens.
func TestTracesOfQuestions(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	a := newAgent(t, streaming(lines(lineStart, `{"kind":"tool.start","id":"c1","name":"look_up"}`,
		`{"kind":"ask","id":"q1","ref":"c1","what":"permission"}`, `{"kind":"answer","id":"q1","status":"expired"}`,
		`{"kind":"tool.end","id":"c1","name":"look_up","status":"ok","text":"x"}`,
		`{"kind":"usage","scope":"run","usage":{"in":11,"out":1,"cached":5,"reasoning":3}}`, lineEnd)))
	r := start(t, simple(a.url(), "tracing: {endpoint: '"+c.URL+"'}\n", "", "client: openai-chat\nrequests: {mode: translate}\n"))
	r.post("/run", `{"model":"m-9","stream":true,"messages":[{"role":"user","content":"x"}]}`)
	r.awaitEnds(1)
	span := c.span(t, 1)
	text := strings.ReplaceAll(span.String(), `"`, "")
	for _, want := range []string{"sabir.ask.id", "q1", "sabir.ask.status", "expired", "gen_ai.request.model", "m-9", "gen_ai.usage.output_tokens", "int_value:11"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in the span: %s", want, text)
		}
	}
	events := map[string]int{}
	for _, e := range span.Events {
		events[e.Name]++
	}
	if events["ask"] != 1 || events["answer"] != 1 || events["tool"] != 1 || events["ending"] != 1 {
		t.Errorf("events %v", events)
	}
	if n := r.metric("sabir_token_gap_seconds"); n != 0 {
		t.Errorf("the pauses of one token are measured %v times", n)
	}
}
