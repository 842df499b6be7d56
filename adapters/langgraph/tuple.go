package langgraph

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// metadata is what a tuple says of its message.
type metadata struct {
	node, namespace []byte
	step            rawjson.Value
	hidden          bool
}

func readMetadata(v rawjson.Value) (m metadata) {
	for key, val := range rawjson.EachField(v) {
		switch string(key) {
		case "langgraph_node":
			m.node = rawjson.Body(val)
		case "langgraph_step":
			m.step = val
		case "langgraph_checkpoint_ns":
			m.namespace = rawjson.Body(val)
		case "tags":
			m.hidden = isHidden(val)
		}
	}
	return m
}

// isHidden reports whether the tags hide the message.
func isHidden(tags rawjson.Value) bool {
	for tag := range rawjson.Each(tags) {
		switch s := rawjson.Body(tag); string(s) {
		case "nostream", "langsmith:nostream", "langsmith:hidden":
			return true
		}
	}
	return false
}

// tuple is a piece of a message, or a message that a node wrote, with its metadata.
func (d *decoder) tuple(dst []hub.Event, l *subAgent, v rawjson.Value) ([]hub.Event, error) {
	it := rawjson.Elems(v)
	first, ok := it.Next()
	if !ok || rawjson.Kind(first) != '{' {
		return d.emitUsage(dst), wrong("", "want a pair of message and metadata")
	}
	second, _ := it.Next()
	if d.tail.learn(v, first, second) {
		return d.described(dst, l, first, &d.tail.meta), nil
	}
	meta := readMetadata(second)
	return d.described(dst, l, first, &meta), nil
}

// described is a message of which the metadata are known.
func (d *decoder) described(dst []hub.Event, l *subAgent, v rawjson.Value, meta *metadata) []hub.Event {
	if meta.hidden {
		return dst
	}
	m := readFields(v)
	if d.elsewhere(&m) {
		dst = d.emitUsage(dst)
	}
	if !d.listens(&m, sourceTuple) {
		return dst
	}
	if m.author() == agent {
		dst = d.inStep(dst, l, meta)
	}
	return d.piece(dst, l, &m)
}

// tail is the end of the last tuple, from behind its message on. Servers repeat their metadata with every piece, and there is
// far more of it than of the piece: where the bytes are the same, only the message is read.
type tail struct {
	text []byte // empty if it is not known
	meta metadata
}

// maxTail bounds what is remembered.
const maxTail = 8 << 10

// learn remembers the end of a tuple that is valid, if it has two elements and no white space between them.
func (t *tail) learn(tuple, first, second rawjson.Value) bool {
	const brackets = len(`[,]`)
	at := len(`[`) + len(first)
	if len(tuple) != len(first)+len(second)+brackets || len(tuple)-at > maxTail {
		return false
	}
	t.text = append(t.text[:0], tuple[at:]...)
	t.meta = readMetadata(t.text[len(`,`) : len(t.text)-len(`]`)])
	return true
}

// cut returns the message of a tuple that has the same end. Without that end it is valid for itself, so the tuple is.
func (t *tail) cut(json *rawjson.Decoder, data []byte) (first rawjson.Value, ok bool) {
	if len(t.text) == 0 || data[0] != '[' {
		return nil, false
	}
	first, ok = bytes.CutSuffix(data[1:], t.text)
	return first, ok && rawjson.Kind(first) == '{' && json.Valid(first) == nil
}
