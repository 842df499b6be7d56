package proxy

import (
	"testing"
	"time"

	"go.uber.org/zap"
)

// TestWhatOperatorsRead: what an operator reads of reloads, processes, other requests and answers in one piece is in metrics and in the log.
func TestWhatOperatorsRead(t *testing.T) {
	t.Parallel()
	began := float64(time.Now().Unix())
	text := simple(newAgent(t, streaming(lines(lineStart, `{"kind":"source","id":"s1","url":"https://a.example"}`, lineHello, lineEnd))).url(), "", "",
		"client: openai-chat\nrequests: {mode: translate}")
	r := start(t, text)
	loaded := func() float64 { return r.metric("sabir_config_last_reload_success_timestamp_seconds") }
	if at := loaded(); at < began || at > began+60 {
		t.Errorf("the configuration is of %v, and it is %v", at, began)
	}
	r.metrics.reloadTime.Set(1)
	r.ReloadFailed()
	if at := loaded(); at != 1 {
		t.Errorf("a reload that fails sets the time to %v", at)
	}
	if err := r.Reload(parse(t, text)); err != nil {
		t.Fatal(err)
	}
	if at := loaded(); at < began {
		t.Errorf("a reload sets the time to %v", at)
	}
	r.post("/run", `{"model":"m","messages":[{"role":"user","content":"hi"}]}`)
	r.awaitEnds(1)
	if n := r.metric("sabir_answer_losses_total", "route=/run", "to=openai-chat", "field=messages.source"); n != 1 {
		t.Errorf("%v sources are lost", n)
	}

	r = below(t, newAgent(t, streaming(smallRun)), "langgraph")
	r.call(t, 404, alice, "GET", "/run/threads/t1", "")
	if n := r.logs.FilterMessage("request answered").FilterField(zap.Int("status", 404)).Len(); n != 1 {
		t.Errorf("%d lines say that a request was answered", n)
	}

	r = start(t, agentConfig(t, "agui", t.TempDir(), "", ""))
	r.aguiTurn("t1", saidByUser(1, "hi"))
	r.close()
	if n := r.logs.FilterMessage("agent process ended").Len(); n != 1 {
		t.Errorf("%d lines say that a process has ended", n)
	}
}
