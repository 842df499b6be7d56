package proxy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/config"
)

// TestAgentCodes: the line of log has the code by which an agent says why it failed, in its stream or in a refusal. What may be more than a
// code is there only if the configuration lets the log have what agents say.
func TestAgentCodes(t *testing.T) {
	t.Parallel()
	inStream := func(code string) func(*peer) {
		return func(p *peer) {
			p.ok("Content-Type: application/x-ndjson")
			p.finish(lines(lineStart, lineHello, `{"kind":"run.end","status":"failed","err":"no host db.internal","err_code":"`+code+`"}`))
		}
	}
	refused := func(body string) func(*peer) {
		return func(p *peer) {
			p.answer("429 X", "Content-Type: application/json", fmt.Sprintf("Content-Length: %d", len(body)))
			p.send(body)
		}
	}
	const quota = `{"error":{"message":"of alice","type":"tokens","code":"rate_limit_exceeded"}}`
	for name, c := range map[string]struct {
		answer           func(*peer)
		top, route, want string
	}{
		"translated":          {inStream("tool_crashed"), "", "client: agui", "tool_crashed"},
		"copied":              {inStream("tool_crashed"), "", "client: native", "tool_crashed"},
		"exposed":             {inStream("tool_crashed"), "", "client: agui\nerrors: {expose: true}", "tool_crashed"},
		"none":                {inStream(""), "", "client: agui", ""},
		"no code":             {inStream("sk-12ab34cd56ef"), "", "client: agui", otherCode},
		"no code, and wanted": {inStream("odd: sk-12ab34"), "log: {upstream_errors: true}\n", "client: agui", "odd: sk-12ab34"},
		"refused":             {refused(quota), "", "client: agui", "rate_limit_exceeded"},
		"refused in words":    {refused("slow down, alice"), "", "client: agui", ""},
		"refused, no code":    {refused(`{"code":"alice is too quick for the quota of her team"}`), "", "client: agui", otherCode},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, func(p *peer) {
				if p.request() != nil {
					c.answer(p)
				}
			})
			r := start(t, simple(a.url(), c.top, "", c.route))
			r.post("/run", "{}")
			if end := r.awaitEnds(1); toString(end["agent_code"]) != c.want {
				t.Errorf("the log has %v, want the code %q", end, c.want)
			}
		})
	}
}

// TestCodesOfRefusals: the code stands in an object of the body, or in one around that.
func TestCodesOfRefusals(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"error":{"code":"invalid_api_key","type":"invalid_request_error"}}`:           "invalid_api_key",
		`{"error":{"code":null,"type":"invalid_request_error"}}`:                        "invalid_request_error",
		`{"type":"error","error":{"type":"overloaded_error","message":"m"}}`:            "overloaded_error",
		`{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}}`:            "RESOURCE_EXHAUSTED",
		`[{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}}]`:          "RESOURCE_EXHAUSTED",
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`: "-32601",
		`{"code":"E_QUOTA","message":"m"}`:                                              "E_QUOTA",
		`{"detail":{"code":"no_agent"}}`:                                                "no_agent",
		`{"error":"m","code":"E_QUOTA"}`:                                                "E_QUOTA",
		`{"detail":[{"type":"missing","loc":["body"]}]}`:                                "",
		`{"error":"m"}`: "", `[]`: "", `"m"`: "", `{"error":{"code":"invalid_`: "", "": "", `{"code":{}}`: "",
	} {
		if got := codeOfRefusal(body); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

// TestShapeOfCodes: words and short numbers are codes; keys, ids, addresses and sentences are not.
func TestShapeOfCodes(t *testing.T) {
	t.Parallel()
	x := ended()
	x.call.route.global = new(config.Config)
	for code, shown := range map[string]bool{
		"rate_limit_exceeded": true, "RESOURCE_EXHAUSTED": true, "-32601": true, "429": true, "E1301": true, "ToolError": true, "tool.failed": true,
		"ERR_HTTP2": true, "Internal Server Error": false,
		"sk-12ab34cd56ef78": false, "4111111111111111": false, "4111-1111-1111-1111": false, "alice@example.com": false, "10.0.0.1": false,
		"a1b2c3": false, "line\nbreak": false, "\u00e9": false, strings.Repeat("a_", 32) + "a": false, "no host db.internal:5432": false,
	} {
		x.noteCode(code)
		if want := map[bool]string{true: code, false: otherCode}[shown]; x.agentCode != want {
			t.Errorf("%q is shown as %q", code, x.agentCode)
		}
	}
}
