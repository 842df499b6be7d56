package main

import "strings"

// adkControls have one fault each.
var adkControls = []*Case{
	adkControl("an event that is no JSON", hello(), adkPart, `{"content":{`, adkHello),
	adkControl("a text that is not said whole", hello(), adkPart),
	adkControl("fragments that say something else", hello(), strings.Replace(adkPart, "Hello", "Hallo", 1), adkHello),
	adkControl("a text with a letter missing", hello(), strings.Replace(adkHello, "Hello", "Hell", 1)),
	adkControl("the text as a thought", hello(), strings.Replace(adkHello, `"Hello"`, `"Hello","thought":true`, 1)),
	adkControl("an error in place of success", hello(), adkPart, adkHello, `{"error":"x"}`),
	adkControl("an unknown action", hello(), strings.Replace(adkHello, `"id"`, `"actions":{"sabir":1},"id"`, 1)),
	adkControl("a call that was never made", hello(), adkHello, strings.Replace(adkHello, `"text":"Hello"`, `"functionCall":{"id":"c1","name":"a","args":{}}`, 1)),
	adkControl("a call whose arguments are a list", hello(), adkHello, strings.Replace(adkHello, `"text":"Hello"`, `"functionCall":{"id":"c1","name":"a","args":[]}`, 1)),
	adkControl("an agent that was never started", hello(), strings.Replace(adkHello, `"id"`, `"branch":"b","id"`, 1)),
}

// adkPart and adkHello are a text without a fault, in a fragment and whole.
const (
	adkPart  = `{"content":{"parts":[{"text":"Hello"}],"role":"model"},"partial":true,"invocationId":"i","author":"a","id":"e"}`
	adkHello = `{"content":{"parts":[{"text":"Hello"}],"role":"model"},"invocationId":"i","author":"a","id":"e"}`
)

func adkControl(fault string, m *Meaning, events ...string) *Case {
	body := "data: " + strings.Join(events, "\n\ndata: ") + "\n\n"
	return &Case{Name: "control: " + fault, Target: "adk", Body: body, Type: "text/event-stream", Meaning: m, Control: true}
}
