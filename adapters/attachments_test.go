//go:build !race

// The race detector makes slices.Grow allocate twice.

package adapters_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestAttachmentsAreCopiedOnce: a translated request holds a large attachment once beside the body of the client.
func TestAttachmentsAreCopiedOnce(t *testing.T) {
	const size = 10 << 20
	data := strings.Repeat("A", size)
	bodies := map[string]string{
		"agui":             `{"messages":[{"id":"1","role":"user","content":[{"type":"image","source":{"type":"data","value":"DATA","mimeType":"image/png"}}]}]}`,
		"aisdk":            `{"messages":[{"id":"1","role":"user","parts":[{"type":"file","mediaType":"image/png","url":"data:image/png;base64,DATA"}]}]}`,
		"openai-chat":      `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,DATA"}}]}]}`,
		"openai-responses": `{"input":[{"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,DATA"}]}]}`,
		"anthropic":        `{"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"DATA"}}]}]}`,
		"gemini":           `{"contents":[{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"DATA"}}]}]}`,
	}
	for from := range bodies {
		body := []byte(strings.Replace(bodies[from], "DATA", data, 1))
		for to := range bodies {
			if from == to {
				continue
			}
			out, allocated := allocatedBy(t, from, to, body)
			if !strings.Contains(string(out[:min(len(out), 1<<10)])+string(out[max(0, len(out)-1<<10):]), "AAAA") {
				t.Fatalf("%s to %s loses the attachment", from, to)
			}
			if most := uint64(size + size/4); allocated > most {
				t.Errorf("%s to %s: of %d bytes of an attachment %d were allocated", from, to, size, allocated)
			}
		}
	}
}

// allocatedBy translates a request, and counts what that allocates.
func allocatedBy(t *testing.T, from, to string, body []byte) (out []byte, bytes uint64) {
	t.Helper()
	source := dialectOf(t, from)
	target := dialectOf(t, to)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	req := hub.Request{Model: []byte("m"), Header: func(string) string { return "" }}
	if err := source.Requests.DecodeRequest(&req, body); err != nil {
		t.Fatalf("%s: %v", from, err)
	}
	out, err := target.RequestWriter()(nil, &req, new(hub.Losses))
	if err != nil {
		t.Fatalf("%s to %s: %v", from, to, err)
	}
	runtime.ReadMemStats(&after)
	return out, after.TotalAlloc - before.TotalAlloc
}
