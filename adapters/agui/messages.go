package agui

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// A snapshot of messages and a JSON patch are checked by clients down to their leaves, and one fault ends the run. What
// is written here is therefore made member by member from what is known to pass; nulls, which serialisers of other
// languages like to send for what is absent, are left out.

// appendMessages appends an array of messages in the form that all clients accept; ok is false if v holds something
// that is no message.
func appendMessages(dst []byte, v rawjson.Value) (out []byte, ok bool) {
	if rawjson.Kind(v) != '[' {
		return dst, false
	}
	dst = append(dst, '[')
	from := len(dst)
	for m := range rawjson.Each(v) {
		if dst, ok = appendMessage(dst, m); !ok {
			return dst, false
		}
		dst = append(dst, ',')
	}
	if len(dst) > from {
		dst = dst[:len(dst)-1]
	}
	return append(dst, ']'), true
}

// appendMessage appends one message. Of the content, what is no text is kept only for the user's messages.
func appendMessage(dst []byte, m rawjson.Value) ([]byte, bool) {
	id, hasID := rawjson.Str(rawjson.Get(m, "id"))
	role := rawjson.Text(m, "role")
	content := rawjson.Get(m, "content")
	if !hasID {
		return dst, false
	}
	dst = append(append(append(dst, `{"id":"`...), id...), `","role":"`...)
	dst = append(append(dst, role...), '"')
	switch string(role) {
	case "developer", "system", "reasoning":
		dst = appendContent(dst, content)
	case "assistant":
		if !rawjson.IsNull(content) {
			dst = appendContent(dst, content)
		}
		dst = appendToolCalls(dst, rawjson.Get(m, "toolCalls"))
	case "user":
		dst = appendUserContent(dst, content)
	case "tool":
		call, ok := rawjson.Str(rawjson.Get(m, "toolCallId"))
		if !ok {
			return dst, false
		}
		dst = appendContent(dst, content)
		dst = append(append(append(dst, `,"toolCallId":"`...), call...), '"')
		dst = member.AppendText(dst, `,"error":"`, rawjson.Text(m, "error"))
	case "activity":
		kind, ok := rawjson.Str(rawjson.Get(m, "activityType"))
		if !ok || rawjson.Kind(content) != '{' {
			return dst, false
		}
		dst = append(append(append(dst, `,"activityType":"`...), kind...), '"')
		dst = append(append(dst, `,"content":`...), content...)
	default:
		return dst, false
	}
	switch string(role) {
	case "developer", "system", "assistant", "user":
		dst = member.AppendText(dst, `,"name":"`, rawjson.Text(m, "name"))
	}
	if string(role) != "activity" {
		dst = member.AppendText(dst, `,"encryptedValue":"`, rawjson.Text(m, "encryptedValue"))
	}
	dst = appendObjectOf(dst, m, "metadata")
	dst = member.AppendText(dst, `,"subagentRunId":"`, rawjson.Text(m, "subagentRunId"))
	return append(dst, '}'), true
}

// appendObjectOf appends a member of m if it is an object.
func appendObjectOf(dst []byte, m rawjson.Value, name string) []byte {
	v := rawjson.Get(m, name)
	if rawjson.Kind(v) != '{' {
		return dst
	}
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	return append(dst, v...)
}

// appendContent appends content as a string: that of parts is their text.
func appendContent(dst []byte, v rawjson.Value) []byte {
	dst = append(dst, `,"content":"`...)
	switch rawjson.Kind(v) {
	case '"':
		dst = append(dst, rawjson.Body(v)...)
	case '[':
		for part := range rawjson.Each(v) {
			dst = append(dst, rawjson.Text(part, "text")...)
		}
	case '{', '0', 't', 'f':
		dst = rawjson.AppendEscaped(dst, v)
	}
	return append(dst, '"')
}

// appendToolCalls appends the calls of a message, if it has any.
func appendToolCalls(dst []byte, v rawjson.Value) []byte {
	start := len(dst)
	dst = append(dst, `,"toolCalls":[`...)
	from := len(dst)
	for call := range rawjson.Each(v) {
		dst = appendToolCall(dst, call)
	}
	if len(dst) == from {
		return dst[:start]
	}
	dst[len(dst)-1] = ']'
	return dst
}

