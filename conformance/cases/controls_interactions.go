package main

import "strings"

// interactionsControls have one fault each.
var interactionsControls = []*Case{
	interactionsControl("an event that is no JSON", hello(), interactionsStart, interactionsHello, `{"event_type":`, interactionsEnd),
	interactionsControl("no end", hello(), interactionsStart, interactionsHello, interactionsStop),
	interactionsControl("an error in place of success", hello(), interactionsStart, interactionsHello, interactionsStop,
		`{"event_type":"error","error":{"message":"x"}}`),
	interactionsControl("a failure in place of success", hello(), interactionsStart, interactionsHello, interactionsStop,
		strings.Replace(interactionsEnd, "completed\",\"usage", "failed\",\"usage", 1)),
	interactionsControl("a text with a letter missing", hello(), interactionsStart, strings.Replace(interactionsHello, "Hello", "Hell", 1),
		interactionsStop, interactionsEnd),
	interactionsControl("the text as a thought", hello(), strings.Replace(interactionsStart, "model_output", "thought", 1),
		`{"event_type":"step.delta","index":0,"delta":{"type":"thought_summary","content":{"type":"text","text":"Hello"}}}`, interactionsStop, interactionsEnd),
	interactionsControl("a text of a step that was not begun", hello(), interactionsHello, interactionsEnd),
	interactionsControl("a call that was never made", hello(), interactionsStart, interactionsHello, interactionsStop,
		`{"event_type":"step.start","index":1,"step":{"type":"function_call","id":"c1","name":"a","arguments":{}}}`,
		`{"event_type":"step.stop","index":1}`, interactionsEnd),
}

// These are events without a fault.
const (
	interactionsStart = `{"event_type":"step.start","index":0,"step":{"type":"model_output"}}`
	interactionsHello = `{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"Hello"}}`
	interactionsStop  = `{"event_type":"step.stop","index":0}`
	interactionsEnd   = `{"event_type":"interaction.completed","interaction":{"id":"i","status":"completed","usage":{"total_input_tokens":1,"total_output_tokens":1}}}`
)

func interactionsControl(fault string, m *Meaning, events ...string) *Case {
	const created = `{"event_type":"interaction.created","interaction":{"id":"i","status":"in_progress"}}`
	body := "data: " + strings.Join(append([]string{created}, events...), "\n\ndata: ") + "\n\ndata: [DONE]\n\n"
	return &Case{Name: "control: " + fault, Target: "gemini-interactions", Body: body, Type: "text/event-stream", Meaning: m, Control: true}
}
