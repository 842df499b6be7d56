package main

import "strings"

// acpControls have one fault each.
var acpControls = []*Case{
	acpControl("a line that is no JSON", hello(), acpHello, `{"jsonrpc":"2.0","method":`, acpEnd),
	acpControl("no JSON-RPC", hello(), acpHello, strings.Replace(acpHello, `"jsonrpc":"2.0",`, "", 1), acpEnd),
	acpControl("no end", hello(), acpHello),
	acpControl("an end of another call", hello(), acpHello, strings.Replace(acpEnd, `"id":2`, `"id":7`, 1)),
	acpControl("an error in place of success", hello(), acpHello, `{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"x"}}`),
	acpControl("a text with a letter missing", hello(), strings.Replace(acpHello, "Hello", "Hell", 1), acpEnd),
	acpControl("the text as a thought", hello(), strings.Replace(acpHello, "agent_message_chunk", "agent_thought_chunk", 1), acpEnd),
	acpControl("a content that is a text", hello(), strings.Replace(acpHello, `{"type":"text","text":"Hello"}`, `"Hello"`, 1), acpEnd),
	acpControl("an update of no known kind", hello(), acpHello, acpUpdate(`{"sessionUpdate":"sabir"}`), acpEnd),
	acpControl("a call without a title", hello(), acpHello, acpUpdate(`{"sessionUpdate":"tool_call","toolCallId":"c1"}`), acpEnd),
	acpControl("a call that was never made", hello(), acpHello, acpUpdate(`{"sessionUpdate":"tool_call","toolCallId":"c1","title":"x"}`), acpEnd),
	acpControl("an update of a call that was never made", hello(), acpHello, acpUpdate(`{"sessionUpdate":"tool_call_update","toolCallId":"c1"}`), acpEnd),
	acpControl("an entry of no known status", hello(), acpHello,
		acpUpdate(`{"sessionUpdate":"plan","entries":[{"content":"x","priority":"high","status":"cancelled"}]}`), acpEnd),
	acpControl("a member of another type", hello(), acpHello, acpUpdate(`{"sessionUpdate":"session_info_update","title":7}`), acpEnd),
	acpControl("an option of no known kind", hello(), acpHello,
		`{"jsonrpc":"2.0","id":"q","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[{"optionId":"a","name":"A","kind":"maybe"}]}}`,
		acpEnd),
	acpControl("a request of no known method", hello(), acpHello, `{"jsonrpc":"2.0","id":"q","method":"sabir","params":{"sessionId":"s"}}`, acpEnd),
}

// acpHello and acpEnd are messages without a fault.
var acpHello = acpUpdate(`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"Hello"}}`)

const acpEnd = `{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}`

func acpUpdate(update string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + update + `}}`
}

func acpControl(fault string, m *Meaning, messages ...string) *Case {
	return &Case{
		Name: "control: " + fault, Target: "acp", Body: strings.Join(messages, "\n") + "\n", Type: "application/x-ndjson", Meaning: m,
		Version: "1", Control: true,
	}
}
