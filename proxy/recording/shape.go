package recording

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Form is how much of a run a recording has.
type Form string

// Forms of recordings.
const (
	Content Form = "content" // all of it
	Shapes  Form = "shapes"  // types and lengths in place of content
)

// A Filter puts content into lines as far as a recording may have it.
type Filter struct {
	Form   Form
	Redact []string // members whose values are left out
	Max    int      // bytes of one payload; 0 is no bound
	Hide   bool     // records of the agent are shown by their shapes: the route keeps some of what they say from leaving
}

// Payload puts the bytes of a record or a body into a line.
func (f *Filter) Payload(l *Line, data []byte) {
	switch {
	case f.Form == Shapes:
		l.Bytes, l.Shape = len(data), shapeOf(data)
	case f.Max > 0 && len(data) > f.Max:
		l.Bytes, l.Shape = len(data), shapeOf(data)
	case len(f.Redact) > 0:
		w := walker{leaf: keep, redact: f.Redact}
		text, ok := w.rewrite(data)
		if !ok {
			l.Bytes, l.Shape = len(data), quoted(fmt.Sprintf("text(%d)", len(data)))
			return
		}
		l.setPayload(text)
	default:
		l.setPayload(data)
	}
}

// Record puts a record of the agent into a line.
func (f *Filter) Record(l *Line, data []byte) {
	if f.Hide {
		l.Bytes, l.Shape = len(data), shapeOf(data)
		return
	}
	f.Payload(l, data)
}

// Out puts the bytes of the client's side into a line. They may be several records in a framing, of which members cannot be left out.
func (f *Filter) Out(l *Line, data []byte) {
	if len(f.Redact) > 0 || f.Form == Shapes || f.Max > 0 && len(data) > f.Max {
		l.Bytes, l.Shape = len(data), quoted(fmt.Sprintf("text(%d)", len(data)))
		return
	}
	l.setPayload(data)
}

// Event puts a canonical event into a line.
func (f *Filter) Event(l *Line, event []byte) {
	event = bytes.TrimSpace(event)
	w := walker{leaf: keep, redact: f.Redact}
	switch {
	case f.Form == Shapes:
		w.leaf = eventShape
	case f.Max > 0 && len(event) > f.Max:
		l.Bytes, w.leaf = len(event), eventShape
	case len(f.Redact) == 0:
		l.Event = event
		return
	}
	l.Event, _ = w.rewrite(event)
}

// Text is a text of an error, which may repeat content.
func (f *Filter) Text(s string) string {
	if f.Form == Shapes || f.Hide || len(f.Redact) > 0 {
		return ""
	}
	return s
}

// shapeOf is what a payload is, without its content.
func shapeOf(data []byte) json.RawMessage {
	w := walker{leaf: shape}
	if text, ok := w.rewrite(data); ok {
		return text
	}
	return quoted(fmt.Sprintf("text(%d)", len(data)))
}

const (
	maxDepth = 32   // of a shape; what lies deeper is left out
	maxShape = 8192 // bytes of a shape
)

// walker writes a JSON value anew.
type walker struct {
	leaf   func(depth int, member string, v json.Token) string // the value in place of a simple one, as JSON
	redact []string
	dec    *json.Decoder
	out    []byte
}

// rewrite returns a value written anew, false if data is none.
func (w *walker) rewrite(data []byte) ([]byte, bool) {
	w.dec = json.NewDecoder(bytes.NewReader(data))
	w.dec.UseNumber()
	w.out = make([]byte, 0, min(len(data)+16, maxShape))
	if w.value(0, "") != nil || w.dec.InputOffset() < int64(len(bytes.TrimRight(data, " \t\r\n"))) {
		return nil, false
	}
	return w.out, true
}

func (w *walker) value(depth int, member string) error {
	if member != "" && slices.Contains(w.redact, member) {
		var skipped json.RawMessage
		w.out = append(w.out, `"[redacted]"`...)
		return w.dec.Decode(&skipped)
	}
	t, err := w.dec.Token()
	if err != nil {
		return err
	}
	switch t {
	case json.Delim('{'):
		return w.members(depth, '{', '}')
	case json.Delim('['):
		return w.members(depth, '[', ']')
	}
	w.out = append(w.out, w.leaf(depth, member, t)...)
	return nil
}

// members writes the members of an object, or the elements of a list.
func (w *walker) members(depth int, open, end byte) error {
	if depth == maxDepth {
		return fmt.Errorf("deeper than %d", maxDepth)
	}
	w.out = append(w.out, open)
	for first := true; w.dec.More(); first = false {
		if !first {
			w.out = append(w.out, ',')
		}
		name := ""
		if open == '{' {
			t, err := w.dec.Token()
			if err != nil {
				return err
			}
			name, _ = t.(string)
			w.out = append(append(w.out, quoted(name)...), ':')
		}
		if err := w.value(depth+1, name); err != nil {
			return err
		}
	}
	_, err := w.dec.Token()
	w.out = append(w.out, end)
	return err
}

// keep is a value as it was.
func keep(_ int, _ string, v json.Token) string {
	text, _ := json.Marshal(v) // a token always has a form
	return string(text)
}

// shape is the type of a value, and its length.
func shape(depth int, member string, v json.Token) string {
	switch v := v.(type) {
	case string:
		if slices.Contains(typeMembers, member) && (depth == 1 || member == "sessionUpdate") && isWord(v) {
			return string(quoted(v))
		}
		return string(quoted("string(" + strconv.Itoa(utf8.RuneCountInString(v)) + ")"))
	case json.Number:
		return `"number"`
	case bool:
		return `"boolean"`
	}
	return "null"
}

// typeMembers say what a record is, in most dialects.
var typeMembers = []string{"type", "kind", "event", "object", "role", "method", "sessionUpdate", "reason"}

// isWord reports whether a text can be the name of a type.
func isWord(s string) bool {
	if len(s) > 32 {
		return false
	}
	for _, c := range s {
		if c > '~' || c < '-' {
			return false
		}
	}
	return true
}

// words are the members of events that hold words of a vocabulary, and references are ids.
var (
	words      = []string{"kind", "status", "chan", "op", "level", "scope", "what", "tool_kind"}
	references = []string{"id", "ref", "lane", "msg"}
)

var seed = maphash.MakeSeed()

// eventShape keeps of an event what tells its place in the run: words, numbers, and in place of ids others that are as different.
func eventShape(depth int, member string, v json.Token) string {
	s, isText := v.(string)
	switch {
	case !isText && depth == 1:
		return keep(depth, member, v)
	case depth == 1 && slices.Contains(words, member):
		return string(quoted(s))
	case depth == 1 && slices.Contains(references, member):
		return string(quoted(fmt.Sprintf("#%06x", maphash.String(seed, s)&0xffffff)))
	}
	return shape(depth+1, member, v)
}

func quoted(s string) json.RawMessage {
	text, _ := json.Marshal(s) // a text always has a form
	return text
}
