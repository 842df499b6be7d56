package main

import "strings"

// responsesControls have one fault each.
var responsesControls = []*Case{
	responsesControl("no response.created", hello(), strings.Replace(responsesHello, responsesCreated, "", 1)),
	responsesControl("an item that was not announced", hello(), responsesWithout(`"response.output_item.added"`)),
	responsesControl("a part that was not announced", hello(), responsesWithout(`"response.content_part.added"`)),
	responsesControl("no end", hello(), responsesWithout(`"response.completed"`)),
	responsesControl("no item in the final output", hello(), strings.Replace(responsesHello, `"output":[{`, `"output":[],"put":[{`, 1)),
	responsesControl("another text in the final output", hello(), responsesLast(`"text":"Hello"`, `"text":"Hell"`)),
	responsesControl("an event of no known type", hello(), strings.Replace(responsesHello, "\n\n", "\n\nevent: ping\ndata: {\"type\":\"ping\",\"sequence_number\":1}\n\n", 1)),
	responsesControl("a delta of an item that is not there", hello(), strings.Replace(responsesHello, `delta","item_id":"msg_1"`, `delta","item_id":"msg_2"`, 1)),
	responsesControl("another id at the end", hello(), responsesLast(`"id":"resp_1"`, `"id":"resp_2"`)),
	responsesControl("a failure in place of success", hello(), strings.NewReplacer(`completed","response"`, `failed","response"`, `"status":"completed","error":null`,
		`"status":"failed","error":{"code":"server_error","message":"x"}`).Replace(responsesHello)),
	responsesControl("an error of its own", hello(), strings.Split(responsesHello, "event: response.completed")[0]+
		"event: error\ndata: {\"type\":\"error\",\"code\":\"x\",\"message\":\"x\",\"param\":null,\"sequence_number\":8}\n\n"),
	responsesControl("a call that was never made", hello(), strings.Replace(responsesHello, `"content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"Hello"}]}],`,
		`"content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"Hello"}]},{"id":"fc_1","type":"function_call","call_id":"c1","name":"a","arguments":"{}","status":"completed"}],`, 1)),
}

// A stream without a fault.
const (
	responsesCreated = "event: response.created\n" +
		`data: {"type":"response.created","response":{"id":"resp_1","object":"response","created_at":1,"status":"in_progress","model":"m","output":[]},"sequence_number":0}` + "\n\n"
	responsesHello = responsesCreated +
		"event: response.output_item.added\n" +
		`data: {"type":"response.output_item.added","output_index":0,"item":{"id":"msg_1","type":"message","status":"in_progress","role":"assistant","content":[]},"sequence_number":1}` + "\n\n" +
		"event: response.content_part.added\n" +
		`data: {"type":"response.content_part.added","item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"output_text","annotations":[],"logprobs":[],"text":""},"sequence_number":2}` + "\n\n" +
		"event: response.output_text.delta\n" +
		`data: {"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":"Hello","logprobs":[],"sequence_number":3}` + "\n\n" +
		"event: response.output_text.done\n" +
		`data: {"type":"response.output_text.done","item_id":"msg_1","output_index":0,"content_index":0,"text":"Hello","logprobs":[],"sequence_number":4}` + "\n\n" +
		"event: response.content_part.done\n" +
		`data: {"type":"response.content_part.done","item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"output_text","annotations":[],"logprobs":[],"text":"Hello"},"sequence_number":5}` + "\n\n" +
		"event: response.output_item.done\n" +
		`data: {"type":"response.output_item.done","output_index":0,"item":{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"Hello"}]},"sequence_number":6}` + "\n\n" +
		"event: response.completed\n" +
		`data: {"type":"response.completed","response":{"id":"resp_1","object":"response","created_at":1,"status":"completed","error":null,"model":"m","output":[{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"Hello"}]}],"usage":null},"sequence_number":7}` + "\n\n"
)

// responsesWithout is the stream without the events of a type.
func responsesWithout(typ string) string {
	var kept []string
	for _, frame := range strings.SplitAfter(responsesHello, "\n\n") {
		if !strings.Contains(frame, `{"type":`+typ) {
			kept = append(kept, frame)
		}
	}
	return strings.Join(kept, "")
}

// responsesLast is the stream with the last occurrence of a text replaced.
func responsesLast(old, by string) string {
	i := strings.LastIndex(responsesHello, old)
	return responsesHello[:i] + by + responsesHello[i+len(old):]
}

func responsesControl(fault string, m *Meaning, body string) *Case {
	if m.Tools == nil {
		m.Tools = []*Tool{}
	}
	return &Case{Name: "control: " + fault, Target: "openai-responses", Body: body, Type: "text/event-stream", Meaning: m, Control: true}
}
