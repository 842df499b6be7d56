package copilot

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Events have their properties under "data", or, in some streams, at the root beside the type. The functions here are
// the one place that knows. They take the text of one event that was validated, without its envelope.

// isBase reports whether a member at the root of an event is none of its properties.
func isBase(key []byte) bool {
	switch string(plainKey(key)) {
	case "id", "timestamp", "parentId", "type", "ephemeral", "agentId", "data":
		return true
	}
	return false
}

// Property returns the property of that name, as raw JSON: that under data if there is one, else that at the root; nil
// if there is neither. It aliases event.
func Property(event []byte, name string) []byte {
	if v := rawjson.Get(event, "data", name); v != nil || isBase([]byte(name)) {
		return v
	}
	return rawjson.Get(event, name)
}

// Properties returns all properties of an event as one object. It aliases event where they are all under data, as they
// are in nearly all streams; otherwise those at the root follow the others, and it aliases what it appended to dst, which
// is also returned.
func Properties(dst, event []byte) (grown, object []byte) {
	data := rawjson.OfKind(rawjson.Get(event, "data"), '{')
	if !hasRootProperties(event) {
		return dst, rawjson.Or(data, "{}")
	}
	start := len(dst)
	dst = append(dst, '{')
	dst = appendMembers(dst, data)
	for key, val := range rawjson.EachField(event) {
		if !isBase(key) && !hasMember(data, key) {
			dst = appendMember(dst, key, val)
		}
	}
	dst = closeObject(dst)
	return dst, dst[start:len(dst):len(dst)]
}

var emptyObject = []byte("{}")

// hasRootProperties reports whether an event has properties beside its data.
func hasRootProperties(event rawjson.Value) bool {
	for key := range rawjson.EachField(event) {
		if !isBase(key) {
			return true
		}
	}
	return false
}

// hasMember reports whether an object has a member of that name, however it is escaped.
func hasMember(object rawjson.Value, name []byte) bool {
	for key := range rawjson.EachField(object) {
		if rawjson.EqualBody(key, name) {
			return true
		}
	}
	return false
}

// ToolCompletion is what a tool.execution_complete says. Its slices are string bodies, still escaped, and alias the
// event.
type ToolCompletion struct {
	ID      []byte // toolCallId
	Name    []byte // toolName, which newer servers leave out
	Success bool   // false if it is not said
	Content []byte // text of the result; nil if there is none
}

// NormaliseToolComplete reads a tool.execution_complete wherever its properties are. ok is false for other events, and
// for one that names no call.
func NormaliseToolComplete(event []byte) (done ToolCompletion, ok bool) {
	if typ := rawjson.Text(event, "type"); string(typ) != "tool.execution_complete" {
		return done, false
	}
	p := props{
		ToolCallID: Property(event, "toolCallId"), ToolName: Property(event, "toolName"), Name: Property(event, "name"),
		Success: Property(event, "success"), Result: Property(event, "result"),
	}
	done = p.completion()
	return done, len(done.ID) > 0
}

// completion reads the members of a completion, some of which have more than one form.
func (p *props) completion() ToolCompletion {
	content, isText := rawjson.Str(p.Result)
	if !isText {
		content = rawjson.Text(p.Result, "content")
	}
	return ToolCompletion{ID: rawjson.Body(p.ToolCallID), Name: p.toolName(), Success: rawjson.IsTrue(p.Success), Content: content}
}

// toolName is the name of a tool, which some versions of the SDK call name.
func (p *props) toolName() []byte {
	return rawjson.First(rawjson.Body(p.ToolName), rawjson.Body(p.Name))
}

const wrappedText = "textResultForLlm"

// ResultText returns the text for people in the content of a tool's result. Tools written for the SDK return an object
// that is serialised into the content; its member textResultForLlm is the text, and wrapper the whole object. All other
// content is the text itself, and wrapper is nil. Content and text are string bodies, still escaped. text aliases content,
// or like wrapper what was appended to dst, which is also returned.
func ResultText(dst, content []byte) (grown, text, wrapper []byte) {
	if !bytes.Contains(content, []byte(wrappedText)) {
		return dst, content, nil
	}
	start := len(dst)
	grown, ok := rawjson.ValueOfText(dst, content)
	if !ok {
		return dst, content, nil
	}
	wrapper = grown[start:len(grown):len(grown)]
	text, ok = rawjson.Str(rawjson.Get(wrapper, wrappedText))
	if !ok || rawjson.Kind(wrapper) != '{' {
		return dst, content, nil
	}
	return grown, text, wrapper
}

// firstWord returns the letters, digits and underscores that a text begins with.
func firstWord(text []byte) []byte {
	n := 0
	for n < len(text) && (text[n] == '_' || text[n]-'0' < 10 || text[n]|0x20-'a' < 26) {
		n++
	}
	return text[:n]
}
