package proxy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/zap"
)

// TestTracingThatCannotBe: a server whose exporter of spans cannot be made, here by what the environment says of it, does not begin. It
// changes the environment, so that it has no company.
func TestTracingThatCannotBe(t *testing.T) {
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, newAuthority(t).pem, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", ca)
	yaml := simple("http://127.0.0.1:1/", "tracing: {endpoint: 'http://127.0.0.1:1'}\naudit: {path: '"+filepath.Join(t.TempDir(), "missing", "audit")+"'}\n", "", "client: twin\n")
	s, err := New(parse(t, yaml), zap.NewNop(), "test")
	if err == nil {
		s.end()
	}
	if err == nil || !strings.HasPrefix(err.Error(), "tracing: ") {
		t.Errorf("it is made, or says %v", err)
	}
}
