package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestLikely: tests in files of similar names come first, with those that caught a change to the file before.
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
	if got := k.tests(dir, "p/pump.go"); !slices.Equal(got, []string{"TestEnd", "TestLeave", "TestPump"}) {
		t.Errorf("at first: %q", got)
	}
	k.note(dir, "p/pump.go", "TestRoute")
	k.note(dir, "p/pump.go", "TestPump")
	k.note(dir, "p/pump.go", "")
	k.note(dir, "p/other.go", "TestOther")
	if got := k.tests(dir, "p/pump.go"); !slices.Equal(got, []string{"TestEnd", "TestLeave", "TestPump", "TestRoute"}) {
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
