package main

import "strings"

// anthropicControls have one fault each.
var anthropicControls = []*Case{
	anthropicControl("no message_start", hello(), anthropicHello, anthropicEnd),
	anthropicControl("message_start without content", hello(), strings.Replace(anthropicStart, `"content":[],`, "", 1), anthropicHello, anthropicEnd),
	anthropicControl("message_delta without usage", hello(), anthropicStart, anthropicHello, strings.Replace(anthropicEnd, `,"usage":{"output_tokens":3}`, "", 1)),
	anthropicControl("no end", hello(), anthropicStart, anthropicHello),
	anthropicControl("no stop reason", hello(), anthropicStart, anthropicHello, strings.Replace(anthropicEnd, `"end_turn"`, "null", 1)),
	anthropicControl("an error in place of success", hello(), anthropicStart, anthropicHello,
		"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"x\"}}\n\n"),
	anthropicControl("an error without a name", &Meaning{End: "error", Message: "x", Answers: []string{"Hello"}}, anthropicStart, anthropicHello,
		"data: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"y\"}}\n\n"),
	anthropicControl("a text with a letter missing", hello(), anthropicStart, strings.Replace(anthropicHello, "Hello", "Hell", 1), anthropicEnd),
	anthropicControl("the text as thinking", hello(), anthropicStart,
		strings.NewReplacer(`"text_delta","text"`, `"thinking_delta","thinking"`, `"text","text"`, `"thinking","thinking"`).Replace(anthropicHello), anthropicEnd),
	anthropicControl("a delta in a block that is not there", hello(), anthropicStart, strings.Replace(anthropicHello, `delta","index":0`, `delta","index":1`, 1), anthropicEnd),
	anthropicControl("a call that was never made", hello(), anthropicStart, anthropicHello,
		"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"a\",\"input\":{}}}\n\n"+
			"event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":1}\n\n", anthropicEnd),
}

// Pieces of a stream without a fault.
const (
	anthropicStart = "event: message_start\n" +
		`data: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}` + "\n\n"
	anthropicHello = "event: content_block_start\n" +
		`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` + "\n\n" +
		"event: content_block_delta\n" +
		`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}` + "\n\n" +
		"event: content_block_stop\n" +
		`data: {"type":"content_block_stop","index":0}` + "\n\n"
	anthropicEnd = "event: message_delta\n" +
		`data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":3}}` + "\n\n" +
		"event: message_stop\n" + `data: {"type":"message_stop"}` + "\n\n"
)

func anthropicControl(fault string, m *Meaning, pieces ...string) *Case {
	if m.Tools == nil {
		m.Tools, m.Reasoning = []*Tool{}, []string{}
	}
	return &Case{Name: "control: " + fault, Target: "anthropic", Body: strings.Join(pieces, ""), Type: "text/event-stream", Meaning: m, Control: true}
}
