package proxy

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
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
	line.see(&hub.Event{Kind: hub.Answer, ID: []byte("q"), Name: []byte("y"), Status: hub.StatusChosen})
	if first, second := line.Answers[0].Answer, line.Answers[1].Answer; first != "allow_once" || second != "y" {
		t.Errorf("answered %s, %s", first, second)
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

// TestAuditOfLongNames: names of any length leave the chain whole, also where another process goes on with it, and are cut in traces.
func TestAuditOfLongNames(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	long := strings.Repeat("é\u0001", 300<<10)
	body, _ := json.Marshal(map[string]any{"threadId": long, "runId": long, "messages": []any{map[string]string{"id": "m1", "role": "user", "content": "hi"}}})
	a := newAgent(t, streaming(lines(lineStart, lineEnd)))
	yaml := simple(a.url(), "audit: {path: "+path+", chain: true}\n", "", "client: agui\n")
	for i := range 2 {
		r := start(t, yaml)
		r.post("/run", string(body))
		line := auditLines(t, path, i+1)[i]
		if line["seq"] != float64(i+1) || line["thread"] != strings.Repeat("é\u0001", 33)+"… (921600 bytes)" {
			t.Errorf("line %d is %.300v", i+1, line)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := VerifyAudit(bytes.NewReader(text)); err != nil || v.Lines != 2 {
		t.Errorf("%+v, %v", v, err)
	}
}

// TestLongestAuditLine: a line that has as much of everything as it may is shorter than what is read of the end of a file.
func TestLongestAuditLine(t *testing.T) {
	t.Parallel()
	var line auditLine
	name := bytes.Repeat([]byte(`\u0001`), 200)
	for range maxAudited {
		line.see(&hub.Event{Kind: hub.ToolStart, Name: name})
		line.see(&hub.Event{Kind: hub.Ask, ID: name})
		line.decided([]hub.Decision{{Ask: name, Call: name}})
	}
	line.Thread, line.Run, line.Model = shownName(name), shownName(name), shownName(name)
	text, err := json.Marshal(line)
	const read = 1 << 20
	if err != nil || len(text) > read-100<<10 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}
