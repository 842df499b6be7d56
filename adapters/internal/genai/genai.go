// Package genai reads and writes what Google's generateContent and the agents built on it share: parts of a content, usage,
// reasons to finish, sources. Members may be in camel or, as protobuf allows, in snake case.
package genai

import (
	"bytes"
	"path"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// Names of the tool that runs the model's code, and the outcome of code that ran to its end.
const (
	CodeTool  = "code_execution"
	OutcomeOK = "OUTCOME_OK"
)

// Either is a, or b if a is absent.
func Either(a, b rawjson.Value) rawjson.Value {
	if a != nil {
		return a
	}
	return b
}

// Get is the member of v that has either name.
func Get(v rawjson.Value, camel, snake string) rawjson.Value {
	return Either(rawjson.Get(v, camel), rawjson.Get(v, snake))
}

// Member is [Get] of an object that was read.
func Member(o *rawjson.Object, camel, snake string) rawjson.Value {
	return Either(o.Get(camel), o.Get(snake))
}

// Part has the members of a part that are read.
type Part struct {
	Thought, Sig rawjson.Value
	Kind         PartKind
	Value        rawjson.Value // of the member that says the kind
	Members      int
	Unread       bool // there is another member, which says something about what the part holds
}

// PartKind says what a part is.
type PartKind uint8

// Kinds of parts.
const (
	PartOther PartKind = iota
	PartText
	PartCall
	PartResponse // the result of a function that the agent or the client has run
	PartInline
	PartFile
	PartCode
	PartCodeResult
	PartServerCall
	PartServerResult
)

// partKinds are the members that say what a part is, in both ways of writing.
var partKinds = map[string]PartKind{
	"text":         PartText,
	"functionCall": PartCall, "function_call": PartCall,
	"functionResponse": PartResponse, "function_response": PartResponse,
	"inlineData": PartInline, "inline_data": PartInline,
	"fileData": PartFile, "file_data": PartFile,
	"executableCode": PartCode, "executable_code": PartCode,
	"codeExecutionResult": PartCodeResult, "code_execution_result": PartCodeResult,
	"toolCall": PartServerCall, "tool_call": PartServerCall,
	"toolResponse": PartServerResult, "tool_response": PartServerResult,
}

// ReadPart reads a part. It aliases v.
func ReadPart(v rawjson.Value) (p Part) {
	for key, val := range rawjson.EachField(v) {
		p.Members++
		switch string(key) {
		case "thought":
			p.Thought = val
		case "thoughtSignature", "thought_signature":
			p.Sig = signature(val)
		default:
			if kind, known := partKinds[string(key)]; known && !rawjson.IsNull(val) {
				p.Kind, p.Value = kind, val
			} else if !known && !rawjson.IsNull(val) {
				p.Unread = true
			}
		}
	}
	return p
}

// Channel is the channel of a text part.
func (p *Part) Channel() hub.Chan {
	if thought, _ := rawjson.Bool(p.Thought); thought {
		return hub.Reasoning
	}
	return hub.AnswerText
}

// File reads a part of the kind PartInline or PartFile.
func (p *Part) File(f *hub.FileRef) {
	o := rawjson.ReadObject(p.Value)
	f.Media = rawjson.Body(Member(&o, "mimeType", "mime_type"))
	f.Name = rawjson.Body(Member(&o, "displayName", "display_name"))
	if p.Kind == PartInline {
		f.Base64 = Base64(o.Text("data"))
	} else {
		f.URL = rawjson.Body(Member(&o, "fileUri", "file_uri"))
	}
}

// CodeResult reads a part of the kind PartCodeResult as the end of its call.
func (p *Part) CodeResult(ev *hub.Event, s *hub.Scratch) {
	ev.Kind, ev.Name, ev.Status = hub.ToolEnd, []byte(CodeTool), hub.StatusOK
	ev.Text, _ = rawjson.Str(rawjson.Get(p.Value, "output"))
	if ev.Text == nil {
		ev.Text = []byte{}
	}
	if outcome := rawjson.Text(p.Value, "outcome"); len(outcome) > 0 && string(outcome) != OutcomeOK {
		ev.Status, ev.More = hub.StatusError, s.More()
		ev.More.Err, ev.More.ErrCode = ev.Text, outcome
	}
}

// AppendFile appends a part that holds a file, if it has bytes or a URL.
func AppendFile(dst []byte, f *hub.FileRef) (part []byte, ok bool) {
	if len(f.Base64)+len(f.URL) == 0 {
		return dst, false
	}
	head, member, val := `{"inlineData":{"mimeType":"`, `","data":"`, f.Base64
	if len(val) == 0 {
		head, member, val = `{"fileData":{"mimeType":"`, `","fileUri":"`, f.URL
	}
	dst = append(dst, head...)
	if len(f.Media) > 0 {
		dst = append(dst, f.Media...)
	} else {
		dst = append(dst, "application/octet-stream"...) // readers want a type
	}
	dst = append(dst, member...)
	dst = append(dst, val...)
	return append(dst, `"}}`...), true
}

// AppendNamedFile appends the same part with what the file is called, which ADK takes and the API of Gemini refuses.
func AppendNamedFile(dst []byte, f *hub.FileRef) (part []byte, ok bool) {
	const tail = `"}}`
	if dst, ok = AppendFile(dst, f); !ok || len(f.Name) == 0 {
		return dst, ok
	}
	dst = append(append(dst[:len(dst)-len(tail)], `","displayName":"`...), f.Name...)
	return append(dst, tail...), true
}

// Media is the type of a file, which the API wants in full. Some clients only say that it is an image.
func Media(f *hub.FileRef) []byte {
	if string(f.Media) != "image/*" && string(f.Media) != "image" {
		return f.Media
	}
	switch path.Ext(string(rawjson.AppendUnescaped(nil, f.URL))) {
	case ".png":
		return []byte("image/png")
	case ".gif":
		return []byte("image/gif")
	case ".webp":
		return []byte("image/webp")
	}
	return []byte("image/jpeg")
}

// AppendObject appends a value that readers want to be an object.
func AppendObject(dst []byte, v rawjson.Value) (grown []byte, isObject bool) {
	switch rawjson.Kind(v) {
	case '{':
		return append(dst, v...), true
	case 0:
		return append(dst, "{}"...), false
	}
	dst = append(append(dst, `{"value":`...), v...)
	return append(dst, '}'), false
}

// AppendSig appends the member for a signature, if there is one.
func AppendSig(dst, sig []byte) []byte {
	if len(sig) == 0 {
		return dst
	}
	dst = append(dst, `,"thoughtSignature":"`...)
	dst = append(dst, sig...)
	return append(dst, '"')
}

// AppendCode appends the part of a call that runs code, without its last bracket. Where its arguments are those of another
// dialect, they are what runs; exact says that they are not.
func AppendCode(dst []byte, ev *hub.Event) (part []byte, exact bool) {
	code, hasCode := rawjson.Str(rawjson.Get(ev.Value, "code"))
	_, hasLanguage := rawjson.Str(rawjson.Get(ev.Value, "language"))
	dst = append(dst, `{"executableCode":`...)
	if hasCode && hasLanguage {
		return append(dst, ev.Value...), true
	}
	dst = append(dst, `{"language":"LANGUAGE_UNSPECIFIED","code":"`...)
	switch {
	case hasCode:
		dst = append(dst, code...)
	case ev.Value != nil:
		dst = rawjson.AppendEscaped(dst, ev.Value)
	default:
		dst = append(dst, ev.Text...)
	}
	return append(dst, `"}`...), false
}

// AppendCodeResult appends the part for the end of such a call; id is that of the call, where the result must name it.
func AppendCodeResult(dst []byte, ev *hub.Event, id []byte) (part []byte, exact bool) {
	outcome, exact := []byte(OutcomeOK), true
	switch ev.Status {
	case hub.StatusOK:
	case hub.StatusError:
		outcome = []byte("OUTCOME_FAILED")
		if ev.More != nil && bytes.HasPrefix(ev.More.ErrCode, []byte("OUTCOME_")) {
			outcome = ev.More.ErrCode
		}
	default:
		outcome, exact = []byte("OUTCOME_UNSPECIFIED"), false
	}
	dst = append(append(dst, `{"codeExecutionResult":{"outcome":"`...), outcome...)
	dst = toolresult.AppendText(append(dst, `","output":"`...), ev)
	if len(id) > 0 {
		dst = append(append(dst, `","id":"`...), id...)
	}
	return append(dst, `"}}`...), exact
}
