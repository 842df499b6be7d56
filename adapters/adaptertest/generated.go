package adaptertest

import (
	"os"
	"testing"
)

// Generated compares a file of the repository with what a test made, or rewrites it under -update.
func Generated(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (make it with -update)", err)
	}
	if string(want) != got {
		t.Errorf("%s is stale (rewrite it with -update, then read the diff)\n%s", path, diff(string(want), got))
	}
}
