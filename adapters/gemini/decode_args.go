package gemini

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/genai"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Bounds of arguments that come in pieces.
const (
	maxArgBytes = 8 << 20
	maxArgNodes = 8 << 10
	maxArgDepth = 64
	maxArgIndex = 4096
)

// partialCall is a call whose arguments come in pieces: each names a place by its JSON path and sets the value there, or
// adds to the string there.
type partialCall struct {
	id, name     []byte
	root         node
	nodes, bytes int
}

// node is a value that is not complete.
type node struct {
	key   []byte // body of the name, in an object
	kind  byte   // '{', '[', '"' for the body of a string in text, 'v' for a value in text; 0: nothing yet
	goes  bool   // a string that goes on
	text  []byte
	inner []*node // members or elements
}

// goOn takes the next pieces of the call that is open, and ends it if these were the last.
func (d *decoder) goOn(dst []hub.Event, pieces, args rawjson.Value, goesOn bool) ([]hub.Event, *hub.Error) {
	c := d.partial
	var fault *hub.Error
	for piece := range rawjson.Each(pieces) {
		if !c.set(piece) && fault == nil {
			fault = hub.NewError(hub.ReasonType, "candidates.content.parts.functionCall.partialArgs", -1, "want a jsonPath that fits, and a value")
		}
	}
	switch {
	case goesOn:
		return dst, fault
	case rawjson.Kind(args) == '{' && c.root.kind == 0:
		d.partial = nil
		return d.ready(dst, d.scratch.Copy(c.id), d.scratch.Copy(c.name), args), fault
	}
	return d.endCall(dst), fault
}

// endCall ends the arguments of the call that is open, if there is one.
func (d *decoder) endCall(dst []hub.Event) []hub.Event {
	c := d.partial
	if c == nil {
		return dst
	}
	d.partial = nil
	return append(dst, hub.Event{
		Kind: hub.ToolReady, ID: c.id, Name: c.name, Flags: hub.ClientRuns, Value: d.scratch.Since(c.appendArgs(d.scratch.Begin())),
	})
}

// breakCall ends a call whose arguments were cut: they are no JSON, so that it must not run.
func (d *decoder) breakCall(dst []hub.Event) []hub.Event {
	if d.partial == nil {
		return dst
	}
	dst = d.endCall(dst)
	ev := &dst[len(dst)-1]
	ev.Text = d.scratch.Since(rawjson.AppendEscaped(d.scratch.Begin(), ev.Value[:len(ev.Value)-1]))
	ev.Value = nil
	ev.Flags |= hub.Invalid
	return dst
}

// set applies one piece; false if it cannot be.
func (c *partialCall) set(piece rawjson.Value) bool {
	path := rawjson.Body(genai.Either(rawjson.Get(piece, "jsonPath"), rawjson.Get(piece, "json_path")))
	n := c.find(rawjson.AppendUnescaped(nil, path))
	if n == nil || n.kind == '{' || n.kind == '[' {
		return false
	}
	if text, ok := rawjson.Str(genai.Either(rawjson.Get(piece, "stringValue"), rawjson.Get(piece, "string_value"))); ok {
		if n.kind != '"' || !n.goes {
			n.kind, n.text = '"', nil
		}
		if c.bytes += len(text); c.bytes > maxArgBytes {
			return false
		}
		n.text = append(n.text, text...)
		n.goes, _ = rawjson.Bool(genai.Either(rawjson.Get(piece, "willContinue"), rawjson.Get(piece, "will_continue")))
		return true
	}
	for _, name := range [...]string{"numberValue", "boolValue", "nullValue", "number_value", "bool_value", "null_value"} {
		v := rawjson.Get(piece, name)
		if v == nil {
			continue
		}
		if name[1] == 'u' && name[2] == 'l' { // nullValue: its value is a word
			v = []byte("null")
		}
		n.kind, n.text = 'v', append([]byte(nil), v...)
		return true
	}
	if n.kind == 0 {
		n.kind = '"' // a string of nothing so far
	}
	n.goes, _ = rawjson.Bool(genai.Either(rawjson.Get(piece, "willContinue"), rawjson.Get(piece, "will_continue")))
	return true
}

