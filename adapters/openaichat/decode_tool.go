package openaichat

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// call is a function that the model wants to have run.
type call struct {
	index    int64 // as the upstream counts; noIndex if it does not
	id, name []byte
	given    bool // the id is the upstream's
	begun    bool // its start has been emitted
	named    bool // with its name
	whole    bool // its arguments came as a value
	args     nesting
	tail     tail
	choice   *choice
	sig      []byte // until it is emitted
}

// noIndex and legacyIndex stand for calls without an index. legacyIndex is that of function_call, of which there is one.
const (
	noIndex     = -1
	legacyIndex = -2
)

// callDelta is an element of tool_calls.
type callDelta struct {
	index    int64
	id, name []byte
	args     rawjson.Value
	extra    rawjson.Value // extra_content
}

// hasArgs reports whether the delta carries a piece of the arguments.
func (f *callDelta) hasArgs() bool {
	switch rawjson.Kind(f.args) {
	case 0, 'n':
		return false
	case '"':
		return len(rawjson.Body(f.args)) > 0
	}
	return true
}

func readCall(v rawjson.Value) callDelta {
	f := callDelta{index: noIndex}
	var index, function, custom rawjson.Value
	for name, val := range rawjson.EachField(v) {
		switch string(name) {
		case "id":
			f.id = rawjson.Body(val)
		case "index":
			index = val
		case "function":
			function = val
		case "custom":
			custom = val
		case memberExtra:
			f.extra = val
		}
	}
	if i, ok := rawjson.Int(index); ok && i >= 0 {
		f.index = i
	} else if i, err := strconv.Atoi(string(rawjson.Body(index))); err == nil && i >= 0 {
		f.index = int64(i)
	}
	if rawjson.IsNull(function) {
		f.readFunction(custom, "input")
	} else {
		f.readFunction(function, "arguments")
	}
	return f
}

func (f *callDelta) readFunction(v rawjson.Value, args string) {
	for name, val := range rawjson.EachField(v) {
		switch string(name) {
		case "name":
			f.name = rawjson.Body(val)
		case args:
			f.args = val
		}
	}
}

func (d *decoder) toolCalls(dst []hub.Event, c *choice, v rawjson.Value) []hub.Event {
	if !rawjson.IsNull(v) && rawjson.Kind(v) != '[' {
		d.bad("choices.delta.tool_calls", "want an array")
	}
	for e := range rawjson.Each(v) {
		f := readCall(e)
		dst = d.callDelta(dst, c, &f)
	}
	return dst
}

// functionCall decodes the form that tool_calls has replaced. Without a name and arguments it is an empty member.
func (d *decoder) functionCall(dst []hub.Event, c *choice, v rawjson.Value) []hub.Event {
	f := callDelta{index: legacyIndex, name: rawjson.Text(v, "name"), args: rawjson.Get(v, "arguments")}
	if len(f.name) == 0 && !f.hasArgs() {
		return dst
	}
	return d.callDelta(dst, c, &f)
}

// callDelta begins a call, or goes on with one. A call with a name alone is not emitted yet: the name may go on.
func (d *decoder) callDelta(dst []hub.Event, c *choice, f *callDelta) []hub.Event {
	k := c.find(f)
	if k == nil {
		if len(c.calls) == maxCalls {
			d.bad("choices.delta.tool_calls", "want fewer calls")
			return dst
		}
		dst = d.startLatest(dst, c)
		k = d.addCall(c, f)
	} else if k != c.latest {
		dst = d.startLatest(dst, c)
	}
	c.latest = k
	k.takeName(f.name)
	dst = d.sign(dst, c, k, signatureOf(f.extra))
	if !f.hasArgs() {
		if k.begun {
			dst = d.start(dst, c, k)
		}
		return dst
	}
	return d.arguments(d.start(dst, c, k), c, k, f.args)
}

// sign keeps the signature of a call for its start, if that is still to come.
func (d *decoder) sign(dst []hub.Event, c *choice, k *call, sig []byte) []hub.Event {
	if len(sig) == 0 {
		return dst
	}
	if !k.begun {
		k.sig = bytes.Clone(sig)
		return dst
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.ToolUpdate, ID: k.id, Msg: c.msg, More: d.scratch.More()})
	ev.More.Sig = sig
	return dst
}

// find returns the call that a delta goes on with, nil if it begins one. An id decides; else the index; and without
// either it is the latest. A delta with a name begins a call if the arguments of the one found are complete: servers
// give all calls the index 0, and the same id.
func (c *choice) find(f *callDelta) *call {
	k := c.byID(f.id)
	switch {
	case k != nil:
	case f.index == noIndex:
		if k = c.latest; len(f.id) > 0 {
			return nil
		}
	default:
		k = c.byIndex(f)
	}
	if k == nil || len(f.id) > 0 && k.given && !bytes.Equal(k.id, f.id) {
		return nil
	}
	if len(f.name) > 0 && len(k.name) > 0 && k.args.complete() && (f.hasArgs() || !bytes.Equal(f.name, k.name)) {
		return nil
	}
	return k
}

