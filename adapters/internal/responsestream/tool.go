package responsestream

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/texthash"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// toolType is what a reader must know of one type of call.
type toolType struct {
	name   string // of the tool, where the item does not say it
	kind   string
	client bool   // the client runs it
	input  string // member with the arguments: a string of JSON, or an object
	wrap   bool   // the input is plain text, which becomes the only member of the arguments
	list   bool   // likewise, but a value
	result string // member with the result
	later  bool   // the result is an item of its own
}

// tools are the types of items that are calls. What OpenAI calls an action, an operation or queries are their arguments.
var tools = map[string]*toolType{
	"function_call":         {client: true, input: "arguments"},
	"custom_tool_call":      {client: true, input: "input", wrap: true},
	"local_shell_call":      {name: "local_shell", kind: "execute", client: true, input: "action"},
	"shell_call":            {name: "shell", kind: "execute", client: true, input: "action", later: true},
	"apply_patch_call":      {name: "apply_patch", kind: "edit", client: true, input: "operation"},
	"computer_call":         {name: "computer", client: true, input: "action"},
	"mcp_call":              {input: "arguments", result: "output"},
	"web_search_call":       {name: "web_search", kind: "search", input: "action"},
	"file_search_call":      {name: "file_search", kind: "search", input: "queries", list: true, result: "results"},
	"code_interpreter_call": {name: "code_interpreter", kind: "execute", input: "code", wrap: true, result: "outputs"},
}

// call is what is known of a call.
type call struct {
	typ    *toolType
	id     []byte // that the model knows the call by
	given  []byte // call_id as the upstream says it
	name   []byte
	label  []byte // of the server that runs it
	resume bool   // the call is the one that a request for approval announced in an earlier response
	client bool

	emitted texthash.Extent // the arguments that were streamed, still escaped

	named, ready, ended bool
}

// learn takes what an item says of its call. Later records fill what earlier ones left out, and change nothing.
func (c *call) learn(typ []byte, v rawjson.Value) {
	if c.typ == nil {
		c.typ = tools[string(typ)]
		if c.typ == nil {
			c.typ = &toolType{}
		}
		c.client = c.typ.client
	}
	for key, val := range rawjson.EachField(v) {
		switch string(key) {
		case "call_id":
			c.given = fill(c.given, val)
		case "name":
			c.name = fill(c.name, val)
		case "server_label":
			c.label = fill(c.label, val)
		case "approval_request_id":
			if id := rawjson.Body(val); len(id) > 0 && len(c.id) == 0 {
				c.id, c.resume = bytes.Clone(cutID(id)), true
			}
		case "environment":
			c.client = c.client && rawjson.Kind(rawjson.Get(val, "container_id")) != '"'
		}
	}
}

// fill keeps a copy of a string, if there was none.
func fill(have []byte, v rawjson.Value) []byte {
	if len(have) > 0 {
		return have
	}
	return append(have, cutID(rawjson.Body(v))...)
}

// identify gives the call the id that the model knows it by: the one that its output will name, else that of its item.
// Two calls of one id would be taken for one, and their arguments be joined.
func (d *Decoder) identify(it *item) {
	c := &it.call
	if len(c.id) > 0 {
		return
	}
	base := rawjson.First(c.given, it.id)
	c.id = bytes.Clone(base)
	if !d.taken(base, it) {
		return
	}
	d.minted++ // never the same twice, so that nothing need be searched for a number that is free
	c.id = bytes.Clone(d.suffixed(base, "", int64(d.minted)))
}

// taken reports whether another call has that id.
func (d *Decoder) taken(id []byte, by *item) bool {
	for _, o := range d.items {
		if o != by && o.kind == callItem && bytes.Equal(o.call.id, id) {
			return true
		}
	}
	return false
}

// startCall announces a call, once its name is known. An item that is the output of a call announces nothing.
func (d *Decoder) startCall(dst []hub.Event, it *item) []hub.Event {
	c := &it.call
	if it.kind == outputItem || c.named {
		return dst
	}
	d.identify(it)
	name := rawjson.Or(c.name, c.typ.name)
	if len(name) == 0 {
		return dst
	}
	c.named = true
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.ToolStart, ID: c.id, Name: name})
	if c.client {
		ev.Flags |= hub.ClientRuns
		d.waiting++
	}
	if c.resume {
		ev.Flags |= hub.Resumed
	}
	if c.typ.kind != "" {
		d.scratch.MoreOf(ev).ToolKind = []byte(c.typ.kind)
	}
	if len(c.label) > 0 {
		b := append(append(d.scratch.Begin(), `{"server_label":"`...), c.label...)
		d.scratch.MoreOf(ev).Meta = d.scratch.Since(append(b, `"}`...))
	}
	return dst
}

// argsDelta streams arguments. Those of a call that was not announced wait for its announcement.
func (d *Decoder) argsDelta(dst []hub.Event) ([]hub.Event, error) {
	text, err := d.delta()
	if len(text) == 0 {
		return dst, err
	}
	return d.args(dst, d.callOf(), text), nil
}

// callOf returns the call that the record is about. One that was not announced is made of what the type of event says.
func (d *Decoder) callOf() *item {
	it := d.find(callItem)
	if it == nil {
		it = d.add(callItem, rawjson.Body(d.rec.ItemID), Index(d.rec.OutputIndex))
	}
	if it.call.typ == nil {
		it.call.learn(callTypes[string(rawjson.Body(d.rec.Type))], nil)
	}
	return it
}

