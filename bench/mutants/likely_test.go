package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestLikely: tests that caught a change to the file before come first, then those in files of similar names.
func TestLikely(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"pump_test.go":      "func TestPump(t *testing.T) {}\nfunc helper() {}\nfunc TestEnd(t *testing.T) {}\n",
		"pumpleave_test.go": "func TestLeave(t *testing.T) {}\n",
		"route_test.go":     "func TestRoute(t *testing.T) {}\n",
		"pump.go":           "func TestNone(t *testing.T) {}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var k likely
	order := func() []string {
		tests := []string{"TestAny", "TestRoute", "TestPump", "TestEnd", "TestLeave"}
		k.first(dir, "p/pump.go", tests)
		return tests
	}
	if got := order(); !slices.Equal(got, []string{"TestPump", "TestEnd", "TestLeave", "TestAny", "TestRoute"}) {
		t.Errorf("at first: %q", got)
	}
	k.note(dir, "p/pump.go", "TestRoute")
	k.note(dir, "p/pump.go", "")
	k.note(dir, "p/other.go", "TestAny")
	if got := order(); !slices.Equal(got, []string{"TestRoute", "TestPump", "TestEnd", "TestLeave", "TestAny"}) {
		t.Errorf("later: %q", got)
	}
	if got := anyOf([]string{"TestA", "TestB"}); got != "^(TestA|TestB)$" || anyOf(nil) != "" {
		t.Errorf("pattern %q, and %q of none", got, anyOf(nil))
	}
}

func TestAlike(t *testing.T) {
	for _, c := range []struct {
		file, tests string
		want        bool
	}{
		{"requestconn.go", "request_test.go", true},
		{"ws.go", "wsguard_test.go", true},
		{"upstream_ws.go", "wsguard_test.go", true},
		{"upstream_ws.go", "tls_test.go", false},
		{"pump.go", "body_test.go", false},
	} {
		if got := alike(c.file, c.tests); got != c.want {
			t.Errorf("%s, %s: %v", c.file, c.tests, got)
		}
	}
}
