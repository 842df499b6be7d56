package main

import (
	"fmt"
	"strings"
)

// openaichatControls have one fault each, which every client of Chat Completions notices, or is misled by.
var openaichatControls = []*Case{
	openaichatControl("a frame that is no JSON", hello(), chatRole, chatHello, `{"choices":[`, chatStop, chatDone),
	openaichatControl("no finish_reason", hello(), chatRole, chatHello, chatDone),
	openaichatControl("an unknown finish_reason", hello(), chatRole, chatHello, chatFinish("end_turn"), chatDone),
	openaichatControl("tool_calls without calls", hello(), chatRole, chatHello, chatFinish("tool_calls"), chatDone),
	openaichatControl("an error in place of success", hello(), chatRole, chatHello,
		`{"error":{"message":"x","type":"server_error","param":null,"code":null}}`),
	openaichatControl("an error of the wrong form", helloFailed(), chatRole, chatHello, `{"code":500,"message":"x"}`, chatDone),
	openaichatControl("a text with a letter missing", hello(), chatRole, strings.Replace(chatHello, "Hello", "Hell", 1), chatStop, chatDone),
	openaichatControl("the text as reasoning", hello(), chatRole, strings.Replace(chatHello, "content", "reasoning_content", 1), chatStop, chatDone),
	openaichatControl("a call that was never made", hello(), chatRole, chatHello, chatCall(0, "call_a"), chatFinish("tool_calls"), chatDone),
	openaichatControl("stop with a call that waits", helloCalls("call_a"), chatRole, chatHello, chatCall(0, "call_a"), chatStop, chatDone),
	openaichatControl("arguments said twice", helloCalls("call_a"), chatRole, chatHello, chatCall(0, "call_a"),
		chatDelta(`"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]`), chatFinish("tool_calls"), chatDone),
	openaichatControl("usage in a member of its own", helloUsage(), chatRole, chatHello, chatStop,
		strings.Replace(chatChunk("[]"), `"choices"`, `"meta":{"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}},"choices"`, 1), chatDone),
}

const chatDone = "[DONE]"

// Frames without a fault.
var (
	chatRole  = chatDelta(`"role":"assistant","content":""`)
	chatHello = chatDelta(`"content":"Hello"`)
	chatStop  = chatFinish("stop")
)

func chatChunk(choices string) string {
	return `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1790000000,"model":"m","choices":` + choices + `}`
}

func chatDelta(members string) string {
	return chatChunk(`[{"index":0,"delta":{` + members + `},"finish_reason":null}]`)
}

func chatFinish(reason string) string {
	return chatChunk(`[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]`)
}

// chatCall is a whole call in one delta.
func chatCall(index int, id string) string {
	return chatDelta(fmt.Sprintf(`"tool_calls":[{"index":%d,"id":%q,"type":"function","function":{"name":"a","arguments":"{}"}}]`, index, id))
}

// helloCalls is what a text with calls for the client means.
func helloCalls(ids ...string) *Meaning {
	m := hello()
	for _, id := range ids {
		m.Tools = append(m.Tools, &Tool{ID: id, Name: "a", Args: "{}", ClientRuns: true})
	}
	return m
}

func helloFailed() *Meaning {
	m := hello()
	m.End, m.Message = "error", "x"
	return m
}

func helloUsage() *Meaning {
	m := hello()
	in, out, total := int64(1), int64(2), int64(3)
	m.Usage = map[string]*Usage{"run_sum": {&in, &out, &total}}
	return m
}

func openaichatControl(fault string, m *Meaning, frames ...string) *Case {
	body := "data: " + strings.Join(frames, "\n\ndata: ") + "\n\n"
	return &Case{Name: "control: " + fault, Target: "openai-chat", Body: body, Type: "text/event-stream", Meaning: m, Control: true}
}
