package genai_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/internal/genai"
)

func TestIsBase64(t *testing.T) {
	for sig, want := range map[string]bool{
		"": true, "YWJj": true, "YWI=": true, "YQ==": true, "c2ln": true, "+/+/": true,
		"YWJ": false, "YWJj=": false, "Y===": false, "YW-_": false, "YW J": false,
		"gAAAAB==": false, "gAAAAA==": true, "YWJ=": false, "=": false, "====": false,
	} {
		if got := genai.IsBase64([]byte(sig)); got != want {
			t.Errorf("%q: %t", sig, got)
		}
	}
}

// TestBase64: what Python writes is read as base64 that everybody takes; anything else stays.
func TestBase64(t *testing.T) {
	for body, want := range map[string]string{
		"": "", "AB+/": "AB+/", "_-9_AA==": "/+9/AA==", "_-9_AA": "/+9/AA==", "_-9_": "/+9/", "a-b c": "a-b c", "a-b-c": "a-b-c", `_\/`: `_\/`,
	} {
		if got := genai.Base64([]byte(body)); string(got) != want {
			t.Errorf("%q: got %q, want %q", body, got, want)
		}
	}
	for sig, want := range map[string]string{`"_-8="`: `"/+8="`, `"skip_thought_signature_validator"`: `"skip_thought_signature_validator"`, "null": "null", `""`: `""`} {
		if p := genai.ReadPart([]byte(`{"thoughtSignature":` + sig + `}`)); string(p.Sig) != want {
			t.Errorf("%s: got %s, want %s", sig, p.Sig, want)
		}
	}
}
