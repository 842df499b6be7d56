package adapters_test

import (
	"strings"
	"testing"
)

// translates wants what a request becomes: the losses that are named, and what stands in the body, or must not (behind a !).
func translates(t *testing.T, from, to, body, losses string, wants ...string) {
	t.Helper()
	out, named := translated(t, from, to, body)
	if named != losses {
		t.Errorf("%s to %s loses %q, want %q: %s", from, to, named, losses, body)
	}
	for _, want := range wants {
		if unwanted, not := strings.CutPrefix(want, "!"); strings.Contains(out, unwanted) == not {
			t.Errorf("%s to %s: want %s in\n%s", from, to, want, out)
		}
	}
}

// TestBase64OfPython: Google's library in Python writes bytes with the digits - and _, which only Google takes.
func TestBase64OfPython(t *testing.T) {
	const body = `{"contents":[{"role":"user","parts":[{"inline_data":{"mime_type":"image/png","data":"_-9_AA=="}}]},` +
		`{"role":"model","parts":[{"text":"hm","thought":true,"thought_signature":"_-8="},{"functionCall":{"name":"f","args":{}},"thoughtSignature":"_-8="}]},` +
		`{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"x"},"parts":[{"inlineData":{"mimeType":"image/png","data":"_-9_AA=="}}]}}]}]}`
	const bytes, sig = `"/+9/AA=="`, `"/+8="`
	translates(t, "gemini", "anthropic", body, "", `"source":{"type":"base64","media_type":"image/png","data":`+bytes, `"signature":`+sig, "!_-")
	translates(t, "gemini", "bedrock", body, "", `"source":{"bytes":`+bytes, "!_-")
	translates(t, "gemini", "openai-chat", body, "messages.reasoning,messages.result.content", `base64,/+9/AA==`, "!_-")
	translates(t, "gemini", "aisdk", body, "messages.result.content", `data:image/png;base64,/+9/AA==`, "!base64,_")
}
