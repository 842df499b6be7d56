package proxy

import (
	"strings"
	"testing"
)

// TestEditorSaysTooMuch: a message that is longer than a request may be is refused, and the connection goes on.
func TestEditorSaysTooMuch(t *testing.T) {
	t.Parallel()
	r := start(t, simple(newAgent(t, streaming(smallRun)).url(), "limits: {request_body: 1KB}", "", "client: acp\nrequests: {mode: translate}"))
	e := r.dialEditor("/run")
	e.send(`{"jsonrpc":"2.0","id":9,"method":"session/new","params":{"cwd":"/` + strings.Repeat("x", 2000) + `"}}`)
	e.holds(e.await("error"), "body_too_large")
	e.holds(e.call("initialize", `"protocolVersion":1,"clientCapabilities":{}`), `"agentCapabilities"`)
}
