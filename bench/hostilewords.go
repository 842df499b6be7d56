package bench

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Words are how a dialect says the pieces of a conversation.
type Words struct {
	Head, Tail   string
	user, answer string // %[1]s the id, %[2]s the content
	text         string // the content that is a text
	plain        bool   // what the agent says may be a string
	call, result string // %[1]s the id of the message, %[2]s that of the call
	deep         string // a call with arguments %s
	callList     string // a message of several calls %s
	callPart     string // one of them: %[1]s its id, %[2]s the tool
	Part, Said   string // parts of what the user and the agent say
	File         string // %s its bytes
	Document     string // likewise
	Reasoning    string
	System       string // a message with instructions
	tool         string // %[1]s its name, %[2]s the schema of its arguments
	toolList     string // a member of the request, with tools %s
	answers      string // likewise, with answers to questions; "": there is none
}

// NamedCall is a call of a tool, in a message of its own.
func (w *Words) NamedCall(call, tool string) string {
	return fmt.Sprintf(w.callList, fmt.Sprintf(w.callPart, call, tool))
}

// calls is a message with several calls.
func (w *Words) calls(n int, id func(i int) string) string {
	return fmt.Sprintf(w.callList, list(n, func(i int) string { return fmt.Sprintf(w.callPart, id(i), "f") }))
}

// quoted is a text of the agent's, as content.
func (w *Words) quoted(text string) string {
	if w.plain {
		return `"` + text + `"`
	}
	return "[" + w.Said + "]"
}

// User is a message of the user's. content is a string, or a list of parts.
func (w *Words) User(id, content string) string { return fmt.Sprintf(w.user, id, w.content(content)) }

// Answer is a message of the agent's.
func (w *Words) Answer(id, content string) string {
	return fmt.Sprintf(w.answer, id, w.content(content))
}

func (w *Words) content(v string) string {
	if v[0] == '"' && w.text != "" {
		return fmt.Sprintf(w.text, v)
	}
	return v
}

// Call is a call, in a message of its own.
func (w *Words) Call(message, call string) string { return fmt.Sprintf(w.call, message, call) }

// Result is the result of a call.
func (w *Words) Result(call string) string { return fmt.Sprintf(w.result, "r", call) }

// Deep is a call with arguments.
func (w *Words) Deep(args string) string { return fmt.Sprintf(w.deep, args) }

// body repeats pieces n times, all of the first before those of the second.
func (w *Words) body(n int, pieces ...func(i int) string) []byte {
	var b bytes.Buffer
	b.WriteString(w.Head)
	for p, piece := range pieces {
		for i := range n {
			if p+i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(piece(i))
		}
	}
	b.WriteString(w.Tail)
	return b.Bytes()
}

// list is n pieces, with commas between.
func list(n int, piece func(i int) string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(piece(i))
	}
	return b.String()
}

// one is a request with these messages.
func (w *Words) one(more string) []byte {
	return w.body(1, func(int) string { return more })
}

// with adds members to an object.
func with(object, members string) string { return object[:len(object)-1] + "," + members + "}" }

// tools is a request with tools, and a call of each.
func (w *Words) tools(n int, name func(i int) string) []byte {
	body := string(w.body(n, func(i int) string { return w.NamedCall("c"+strconv.Itoa(i), name(i)) }))
	return []byte(with(body, fmt.Sprintf(w.toolList, list(n, func(i int) string { return fmt.Sprintf(w.tool, name(i), `{"type":"object","properties":{}}`) }))))
}

// schema is a request with a tool of that schema.
func (w *Words) schema(text string) []byte {
	return []byte(with(string(w.one(w.User("u", `"x"`))), fmt.Sprintf(w.toolList, fmt.Sprintf(w.tool, "f", text))))
}

// answered is a request with messages, and answers to questions of these ids.
func (w *Words) answered(messages string, n int, ask func(i int) string) []byte {
	body := string(w.one(messages))
	if w.answers == "" {
		return []byte(body)
	}
	return []byte(with(body, fmt.Sprintf(w.answers, list(n, func(i int) string {
		return fmt.Sprintf(`{"interruptId":"%s","status":"resolved","payload":{"approved":true}}`, ask(i))
	}))))
}

