package bench

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// Hostile are requests that only an attacker sends. Each grows with n, in every dialect that reads requests.
var Hostile = map[string]func(d Words, n int) []byte{
	"tiny messages": func(d Words, n int) []byte { return d.body(n, func(int) string { return d.User("u", `"x"`) }) },
	"equal ids": func(d Words, n int) []byte {
		return d.body(n, func(int) string { return d.Call("a", "c") }, func(int) string { return d.Result("c") })
	},
	"calls, then results": func(d Words, n int) []byte {
		return d.body(n, func(i int) string { return d.Call("a"+strconv.Itoa(i), "c"+strconv.Itoa(i)) }) // without results
	},
	"results before calls": func(d Words, n int) []byte {
		return d.body(n, func(i int) string { return d.Result("c" + strconv.Itoa(i)) }, func(i int) string { return d.Call("a", "c"+strconv.Itoa(i)) })
	},
	"results without calls": func(d Words, n int) []byte {
		return d.body(n, func(i int) string { return d.Result("c" + strconv.Itoa(i)) })
	},
	"results of one call": func(d Words, n int) []byte {
		return d.body(n, func(i int) string {
			if i == 0 {
				return d.Call("a", "c")
			}
			return d.Result("c")
		})
	},
	"a message of many parts": func(d Words, n int) []byte {
		return d.body(1, func(int) string { return d.User("u", "["+strings.TrimSuffix(strings.Repeat(d.Part+",", n), ",")+"]") })
	},
	"an answer of many parts": func(d Words, n int) []byte {
		return d.body(1, func(int) string { return d.Answer("a", "["+strings.TrimSuffix(strings.Repeat(d.Said+",", n), ",")+"]") })
	},
	"an answer of many parts with a long id": func(d Words, n int) []byte {
		parts := "[" + strings.TrimSuffix(strings.Repeat(d.Said+",", n), ",") + "]"
		return d.body(1, func(int) string { return d.Answer(strings.Repeat("i", 100*n), parts) })
	},
	"reasoning": func(d Words, n int) []byte { return d.body(n, func(int) string { return d.Reasoning }) },
	"duplicate members": func(d Words, n int) []byte {
		return []byte("{" + strings.Repeat(`"messages":[],"contents":[],"input":[],"x":[1],`, n) + string(d.body(1, func(int) string { return d.User("u", `"x"`) })[1:]))
	},
	"duplicate members of messages": func(d Words, n int) []byte {
		return d.body(1, func(int) string {
			return "{" + strings.Repeat(`"role":"user","content":"x","id":"y",`, n) + d.User("u", `"x"`)[1:]
		})
	},
	"nested arguments": func(d Words, n int) []byte {
		return d.body(n/400+1, func(int) string { return d.Deep(strings.Repeat(`{"a":`, 400) + "1" + strings.Repeat("}", 400)) })
	},
	"long ids": func(d Words, n int) []byte {
		id := strings.Repeat("i", 50*n)
		return d.body(2, func(int) string { return d.Call(id, id) }, func(int) string { return d.Result(id) })
	},
	"a long text": func(d Words, n int) []byte {
		return d.body(1, func(int) string { return d.User("u", `"`+strings.Repeat(`a\"b\\n\u00e9 `, 5*n)+`"`) })
	},
	"a file": func(d Words, n int) []byte {
		return d.body(1, func(int) string { return d.User("u", "["+fmt.Sprintf(d.File, strings.Repeat("QUJD", 25*n))+"]") })
	},
}

// HostileRequest is a hostile request of a dialect. Where the dialect has no words here, it is what becomes of that of AG-UI.
func HostileRequest(name string, d *hub.Dialect, n int) ([]byte, error) {
	if words, ok := wordsOf[d.Name]; ok {
		return Hostile[name](words, n), nil
	}
	from, err := adapters.Lookup("agui")
	if err != nil {
		return nil, err
	}
	words := wordsOf[from.Name]
	words.Tail = "," + words.User("last", `"x"`) + words.Tail // agents that take a question refuse what asks nothing
	return Translate(from, d, Hostile[name](words, n))
}