// appendToolCall appends a call with a comma, or nothing if it lacks an id or a name.
func appendToolCall(dst []byte, call rawjson.Value) []byte {
	id, hasID := rawjson.Str(rawjson.Get(call, "id"))
	name, hasName := rawjson.Str(rawjson.Get(call, "function", "name"))
	if !hasID || !hasName {
		return dst
	}
	dst = append(append(append(dst, `{"id":"`...), id...), `","type":"function","function":{"name":"`...)
	dst = append(append(dst, name...), `","arguments":"`...)
	args := rawjson.Get(call, "function", "arguments")
	if text, ok := rawjson.Str(args); ok {
		dst = append(dst, text...)
	} else if !rawjson.IsNull(args) {
		dst = rawjson.AppendEscaped(dst, args)
	}
	dst = append(dst, `"}`...)
	dst = member.AppendText(dst, `,"encryptedValue":"`, rawjson.Text(call, "encryptedValue"))
	dst = appendObjectOf(dst, call, "metadata")
	return append(dst, `},`...)
}

// appendUserContent appends what a user said: a string, or parts.
func appendUserContent(dst []byte, v rawjson.Value) []byte {
	if rawjson.Kind(v) != '[' {
		return appendContent(dst, v)
	}
	dst = append(dst, `,"content":[`...)
	from := len(dst)
	for part := range rawjson.Each(v) {
		dst = appendPart(dst, part)
	}
	if len(dst) > from {
		dst = dst[:len(dst)-1]
	}
	return append(dst, ']')
}

// appendPart appends a part with a comma, or nothing if no client of every version would take it. The parts called
// binary are those of older peers.
func appendPart(dst []byte, part rawjson.Value) []byte {
	kind := string(rawjson.Text(part, "type"))
	switch kind {
	case "text":
		dst = append(dst, `{"type":"text","text":"`...)
		dst = append(dst, rawjson.Text(part, "text")...)
		return append(dst, `"},`...)
	case "image", "audio", "video", "document":
		source := rawjson.Get(part, "source")
		from := string(rawjson.Text(source, "type"))
		return appendMedia(dst, kind, from, rawjson.Get(source, "value"), rawjson.Get(source, "mimeType"))
	case "binary":
		media := rawjson.Get(part, "mimeType")
		kind = mediaKind(rawjson.Body(media))
		if data := rawjson.Get(part, "data"); rawjson.Kind(data) == '"' {
			return appendMedia(dst, kind, "data", data, media)
		}
		return appendMedia(dst, kind, "url", rawjson.Get(part, "url"), media)
	}
	return dst
}

// mediaKind is the type of part for a media type.
func mediaKind(media []byte) string {
	for _, kind := range [...]string{"image", "audio", "video"} {
		if bytes.HasPrefix(media, []byte(kind+"/")) {
			return kind
		}
	}
	return "document"
}

// appendMedia appends a media part. Bytes need a type; a handle of a provider is unknown to clients before 1.0.
func appendMedia(dst []byte, kind, from string, value, media rawjson.Value) []byte {
	data, ok := rawjson.Str(value)
	typ, typed := rawjson.Str(media)
	if !ok || from != "url" && (from != "data" || !typed) {
		return dst
	}
	dst = append(append(append(dst, `{"type":"`...), kind...), `","source":{"type":"`...)
	dst = append(append(dst, from...), `","value":"`...)
	dst = append(append(dst, data...), '"')
	dst = member.AppendText(dst, `,"mimeType":"`, typ)
	return append(dst, `}},`...)
}

// validPatch reports whether v is a JSON patch (RFC 6902) in its form; whether it applies is for the client to see.
func validPatch(v rawjson.Value) bool {
	if rawjson.Kind(v) != '[' {
		return false
	}
	for op := range rawjson.Each(v) {
		if !validOp(op) {
			return false
		}
	}
	return true
}

// validOp checks one operation. Members that an operation does not define are allowed (RFC 6902, section 4).
func validOp(op rawjson.Value) bool {
	if !validPointer(rawjson.Get(op, "path")) {
		return false
	}
	switch string(rawjson.Text(op, "op")) {
	case "add", "replace", "test":
		return rawjson.Get(op, "value") != nil
	case "move", "copy":
		return validPointer(rawjson.Get(op, "from"))
	case "remove":
		return true
	}
	return false
}

// validPointer reports whether v is a JSON pointer (RFC 6901).
func validPointer(v rawjson.Value) bool {
	s, ok := rawjson.Str(v)
	if !ok {
		return false
	}
	if bytes.IndexByte(s, '\\') >= 0 {
		s = rawjson.AppendUnescaped(nil, s)
	}
	if len(s) == 0 {
		return true
	}
	for i, c := range s {
		if c == '~' && (i+1 == len(s) || s[i+1] != '0' && s[i+1] != '1') {
			return false
		}
	}
	return s[0] == '/'
}