func (c *choice) byID(id []byte) *call {
	if len(id) == 0 {
		return nil
	}
	for i := len(c.calls) - 1; i >= 0; i-- {
		if k := c.calls[i]; k.given && bytes.Equal(k.id, id) {
			return k
		}
	}
	return nil
}

// byIndex returns the last call with the index of the delta. Arguments alone at an index that no call has are those of
// the latest call, if it has none: some servers count calls and arguments apart.
func (c *choice) byIndex(f *callDelta) *call {
	for i := len(c.calls) - 1; i >= 0; i-- {
		if c.calls[i].index == f.index {
			return c.calls[i]
		}
	}
	if k := c.latest; k != nil && len(f.id) == 0 && len(f.name) == 0 && !k.args.begun {
		k.index = f.index
		return k
	}
	return nil
}

// addCall makes a call. Its id is the upstream's, or one made of the message and a number, so that it is the same whenever
// the stream is read, and another in the next answer.
func (d *decoder) addCall(c *choice, f *callDelta) *call {
	k := &call{index: f.index, choice: c}
	if k.given = len(f.id) > 0 && c.byID(f.id) == nil; k.given {
		k.id = bytes.Clone(f.id)
	} else {
		d.minted++
		k.id = append(k.id, "call_"...)
		if len(d.id) > 0 {
			k.id = append(append(k.id, d.id...), '_')
		}
		k.id = strconv.AppendInt(k.id, int64(d.minted), 10)
	}
	c.calls = append(c.calls, k)
	return k
}

// takeName keeps the first name. Another one before the arguments is the next piece of it.
func (k *call) takeName(name []byte) {
	if len(k.name) == 0 || !k.begun && !bytes.Equal(k.name, name) {
		k.name = append(k.name, name...)
	}
}

// start emits the start of a call: at the latest with its first argument, and again when the name comes after that.
func (d *decoder) start(dst []hub.Event, c *choice, k *call) []hub.Event {
	if k.begun && (k.named || len(k.name) == 0) {
		return dst
	}
	dst = d.sealPlain(dst, c)
	k.begun, k.named = true, len(k.name) > 0
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.ToolStart, ID: k.id, Name: k.name, Msg: c.msg, Flags: hub.ClientRuns})
	if len(k.sig) > 0 {
		d.scratch.MoreOf(ev).Sig, k.sig = k.sig, nil
	}
	return dst
}

// startLatest emits the start that waited for more of its name, as something else comes.
func (d *decoder) startLatest(dst []hub.Event, c *choice) []hub.Event {
	if c.latest == nil || c.latest.begun {
		return dst
	}
	return d.start(dst, c, c.latest)
}

func (d *decoder) arguments(dst []hub.Event, c *choice, k *call, v rawjson.Value) []hub.Event {
	body, isText := rawjson.Str(v)
	if isText {
		body = k.tail.join(&d.scratch, body)
		k.args.add(body)
		if len(body) == 0 {
			return dst
		}
		d.latest = k
	} else {
		k.whole, k.args = true, nesting{begun: true}
	}
	dst, ev := hub.Add(dst, hub.Event{ID: k.id, Msg: c.msg})
	if isText {
		ev.Kind, ev.Text = hub.ToolArgs, body
	} else {
		ev.Kind, ev.Name, ev.Value = hub.ToolReady, k.name, v
	}
	return dst
}

// nesting follows JSON that comes in pieces, to know when it is complete.
type nesting struct {
	depth             int
	inString, escaped bool
	begun             bool
}

// complete reports whether the value is closed.
func (n *nesting) complete() bool { return n.begun && n.depth == 0 && !n.inString }

// add goes on with a piece, which is a string body: what is a quote in the JSON is escaped in it.
func (n *nesting) add(body []byte) {
	for i := 0; i < len(body); i++ {
		ch := body[i]
		if ch == '\\' && i+1 < len(body) {
			i++
			if ch = body[i]; ch == 'u' && i+4 < len(body) {
				ch = ascii(body[i+1 : i+5])
				i += 4
			} else if ch == 'n' || ch == 't' || ch == 'r' {
				ch = ' '
			}
		}
		n.take(ch)
	}
}

// take goes on with a character; of those that are not ASCII any will do.
func (n *nesting) take(ch byte) {
	switch {
	case n.escaped:
		n.escaped = false
	case n.inString:
		n.escaped, n.inString = ch == '\\', ch != '"'
	case ch == '"':
		n.begun, n.inString = true, true
	case ch == '{' || ch == '[':
		n.begun = true
		n.depth++
	case ch == '}' || ch == ']':
		n.depth--
	case ch > ' ':
		n.begun = true
	}
}

// ascii is the character of four hexadecimal digits, 'x' if it is not ASCII.
func ascii(hex []byte) byte {
	if n, err := strconv.ParseUint(string(hex), 16, 16); err == nil && n < 0x80 {
		return byte(n)
	}
	return 'x'
}