// Words are how a dialect says the pieces of a conversation.
type Words struct {
	Head, Tail   string
	user, answer string // %[1]s the id, %[2]s the content
	text         string // the content that is a text
	call, result string // %[1]s the id of the message, %[2]s that of the call
	deep         string // a call with arguments %s
	Part, Said   string // parts of what the user and the agent say
	File         string // %s its bytes
	Reasoning    string
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

// wordsOf are the words of dialects that read requests.
var wordsOf = map[string]Words{
	"openai-chat": {
		Head: `{"messages":[`, Tail: `]}`, user: `{"role":"user","name":"%s","content":%s}`, answer: `{"role":"assistant","name":"%s","content":%s}`,
		call:   `{"role":"assistant","name":"%s","tool_calls":[{"id":"%s","type":"function","function":{"name":"f","arguments":"{}"}}]}`,
		result: `{"role":"tool","name":"%s","tool_call_id":"%s","content":"x"}`,
		deep:   `{"role":"assistant","tool_calls":[{"id":"d","function":{"name":"f","arguments":%q}}]}`,
		Part:   `{"type":"text","text":"x"}`, Said: `{"type":"text","text":"x"}`, Reasoning: `{"role":"assistant","reasoning_content":"x"}`,
		File: `{"type":"image_url","image_url":{"url":"data:image/png;base64,%s"}}`,
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
	},
	"anthropic": {
		Head: `{"messages":[`, Tail: `]}`, user: `{"role":"user","id":"%s","content":%s}`, answer: `{"role":"assistant","id":"%s","content":%s}`,
		call:   `{"role":"assistant","id":"%s","content":[{"type":"tool_use","id":"%s","name":"f","input":{}}]}`,
		result: `{"role":"user","id":"%s","content":[{"type":"tool_result","tool_use_id":"%s","content":"x"}]}`,
		deep:   `{"role":"assistant","content":[{"type":"tool_use","id":"d","name":"f","input":%s}]}`,
		Part:   `{"type":"text","text":"x"}`, Said: `{"type":"text","text":"x"}`,
		Reasoning: `{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"QUJD"}]}`,
		File:      `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"%s"}}`,
	},
	"gemini": {
		Head: `{"contents":[`, Tail: `]}`, user: `{"role":"user","id":"%s","parts":%s}`, answer: `{"role":"model","id":"%s","parts":%s}`, text: `[{"text":%s}]`,
		call:   `{"role":"model","x":"%s","parts":[{"functionCall":{"id":"%s","name":"f","args":{}}}]}`,
		result: `{"role":"user","x":"%s","parts":[{"functionResponse":{"id":"%s","name":"f","response":{"output":"x"}}}]}`,
		deep:   `{"role":"model","parts":[{"functionCall":{"name":"f","args":%s}}]}`,
		Part:   `{"text":"x"}`, Said: `{"text":"x"}`, Reasoning: `{"role":"model","parts":[{"text":"x","thought":true}]}`,
		File: `{"inlineData":{"mimeType":"image/png","data":"%s"}}`,
	},
	"agui": {
		Head: `{"threadId":"t","runId":"r","messages":[`, Tail: `]}`, user: `{"role":"user","id":"%s","content":%s}`, answer: `{"role":"assistant","id":"%s","content":%s}`,
		call:   `{"role":"assistant","id":"%s","toolCalls":[{"id":"%s","type":"function","function":{"name":"f","arguments":"{}"}}]}`,
		result: `{"role":"tool","id":"%s","toolCallId":"%s","content":"x"}`,
		deep:   `{"role":"assistant","id":"d","toolCalls":[{"id":"d","function":{"name":"f","arguments":%q}}]}`,
		Part:   `{"type":"text","text":"x"}`, Said: `{"type":"text","text":"x"}`, Reasoning: `{"role":"reasoning","id":"rs","content":"x"}`,
		File: `{"type":"image","source":{"type":"data","mimeType":"image/png","value":"%s"}}`,
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
	},
}
