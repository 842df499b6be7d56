package main

import "testing"

const chatBody = `{"model":"m","seed":7,"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}],"stream":true}`

func TestTranslateRequest(t *testing.T) {
	f := func(status int, body, stdout, stderr string, args ...string) {
		t.Helper()
		sabir(t, body, append([]string{"translate", "--request"}, args...)...).want(t, status, stdout, stderr)
	}
	f(exitOK, chatBody, `"system":[{"type":"text","text":"Be brief."`, "lost: settings.seed\n", "--from", "openai-chat", "--to", "anthropic")
	f(exitOK, `{"id":"c","messages":[{"id":"1","role":"user","parts":[{"type":"text","text":"Hi"}]}],"trigger":"submit-message"}`,
		`{"model":"gpt-5","messages":[{"role":"user","content":"Hi"}]`, "", "--from", "aisdk", "--to", "openai-chat", "--model", "gpt-5")
	mine := write(t, "mine.yaml", `decode: [{type: x, emit: run.end}]
type: t
request: '{"prompt":"$input"}'
`)
	f(exitOK, chatBody, `{"prompt":"Hi"}`, "lost: messages.system\nlost: settings.seed\n", "--from", "openai-chat", "--to", "mine", "--declare", mine)
	bare := write(t, "bare.yaml", "decode: [{type: x, emit: run.end}]\ntype: t\n")
	f(exitUsage, "", "", "the description of bare does not say what a request is: give it the key request", "--from", "openai-chat", "--to", "bare", "--declare", bare)
	f(exitFailed, `{"messages":[{"role":"robot"}]}`, "", "messages.0.role: unknown", "--from", "openai-chat", "--to", "agui")
	f(exitUsage, "", "", "requests of evolve are not read; those of", "--from", "evolve", "--to", "agui")
	f(exitUsage, "", "", "requests of evolve are not written; those of", "--from", "agui", "--to", "evolve")
}

func TestTranslateWhole(t *testing.T) {
	run := runStart + text + textEnd + runEnd
	got := sabir(t, run, "translate", "--whole", "--from", "native", "--to", "openai-chat")
	got.want(t, exitOK, `"message":{"role":"assistant","content":"Hello"`, "")
	sabir(t, runStart+text+runFails, "translate", "--whole", "--from", "native", "--to", "openai-chat").want(t, exitFailed, "", "the run has no answer, it ended as failed")
	// Half an answer is none.
	for stream, why := range map[string]string{
		runStart + text: "it has no end of its own; there is no answer",
		runStart + text + `{"kind":"run.end","status":"truncated"}` + "\n": "the run has no answer, it ended as truncated",
		runStart + text + `{"kind":"run.end","status":"cancelled"}` + "\n": "the run has no answer, it ended as cancelled",
	} {
		sabir(t, stream, "translate", "--whole", "--from", "native", "--to", "openai-chat").want(t, exitFailed, "", why)
	}
	sabir(t, run, "translate", "--whole", "--from", "native", "--to", "agui").want(t, exitUsage, "", "--whole: agui has no answers in one piece")
}
