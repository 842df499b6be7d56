package simplified

import (
	"bytes"
	"slices"
)

// The text of a message holds elements, which its reader shows as widgets: one for each tool call and each sub-agent.
// The functions here make, read and change the elements of tool calls; decoder, encoder and [Accumulator] use them
// alike, so that all sides agree on every byte.

// Limits of the reference version, in UTF-16 code units: it cuts JavaScript strings.
const (
	maxMarkupError = 300
	maxMarkupExtra = 500
)

// Names of attributes that mean something to us.
const (
	attrType   = "type"
	attrStatus = "status"
	attrID     = "toolCallId"
	attrError  = "error"
	attrQuery  = "query"
	attrCount  = "count"
	attrURL    = "url"
)

// Statuses of a tool call.
const (
	statusRunning = "running"
	statusSuccess = "success"
	statusError   = "error"
)

const toolElement = "ToolCall"

// Attr is one attribute of an element. Value is plain text.
type Attr struct{ Name, Value string }

// ToolCall is the element of a tool call:
//
//	<ToolCall type="web_search" status="running" toolCallId="0199c1de" query="cats &amp; dogs"></ToolCall>
type ToolCall struct {
	Type   string // name of the tool
	Status string // running, success or error
	ID     string
	Attrs  []Attr // the other attributes, in their order
}

// AppendToolCall appends the complete element. Attributes whose name is no name, or one of the three fields, are left
// out; values may hold anything.
func AppendToolCall(dst []byte, c ToolCall) []byte {
	dst = append(dst, "<"+toolElement...)
	dst = appendAttr(dst, attrType, c.Type)
	dst = appendAttr(dst, attrStatus, c.Status)
	dst = appendAttr(dst, attrID, c.ID)
	for _, a := range c.Attrs {
		if isAttrName(a.Name) && a.Name != attrType && a.Name != attrStatus && a.Name != attrID {
			dst = appendAttr(dst, a.Name, a.Value)
		}
	}
	return append(dst, "></"+toolElement+">"...)
}

func appendAttr(dst []byte, name, value string) []byte {
	dst = append(append(append(dst, ' '), name...), `="`...)
	return append(appendAttrValue(dst, name, value, true), '"')
}

// ParseToolCall reads the first start tag of a tool call in content; ok is false if there is none. Of attributes with
// the same name the last counts.
func ParseToolCall(content []byte) (c ToolCall, ok bool) {
	start, end := nextTag(content, toolElement, 0)
	if start < 0 {
		return c, false
	}
	for _, a := range parseAttrs(content[start:end], toolElement) {
		value := plainValue(string(a.name), a.value)
		switch string(a.name) {
		case attrType:
			c.Type = value
		case attrStatus:
			c.Status = value
		case attrID:
			c.ID = value
		default:
			c.Attrs = append(c.Attrs, Attr{string(a.name), value})
		}
	}
	return c, true
}

// ToolCallUpdate is what became of a tool call. All texts are plain.
type ToolCallUpdate struct {
	Status     string // running, success or error; empty leaves it as it is
	Error      string // cut to 300 UTF-16 units; success without an error removes the one there is
	Extra      []Attr // merged into the attributes, in their order, but for empty values and the id
	ExtraLimit int    // UTF-16 units a value of Extra is cut to; 0 stands for 500, a negative number for no limit
}

// UpdateToolCallMarkup returns content with the start tag of one tool call changed: the first whose toolCallId is id,
// wherever in the tag that stands. Its attributes come out in a fixed order: type, toolCallId, status, query, count,
// url, videoId, prompt, imageId, error, then the others as they were. If there is no such tag, content itself is
// returned; otherwise the result is a copy.
//
// It is the helper of the same name in src/lib/utils/toolCallMarkup.ts of the reference version, but for four things:
// ids are compared exactly; a tag is never taken to begin in text before it; names that would break the tag are left
// out; and line ends are escaped, as later versions do.
func UpdateToolCallMarkup(content []byte, id string, u ToolCallUpdate) []byte {
	start, end, tag := findToolCall(content, id)
	if start < 0 {
		return content
	}
	return splice(content, start, end, tag.update(&u).appendTag(nil))
}

// attr is an attribute as it stands in a tag.
type attr struct{ name, value []byte }

// attrs are the attributes of a tag, each name once, in the order in which the names first came.
type attrs []attr

// findToolCall returns where the start tag of a call is, start < 0 if nowhere.
func findToolCall(content []byte, id string) (start, end int, tag attrs) {
	if id == "" {
		return -1, -1, nil
	}
	return findTag(content, toolElement, func(tag attrs) bool {
		have := tag.get(attrID)
		return string(have) == id || string(appendPlain(nil, have)) == id
	})
}

// findTag returns where the first start tag of an element is that has the wanted attributes, start < 0 if nowhere.
func findTag(content []byte, element string, wanted func(attrs) bool) (start, end int, tag attrs) {
	for from := 0; ; from = end {
		if start, end = nextTag(content, element, from); start < 0 {
			return -1, -1, nil
		}
		if tag = parseAttrs(content[start:end], element); wanted(tag) {
			return start, end, tag
		}
	}
}

