package main

import "strings"

// claudeControls have one fault each.
var claudeControls = []*Case{
	claudeControl("no result", hello(), claudeHello),
	claudeControl("two results", hello(), claudeHello, claudeEnd, claudeEnd),
	claudeControl("a failure in place of success", hello(), claudeHello, strings.NewReplacer(`"success"`, `"error_during_execution"`, `"is_error":false`, `"is_error":true,"errors":["x"]`).Replace(claudeEnd)),
	claudeControl("a line that is no JSON", hello(), strings.Replace(claudeHello, `"Hello"`, `"Hello`, 1), claudeEnd),
	claudeControl("a text with a letter missing", hello(), strings.Replace(claudeHello, "Hello", "Hell", 1), claudeEnd),
	claudeControl("pieces that are not the text", hello(),
		claudeEvent(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`),
		claudeEvent(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hell"}}`),
		claudeHello, claudeEvent(`{"type":"content_block_stop","index":0}`), claudeEnd),
	claudeControl("a piece of no block", hello(),
		claudeEvent(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}`), claudeHello, claudeEnd),
	claudeControl("the text as a thought", hello(), strings.Replace(claudeHello, `"type":"text","text":"Hello"`, `"type":"thinking","thinking":"Hello","signature":""`, 1), claudeEnd),
	claudeControl("a call that was never made", hello(), claudeHello,
		strings.Replace(claudeHello, `"type":"text","text":"Hello"`, `"type":"tool_use","id":"c1","name":"a","input":{}`, 1), claudeEnd),
}

const claudeTail = `,"parent_tool_use_id":null,"session_id":"s","uuid":"00000000-0000-4000-8000-000000000001"}`

// claudeHello and claudeEnd are lines without a fault.
const (
	claudeHello = `{"type":"assistant","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Hello"}],` +
		`"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":0,"output_tokens":0}}` + claudeTail
	claudeEnd = `{"type":"result","subtype":"success","is_error":false,"duration_ms":0,"duration_api_ms":0,"num_turns":1,"result":"Hello",` +
		`"stop_reason":"end_turn","total_cost_usd":0,"usage":{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0},` +
		`"modelUsage":{},"permission_denials":[],"session_id":"s","uuid":"00000000-0000-4000-8000-000000000002"}`
)

func claudeEvent(event string) string { return `{"type":"stream_event","event":` + event + claudeTail }

func claudeControl(fault string, m *Meaning, lines ...string) *Case {
	body := strings.Join(lines, "\n") + "\n"
	return &Case{Name: "control: " + fault, Target: "claude-cli", Body: body, Type: "application/x-ndjson", Meaning: m, Control: true}
}
