package proxy

import (
	"os"
	"testing"
)

// TestAuditOnFullDisk: lines that cannot be written are counted, and the operator learns of it; runs go on.
func TestAuditOnFullDisk(t *testing.T) {
	t.Parallel()
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip("there is none here")
	}
	r := start(t, simple(newAgent(t, streaming(smallRun)).url(), "audit: {path: "+full+"}", "", "client: twin"))
	r.post("/run", "{}")
	await(t, "the line to be lost", func() bool { return r.logs.FilterMessageSnippet("the audit cannot be written").Len() == 1 })
	if n := r.metric("sabir_audit_lines_total", "result=ok"); n != 0 {
		t.Errorf("%v lines are counted as good", n)
	}
	r.post("/run", "{}")
}
