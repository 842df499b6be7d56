package proxy

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestAuditOfAnswersInTheTurn: the audit says how a question was answered in the middle of a turn, whether by an editor or in the place of
// a client that cannot answer.
func TestAuditOfAnswersInTheTurn(t *testing.T) {
	t.Parallel()
	want := func(path, answer string) {
		t.Helper()
		line := auditLines(t, path, 1)[0]
		answers, err := json.Marshal(line["answers"])
		if err != nil || strings.Count(string(answers), `"answer":`) != 1 || !strings.Contains(string(answers), `"answer":"`+answer+`"`) {
			t.Errorf("want %s, got %s %v", answer, answers, err)
		}
		if asks := fmt.Sprint(line["asks"]); !strings.Contains(string(answers), `"ask":"`+strings.Trim(asks, "[]")+`"`) {
			t.Errorf("%s is asked, %s answered", asks, answers)
		}
	}
	for option, answer := range map[string]string{"allow": "approved", "reject": "denied"} {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		e := startEditor(t, agentConfig(t, "acp", t.TempDir(), "", "")+"audit: {path: "+path+"}\n")
		e.ask(e.begin(), "delete")
		var question struct{ ID string }
		all := strings.Split(strings.TrimSpace(e.await("session/request_permission")), "\n")
		if err := json.Unmarshal([]byte(all[len(all)-1]), &question); err != nil {
			t.Fatal(err)
		}
		e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":{"outcome":{"outcome":"selected","optionId":%q}}}`, question.ID, option))
		e.await("stopReason")
		want(path, answer)
	}
	for without, answer := range map[string]string{"allow": "approved", "deny": "cancelled"} {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		r := start(t, agentConfig(t, "openai-chat", t.TempDir(), "", ", asks: {without: "+without+"}")+"audit: {path: "+path+"}\n")
		r.post("/run", `{"model":"m","stream":true,"messages":[{"role":"user","content":"delete"}]}`)
		want(path, answer)
	}
}
