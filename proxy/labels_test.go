package proxy

import (
	"strings"
	"testing"
)

// TestLabels is S0-41: clients get the content type that they know from the server whose dialect they read, which may be wrong; in
// another framing it is that of the framing. What is copied is labelled the same way as what is translated.
func TestLabels(t *testing.T) {
	t.Parallel()
	stream := map[string]string{
		"native":     `{"kind":"run.start"}` + "\n" + `{"kind":"text.delta","text":"Hi"}` + "\n" + `{"kind":"run.end","status":"done"}` + "\n",
		"simplified": `{"type":"response","data":"Hi","messageId":"m"}` + "\n" + `{"type":"messageEnd","messageId":"m"}` + "\n",
		"pydantic":   `{"message": "Hi", "citations": [], "tool_calls": []}`,
	}
	f := func(from, to, framing, label, begin string) {
		t.Helper()
		a := newAgent(t, func(p *peer) {
			p.request()
			p.ok("Content-Type: text/plain")
			p.finish(stream[from])
		})
		route := ""
		if framing != "" {
			route = "framing: " + framing + "\n"
		}
		r := start(t, between(a.url(), from, to, "", "settle: 0s\n", route))
		resp, got := r.post("/run", "")
		if resp.Header.Get("Content-Type") != label || !strings.HasPrefix(got, begin) || strings.Count(got, "Hi") != 1 {
			t.Errorf("%s to %s %s: labelled %s, want %s\n%s", from, to, framing, resp.Header.Get("Content-Type"), label, got)
		}
	}
	f("native", "simplified", "", "text/event-stream", `{"type":"response"`)
	f("simplified", "simplified", "", "text/event-stream", `{"type":"response"`)
	f("native", "simplified", "sse", "text/event-stream", `data: {"type":"response"`)
	f("native", "pydantic", "", "text/event-stream", `{"message": "Hi"`)
	f("pydantic", "pydantic", "", "text/event-stream", `{"message": "Hi"`)
	f("native", "pydantic", "ndjson", "application/x-ndjson", `{"message": "Hi"`)
	f("simplified", "native", "", "application/x-ndjson", `{"kind":"run.start"`)
}
