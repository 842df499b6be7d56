package hub

import (
	"fmt"
	"testing"
)

// TestFindEndpoint finds endpoints by method and path, and what their names stand for.
func TestFindEndpoint(t *testing.T) {
	d := Dialect{Endpoints: []Endpoint{
		{"POST", "", OpRun},
		{"POST", "/v1/models/{model}:generateContent", OpWhole},
		{"GET", "/v1/models/{model}", OpModel},
		{"GET", "/{thread}/stream", OpJoin},
		{"POST", "/agent/{agent}/stop/{thread}", OpStop},
	}}
	f := func(method, path, want string) {
		t.Helper()
		got := "none"
		if e, params := d.FindEndpoint(method, path); e != nil {
			got = fmt.Sprint(e.Operation, params)
		}
		if got != want {
			t.Errorf("%s %q: got %s, want %s", method, path, got, want)
		}
	}
	f("POST", "", "run map[]")
	f("POST", "/", "run map[]")
	f("GET", "", "none")
	f("POST", "/v1/models/m-1:generateContent", "whole map[model:m-1]")
	f("POST", "/v1/models/:generateContent", "none")
	f("POST", "/v1/models/m:countTokens", "none")
	f("GET", "/v1/models/a:b", "model map[model:a:b]")
	f("GET", "/c-1/stream", "join map[thread:c-1]")
	f("GET", "//stream", "none")
	f("GET", "/c-1/other", "none")
	f("POST", "/agent/x/halt/t", "none")
	f("POST", "/agent/x/stop/t", "stop map[agent:x thread:t]")
	f("POST", "/agent/x/stop", "none")
}

// TestRunNamed: a body that cannot be read names no run, and not all of a thread.
func TestRunNamed(t *testing.T) {
	for body, want := range map[string]string{
		``: "", `{}`: "", `null`: "", `{"run":null}`: "", `{"run":""}`: "", `{"run":"a\u0062"}`: "ab", `{"other":"x","run":"r"}`: "r",
		`{"run":`: "error", `{"run":7}`: "error", `["r"]`: "error", `"r"`: "error", "\xff": "error", `{"run":{}}`: "error", ` `: "error",
	} {
		run, err := RunNamed([]byte(body), "run")
		if err != nil {
			run = "error"
		}
		if run != want {
			t.Errorf("%q: %q, %v", body, run, err)
		}
	}
}
