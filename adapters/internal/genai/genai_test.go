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
