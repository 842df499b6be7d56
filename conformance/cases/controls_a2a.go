package main

import "strings"

// a2aControls have one fault each.
var a2aControls = []*Case{
	a2aControl("the id of another call", hello(), strings.ReplaceAll(a2aTask+a2aHello+a2aEnd, `"id":1,`, `"id":"1",`)),
	a2aControl("no envelope", hello(), a2aTask+strings.Replace(a2aHello, `"jsonrpc":"2.0",`, "", 1)+a2aEnd),
	a2aControl("an error in place of success", hello(), a2aTask+a2aHello+
		"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,\"message\":\"x\"}}\n\n"),
	a2aControl("no end", hello(), a2aTask+a2aHello),
	a2aControl("a failure in place of success", hello(), a2aTask+a2aHello+strings.Replace(a2aEnd, "COMPLETED", "FAILED", 1)),
	a2aControl("a text with a letter missing", hello(), a2aTask+strings.Replace(a2aHello, "Hello", "Hell", 1)+a2aEnd),
	a2aControl("a piece that takes the place of the text", hello(), a2aTask+a2aHello+strings.Replace(a2aHello, "Hello", "", 1)+a2aEnd),
	a2aControl("a first piece that appends", hello(), a2aTask+strings.Replace(a2aHello, `]}}}}`, `]},"append":true}}}`, 1)+a2aEnd),
	a2aControl("events of the older version", hello(),
		"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"artifact-update\",\"taskId\":\"t\",\"artifact\":{\"artifactId\":\"a\",\"parts\":[{\"kind\":\"text\",\"text\":\"Hello\"}]}}}\n\n"+a2aEnd),
	a2aControl("text after the end", hello(), a2aTask+a2aEnd+a2aHello),
	a2aControl("an update of another task", hello(), a2aTask+a2aHello+strings.Replace(a2aEnd, `"t"`, `"t2"`, 1)),
}

// a2aTask, a2aHello and a2aEnd are records without a fault.
const (
	a2aTask  = "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"task\":{\"id\":\"t\",\"contextId\":\"c\",\"status\":{\"state\":\"TASK_STATE_WORKING\"}}}}\n\n"
	a2aHello = "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"artifactUpdate\":{\"taskId\":\"t\",\"contextId\":\"c\",\"artifact\":{\"artifactId\":\"a\",\"parts\":[{\"text\":\"Hello\"}]}}}}\n\n"
	a2aEnd   = "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"statusUpdate\":{\"taskId\":\"t\",\"contextId\":\"c\",\"status\":{\"state\":\"TASK_STATE_COMPLETED\"}}}}\n\n"
)

func a2aControl(fault string, m *Meaning, body string) *Case {
	return &Case{Name: "control: " + fault, Target: "a2a", Body: body, Type: "text/event-stream", Meaning: m, Control: true, Version: "1.0"}
}
