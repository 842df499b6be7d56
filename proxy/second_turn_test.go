package proxy

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestSecondTurn: the answer to a question, or to a call that was left to the client, begins with results of calls that an
// earlier stream opened. What the client's request tells of them reaches the answer. testdata/second-turn has a file for each
// case: the route, the client's request, the agent's stream, and what the client gets.
//
// go test ./proxy -run TestSecondTurn -update rewrites the answers; read the diff.
func TestSecondTurn(t *testing.T) {
	paths, err := filepath.Glob("testdata/second-turn/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) { testSecondTurn(t, path) })
	}
}

var updateFiles = flag.Bool("update", false, "rewrite the answers of testdata/second-turn, and docs/guards.md")

// varying are the parts of an answer that are unlike in each run.
var varying = regexp.MustCompile(`"created":\d+|(msg_|chatcmpl-)[0-9a-f]{16}`)

func testSecondTurn(t *testing.T, path string) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	part := map[string]string{}
	for _, f := range archive.Files {
		part[f.Name] = string(f.Data)
	}
	from, to, _ := strings.Cut(strings.TrimSpace(part["route"]), " ")
	agent := newAgent(t, streaming(part["stream"]))
	yaml := simple(agent.url(), "", "", "client: "+strings.TrimPrefix(to, "to="))
	r := start(t, strings.Replace(yaml, "dialect: native", "dialect: "+strings.TrimPrefix(from, "from="), 1))
	_, got := r.post("/run", strings.TrimSpace(part["request"]), "Content-Type: application/json")
	got = varying.ReplaceAllString(got, "*")
	if *updateFiles {
		archive.Files[len(archive.Files)-1].Data = []byte(got)
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != part["answer"] {
		t.Errorf("%s\ngot\n%s\nwant\n%s", archive.Comment, got, part["answer"])
	}
}
