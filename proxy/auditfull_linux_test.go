package proxy

import (
	"strings"
	"testing"
)

// TestAuditOnFullDisk: lines that cannot be written are counted, and the operator learns of it; runs go on.
func TestAuditOnFullDisk(t *testing.T) {
	t.Parallel()
	r := start(t, simple(newAgent(t, streaming(smallRun)).url(), "audit: {path: /dev/full}", "", "client: twin"))
	for range 2 {
		if _, body := r.post("/run", "{}"); !strings.Contains(body, `"status":"done"`) {
			t.Errorf("the run is %q", body)
		}
	}
	await(t, "the line to be lost", func() bool { return r.logs.FilterMessageSnippet("the audit cannot be written").Len() == 1 })
	if n := r.metric("sabir_audit_lines_total", "result=ok"); n != 0 {
		t.Errorf("%v lines are counted as good", n)
	}
}
