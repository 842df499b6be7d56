package main

import "strings"

// geminiControls have one fault each.
var geminiControls = []*Case{
	geminiControl("a frame that is no JSON", hello(), geminiHello, `{"candidates":[`, geminiEnd),
	geminiControl("no end", hello(), geminiHello),
	geminiControl("an error in place of success", hello(), geminiHello, `{"error":{"code":503,"message":"x","status":"UNAVAILABLE"}}`),
	geminiControl("a failure in place of success", hello(), geminiHello, strings.Replace(geminiEnd, "STOP", "OTHER", 1)),
	geminiControl("a text with a letter missing", hello(), strings.Replace(geminiHello, "Hello", "Hell", 1), geminiEnd),
	geminiControl("the text as a thought", hello(), strings.Replace(geminiHello, `"Hello"`, `"Hello","thought":true`, 1), geminiEnd),
	geminiControl("a call that was never made", hello(), geminiHello,
		strings.Replace(geminiHello, `"text":"Hello"`, `"functionCall":{"id":"c1","name":"a","args":{}}`, 1), geminiEnd),
	geminiControl("snake case", hello(), geminiHello, strings.Replace(geminiEnd, "finishReason", "finish_reason", 1)),
}

// geminiHello and geminiEnd are frames without a fault.
const (
	geminiHello = `{"candidates":[{"content":{"role":"model","parts":[{"text":"Hello"}]},"index":0}],"modelVersion":"m","responseId":"r"}`
	geminiEnd   = `{"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"finishReason":"STOP","index":0}],"modelVersion":"m","responseId":"r"}`
)

func geminiControl(fault string, m *Meaning, frames ...string) *Case {
	body := "data: " + strings.Join(frames, "\n\ndata: ") + "\n\n"
	return &Case{Name: "control: " + fault, Target: "gemini", Body: body, Type: "text/event-stream", Meaning: m, Control: true}
}
