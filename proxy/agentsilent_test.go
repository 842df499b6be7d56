package proxy

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mutedProcess is a route to an agent that notes that it was started, reads what it is asked, and says nothing.
func mutedProcess(t *testing.T, more string) (yaml, begun string) {
	dir := t.TempDir()
	return fmt.Sprintf(`
listen: 127.0.0.1:0
upstreams:
  coder: {command: [sh, -c, "touch begun; cat >/dev/null"], dialect: claude-cli, process: {dir: %q}%s}
routes:
  - {path: /run, upstream: coder, client: agui, requests: {mode: translate}}
`, dir, more), filepath.Join(dir, "begun")
}

// TestAgentIsSilent: a process that does not begin its answer in time is a server that does not, and one whose client leaves first is let go.
func TestAgentIsSilent(t *testing.T) {
	t.Parallel()
	yaml, _ := mutedProcess(t, ", timeouts: {first_byte: 50ms}")
	r := start(t, yaml)
	if status, body := r.aguiTurn("t1", saidByUser(1, "hi")); status != 504 || !strings.Contains(body, "upstream_timeout") {
		t.Errorf("status %d: %s", status, body)
	}
	await(t, "the process to end", func() bool { return r.metric("sabir_processes") == 0 })
	yaml, begun := mutedProcess(t, "")
	r = start(t, yaml)
	c := r.dial()
	c.ask("POST", "/run", `{"threadId":"t1","runId":"r","state":{},"tools":[],"context":[],"forwardedProps":{},"messages":[`+saidByUser(1, "hi")+`]}`)
	await(t, "the agent to be asked", func() bool { _, err := os.Stat(begun); return err == nil })
	c.reset()
	if end := r.awaitEnds(1); end["ending"] != "client_gone" {
		t.Errorf("log: %v", end)
	}
}

// TestEditorAnswersTooLate: a question with which a run has ended, and that is not answered in time, is refused to the agent.
func TestEditorAnswersTooLate(t *testing.T) {
	t.Parallel()
	a, asked := pausing(t)
	e := start(t, simple(a.url(), "", "", "client: acp\nrequests: {mode: translate}\nasks: {wait: 20ms}")).dialEditor("/run")
	all := e.prompt(e.begin(), "delete")
	e.holds(all, "session/request_permission", "Hello", `"end_turn"`)
	<-asked
	if body := <-asked; !strings.Contains(body, `"cancelled":true`) || strings.Contains(body, `"approved":true`) {
		t.Errorf("the agent received %s", body)
	}
}
