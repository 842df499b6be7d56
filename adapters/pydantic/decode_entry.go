package pydantic

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolinfo"
)

// entries reads tool_calls, in order.
func (d *decoder) entries(dst []hub.Event) ([]hub.Event, error) {
	list := d.chunk.ToolCalls
	if rawjson.IsNull(list) {
		return dst, nil
	}
	if rawjson.Kind(list) != '[' {
		return dst, hub.NewError(hub.ReasonType, "tool_calls", -1, "want an array")
	}
	n := 0
	var first, err error
	for v := range rawjson.Each(list) {
		if dst, err = d.oneEntry(dst, v); err != nil {
			first = firstError(first, placed(err, n))
		}
		n++
	}
	if n > 1 || n == 1 && d.spoke {
		d.seen = seenOther
	}
	return dst, first
}

// placed is an error of an entry, as one of its chunk.
func placed(err error, i int) error {
	e, ok := err.(*hub.Error)
	if !ok {
		return err
	}
	at := *e
	at.Offset, at.Path = -1, "tool_calls["+strconv.Itoa(i)+"]"
	if e.Path != "" {
		at.Path += "." + e.Path
	}
	return &at
}

// oneEntry reads an entry: an object, or a string that holds one.
func (d *decoder) oneEntry(dst []hub.Event, v rawjson.Value) ([]hub.Event, error) {
	if body, ok := rawjson.Str(v); ok {
		v = d.scratch.Since(rawjson.AppendUnescaped(d.scratch.Begin(), body))
	}
	d.entry, d.seen = entry{}, seenOther
	if err := d.entryJSON.Decode(v, &d.entry); err != nil {
		return dst, hub.JSONError(err)
	}
	typ, err := text(d.entry.EventType, "event_type")
	if err != nil {
		return dst, err
	}
	if _, err := text(d.entry.StreamPart, "stream_part"); err != nil {
		return dst, err
	}
	switch string(typ) {
	case typeCall, typeDelegationCall:
		return d.call(dst, v, string(typ) == typeDelegationCall), nil
	case typeRequestDelta:
		return d.requestDelta(dst), nil
	case typeResult, typeDelegationResult, typeError:
		return d.result(dst, v, typ), nil
	case "":
		return dst, hub.NewError(hub.ReasonMissing, "event_type", -1, "an entry says what happened")
	}
	return d.rawEntry(dst, v), nil
}

// rawEntry passes an entry of an unknown type in a chunk of its own.
func (d *decoder) rawEntry(dst []hub.Event, v rawjson.Value) []hub.Event {
	buf := append(append(d.scratch.Begin(), `{"message": "", "citations": [], "tool_calls": [`...), v...)
	return d.raw(dst, d.scratch.Since(append(buf, `]}`...)))
}

// find returns the call that the entry in hand is about, making it if it is new. One without an id is matched by the name of
// its tool: a result belongs to the oldest call that is open, and a call is new.
func (d *decoder) find(isCall bool) *call {
	id, ok := rawjson.Str(d.entry.CallID)
	if !ok && rawjson.Kind(d.entry.CallID) == '0' {
		id = d.entry.CallID
	}
	tool := rawjson.Body(d.entry.ToolName)
	var c *call
	switch {
	case len(id) > 0:
		c = d.calls.find(id)
	case !isCall:
		c = d.calls.unnamed(tool)
	}
	if c == nil {
		return d.calls.add(id, tool)
	}
	if len(c.name) == 0 {
		c.name = append(c.name, tool...)
	}
	return c
}

// isComplete is true unless the entry says otherwise.
func (d *decoder) isComplete() bool {
	complete, ok := rawjson.Bool(d.entry.IsComplete)
	return complete || !ok
}

func (d *decoder) response() []byte { return rawjson.Body(d.entry.ToolResponse) }

func (d *decoder) summary() []byte { return rawjson.Text(d.entry.Details, "summary") }

// event appends an event about a call.
func event(dst []hub.Event, kind hub.Kind, c *call) ([]hub.Event, *hub.Event) {
	dst, ev := hub.Add(dst, hub.Event{Kind: kind, ID: c.id})
	return dst, ev
}

// call reads the announcement of a call, or a further one, as servers that stream the arguments send.
func (d *decoder) call(dst []hub.Event, v rawjson.Value, delegation bool) []hub.Event {
	dst = d.endFinals(dst)
	dst = d.interrupt(dst, &d.root)
	c := d.find(true)
	if c.ended {
		return d.late(dst, c, v)
	}
	delegation = delegation || isDelegation(c.name)
	complete := d.isComplete()
	if c.started {
		dst = d.callAgain(dst, c, v, complete)
	} else {
		dst = d.start(dst, c, delegation)
		d.describe(&dst[len(dst)-1], c, v, complete)
	}
	if !complete {
		return d.fragment(dst, c, rawjson.Body(d.entry.StreamPart))
	}
	dst = d.ready(dst, c)
	if delegation {
		dst = d.openAgent(dst, c, 0)
	}
	return dst
}

// start appends the ToolStart.
func (d *decoder) start(dst []hub.Event, c *call, delegation bool) []hub.Event {
	c.started = true
	dst, ev := event(dst, hub.ToolStart, c)
	ev.Name = rawjson.Or(c.name, "unknown")
	if delegation {
		d.scratch.MoreOf(ev).ToolKind = []byte("agent")
	}
	return dst
}

