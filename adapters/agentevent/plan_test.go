package agentevent_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestPlans is SX-6: plans become calls of a todo tool. They wait for an open call of that name, as any other, and what a
// call has written is not repeated.
func TestPlans(t *testing.T) {
	plan := hub.Event{Kind: hub.Plan, More: &hub.More{Items: []hub.PlanItem{{Content: body("a"), Status: body("pending")}}}}
	call := func(id, args string) []hub.Event {
		return []hub.Event{
			{Kind: hub.ToolStart, ID: body(id), Name: body("todo_list")},
			{Kind: hub.ToolReady, ID: body(id), Name: body("todo_list"), Value: body(args)},
		}
	}
	end := func(id string) hub.Event {
		return hub.Event{Kind: hub.ToolEnd, ID: body(id), Name: body("todo_list"), Status: hub.StatusOK, Text: body("ok")}
	}
	f := func(option string, want string, events ...hub.Event) {
		t.Helper()
		got := encode(t, map[string]any{"plans": option}, events...)
		if got = strings.ReplaceAll(got, "\n", "|"); got != want {
			t.Errorf("plans=%s:\n got %s\nwant %s", option, got, want)
		}
	}
	const shown = `{"type":"tool_call","toolName":"todo_list","toolArgs":"{\"todos\":[{\"content\":\"a\",\"status\":\"pending\"}]}"}||` +
		`{"type":"tool_result","toolName":"todo_list","output":"0 of 1 completed"}`
	lines := strings.ReplaceAll(shown, "||", "|")
	f("drop", "dropped |", plan)
	f("tool", "folded "+lines+"|", plan)
	f("tool", `deferred |native {"type":"tool_call","toolName":"todo_list","toolArgs":"{}"}|folded |`+
		`native {"type":"tool_result","toolName":"todo_list","output":"ok"}|`+lines+"|", append(call("t1", "{}"), plan, end("t1"))...)
	f("tool", `deferred |native {"type":"tool_call","toolName":"todo_list","toolArgs":"{\"todos\":[]}"}|implied |`+
		`native {"type":"tool_result","toolName":"todo_list","output":"ok"}|implied |`, append(call("t1", `{"todos":[]}`), plan, end("t1"), plan)...)
}