// nextTag returns where the next start tag of an element begins and ends at or after from; start < 0 if there is none.
// Values are escaped, so that the first > ends a tag, and a < before it shows that there was none.
func nextTag(content []byte, element string, from int) (start, end int) {
	for {
		i := bytes.IndexByte(content[from:], '<')
		if i < 0 {
			return -1, -1
		}
		start = from + i
		from = start + 1
		name := start + 1 + len(element)
		if name >= len(content) {
			return -1, -1
		}
		if !bytes.EqualFold(content[start+1:name], []byte(element)) || !isTagSpace(content[name]) && content[name] != '>' {
			continue
		}
		if n := bytes.IndexAny(content[name:], "<>"); n >= 0 && content[name+n] == '>' {
			return start, name + n + 1
		}
	}
}

// isTagSpace reports whether c ends the name of an element.
func isTagSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// parseAttrs reads every name="value" in the start tag of an element, and ignores what else there is.
func parseAttrs(tag []byte, element string) (list attrs) {
	tag = tag[len("<")+len(element):]
	for {
		eq := bytes.IndexByte(tag, '=')
		if eq < 0 {
			return list
		}
		name := trailingName(bytes.TrimRight(tag[:eq], " \t\r\n"))
		tag = bytes.TrimLeft(tag[eq+1:], " \t\r\n")
		if len(name) == 0 || len(tag) == 0 || tag[0] != '"' {
			continue
		}
		end := bytes.IndexByte(tag[1:], '"')
		if end < 0 {
			return list
		}
		list = list.set(name, tag[1:1+end])
		tag = tag[end+2:]
	}
}

// trailingName is the longest name that p ends with.
func trailingName(p []byte) []byte {
	i := len(p)
	for i > 0 && isNameByte(p[i-1]) {
		i--
	}
	for i < len(p) && !isNameStart(p[i]) {
		i++
	}
	return p[i:]
}

func isNameStart(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == ':'
}

func isNameByte(c byte) bool {
	return isNameStart(c) || '0' <= c && c <= '9' || c == '.' || c == '-'
}

// isAttrName reports whether a tag with this name in it can be read again.
func isAttrName(name string) bool {
	for i := range len(name) {
		if !isNameByte(name[i]) {
			return false
		}
	}
	return name != "" && isNameStart(name[0])
}

func (l attrs) index(name string) int {
	return slices.IndexFunc(l, func(a attr) bool { return string(a.name) == name })
}

// get returns a value, nil if there is none of that name.
func (l attrs) get(name string) []byte {
	if i := l.index(name); i >= 0 {
		return l[i].value
	}
	return nil
}

// set adds an attribute or changes the one of that name, which stays in its place.
func (l attrs) set(name, value []byte) attrs {
	value = value[:len(value):len(value)]
	if i := l.index(string(name)); i >= 0 {
		l[i].value = value
		return l
	}
	return append(l, attr{name, value})
}

// update changes the attributes. Changed in place, they must not be used afterwards.
func (l attrs) update(u *ToolCallUpdate) attrs {
	if u.Status != "" {
		l = l.set([]byte(attrStatus), appendAttrValue(nil, attrStatus, u.Status, false))
	}
	if u.Error != "" {
		l = l.set([]byte(attrError), appendAttrValue(nil, attrError, cutUnits(u.Error, maxMarkupError), false))
	} else if i := l.index(attrError); i >= 0 && u.Status == statusSuccess {
		l = append(l[:i], l[i+1:]...)
	}
	limit := u.ExtraLimit
	if limit == 0 {
		limit = maxMarkupExtra
	}
	for _, a := range u.Extra {
		if a.Value == "" || a.Name == attrID || !isAttrName(a.Name) {
			continue
		}
		value := a.Value
		if limit > 0 {
			value = cutUnits(value, limit)
		}
		l = l.set([]byte(a.Name), appendAttrValue(nil, a.Name, value, false))
	}
	return l
}

// updatedOrder is the order of the attributes of a tag that was changed. In a new tag, status comes before the id.
var updatedOrder = [...]string{attrType, attrID, attrStatus, attrQuery, attrCount, attrURL, "videoId", "prompt", "imageId", attrError}

// appendTag appends the start tag in the order of a changed one.
func (l attrs) appendTag(dst []byte) []byte {
	dst = append(dst, "<"+toolElement...)
	for _, name := range updatedOrder {
		if i := l.index(name); i >= 0 {
			dst = l[i].append(dst)
		}
	}
	for i := range l {
		if !slices.Contains(updatedOrder[:], string(l[i].name)) {
			dst = l[i].append(dst)
		}
	}
	return append(dst, '>')
}

func (a *attr) append(dst []byte) []byte {
	dst = append(append(append(dst, ' '), a.name...), `="`...)
	return append(append(dst, a.value...), '"')
}
