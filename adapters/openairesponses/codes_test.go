package openairesponses

import (
	"strings"
	"testing"
)

// TestCodes: clients get codes of the API; the code of another is beside it.
func TestCodes(t *testing.T) {
	for code, want := range map[string]string{
		"rate_limit_exceeded": `rate_limit_exceeded"`,
		"UNAVAILABLE":         `server_is_overloaded","sabir_code":"UNAVAILABLE"`,
		"RESOURCE_EXHAUSTED":  `rate_limit_exceeded","sabir_code":"RESOURCE_EXHAUSTED"`,
		"upstream_timeout":    `server_error","sabir_code":"upstream_timeout"`,
	} {
		if got := string(appendCode(nil, []byte(code))); got != want {
			t.Errorf("%s became %s", code, got)
		}
	}
	for foreign, known := range foreignCodes {
		if !errorCodes[known] || errorCodes[foreign] || foreign != strings.ToLower(foreign) {
			t.Errorf("%s stands for %s", foreign, known)
		}
	}
}
