package main

import "strings"

// mastraControls have one fault each.
var mastraControls = []*Case{
	mastraControl("a chunk that is no JSON", hello(), mastraHello, `{"type":`, mastraEnd),
	mastraControl("no end", hello(), mastraHello),
	mastraControl("an error in place of success", hello(), mastraHello,
		`{"type":"error","runId":"r","from":"AGENT","payload":{"error":{"name":"Error","message":"x"}}}`, mastraEnd),
	mastraControl("a text with a letter missing", hello(), strings.Replace(mastraHello, "Hello", "Hell", 1), mastraEnd),
	mastraControl("the text as reasoning", hello(), strings.Replace(mastraHello, "text-delta", "reasoning-delta", 1), mastraEnd),
	mastraControl("a call that was never made", hello(), mastraHello, mastraCall, mastraEnd),
	mastraControl("a result that is missing", withCall(hello()), mastraHello, mastraCall, mastraEnd),
	mastraControl("a result without a call", withCall(hello()), mastraHello,
		`{"type":"tool-result","runId":"r","from":"AGENT","payload":{"toolCallId":"c1","toolName":"a","result":1}}`, mastraEnd),
	mastraControl("a fragment without a call", hello(), mastraHello,
		`{"type":"tool-call-delta","runId":"r","from":"AGENT","payload":{"toolCallId":"c1","toolName":"a","argsTextDelta":"{"}}`, mastraEnd),
	mastraControl("a step without the id of its message", hello(), `{"type":"step-start","runId":"r","from":"AGENT"}`, mastraHello, mastraEnd),
}

// These are chunks without a fault.
const (
	mastraHello = `{"type":"text-delta","runId":"r","from":"AGENT","payload":{"id":"t","text":"Hello"}}`
	mastraCall  = `{"type":"tool-call","runId":"r","from":"AGENT","payload":{"toolCallId":"c1","toolName":"a","args":{}}}`
	mastraEnd   = `{"type":"finish","runId":"r","from":"AGENT","payload":{"stepResult":{"reason":"stop"},"output":{"usage":{}}}}`
)

func mastraControl(fault string, m *Meaning, chunks ...string) *Case {
	const start = `{"type":"start","runId":"r","from":"AGENT","payload":{"id":"a","messageId":"m"}}`
	body := "data: " + strings.Join(append([]string{start}, chunks...), "\n\ndata: ") + "\n\ndata: [DONE]\n\n"
	return &Case{Name: "control: " + fault, Target: "mastra", Body: body, Type: "text/event-stream", Meaning: m, Control: true}
}
