package main

import "strings"

// aisdkControls are what any of the clients rejects, or misunderstands.
var aisdkControls = []*Case{
	aisdkControl("a text that was not opened", hello(),
		`{"type":"text-delta","id":"t1","delta":"Hello"}`, `{"type":"text-end","id":"t1"}`),
	aisdkControl("a text that goes on after its end", hello(),
		`{"type":"text-start","id":"t1"}`, `{"type":"text-delta","id":"t1","delta":"He"}`, `{"type":"text-end","id":"t1"}`,
		`{"type":"text-delta","id":"t1","delta":"llo"}`),
	aisdkControl("a text that does not end", hello(), aisdkHello[0], aisdkHello[1]),
	aisdkControl("a null where nothing should be", hello(),
		`{"type":"text-start","id":"t1","providerMetadata":null}`, aisdkHello[1], aisdkHello[2]),
	aisdkControl("an event of no known type", hello(), aisdkHello[0], aisdkHello[1], aisdkHello[2], `{"type":"sabir-event"}`),
	aisdkControl("metadata that are no object of objects", hello(),
		`{"type":"text-start","id":"t1","providerMetadata":{"sabir":1}}`, aisdkHello[1], aisdkHello[2]),
	aisdkControl("an output without a call", hello(), aisdkHello[0], aisdkHello[1], aisdkHello[2],
		`{"type":"tool-output-available","toolCallId":"c1","output":1}`),
	aisdkControl("a call that was never made", hello(), aisdkHello[0], aisdkHello[1], aisdkHello[2],
		`{"type":"tool-input-available","toolCallId":"c1","toolName":"a","input":{}}`),
	aisdkControl("a forbidden key", hello(), aisdkHello[0], aisdkHello[1], aisdkHello[2],
		`{"type":"data-a","data":{"__proto__":1}}`),
	aisdkControl("a text with a letter missing", hello(),
		aisdkHello[0], `{"type":"text-delta","id":"t1","delta":"Hell"}`, aisdkHello[2]),
	aisdkControl("an error in place of success", hello(), aisdkHello[0], aisdkHello[1], aisdkHello[2],
		`{"type":"error","errorText":"x"}`),
	aisdkControl("a call that the client is asked to run, though the agent ran it", withCall(hello()),
		aisdkHello[0], aisdkHello[1], aisdkHello[2],
		`{"type":"tool-input-available","toolCallId":"c1","toolName":"a","input":{},"dynamic":true}`,
		`{"type":"tool-output-available","toolCallId":"c1","output":"x","dynamic":true}`),
	aisdkControl("an output that is erased", withCall(hello()), aisdkHello[0], aisdkHello[1], aisdkHello[2],
		`{"type":"tool-input-start","toolCallId":"c1","toolName":"a","providerExecuted":true}`,
		`{"type":"tool-output-available","toolCallId":"c1","output":"x"}`,
		`{"type":"tool-input-available","toolCallId":"c1","toolName":"a","input":{},"providerExecuted":true}`),
}

// aisdkHello is a text without a fault.
var aisdkHello = [...]string{
	`{"type":"text-start","id":"t1"}`, `{"type":"text-delta","id":"t1","delta":"Hello"}`, `{"type":"text-end","id":"t1"}`,
}

// withCall adds a call that the agent ran.
func withCall(m *Meaning) *Meaning {
	m.Tools = []*Tool{{ID: "c1", Name: "a", Args: "{}", Result: "x", Answered: true}}
	return m
}

func aisdkControl(fault string, m *Meaning, records ...string) *Case {
	all := append([]string{`{"type":"start","messageId":"m1"}`, `{"type":"start-step"}`}, records...)
	all = append(all, `{"type":"finish-step"}`, `{"type":"finish","finishReason":"stop"}`, `[DONE]`)
	body := "data: " + strings.Join(all, "\n\ndata: ") + "\n\n"
	return &Case{Name: "control: " + fault, Target: "aisdk", Body: body, Type: "text/event-stream", Meaning: m, Control: true}
}
