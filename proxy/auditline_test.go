package proxy

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"unicode"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestAuditLineBounds: so many calls, questions and answers stand in a line; of calls it says how many more there were.
func TestAuditLineBounds(t *testing.T) {
	t.Parallel()
	var line auditLine
	for range maxAudited + 2 {
		line.see(&hub.Event{Kind: hub.ToolStart, Name: []byte("f")})
		line.see(&hub.Event{Kind: hub.Ask, ID: []byte("q")})
		line.see(&hub.Event{Kind: hub.Answer, ID: []byte("q"), Status: hub.StatusExpired})
	}
	if len(line.Tools) != maxAudited || line.MoreTools != 2 || len(line.Asks) != maxAudited || len(line.Answers) != maxAudited {
		t.Errorf("%d tools and %d more, %d asks, %d answers", len(line.Tools), line.MoreTools, len(line.Asks), len(line.Answers))
	}
	if line.Answers[0].Ask != "q" || line.Answers[0].Answer != "expired" || line.Tools[0] != "f" {
		t.Errorf("%+v", line.Answers[0])
	}
}

// TestAuditLineNames: a run keeps the names that the request gave it, or those of the agent's first word.
func TestAuditLineNames(t *testing.T) {
	t.Parallel()
	var line auditLine
	line.see(&hub.Event{Kind: hub.RunStart})
	line.see(&hub.Event{Kind: hub.RunStart, Ref: []byte("t1"), ID: []byte("r1")})
	line.see(&hub.Event{Kind: hub.RunStart, Ref: []byte("t2"), ID: []byte("r2")})
	if line.Thread != "t1" || line.Run != "r1" {
		t.Errorf("%s, %s", line.Thread, line.Run)
	}
	line.see(&hub.Event{Kind: hub.Answer, ID: []byte("q"), Name: []byte("allow_once"), Status: hub.StatusChosen})
	if got := line.Answers[0].Answer; got != "allow_once" {
		t.Errorf("answered %s", got)
	}
}

// TestAuditLineOfRequest: what a request says is in the line, and how it answers questions.
func TestAuditLineOfRequest(t *testing.T) {
	t.Parallel()
	var line auditLine
	line.begin(nil)
	line.begin(&hub.Request{
		Thread: []byte("t1"), Run: []byte("r1"), Model: []byte("m1"), Answers: []hub.Decision{{Ask: []byte("q1"), Decided: true, Approved: true}},
	})
	if line.Thread != "t1" || line.Run != "r1" || line.Model != "m1" || len(line.Answers) != 1 || line.Answers[0].Ask != "q1" || line.Answers[0].Answer != "approved" {
		t.Errorf("%+v", line)
	}
}

// TestDecisionWords: what a client can decide.
func TestDecisionWords(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]hub.Decision{
		"cancelled": {Cancelled: true, Decided: true, Approved: true}, "approved": {Decided: true, Approved: true}, "denied": {Decided: true}, "answered": {Approved: true},
	} {
		if got := decisionWord(&d); got != want {
			t.Errorf("%+v is %s", d, got)
		}
	}
}

// TestAuditLineShows: what clients and agents choose does nothing in a terminal and ends no line of a viewer, and the chain is that of the line
// as it stands in the file.
func TestAuditLineShows(t *testing.T) {
	t.Parallel()
	const name = "f\u009b2Jg\u2028{}\u202eh\x7f"
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	a := newAgent(t, streaming(lines(`{"kind":"run.start","id":"r1","ref":"`+name+`"}`, lineHello, `{"kind":"tool.start","id":"c1","name":"`+name+`"}`, lineEnd)))
	r := start(t, simple(a.url(), "audit: {path: "+path+", chain: true}\n", "", "client: twin\n"))
	r.post("/run", "{}")
	r.post("/run", "{}")
	line := auditLines(t, path, 2)[1]
	if tools, _ := line["tools"].([]any); line["thread"] != name || len(tools) != 1 || tools[0] != name {
		t.Errorf("it says %q", line)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if at := bytes.IndexFunc(text, func(c rune) bool { return c != '\n' && !unicode.IsPrint(c) }); at >= 0 {
		t.Errorf("something else than text stands at byte %d of %q", at, text)
	}
	if _, err := VerifyAudit(bytes.NewReader(text)); err != nil {
		t.Error(err)
	}
}
