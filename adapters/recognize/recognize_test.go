package recognize_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/recognize"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// recorded are the fixtures of a dialect that hold a stream.
func recorded(t *testing.T, d *hub.Dialect) []*adaptertest.Stream {
	t.Helper()
	if d.NewDecoder == nil {
		return nil
	}
	folder := filepath.Join("..", strings.ReplaceAll(d.Name, "-", ""), "testdata")
	return slices.DeleteFunc(adaptertest.Streams(t, d, folder), func(s *adaptertest.Stream) bool { return s.Wire == nil })
}

// shared are fixtures whose bytes are as well, or rather, those of another dialect.
var shared = map[string]string{
	// Bare ACP, as evolve passes it on.
	"evolve/acp-claude": "acp", "evolve/acp-drafts": "acp", "evolve/acp-to-output": "acp", "evolve/acp-worked-example": "acp",
	// An exception alone has a message, and little more.
	"bedrock/error-body": "pydantic", "bedrock/exception-first": "pydantic",
}

// vague are fixtures that hold nothing but an error, which many dialects tell alike, or an end mark, or nothing.
var vague = []string{
	"a2a/error-event-0.3", "adk/error-first", "adk/long-running-bad-answer", "acp/error-auth-required", "agentevent/error_odd", "agentevent/session_error",
	"agui/error-first", "aisdk/error-first", "aisdk/rec-v7-request-error",
	"anthropic/error-body", "anthropic/error-event-empty", "anthropic/error-event-first", "anthropic/error-event-string",
	"codex-app-server/refused", "codex-app-server/refused-at-once", "gemini/error-bare", "gemini/error-frame-first", "gemini-interactions/failed-first",
	"openai-chat/empty-stream", "openai-chat/error-first",
	"mastra/tripwire", "openai-chat/error-json", "openai-chat/only-done", "openai-responses/error-both-first", "openai-responses/websocket-error", "opencode/run-refused",
	"simplified/error",
}

// TestFixtures recognises every recorded stream as one of its own dialect.
func TestFixtures(t *testing.T) {
	total := 0
	for _, d := range adapters.All() {
		for _, s := range recorded(t, d) {
			total++
			r := recognize.Bytes(adapters.All(), s.Wire, s.Framing, true)
			want := d.Name
			if other := shared[s.Name]; other != "" {
				want = other
			} else if slices.Contains(vague, s.Name) {
				want = ""
			}
			if got := r.Looks(); got != want {
				t.Errorf("%s looks like %q, want %q: %s", s.Name, got, want, describe(&r))
			}
			if want == "" && r.Sure() > recognize.Ambiguous {
				t.Errorf("%s is %s", s.Name, r.Sure())
			}
		}
	}
	if total < 900 {
		t.Errorf("only %d streams", total)
	}
}

func describe(r *recognize.Report) string {
	var b strings.Builder
	for _, m := range r.Matches {
		b.WriteString(m.Dialect.Name + " ")
	}
	return r.Sure().String() + ": " + b.String()
}

// TestPrefixes cuts every recorded stream after each of its first records: what has come may not tell yet, but it is not taken
// for another dialect.
func TestPrefixes(t *testing.T) {
	const most = 12
	for _, d := range adapters.All() {
		for _, s := range recorded(t, d) {
			out := wire.NewOut(wire.SSE)
			for i, rec := range s.Records[:min(len(s.Records), most)] {
				out.Record(rec)
				r := recognize.Bytes(adapters.All(), out.Buf, wire.SSE, false)
				if got := r.Looks(); got != "" && got != d.Name && got != shared[s.Name] {
					t.Errorf("%s: %d records look like %q: %s", s.Name, i+1, got, describe(&r))
					break
				}
			}
		}
	}
}

func TestVersions(t *testing.T) {
	f := func(dialect, version string, records ...string) {
		t.Helper()
		r := recognize.Bytes(adapters.All(), []byte(strings.Join(records, "\n")+"\n"), wire.Auto, true)
		if r.Looks() != dialect || r.Matches[0].Version != version || r.Framing != wire.NDJSON {
			t.Errorf("%s framed as %s, version %q", describe(&r), r.Framing, r.Matches[0].Version)
		}
	}
	f("a2a", "1.0", `{"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}}`)
	f("a2a", "0.3", `{"jsonrpc":"2.0","id":1,"result":{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"working"},"final":false}}`)
	f("a2a", "0.3", `{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"},"final":true}}`)
	update := func(kind, rest string) string {
		return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"` + kind + `"` + rest + `}}}`
	}
	chunk := update("agent_message_chunk", `,"content":{"type":"text","text":"Hi"}`)
	f("acp", "1", chunk)
	f("acp", "2 (draft)", chunk, update("state_update", `,"state":"idle","stopReason":"end_turn"`))
	text := []string{`{"type":"start","messageId":"m"}`, `{"type":"text-start","id":"t"}`, `{"type":"text-delta","id":"t","delta":"Hi"}`}
	f("aisdk", "5 or later", text...)
	ask := []string{`{"type":"tool-input-available","toolCallId":"c","toolName":"x","input":{}}`, `{"type":"tool-approval-request","approvalId":"a","toolCallId":"c"}`}
	f("aisdk", "6 or later", slices.Concat(text, ask)...)
	f("aisdk", "7", slices.Concat(text, ask, []string{`{"type":"tool-approval-response","approvalId":"a","approved":true}`})...)
	f("native", "", `{"kind":"run.start","id":"r"}`, `{"kind":"text.delta","id":"t","text":"Hi"}`)
}

// TestUnknown: what no dialect recognises is none of them.
func TestUnknown(t *testing.T) {
	for _, text := range []string{"", "hello\nworld\n", "<!doctype html>\n<html></html>\n", `{"a":1}`, "[DONE]\n", "\x00\x01\x02", "data: {}\n\n", "null"} {
		r := recognize.Bytes(adapters.All(), []byte(text), wire.Auto, true)
		if r.Sure() != recognize.Unknown || r.Looks() != "" {
			t.Errorf("%q: %s", text, describe(&r))
		}
	}
}

// TestFew: who shares a record with events that somebody made up is not likely to be their dialect.
func TestFew(t *testing.T) {
	f := func(shared string, want recognize.Sure) {
		t.Helper()
		own := strings.Repeat(`{"kind":"token","content":"Hi"}`+"\n", 5)
		r := recognize.Bytes(adapters.All(), []byte(own+shared), wire.Auto, true)
		if got := r.Sure(); got != want {
			t.Errorf("%s: %s, want %s", shared, describe(&r), want)
		}
	}
	f(`{"kind":"usage","prompt":12}`, recognize.Doubtful)
	f(`{"kind":"error","message":"It failed.","code":"failed"}`, recognize.Doubtful)
	f(`{"error":{"message":"It failed."}}`, recognize.Unknown)
}