// find returns the node at a path such as $.places[0].city or $['the place'], making it; nil if that is none.
func (c *partialCall) find(path []byte) *node {
	n := &c.root
	if len(path) == 0 || path[0] != '$' {
		return nil
	}
	path = path[1:]
	for range maxArgDepth {
		if len(path) == 0 {
			return n
		}
		key, index, rest := cutStep(path)
		switch {
		case rest == nil:
			return nil
		case key != nil:
			n = c.member(n, key)
		default:
			n = c.element(n, index)
		}
		if n == nil {
			return nil
		}
		path = rest
	}
	return nil
}

// cutStep cuts .name, ['name'] or [0] off a path. rest is nil if there is none of these.
func cutStep(path []byte) (key []byte, index int, rest []byte) {
	switch {
	case path[0] == '.':
		end := 1
		for end < len(path) && path[end] != '.' && path[end] != '[' {
			end++
		}
		if end == 1 {
			return nil, 0, nil
		}
		return path[1:end], 0, path[end:]
	case len(path) > 2 && path[0] == '[' && (path[1] == '\'' || path[1] == '"'):
		for end := 2; end+1 < len(path); end++ {
			if path[end] == path[1] && path[end+1] == ']' {
				return path[2:end:end], 0, path[end+2:]
			}
		}
	case path[0] == '[':
		end := 1
		for end < len(path) && path[end] != ']' {
			end++
		}
		i, err := strconv.Atoi(string(path[1:end]))
		if err == nil && i >= 0 && i < maxArgIndex && end < len(path) {
			return nil, i, path[end+1:]
		}
	}
	return nil, 0, nil
}

// member returns the member of an object, making both.
func (c *partialCall) member(n *node, key []byte) *node {
	if n.kind == 0 {
		n.kind = '{'
	}
	if n.kind != '{' {
		return nil
	}
	body := rawjson.AppendEscaped(nil, key)
	for i := len(n.inner) - 1; i >= 0; i-- {
		if string(n.inner[i].key) == string(body) {
			return n.inner[i]
		}
	}
	return c.add(n, body)
}

// element returns the element of an array, making both, and those before it.
func (c *partialCall) element(n *node, index int) *node {
	if n.kind == 0 {
		n.kind = '['
	}
	if n.kind != '[' {
		return nil
	}
	for len(n.inner) <= index {
		if c.add(n, nil) == nil {
			return nil
		}
	}
	return n.inner[index]
}

func (c *partialCall) add(n *node, key []byte) *node {
	c.nodes++
	if c.bytes += len(key); c.nodes > maxArgNodes || c.bytes > maxArgBytes {
		return nil
	}
	made := &node{key: key}
	n.inner = append(n.inner, made)
	return made
}

// appendArgs appends the arguments as they are now.
func (c *partialCall) appendArgs(dst []byte) []byte {
	if c.root.kind == 0 {
		return append(dst, "{}"...)
	}
	return c.root.append(dst)
}

// append appends a value. The depth is bounded by that of paths.
func (n *node) append(dst []byte) []byte {
	switch n.kind {
	case 'v':
		return append(dst, n.text...)
	case '"':
		return rawjson.AppendQuoted(dst, n.text)
	case 0:
		return append(dst, "null"...)
	}
	dst = append(dst, n.kind)
	for i, in := range n.inner {
		if i > 0 {
			dst = append(dst, ',')
		}
		if n.kind == '{' {
			dst = append(rawjson.AppendQuoted(dst, in.key), ':')
		}
		dst = in.append(dst)
	}
	return append(dst, n.kind+2) // the closing bracket of either kind
}
