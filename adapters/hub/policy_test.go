package hub

import "testing"

// TestParsePolicy reads every name that it writes, and no other.
func TestParsePolicy(t *testing.T) {
	for p := range policyCount {
		if got, err := ParsePolicy(p.String()); got != p || err != nil {
			t.Errorf("%s: got %s, %v", p, got, err)
		}
	}
	if got, err := ParsePolicy("none"); got != PolicyDefault || err == nil {
		t.Errorf("none: got %s, %v", got, err)
	}
}
