package proxy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// At level debug the log says what becomes of a request and of an answer: whoever wonders why a header does not arrive, or
// why the dialect is another one, finds it there. It shows names and no values.
func TestDebugLog(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(lines(lineStart, lineHello, lineEnd)))
	r := start(t, simple(a.url(), "", "", "client: auto\ndefault: native\n")+"  - {path: /copy, upstream: agent, client: native}\n")
	f := func(path, chosen string, header ...string) {
		t.Helper()
		r.partOfLog = true
		r.logs.TakeAll()
		r.post(path, `{"q":"only-in-bodies"}`, append(header, "X-Tenant: only-in-headers", "Traceparent: 00-1-2-01")...)
		r.awaitEnds(1)
		said := map[string]map[string]any{}
		for _, e := range r.logs.TakeAll() {
			said[e.Message] = e.ContextMap()
			for _, secret := range []string{"only-in-headers", "only-in-bodies"} {
				if text := fmt.Sprint(e.Message, e.ContextMap()); strings.Contains(text, secret) {
					t.Errorf("the log shows %s: %s", secret, text)
				}
			}
		}
		request := said["request accepted"]
		if request["chosen_by"] != chosen || request["upstream"] != "agent" || request["method"] != "POST" {
			t.Errorf("%s %v: %v", path, header, request)
		}
		dropped, _ := request["headers_dropped"].([]any)
		if !slices.Contains(dropped, any("x-tenant")) || slices.Contains(dropped, any("traceparent")) {
			t.Errorf("%s %v: dropped %v", path, header, dropped)
		}
		if got := said["upstream answered"]; got["status"] != int64(200) {
			t.Errorf("%s %v: %v", path, header, got)
		}
		want := map[string]any{"framing": "ndjson", "read_as": "native"}
		got := map[string]any{"framing": said["stream recognised"]["framing"], "read_as": said["stream recognised"]["read_as"]}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s %v (-want +got):\n%s", path, header, diff)
		}
	}
	f("/run", "default")
	f("/run", "header", "X-Sabir-Dialect: agui")
	f("/run", "accept", "Accept: text/html, application/vnd.ag-ui.event+json")
	f("/copy", "route")
}
