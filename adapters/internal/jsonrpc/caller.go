package jsonrpc

import (
	"bytes"
	"errors"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Message is one message of the other side, as raw members.
type Message struct {
	RPC    rawjson.Value `json:"jsonrpc"`
	ID     rawjson.Value `json:"id"`
	Method rawjson.Value `json:"method"`
	Params rawjson.Value `json:"params"`
	Result rawjson.Value `json:"result"`
	Error  rawjson.Value `json:"error"`
}

// Name is the method, nil for a response.
func (m *Message) Name() []byte { return rawjson.Body(m.Method) }

// Called reports whether the message wants a response: it has a method, and an id by the rules.
func (m *Message) Called() bool {
	k := rawjson.Kind(m.ID)
	return m.Name() != nil && (k == '"' || k == '0')
}

// Answers reports whether the message is the response to the call of that id.
func (m *Message) Answers(id int64) bool {
	return m.Name() == nil && string(m.ID) == strconv.FormatInt(id, 10)
}

// Failed reports whether a response is an error.
func (m *Message) Failed() bool { return !rawjson.IsNull(m.Error) }

// Fault is what a response says went wrong, for logs. Some agents hide it behind a message that says nothing.
func (m *Message) Fault() error {
	const longest = 500
	text := rawjson.AppendUnescaped(nil, rawjson.First(rawjson.Text(m.Error, "message"), m.Error))
	if details := rawjson.Text(m.Error, "data", "details"); details != nil {
		text = rawjson.AppendUnescaped(append(text, ": "...), details)
	}
	return errors.New(string(bytes.ToValidUTF8(text[:min(len(text), longest)], nil)))
}

// CodeUnknown is the error for a method that is not there.
const CodeUnknown = -32601

// CodeRefused is the error for a call that gets no answer, one of those that are left to programs.
const CodeRefused = -32000

// A Caller writes the messages of one side, a line each. Its calls have the ids 0, 1, 2 ….
type Caller struct {
	Bare  bool // messages do not say the version
	calls int64
}

// Call appends a call and returns its id.
func (c *Caller) Call(dst []byte, method string, params func(w *jsonwriter.Writer)) ([]byte, int64) {
	id := c.calls
	c.calls++
	return c.message(dst, func(w *jsonwriter.Writer) {
		w.Int("id", id)
		writeCall(w, method, params)
	}), id
}

// Notify appends a notification; params may be nil.
func (c *Caller) Notify(dst []byte, method string, params func(w *jsonwriter.Writer)) []byte {
	return c.message(dst, func(w *jsonwriter.Writer) { writeCall(w, method, params) })
}

func writeCall(w *jsonwriter.Writer, method string, params func(w *jsonwriter.Writer)) {
	w.Const("method", method)
	if params != nil {
		w.OpenAt("params", '{')
		params(w)
		w.Close('}')
	}
}

// Answer appends the response to a call of the other side, whose id is raw.
func (c *Caller) Answer(dst []byte, id rawjson.Value, result func(w *jsonwriter.Writer)) []byte {
	return c.message(dst, func(w *jsonwriter.Writer) {
		w.Value("id", id)
		w.OpenAt("result", '{')
		result(w)
		w.Close('}')
	})
}

// Refuse appends an error for a response.
func (c *Caller) Refuse(dst []byte, id rawjson.Value, code int64, text string) []byte {
	return c.message(dst, func(w *jsonwriter.Writer) {
		w.Value("id", id)
		w.OpenAt("error", '{')
		w.Int("code", code)
		w.Const("message", text)
		w.Close('}')
	})
}

// message appends a message in one line, whatever the values in it are written on.
func (c *Caller) message(dst []byte, members func(w *jsonwriter.Writer)) []byte {
	w := jsonwriter.New(nil)
	w.Open('{')
	if !c.Bare {
		w.Const("jsonrpc", "2.0")
	}
	members(w)
	w.Close('}')
	return append(rawjson.AppendCompact(dst, w.Buf), '\n')
}