// describe puts what a call is about on its start: the friendly text as its title, the summary as content. Before the
// arguments are complete, the summary only repeats them.
func (d *decoder) describe(ev *hub.Event, c *call, v rawjson.Value, complete bool) {
	if response := d.response(); keep(&c.title, response) {
		ev.Title = response
	}
	if !complete && !c.ready {
		return
	}
	if summary := d.summary(); keep(&c.info, summary) {
		d.scratch.MoreOf(ev).Content = d.content(summary)
	}
	if meta := d.meta(v, false); meta != nil {
		d.scratch.MoreOf(ev).Meta = meta
	}
	look := toolinfo.Read(rawjson.Get(d.entry.Details, toolinfo.Key))
	look.Put(ev, &d.scratch)
}

// content is a text as the content of a tool.
func (d *decoder) content(body []byte) []byte {
	buf := append(append(d.scratch.Begin(), `[{"type":"content","content":{"type":"text","text":"`...), body...)
	return d.scratch.Since(append(buf, `"}}]`...))
}

// callAgain reads a further announcement: while the arguments are made it describes the call better; later, it tells of its
// progress.
func (d *decoder) callAgain(dst []hub.Event, c *call, v rawjson.Value, complete bool) []hub.Event {
	dst, ev := event(dst, hub.ToolUpdate, c)
	d.describe(ev, c, v, complete)
	if c.ready {
		ev.Title, ev.Text = nil, ev.Title
	}
	if ev.Title == nil && ev.Text == nil && ev.More == nil {
		return dst[:len(dst)-1]
	}
	return dst
}

// requestDelta reads a piece of the arguments.
func (d *decoder) requestDelta(dst []hub.Event) []hub.Event {
	dst = d.interrupt(dst, &d.root)
	c := d.find(false)
	if !c.started && len(c.name) > 0 {
		dst = d.start(dst, c, isDelegation(c.name))
	}
	return d.fragment(dst, c, rawjson.Body(d.entry.StreamPart))
}

// fragment appends a piece of the arguments. What comes first may be no piece but a stand-in for arguments that have not
// begun, or the command that is the title as well.
func (d *decoder) fragment(dst []hub.Event, c *call, part []byte) []hub.Event {
	if len(part) == 0 || c.ended {
		return dst
	}
	if c.fragments == 0 && (string(part) == "{}" || rawjson.EqualBody(part, d.response())) {
		return dst
	}
	c.fragments++
	d.seen = seenArgs
	dst, ev := event(dst, hub.ToolArgs, c)
	ev.Text = part
	return dst
}

// ready completes the arguments. Most servers do not tell them; then they are flagged Synthetic.
func (d *decoder) ready(dst []hub.Event, c *call) []hub.Event {
	if c.ready {
		return dst
	}
	c.ready = true
	dst, ev := event(dst, hub.ToolReady, c)
	ev.Name = c.name
	args := rawjson.Get(d.entry.Details, "arguments")
	command := rawjson.Get(d.entry.Details, "command")
	switch {
	case !rawjson.IsNull(args):
		d.scratch.SetArgs(ev, args)
	case c.fragments > 0:
	case rawjson.Kind(command) == '"':
		buf := append(d.scratch.Begin(), `{"command":`...)
		ev.Value = d.scratch.Since(append(append(buf, command...), '}'))
	default:
		ev.Flags = hub.Synthetic
	}
	return dst
}

// meta is what an entry tells and the model has no member for; nil if there is nothing. The tool_response of a result is
// such, while that of a call is its title.
func (d *decoder) meta(v rawjson.Value, result bool) []byte {
	buf := append(d.scratch.Begin(), `{"`+metaName+`":{`...)
	from := len(buf)
	if response := d.entry.ToolResponse; result && rawjson.Kind(response) == '"' {
		buf = appendMember(buf, from, []byte(metaResponse), response)
	}
	buf = d.appendDetails(buf, from, result)
	for key, val := range rawjson.EachField(v) {
		if !isKnown(key, val) {
			buf = appendMember(buf, from, key, val)
		}
	}
	if len(buf) == from {
		return nil
	}
	return d.scratch.Since(append(buf, `}}`...))
}

// appendDetails appends the details but for what has a place of its own.
func (d *decoder) appendDetails(dst []byte, from int, result bool) []byte {
	inner := 0 // where the members begin, once there is one
	for key, val := range rawjson.EachField(d.entry.Details) {
		if string(key) == "summary" && rawjson.Kind(val) == '"' || !result && (string(key) == "arguments" || string(key) == toolinfo.Key) {
			continue
		}
		if inner == 0 {
			dst = appendMember(dst, from, []byte(metaDetails), rawjson.Value("{"))
			inner = len(dst)
		}
		dst = appendMember(dst, inner, key, val)
	}
	if inner > 0 {
		dst = append(dst, '}')
	}
	return dst
}

// appendMember appends a member of an object whose members begin at from. The object is ours, so the value need not keep its
// white space.
func appendMember(dst []byte, from int, key []byte, val rawjson.Value) []byte {
	if len(dst) > from {
		dst = append(dst, ',')
	}
	dst = rawjson.AppendQuoted(dst, key)
	return rawjson.AppendCompact(append(dst, ':'), val)
}
