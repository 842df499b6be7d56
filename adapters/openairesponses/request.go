package openairesponses

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
)

// requests reads and writes the body of POST /responses, and reads the response.create that stands for it on a WebSocket.
type requests struct{}

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
	{memberPrevious, "null", func(c *create) rawjson.Value { return c.Previous }},
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
	Type         rawjson.Value `json:"type"`
	Stream       rawjson.Value `json:"stream"`
	StreamID     rawjson.Value `json:"stream_id"`
	Generate     rawjson.Value `json:"generate"`
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
	Reasoning    rawjson.Value `json:"reasoning"`
	Text         rawjson.Value `json:"text"`
	User         rawjson.Value `json:"user"`
	Store        rawjson.Value `json:"store"`
	Background   rawjson.Value `json:"background"`
	All          rawjson.Object
}

// read are the members that have a place in the model, and behind them those that change nothing in the answer. Others are
// prompt, max_tool_calls, top_logprobs, context_management …
var read = map[string]bool{
	"model": true, "type": true, "stream": true, "stream_id": true, "generate": true, "conversation": true, "instructions": true, "input": true,
	memberPrevious: true, "parallel_tool_calls": true, "temperature": true, "tool_choice": true, "tools": true, "top_p": true,
	"max_output_tokens": true, "reasoning": true, "text": true, "user": true, "safety_identifier": true,
	"metadata": true, "client_metadata": true, "store": true, "include": true, "service_tier": true, "truncation": true, "stream_options": true,
	"background": true, "prompt_cache_key": true, "prompt_cache_retention": true, "prompt_cache_options": true,
}

// DecodeRequest reads a request. What the answer repeats of it goes into Call.
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
	req.Previous = rawjson.Body(c.Previous)
	if err := decodeMemory(req, &c); err != nil {
		return err
	}
	streams, _, err := conversation.Flag("stream", c.Stream)
	if err != nil {
		return err
	}
	// The answer has its id before there is one: by it clients cancel, and go on from it on a WebSocket.
	seed := appendTag(nil, nil, body)
	req.Answer = appendTag([]byte(responsePrefix), req.Unique, seed)
	if string(rawjson.Body(c.Type)) == socketRequest {
		onSocket(req, &c)
	} else {
		req.Whole = !streams
	}
	req.Tools.Known = !req.Partial // else the server may know of others
	conversation.ReadTools(req, c.Tools, decodeTool)
	settings.TakeChoice(req, c.ToolChoice, settings.OpenAIChoice(c.ToolChoice, c.ToolChoice, toolName))
	decodeSettings(req, &c)
	req.Extra = conversation.Extra(&c.All, name, func(key []byte) bool { return read[string(key)] })
	req.Call = appendCall(nil, &c, seed)
	err = decodeInput(req, &c)
	req.Remember(false)
	if err == nil && !goesOn(req, &c) {
		err = conversation.Required("input", c.Input)
	}
	return err
}

// goesOn reports whether there is a conversation though the request says nothing: what it goes on from, or a prompt of the API's.
func goesOn(req *hub.Request, c *create) bool {
	return req.Prepare || len(req.Previous) > 0 || !rawjson.IsNull(c.Conversation) || !rawjson.IsNull(c.All.Get("prompt"))
}

// memberPrevious names the answer that a request goes on from.
const memberPrevious = "previous_response_id"

// decodeMemory reads what the request goes on from, and what is to be remembered of it.
func decodeMemory(req *hub.Request, c *create) error {
	inConversation, follows := !rawjson.IsNull(c.Conversation), !rawjson.IsNull(c.Previous)
	if inConversation && follows {
		return hub.NewError(hub.ReasonType, memberPrevious, -1, "want none beside conversation")
	}
	if inConversation && req.Thread == nil {
		return hub.NewError(hub.ReasonType, "conversation", -1, "want an id, or an object with one")
	}
	if err := conversation.WantText(memberPrevious, c.Previous); err != nil {
		return err
	}
	stores, said, err := conversation.Flag("store", c.Store)
	if err != nil {
		return err
	}
	req.Store = stores || !said || inConversation
	req.Partial = inConversation || follows
	req.Later, _, err = conversation.Flag("background", c.Background)
	return err
}

// socketRequest is the type of a request on a WebSocket, which is always answered by a stream.
const socketRequest = "response.create"

// onSocket reads what differs on a WebSocket.
func onSocket(req *hub.Request, c *create) {
	generates, said := rawjson.Bool(c.Generate)
	req.Prepare = said && !generates
}

// decodeInput reads the conversation. Its instructions come first.
func decodeInput(req *hub.Request, c *create) error {
	r := inputReader{Builder: conversation.Builder{Unread: unread}}
	if text := rawjson.Body(c.Instructions); len(text) > 0 {
		req.Instructions = 1
		r.Begin(hub.RoleSystem, nil)
		r.Add(hub.Part{Kind: hub.PartText, Text: text})
	}
	err := r.input(c.Input)
	req.Messages, req.Answers = r.Messages, r.answers
	return err
}

// appendCall appends what the answer needs to know of the request.
func appendCall(dst []byte, c *create, seed []byte) []byte {
	dst = append(dst, `{"`+callSeed+`":"`...)
	dst = append(append(dst, seed...), `","`+callEcho+`":`...)
	dst = appendEcho(dst, c)
	if s := rawjson.Body(c.StreamID); len(s) > 0 {
		dst = rawjson.AppendQuoted(append(dst, `,"`+callStream+`":`...), s)
	}
	return append(dst, '}')
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
	if id := rawjson.First(rawjson.Body(c.Conversation), rawjson.Text(c.Conversation, "id")); len(id) > 0 && len(id) <= longestEcho {
		dst = append(rawjson.AppendQuoted(append(dst, `,"conversation":{"id":`...), id), '}')
	}
	if later, _ := rawjson.Bool(c.Background); later {
		dst = append(dst, `,"background":true`...)
	}
	dst[head] = '{'
	return append(dst, '}')
}
