package main

import "github.com/sabir-proxy/sabir/adapters/wire"

// bedrockControls have one fault each.
var bedrockControls = []*Case{
	bedrockControl("no end", hello(), bedrockHello...),
	bedrockControl("an exception in place of success", hello(), bedrockWith(bedrockHello, bedrockEvent{"throttlingException", `{"message":"x"}`})...),
	bedrockControl("a text with a letter missing", hello(), bedrockWith([]bedrockEvent{{"contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"Hell"}}`}}, bedrockEnd...)...),
	bedrockControl("the text as reasoning", hello(), bedrockWith([]bedrockEvent{
		{"contentBlockDelta", `{"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"Hello"}}}`},
	}, bedrockEnd...)...),
	bedrockControl("a call that was never made", hello(), bedrockWith(bedrockWith(bedrockHello,
		bedrockEvent{"contentBlockStart", `{"contentBlockIndex":1,"start":{"toolUse":{"toolUseId":"c1","name":"a"}}}`},
		bedrockEvent{"contentBlockStop", `{"contentBlockIndex":1}`}), bedrockEnd...)...),
	bedrockControl("a delta under another name", hello(), bedrockWith([]bedrockEvent{{"messageStart", bedrockHello[1].data}}, bedrockEnd...)...),
	damagedControl(),
}

// bedrockEvent is a message by the type of its event and its payload.
type bedrockEvent struct{ name, data string }

// bedrockHello and bedrockEnd are messages without a fault.
var (
	bedrockHello = []bedrockEvent{
		{"messageStart", `{"role":"assistant"}`}, {"contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"Hello"}}`},
		{"contentBlockStop", `{"contentBlockIndex":0}`},
	}
	bedrockEnd = []bedrockEvent{
		{"messageStop", `{"stopReason":"end_turn"}`},
		{"metadata", `{"metrics":{"latencyMs":0},"usage":{"inputTokens":0,"outputTokens":0,"totalTokens":0}}`},
	}
)

func bedrockWith(events []bedrockEvent, more ...bedrockEvent) []bedrockEvent {
	return append(events[:len(events):len(events)], more...)
}

func bedrockControl(fault string, m *Meaning, events ...bedrockEvent) *Case {
	if m.Tools == nil {
		m.Tools, m.Reasoning = []*Tool{}, []string{}
	}
	out := wire.NewOut(wire.AmazonEventStream)
	for _, ev := range events {
		out.Begin(ev.name)
		out.Buf = append(out.Buf, ev.data...)
		out.End()
	}
	return &Case{
		Name: "control: " + fault, Target: "bedrock", Binary: out.Buf, Type: wire.AmazonEventStream.ContentType(), Meaning: m, Control: true,
	}
}

// damagedControl has a checksum that does not fit.
func damagedControl() *Case {
	c := bedrockControl("a damaged message", hello(), bedrockWith(bedrockHello, bedrockEnd...)...)
	c.Binary[len(c.Binary)/2] ^= 1
	return c
}
