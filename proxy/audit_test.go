package proxy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/config"
)

// auditLines waits for n lines in a file.
func auditLines(t *testing.T, path string, n int) []map[string]any {
	t.Helper()
	var lines []map[string]any
	await(t, "lines of the audit", func() bool {
		data, _ := os.ReadFile(path)
		lines = nil
		for line := range strings.Lines(string(data)) {
			var l map[string]any
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				return false
			}
			lines = append(lines, l)
		}
		return len(lines) >= n
	})
	return lines
}

// TestAudit: the line of a run says who ran what, what was called, asked and answered, and how it ended, and holds no content; the file is
// opened again by a reload, and its chain holds.
func TestAudit(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok()
			p.finish(lines(`{"kind":"run.start","id":"r1","ref":"thread-1"}`, lineHello,
				`{"kind":"tool.start","id":"c1","name":"look_up"}`, `{"kind":"tool.ready","id":"c1","name":"look_up","value":{"q":"Hello"}}`,
				`{"kind":"ask","id":"q1","ref":"c1","what":"permission"}`, `{"kind":"answer","id":"q1","status":"chosen","name":"allow_once"}`,
				`{"kind":"tool.end","id":"c1","name":"look_up","status":"ok","text":"Hello"}`, `{"kind":"usage","scope":"run","usage":{"in":11,"out":7}}`, lineEnd))
		}
	})
	yaml := simple(a.url(), "audit: {path: "+path+", chain: true}\nauth: {keys: [{name: web, sha256: "+config.HashKey("key-of-web")+"}]}\n", "", "client: twin\nauth: [keys]\n")
	r := start(t, yaml)
	ask := func() { r.post("/run", "{}", "Authorization: Bearer key-of-web", "X-Request-Id: id-1") }
	ask()
	line := auditLines(t, path, 1)[0]
	for key, want := range map[string]any{
		"principal": "web", "route": "/run", "upstream": "agent", "from": "native", "to": "twin", "request_id": "id-1", "thread": "thread-1", "run": "r1",
		"tokens_in": 11.0, "tokens_out": 7.0, "ending": "done", "seq": 1.0, "prev": "",
	} {
		if line[key] != want {
			t.Errorf("%s is %v, want %v", key, line[key], want)
		}
	}
	if copied, said := line["copied"]; said {
		t.Errorf("a run that is translated is called copied: %v", copied)
	}
	text, err := json.Marshal(line)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"tools":["look_up"]`, `"asks":["q1"]`, `"answers":[{"answer":"allow_once","ask":"q1"}]`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
	if strings.Contains(string(text), "Hello") || strings.Contains(string(text), "key-of-web") {
		t.Errorf("content is in the audit: %s", text)
	}
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	if err := r.Reload(parse(t, yaml)); err != nil {
		t.Fatal(err)
	}
	await(t, "a new file", func() bool { _, err := os.Stat(path); return err == nil })
	ask()
	if next := auditLines(t, path, 1)[0]; next["seq"] != 2.0 || next["prev"] != line["hash"] {
		t.Errorf("the chain does not go on: %v", next)
	}
	await(t, "two lines to be counted", func() bool { return r.metric("sabir_audit_lines_total", "result=ok") == 2 })
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if v, err := VerifyAudit(f); err != nil || v.Lines != 1 {
		t.Errorf("%+v %v", v, err)
	}
}

// TestAuditOfCopies: the line of a copied run says that nothing is known of what was called.
func TestAuditOfCopies(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	r := start(t, simple(newAgent(t, streaming(smallRun)).url(), "audit: {path: "+path+"}", "", "client: native\n"))
	r.post("/run", "{}")
	if line := auditLines(t, path, 1)[0]; line["copied"] != true || line["ending"] != "done" {
		t.Errorf("%v", line)
	}
}
