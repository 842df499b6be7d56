package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/config"
)

// TestKey: what is printed fits together, is good for a configuration, and is another each time.
func TestKey(t *testing.T) {
	shape := regexp.MustCompile(`^key, for the client:   (sabir-[A-Z2-7]{26})\nline, for auth.keys:  (- \{name: "web", sha256: ([0-9a-f]{64})\})\n$`)
	first, second := sabir(t, "", "key", "web"), sabir(t, "", "key", "web")
	m := shape.FindStringSubmatch(first.stdout)
	if m == nil || m[3] != config.HashKey(m[1]) || first.stdout == second.stdout {
		t.Fatalf("%s%s", first.stdout, second.stdout)
	}
	text := "listen: 127.0.0.1:0\nauth:\n  keys:\n    " + m[2] + "\nupstreams: {agent: {url: 'http://127.0.0.1:1', dialect: evolve}}\nroutes: [{path: /a, upstream: agent, client: agui, auth: [keys]}]\n"
	sabir(t, "", "check", "--config", write(t, "sabir.yaml", text)).want(t, exitOK, "is fine", "")
	sabir(t, "", "key", "two words").want(t, exitUsage, "", "is no name of a client")
	if strings.Contains(sabir(t, "", "key").stdout, `"web"`) {
		t.Error("without a name, a key has that of another")
	}
}