// wordsOf are the words of dialects that read requests.
var wordsOf = map[string]Words{
	"openai-chat": {
		Head: `{"messages":[`, Tail: `]}`, user: `{"role":"user","name":"%s","content":%s}`, answer: `{"role":"assistant","name":"%s","content":%s}`,
		call:   `{"role":"assistant","name":"%s","tool_calls":[{"id":"%s","type":"function","function":{"name":"f","arguments":"{}"}}]}`,
		result: `{"role":"tool","name":"%s","tool_call_id":"%s","content":"x"}`,
		deep:   `{"role":"assistant","tool_calls":[{"id":"d","function":{"name":"f","arguments":%q}}]}`,
		Part:   `{"type":"text","text":"x"}`, Said: `{"type":"text","text":"x"}`, Reasoning: `{"role":"assistant","reasoning_content":"x"}`,
		File:   `{"type":"image_url","image_url":{"url":"data:image/png;base64,%s"}}`,
		System: `{"role":"system","content":"s"}`, Document: `{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,%s"}}`,
		tool: `{"type":"function","function":{"name":"%s","parameters":%s}}`, toolList: `"tools":[%s]`, plain: true,
		callList: `{"role":"assistant","tool_calls":[%s]}`, callPart: `{"id":"%s","type":"function","function":{"name":"%s","arguments":"{}"}}`,
	},
	"openai-responses": {
		Head: `{"input":[`, Tail: `]}`, user: `{"type":"message","role":"user","id":"%s","content":%s}`,
		answer: `{"type":"message","role":"assistant","id":"msg_%s","content":%s}`,
		call:   `{"type":"function_call","id":"%s","call_id":"%s","name":"f","arguments":"{}"}`,
		result: `{"type":"function_call_output","id":"%s","call_id":"%s","output":"x"}`,
		deep:   `{"type":"function_call","call_id":"d","name":"f","arguments":%q}`,
		Part:   `{"type":"input_text","text":"x"}`, Said: `{"type":"output_text","text":"x"}`,
		Reasoning: `{"type":"reasoning","id":"rs","summary":[{"type":"summary_text","text":"x"}],"encrypted_content":"QUJD"}`,
		File:      `{"type":"input_image","image_url":"data:image/png;base64,%s"}`,
		System:    `{"role":"developer","content":"s"}`, Document: `{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,%s"}`,
		tool: `{"type":"function","name":"%s","parameters":%s}`, toolList: `"tools":[%s]`,
		callList: `%s`, callPart: `{"type":"function_call","call_id":"%s","name":"%s","arguments":"{}"}`,
	},
	"anthropic": {
		Head: `{"messages":[`, Tail: `]}`, user: `{"role":"user","id":"%s","content":%s}`, answer: `{"role":"assistant","id":"%s","content":%s}`,
		call:   `{"role":"assistant","id":"%s","content":[{"type":"tool_use","id":"%s","name":"f","input":{}}]}`,
		result: `{"role":"user","id":"%s","content":[{"type":"tool_result","tool_use_id":"%s","content":"x"}]}`,
		deep:   `{"role":"assistant","content":[{"type":"tool_use","id":"d","name":"f","input":%s}]}`,
		Part:   `{"type":"text","text":"x"}`, Said: `{"type":"text","text":"x"}`,
		Reasoning: `{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"QUJD"}]}`,
		File:      `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"%s"}}`,
		System:    `{"role":"system","content":"s"}`, Document: `{"type":"document","title":"a.pdf","source":{"type":"base64","media_type":"application/pdf","data":"%s"}}`,
		tool: `{"name":"%s","input_schema":%s}`, toolList: `"tools":[%s]`, plain: true,
		callList: `{"role":"assistant","content":[%s]}`, callPart: `{"type":"tool_use","id":"%s","name":"%s","input":{}}`,
	},
	"gemini": {
		Head: `{"contents":[`, Tail: `]}`, user: `{"role":"user","id":"%s","parts":%s}`, answer: `{"role":"model","id":"%s","parts":%s}`, text: `[{"text":%s}]`,
		call:   `{"role":"model","x":"%s","parts":[{"functionCall":{"id":"%s","name":"f","args":{}}}]}`,
		result: `{"role":"user","x":"%s","parts":[{"functionResponse":{"id":"%s","name":"f","response":{"output":"x"}}}]}`,
		deep:   `{"role":"model","parts":[{"functionCall":{"name":"f","args":%s}}]}`,
		Part:   `{"text":"x"}`, Said: `{"text":"x"}`, Reasoning: `{"role":"model","parts":[{"text":"x","thought":true}]}`,
		File:   `{"inlineData":{"mimeType":"image/png","data":"%s"}}`,
		System: `{"role":"system","parts":[{"text":"s"}]}`, Document: `{"inlineData":{"displayName":"a.pdf","mimeType":"application/pdf","data":"%s"}}`,
		tool: `{"name":"%s","parameters":%s}`, toolList: `"tools":[{"functionDeclarations":[%s]}]`,
		callList: `{"role":"model","parts":[%s]}`, callPart: `{"functionCall":{"id":"%s","name":"%s","args":{}}}`,
	},
	"agui": {
		Head: `{"threadId":"t","runId":"r","messages":[`, Tail: `]}`, user: `{"role":"user","id":"%s","content":%s}`, answer: `{"role":"assistant","id":"%s","content":%s}`,
		call:   `{"role":"assistant","id":"%s","toolCalls":[{"id":"%s","type":"function","function":{"name":"f","arguments":"{}"}}]}`,
		result: `{"role":"tool","id":"%s","toolCallId":"%s","content":"x"}`,
		deep:   `{"role":"assistant","id":"d","toolCalls":[{"id":"d","function":{"name":"f","arguments":%q}}]}`,
		Part:   `{"type":"text","text":"x"}`, Said: `{"type":"text","text":"x"}`, Reasoning: `{"role":"reasoning","id":"rs","content":"x"}`,
		File:   `{"type":"image","source":{"type":"data","mimeType":"image/png","value":"%s"}}`,
		System: `{"role":"system","id":"s","content":"s"}`, Document: `{"type":"document","source":{"type":"data","mimeType":"application/pdf","value":"%s"},"metadata":{"filename":"a.pdf"}}`,
		tool: `{"name":"%s","description":"d","parameters":%s}`, toolList: `"tools":[%s]`, plain: true,
		callList: `{"role":"assistant","id":"a","toolCalls":[%s]}`, callPart: `{"id":"%s","type":"function","function":{"name":"%s","arguments":"{}"}}`,
		answers: `"resume":[%s]`,
	},
	"aisdk": {
		Head: `{"id":"t","messages":[`, Tail: `]}`, user: `{"role":"user","id":"%s","parts":%s}`, answer: `{"role":"assistant","id":"%s","parts":%s}`,
		text:   `[{"type":"text","text":%s}]`,
		call:   `{"role":"assistant","id":"%s","parts":[{"type":"tool-f","toolCallId":"%s","state":"input-available","input":{}}]}`,
		result: `{"role":"assistant","id":"%s","parts":[{"type":"tool-f","toolCallId":"%s","state":"output-available","input":{},"output":"x"}]}`,
		deep:   `{"role":"assistant","id":"d","parts":[{"type":"tool-f","toolCallId":"d","state":"input-available","input":%s}]}`,
		Part:   `{"type":"text","text":"x"}`, Said: `{"type":"step-start"},{"type":"text","text":"x"}`,
		Reasoning: `{"role":"assistant","id":"a","parts":[{"type":"reasoning","text":"x"}]}`,
		File:      `{"type":"file","mediaType":"image/png","url":"data:image/png;base64,%s"}`,
		System:    `{"role":"system","id":"s","parts":[{"type":"text","text":"s"}]}`, Document: `{"type":"file","mediaType":"application/pdf","filename":"a.pdf","url":"data:application/pdf;base64,%s"}`,
		tool: `"%s":{"parameters":%s}`, toolList: `"tools":{%s}`,
		callList: `{"role":"assistant","id":"a","parts":[%s]}`, callPart: `{"type":"dynamic-tool","toolCallId":"%s","toolName":"%s","state":"input-available","input":{}}`,
	},
	"datastream": {
		Head: `{"id":"t","messages":[`, Tail: `]}`, user: `{"role":"user","id":"%s","content":"","parts":%s}`, answer: `{"role":"assistant","id":"%s","content":"","parts":%s}`,
		text:   `[{"type":"text","text":%s}]`,
		call:   `{"role":"assistant","id":"%s","content":"","toolInvocations":[{"state":"call","toolCallId":"%s","toolName":"f","args":{}}]}`,
		result: `{"role":"assistant","id":"%s","content":"","toolInvocations":[{"state":"result","toolCallId":"%s","toolName":"f","args":{},"result":"x"}]}`,
		deep:   `{"role":"assistant","id":"d","content":"","toolInvocations":[{"state":"call","toolCallId":"d","toolName":"f","args":%s}]}`,
		Part:   `{"type":"text","text":"x"}`, Said: `{"type":"step-start"},{"type":"text","text":"x"}`,
		Reasoning: `{"role":"assistant","id":"a","content":"","reasoning":"x"}`,
		File:      `{"type":"file","mimeType":"image/png","data":"%s"}`,
		System:    `{"role":"system","id":"s","content":"s"}`, Document: `{"type":"file","mimeType":"application/pdf","filename":"a.pdf","data":"%s"}`,
		tool: `"%s":{"parameters":%s}`, toolList: `"tools":{%s}`,
		callList: `{"role":"assistant","id":"a","content":"","toolInvocations":[%s]}`, callPart: `{"state":"call","toolCallId":"%s","toolName":"%s","args":{}}`,
	},
}
