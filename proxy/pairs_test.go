package proxy

import (
	"strings"
	"testing"
)

// TestRealPairs moves small streams of real dialects.
func TestRealPairs(t *testing.T) {
	t.Parallel()
	f := func(from, to, body, in string, want ...string) {
		t.Helper()
		a := newAgent(t, streaming(in))
		r := start(t, strings.Replace(simple(a.url(), "", "", "client: "+to+"\n"), "dialect: native", "dialect: "+from, 1))
		resp, got := r.post("/run", body)
		if resp.StatusCode != 200 {
			t.Errorf("%s to %s: %d %s", from, to, resp.StatusCode, got)
		}
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s to %s: %s is missing in\n%s", from, to, w, got)
			}
		}
		if end := r.awaitEnds(1); end["ending"] != "done" {
			t.Errorf("%s to %s: %v", from, to, end)
		}
	}
	input := `{"threadId":"thread-7","runId":"run-9","messages":[],"tools":[],"context":[],"state":null,"forwardedProps":null}`
	f("native", "agui", input, smallRun,
		`data: {"type":"RUN_STARTED"`, `"threadId":"thread-7"`, `"runId":"run-9"`, `"delta":"Hello"`, `data: {"type":"RUN_FINISHED"`)
	f("agui", "native", "{}", `data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}`+"\n\n"+
		`data: {"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`+"\n\n"+
		`data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"Hello"}`+"\n\n"+
		`data: {"type":"TEXT_MESSAGE_END","messageId":"m"}`+"\n\n"+
		`data: {"type":"RUN_FINISHED","threadId":"t","runId":"r"}`+"\n\n",
		`"kind":"run.start"`, `"text":"Hello"`, `"kind":"run.end","status":"done"`)
}
