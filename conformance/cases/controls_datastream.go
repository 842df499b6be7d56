package main

import "strings"

// datastreamControls are what both readers reject, or misunderstand.
var datastreamControls = []*Case{
	datastreamControl("an unknown code", hello(), `0:"Hello"`, `z:1`),
	datastreamControl("a result without a call", hello(), `0:"Hello"`, `a:{"toolCallId":"c1","result":1}`),
	datastreamControl("a fragment without a call", hello(), `0:"Hello"`, `c:{"toolCallId":"c1","argsTextDelta":"{"}`),
	datastreamControl("a line without a colon", hello(), `0:"Hello"`, `oops`),
	datastreamControl("a text that is none", hello(), `0:"Hello"`, `0:{}`),
	datastreamControl("an error in place of success", hello(), `0:"Hello"`, `3:"x"`),
	datastreamControl("a text with a letter missing", hello(), `0:"Hell"`),
	datastreamControl("a call that was never made", hello(), `0:"Hello"`, `9:{"toolCallId":"c1","toolName":"a","args":{}}`),
	datastreamControl("a result that is missing", withCall(hello()), `0:"Hello"`, `9:{"toolCallId":"c1","toolName":"a","args":{}}`),
}

func datastreamControl(fault string, m *Meaning, lines ...string) *Case {
	all := append([]string{`f:{"messageId":"m1"}`}, lines...)
	all = append(all, `e:{"finishReason":"stop","isContinued":false}`, `d:{"finishReason":"stop"}`)
	body := strings.Join(all, "\n") + "\n"
	return &Case{
		Name: "control: " + fault, Target: "datastream", Body: body, Type: "text/plain; charset=utf-8", Meaning: m, Control: true,
	}
}
