package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/config"
)

// write puts a file into a folder of the test and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const goodConfig = `listen: 127.0.0.1:0
admin: ""
upstreams:
  agent: {url: "http://127.0.0.1:9000/stream", dialect: native}
routes:
  - {path: /native, upstream: agent, client: native}
`

func TestCheck(t *testing.T) {
	path := write(t, "sabir.yaml", goodConfig)
	sabir(t, "", "check", "--config", path).want(t, exitOK, path+" is fine: 1 upstream, 1 route\n", "")

	two := strings.ReplaceAll(goodConfig, "routes:\n", "routes:\n  - {path: /again, upstream: agent, client: native}\n")
	path = write(t, "two.yaml", two)
	sabir(t, "", "check", "-c", path).want(t, exitOK, path+" is fine: 1 upstream, 2 routes\n", "")
}

// The examples are what a new user begins with.
func TestCheckExamples(t *testing.T) {
	t.Setenv("SABIR_URL", "http://127.0.0.1:9000/stream") // for that of the image
	t.Setenv("SABIR_FROM", "evolve")
	t.Setenv("AGENT_URL", "http://127.0.0.1:9000/stream") // for that of replicas
	t.Setenv("REDIS_URL", "redis://127.0.0.1:6379/0")
	examples, err := filepath.Glob("../../*/*.yaml")
	if err != nil || len(examples) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, path := range examples {
		if strings.HasSuffix(path, "/compose.yaml") {
			continue // TestCompose
		}
		warning := ""
		if strings.Contains(path, "/deploy/") {
			warning = path + ": warning: admin: 0.0.0.0:9090 can be reached from other machines"
		}
		sabir(t, "", "check", "--config", path).want(t, exitOK, "is fine", warning)
	}
	t.Setenv("SABIR_ADMIN_SHA256", config.HashKey("the key of an operator"))
	sabir(t, "", "check", "--config", "../../deploy/sabir.yaml").want(t, exitOK, "is fine", "")
	t.Setenv("SABIR_FROM", "openai-chat")
	sabir(t, "", "check", "--config", "../../deploy/sabir.yaml").want(t, exitOK, "is fine", "warning: routes[0].requests.model: /*: clients of agui name no model")
	t.Setenv("SABIR_MODEL", "gpt-5")
	sabir(t, "", "check", "--config", "../../deploy/sabir.yaml").want(t, exitOK, "is fine", "")
}

// All problems come at once, a line each, and serve reports them like check does.
func TestCheckProblems(t *testing.T) {
	path := write(t, "sabir.yaml", `listen: nowhere
upstreams:
  agent: {url: "http://127.0.0.1:9000", dialect: nativ}
  other: {url: "ftp://x", dialect: native, options: {a: 1}}
routes:
  - {path: agui, upstream: agnet, client: native}
lisen: 1
`)
	wants := []string{
		path + ":1:9: listen: ",
		path + `:3:50: upstreams.agent.dialect: there is no dialect "nativ"; did you mean native?`,
		path + ":4:16: upstreams.other.url: ",
		path + `:4:57: upstreams.other.options.a: native has no option "a"`,
		path + ":6:12: routes[0].path: ",
		path + ":6:28: routes[0].upstream: ",
		path + ":7:1: lisen: ",
	}
	for _, command := range []string{"check", "serve"} {
		got := sabir(t, "", command, "--config", path)
		got.want(t, exitFailed, "", path)
		lines := strings.Split(strings.TrimRight(got.stderr, "\n"), "\n")
		if len(lines) != len(wants) {
			t.Fatalf("%s: %d lines, want %d:\n%s", command, len(lines), len(wants), got.stderr)
		}
		for i, want := range wants {
			if !strings.HasPrefix(lines[i], want) {
				t.Errorf("%s: line %d is %q, want it to begin with %q", command, i+1, lines[i], want)
			}
		}
	}
}

func TestCheckSchema(t *testing.T) {
	got := sabir(t, "", "check", "--schema")
	got.want(t, exitOK, `"$schema"`, "")
	if !json.Valid([]byte(got.stdout)) {
		t.Error("the schema is no JSON")
	}
}
