package openairesponses

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/history"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// requests reads the body of POST /responses, and the response.create that stands for it on a WebSocket.
type requests struct{ hub.PassThrough }

// Members of hub.Request.Call, which this dialect's own encoder reads: it is not only the id of a call that its answer
// repeats.
const (
	callStream = "stream_id"
	callSeed   = "seed"
	callEcho   = "echo"
)

// longestEcho is the longest member of a request that the response repeats, in bytes. It repeats it three times, and no
// client looks: tools and instructions of a coding agent are longer than most answers.
const longestEcho = 4 << 10

// echoed are the members that a response repeats, with what stands there if the request has none.
var echoed = [...]struct {
	name, fallback string
	value          func(*create) rawjson.Value
}{
	{"instructions", "null", func(c *create) rawjson.Value { return c.Instructions }},
	{"metadata", "{}", func(c *create) rawjson.Value { return c.Metadata }},
	{"parallel_tool_calls", "true", func(c *create) rawjson.Value { return c.Parallel }},
	{"previous_response_id", "null", func(c *create) rawjson.Value { return c.Previous }},
	{"temperature", "1", func(c *create) rawjson.Value { return c.Temperature }},
	{"tool_choice", `"auto"`, func(c *create) rawjson.Value { return c.ToolChoice }},
	{"tools", "[]", func(c *create) rawjson.Value { return c.Tools }},
	{"top_p", "1", func(c *create) rawjson.Value { return c.TopP }},
}

// defaultEcho is what stands there if nothing is known of the request.
var defaultEcho = func() []byte {
	all := appendEcho(nil, &create{})
	return all[1 : len(all)-1]
}()

// create is what is read of a request.
type create struct {
	Model        rawjson.Value `json:"model"`
	Stream       rawjson.Value `json:"stream_id"`
	Conversation rawjson.Value `json:"conversation"`
	Instructions rawjson.Value `json:"instructions"`
	Metadata     rawjson.Value `json:"metadata"`
	Parallel     rawjson.Value `json:"parallel_tool_calls"`
	Previous     rawjson.Value `json:"previous_response_id"`
	Temperature  rawjson.Value `json:"temperature"`
	ToolChoice   rawjson.Value `json:"tool_choice"`
	Tools        rawjson.Value `json:"tools"`
	TopP         rawjson.Value `json:"top_p"`
	Input        rawjson.Value `json:"input"`
}

// DecodeRequest takes the model, the conversation, and what the answer repeats.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	var json rawjson.Decoder
	var c create
	if err := json.Decode(body, &c); err != nil {
		return hub.JSONError(err)
	}
	req.Model, req.Body, req.Usage = rawjson.Body(c.Model), body, true
	if req.Thread = rawjson.Body(c.Conversation); req.Thread == nil {
		req.Thread = rawjson.Text(c.Conversation, "id")
	}
	req.Tools.Known = rawjson.IsNull(c.Previous) && rawjson.IsNull(c.Conversation) // else the server may know of others
	history.Each(c.Tools, func(tool rawjson.Value) { req.Tools.Add(rawjson.Text(tool, "name")) })
	history.Each(c.Input, func(item rawjson.Value) { addItem(&req.History, item) })
	call := append([]byte(nil), `{"`+callSeed+`":"`...)
	call = append(appendTag(call, nil, body), `","`+callEcho+`":`...)
	call = appendEcho(call, &c)
	if s := rawjson.Body(c.Stream); len(s) > 0 {
		call = rawjson.AppendQuoted(append(call, `,"`+callStream+`":`...), s)
	}
	req.Call = append(call, '}')
	return nil
}

// appendEcho appends an object of the members that a response repeats.
func appendEcho(dst []byte, c *create) []byte {
	head := len(dst)
	for i := range echoed {
		v := echoed[i].value(c)
		if rawjson.IsNull(v) || len(v) > longestEcho {
			v = rawjson.Value(echoed[i].fallback)
		}
		dst = append(append(append(dst, `,"`...), echoed[i].name...), `":`...)
		dst = append(dst, v...)
	}
	dst[head] = '{'
	return append(dst, '}')
}

// addItem adds a call, or the result of one.
func addItem(h *hub.History, item rawjson.Value) {
	id := rawjson.Text(item, "call_id")
	switch string(rawjson.Text(item, "type")) {
	case "function_call":
		h.Add(hub.PastCall{
			ID: id, Name: rawjson.Text(item, "name"), Args: history.Args(rawjson.Text(item, "arguments")),
			Msg: rawjson.Text(item, "id"), ClientRuns: true,
		})
	case "custom_tool_call":
		h.Add(hub.PastCall{ID: id, Name: rawjson.Text(item, "name"), Msg: rawjson.Text(item, "id"), ClientRuns: true})
	case "function_call_output", "custom_tool_call_output":
		h.Answer(id)
	}
}
