package gemini_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/gemini"
)

// TestRepeats: frames that differ in their text and in what they count are parsed once; the last count is that of the run.
func TestRepeats(t *testing.T) {
	f := func(name string, parsed int, records ...string) {
		t.Helper()
		adaptertest.Repeats(t, &gemini.Dialect, gemini.Dialect.Defaults(), name, parsed, adaptertest.Data(records...)...)
	}
	frame := func(text, usage string) string {
		return `{"candidates":[{"content":{"parts":[{"text":"` + text + `"}],"role":"model"},"index":0}],"usageMetadata":` + usage + `,"responseId":"r"}`
	}
	const end = `{"candidates":[{"finishReason":"STOP","index":0}]}`
	f("usage", 3, frame("a", `{"promptTokenCount":1}`), frame("b", `{"promptTokenCount":2}`), frame("c", `{"promptTokenCount":3}`),
		frame("d", `{"promptTokenCount":4,"candidatesTokenCount":5}`), end)
	f("usage that is none", 4, frame("a", `{"promptTokenCount":1}`), frame("b", `{"promptTokenCount":2}`), frame("c", `null`), end)
	f("usage that is no JSON", 4, frame("a", `{"promptTokenCount":1}`), frame("b", `{"promptTokenCount":2}`), frame("c", `{"promptTokenCount":}`), end)
}
