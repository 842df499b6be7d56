package proxy

import (
	"runtime"
	"strings"
	"testing"
)

// TestLargeAttachments: once the agent was asked, nothing of a request is held, neither while the run goes on nor after it.
func TestLargeAttachments(t *testing.T) {
	const size = 10 << 20
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // pools forget in two steps
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	var before, during int64
	agent := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.body = nil
			during = heap() - before
			p.ok("Content-Type: application/x-ndjson")
			p.finish(smallRun)
		}
	})
	r := start(t, simple(agent.url(), "limits: {request_body: 32MiB}", `request: '$messages'`, "client: openai-chat"))
	body := `{"stream":true,"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + strings.Repeat("A", size) + `"}}]}]}`
	r.post("/run", `{"stream":true,"messages":[{"role":"user","content":"hi"}]}`)
	before = heap()
	resp, got := r.post("/run", body)
	if resp.StatusCode != 200 || !strings.Contains(got, "[DONE]") {
		t.Fatalf("status %d %s", resp.StatusCode, got)
	}
	if after := heap() - before; during > size/8 || after > size/8 {
		t.Errorf("of an attachment of %d KB, %d KB are held while the run goes on, and %d KB after it", size>>10, during>>10, after>>10)
	}
	runtime.KeepAlive(body)
}
