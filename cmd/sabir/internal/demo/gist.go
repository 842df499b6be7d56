package demo

import (
	"bytes"
	"encoding/json"
	"strings"
)

// heads are the members that say what a record is, in all dialects there are.
var heads = map[string]bool{"kind": true, "type": true, "sessionUpdate": true, "reason": true, "event": true}

// silent are members that only fill the line: envelopes, clocks and numbers that are the same in every record.
var silent = map[string]bool{
	"sessionId": true, "sandboxId": true, "sandbox": true, "agent": true, "timestamp": true, "threadId": true,
	"runId": true, "messageId": true, "parentMessageId": true, "seq": true, "flags": true, "priority": true, "msg": true,
	"chan": true, "line": true, "role": true, "jsonrpc": true, "method": true, "op": true, "time": true,
}

// A gist is a record in short: what it is, and its values in their order, without the names of their members.
type gist struct {
	head   string
	values string
}

// summarize makes the gist of a record; what is no JSON object is its own.
func summarize(data []byte) gist {
	var g gist
	var values []string
	headDepth := 0
	err := walk(data, func(key string, depth int, value any) {
		text, isText := value.(string)
		switch {
		case isText && heads[key] && (g.head == "" || depth < headDepth):
			g.head, headDepth = text, depth
		case heads[key] && (text == "text" || text == "content") || silent[key] || value == nil:
		default:
			values = append(values, shown(value))
		}
	})
	if err != nil || g.head == "" {
		return gist{head: oneLine(strings.TrimSpace(string(data)))}
	}
	g.values = strings.Join(values, " ")
	return g
}

// walk calls f with every scalar of a JSON text, the member that it or the array around it stands under, and its depth.
func walk(data []byte, f func(key string, depth int, value any)) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	type level struct {
		object bool
		key    string
		named  bool // the key was read, its value comes next
	}
	stack := []level{{}}
	for {
		token, err := d.Token()
		if err != nil {
			return err
		}
		top := &stack[len(stack)-1]
		if name, ok := token.(string); ok && top.object && !top.named {
			top.key, top.named = name, true
			continue
		}
		top.named = false
		switch token {
		case json.Delim('{'), json.Delim('['):
			stack = append(stack, level{object: token == json.Delim('{'), key: top.key})
		case json.Delim('}'), json.Delim(']'):
			stack = stack[:len(stack)-1]
		default:
			f(top.key, len(stack), token)
		}
		if len(stack) == 1 {
			return nil
		}
	}
}

// shown is a value as people write it.
func shown(value any) string {
	text, ok := value.(string)
	if !ok {
		data, _ := json.Marshal(value)
		return string(data)
	}
	if text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:/") == "" {
		return text
	}
	return "“" + oneLine(text) + "”"
}

// oneLine shows line ends and other control characters without obeying them.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return '⏎'
		case r < ' ' || r == 0x7f:
			return '·'
		}
		return r
	}, text)
}
