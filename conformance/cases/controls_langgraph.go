package main

import "strings"

// langgraphControls have one fault each.
var langgraphControls = []*Case{
	langgraphControl("a piece without an id", hello(), strings.Replace(langgraphHello, `"id":"m1",`, "", 1), langgraphEnd),
	langgraphControl("a record that is no JSON", hello(), langgraphHello, "event: messages\ndata: [{", langgraphEnd),
	langgraphControl("an error in place of success", hello(), langgraphHello, "event: error\ndata: {\"error\":\"E\",\"message\":\"x\"}"),
	langgraphControl("no end", hello(), langgraphHello),
	langgraphControl("a text with a letter missing", hello(), strings.Replace(langgraphHello, "Hello", "Hell", 1), langgraphEnd),
	langgraphControl("the text once more under another id", hello(), langgraphHello, strings.Replace(langgraphHello, "m1", "m2", 1), langgraphEnd),
	langgraphControl("the text once more under the same id", hello(), langgraphHello, langgraphHello, langgraphEnd),
	langgraphControl("a state without the text", hello(), langgraphHello, "event: values\ndata: {\"messages\":[]}", langgraphEnd),
	langgraphControl("the text as reasoning", hello(),
		strings.Replace(langgraphHello, `"Hello"`, `[{"type":"reasoning","reasoning":"Hello"}]`, 1), langgraphEnd),
	langgraphControl("a call that was never made", hello(), langgraphHello,
		strings.Replace(langgraphHello, `"Hello"`, `"","tool_call_chunks":[{"id":"c1","name":"a","args":"{}","index":0}]`, 1), langgraphEnd),
	langgraphControl("a question that was never asked", hello(), langgraphHello,
		"event: values\ndata: {\"__interrupt__\":[{\"id\":\"q\",\"value\":1}]}", langgraphEnd),
	langgraphControl("the text in a mode that is not read", hello(),
		"event: messages/partial\ndata: [{\"id\":\"m1\",\"type\":\"ai\",\"content\":\"Hello\"}]", langgraphEnd),
}

// langgraphHello and langgraphEnd are records without a fault.
const (
	langgraphHello = "event: messages\ndata: [{\"id\":\"m1\",\"type\":\"AIMessageChunk\",\"content\":\"Hello\"},{\"langgraph_node\":\"agent\"}]"
	langgraphEnd   = "event: end\ndata: {\"run_id\":\"r\",\"status\":\"success\"}"
)

func langgraphControl(fault string, m *Meaning, records ...string) *Case {
	body := "event: metadata\ndata: {\"run_id\":\"r\"}\n\n" + strings.Join(records, "\n\n") + "\n\n"
	return &Case{Name: "control: " + fault, Target: "langgraph", Body: body, Type: "text/event-stream", Meaning: m, Control: true}
}
