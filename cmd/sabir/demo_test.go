package main

import "testing"

// The demo tells what to type next, which depends on how it was started.
func TestProgramName(t *testing.T) {
	f := func(arg0, want string) {
		t.Helper()
		if got := programName(arg0); got != want {
			t.Errorf("%s: got %q, want %q", arg0, got, want)
		}
	}
	f("sabir", "sabir")
	f("./sabir", "./sabir")
	f("/usr/local/bin/sabir", "/usr/local/bin/sabir")
	f("/tmp/go-build3141/b001/exe/sabir", "go run ./cmd/sabir")
	f("sabir.test", "sabir")
}