// callTypes are the types of items that events of arguments belong to.
var callTypes = map[string][]byte{
	"response.function_call_arguments.delta":    []byte("function_call"),
	"response.function_call_arguments.done":     []byte("function_call"),
	"response.mcp_call_arguments.delta":         []byte("mcp_call"),
	"response.mcp_call_arguments.done":          []byte("mcp_call"),
	"response.custom_tool_call_input.delta":     []byte("custom_tool_call"),
	"response.custom_tool_call_input.done":      []byte("custom_tool_call"),
	"response.code_interpreter_call_code.delta": []byte("code_interpreter_call"),
	"response.code_interpreter_call_code.done":  []byte("code_interpreter_call"),
}

// args appends a fragment. Plain text becomes a member of an object, fragment by fragment.
func (d *Decoder) args(dst []hub.Event, it *item, text []byte) []hub.Event {
	c := &it.call
	if c.ready || c.unseen() {
		return dst
	}
	d.identify(it)
	fragment := text
	if c.typ.wrap {
		b := d.scratch.Begin()
		if c.emitted.Length == 0 {
			b = append(append(append(b, `{\"`...), c.typ.input...), `\":\"`...)
		}
		fragment = d.scratch.Since(rawjson.AppendEscaped(b, text))
	}
	c.emitted.Add(text)
	if !c.typ.wrap {
		d.lastCall = c
	}
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.ID, ev.Text = hub.ToolArgs, c.id, fragment
	return dst
}

// unseen reports whether nothing has been said of the call but arguments. They come once more with the end of its item,
// which says what it is to be known by.
func (c *call) unseen() bool { return !c.named && len(c.given) == 0 && len(c.name) == 0 }

// argsDone says that the arguments are complete. With that, peers are known to say them for the first time, or their rest.
func (d *Decoder) argsDone(dst []hub.Event) ([]hub.Event, error) {
	it := d.callOf()
	return d.ready(dst, it, rawjson.First(d.rec.Arguments, d.rec.Input, d.rec.Code)), nil
}

// ready appends the end of the arguments. full are all of them as the upstream repeats them, nil if it does not.
func (d *Decoder) ready(dst []hub.Event, it *item, full rawjson.Value) []hub.Event {
	c := &it.call
	if c.ready || c.unseen() {
		return dst
	}
	d.identify(it)
	text, isText := rawjson.Str(full)
	if n := c.emitted.Length; isText && len(text) > n && n > 0 && c.emitted.Opens(text) {
		dst = d.args(dst, it, text[n:])
	}
	if c.typ.wrap {
		return d.wrapped(dst, it, text)
	}
	c.ready = true
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.ToolReady, ID: c.id})
	switch {
	case c.typ.list && rawjson.Kind(full) == '[':
		b := append(append(append(d.scratch.Begin(), `{"`...), c.typ.input...), `":`...)
		ev.Value = d.scratch.Since(append(append(b, full...), '}'))
	case !isText && !rawjson.IsNull(full):
		ev.Value = full
	case c.emitted.Length == 0:
		ev.Text = text
	case len(text) > 0 && len(text) != c.emitted.Length: // they differ: the sequencer says so
		if joined, ok := rawjson.ValueOfText(d.scratch.Begin(), text); ok {
			ev.Value = d.scratch.Since(joined)
		}
	}
	return dst
}

// wrapped ends arguments that are plain text.
func (d *Decoder) wrapped(dst []hub.Event, it *item, text []byte) []hub.Event {
	c := &it.call
	if c.emitted.Length == 0 {
		c.ready = true
		dst, ev := hub.Add(dst, hub.Event{Kind: hub.ToolReady, ID: c.id})
		b := append(append(append(d.scratch.Begin(), `{"`...), c.typ.input...), `":"`...)
		ev.Value = d.scratch.Since(append(append(b, text...), `"}`...))
		return dst
	}
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.ID, ev.Text = hub.ToolArgs, c.id, []byte(`\"}`)
	c.ready = true
	return append(dst, hub.Event{Kind: hub.ToolReady, ID: c.id})
}

// endCall ends the item of a call: its arguments are complete, and if the server ran it, there is a result. A call that
// was cut is left open: the end of the run says what becomes of it.
func (d *Decoder) endCall(dst []hub.Event, it *item, typ []byte, v rawjson.Value) []hub.Event {
	c := &it.call
	dst = d.startCall(dst, it)
	status := rawjson.Text(v, "status")
	if string(status) == "incomplete" {
		return dst
	}
	dst = d.ready(dst, it, rawjson.Get(v, c.typ.input))
	if c.client || c.ended || c.typ.later {
		return dst
	}
	c.ended = true
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.ToolEnd, ID: c.id, Status: hub.StatusOK})
	fault := rawjson.Get(v, "error")
	if string(status) == "failed" || !rawjson.IsNull(fault) {
		ev.Status = hub.StatusError
		if !rawjson.IsNull(fault) {
			d.scratch.MoreOf(ev).Err = d.errorText(fault)
		}
	}
	result := rawjson.Get(v, c.typ.result)
	if string(typ) == "web_search_call" {
		result = rawjson.Get(v, "action", "sources")
	}
	toolresult.Set(ev, result)
	return dst
}
