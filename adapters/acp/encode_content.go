package acp

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// appendContent appends the items of a tool's content. Clients drop what they do not know without a word, so an item of
// another shape is shown as text, and is no longer what it was.
func (e *encoder) appendContent(dst []byte, content rawjson.Value) ([]byte, hub.Disposition) {
	if body, ok := rawjson.Str(content); ok {
		return acpwire.AppendTextItem(dst, body), hub.Native
	}
	disposition := hub.Native
	for item := range rawjson.Each(content) {
		var of hub.Disposition
		dst, of = e.appendItem(dst, item)
		disposition = max(disposition, of)
	}
	return dst, disposition
}

// appendItem appends one item if clients accept it as it is, else what it says.
func (e *encoder) appendItem(dst []byte, item rawjson.Value) ([]byte, hub.Disposition) {
	b := readBlock(item)
	switch string(b.Kind) {
	case "content":
		inner := readBlock(rawjson.Get(item, "content"))
		if inner.valid() {
			return append(acpwire.Comma(dst), item...), hub.Native
		}
	case "diff":
		return e.appendDiff(dst, item)
	case "terminal":
		if id := rawjson.Text(item, "terminalId"); len(id) > 0 {
			return append(acpwire.Comma(dst), item...), hub.Native
		}
	default:
		if b.valid() { // a block that stands where an item should
			dst = append(append(acpwire.Comma(dst), `{"type":"content","content":`...), item...)
			return append(dst, '}'), hub.Native
		}
	}
	return appendOddItem(dst, item, &b), hub.Folded
}

// appendOddItem shows an item that clients would drop: its text, or all of it.
func appendOddItem(dst []byte, item rawjson.Value, b *block) []byte {
	if body, ok := rawjson.Str(item); ok {
		return acpwire.AppendTextItem(dst, body)
	}
	if len(b.Text) > 0 {
		return acpwire.AppendTextItem(dst, b.Text)
	}
	dst = append(acpwire.Comma(dst), `{"type":"content","content":{"type":"text","text":"`...)
	return append(rawjson.AppendEscaped(dst, item), `"}}`...)
}

// valid reports whether clients accept the block.
func (b *block) valid() bool {
	switch string(b.Kind) {
	case "text":
		return b.Text != nil
	case "image", "audio":
		return b.Data != nil && b.Mime != nil
	case "resource_link":
		return b.URI != nil && b.Name != nil
	case "resource":
		return b.URI != nil && (b.Text != nil || b.Data != nil)
	}
	return false
}

// appendDiff appends a change of a file. Version 1 has its texts; version 2 has the paths and a patch.
func (e *encoder) appendDiff(dst []byte, item rawjson.Value) ([]byte, hub.Disposition) {
	path, isOld := rawjson.Str(rawjson.Get(item, "path"))
	text, hasText := rawjson.Str(rawjson.Get(item, "newText"))
	isNew := rawjson.Kind(rawjson.Get(item, "changes")) == '['
	switch {
	case isNew && e.opt.drafts, isOld && hasText && !e.opt.drafts:
		return append(acpwire.Comma(dst), item...), hub.Native
	case isOld && hasText:
		old := rawjson.Get(item, "oldText")
		return appendPatch(acpwire.Comma(dst), path, rawjson.Body(old), text, rawjson.IsNull(old)), hub.Native
	case isNew:
		if patch := rawjson.Text(item, "patch", "text"); len(patch) > 0 {
			return acpwire.AppendTextItem(dst, patch), hub.Folded
		}
	}
	return appendOddItem(dst, item, &block{}), hub.Folded
}

// appendPatch appends a change in the form of version 2. The patch takes all lines away and puts the new ones in their
// place: which ones really changed is the client's to find.
func appendPatch(dst, path, old, text []byte, created bool) []byte {
	operation, from := "modify", append([]byte("a/"), bytes.TrimPrefix(path, []byte("/"))...)
	if created {
		operation, from = "add", []byte("/dev/null")
	}
	dst = append(append(append(dst, `{"type":"diff","changes":[{"operation":"`...), operation...), `","path":"`...)
	dst = append(append(dst, path...), `"}],"patch":{"format":"git_patch","text":"--- `...)
	dst = append(append(append(dst, from...), `\n+++ b/`...), bytes.TrimPrefix(path, []byte("/"))...)
	dst = append(dst, `\n@@ -`...)
	dst = appendSpan(dst, old)
	dst = appendSpan(append(dst, ` +`...), text)
	dst = appendLines(append(dst, ` @@\n`...), '-', old)
	return append(appendLines(dst, '+', text), `"}}`...)
}

var lineFeed = []byte(`\n`)

// lines are those of a string body; a line feed at the end ends the last one. It is not fooled by an escaped backslash.
func lines(body []byte) (all [][]byte) {
	start := 0
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			continue
		}
		if bytes.HasPrefix(body[i:], lineFeed) {
			all = append(all, body[start:i])
			start = i + len(lineFeed)
		}
		i++
	}
	if start < len(body) {
		all = append(all, body[start:])
	}
	return all
}

// appendSpan appends the lines that one side of a hunk has, as the head of the hunk counts them.
func appendSpan(dst, body []byte) []byte {
	n := len(lines(body))
	if n == 0 {
		return append(dst, "0,0"...)
	}
	return member.AppendInt(dst, "1,", int64(n))
}

// appendLines appends each line with its sign. The last one gets a line feed even if the file has none there.
func appendLines(dst []byte, sign byte, body []byte) []byte {
	for _, line := range lines(body) {
		dst = append(append(append(dst, sign), line...), lineFeed...)
	}
	return dst
}

// kinds of tools that the protocol knows.
var toolKinds = map[string]bool{
	"read": true, "edit": true, "delete": true, "move": true, "search": true, "execute": true, "think": true, "fetch": true,
	"switch_mode": true, "other": true,
}

// kindsByName are parts of names, in lower case, that tell what a tool does. The first that fits decides.
var kindsByName = []struct{ part, kind string }{
	{"todo", "think"}, {"think", "think"}, {"task", "think"}, {"agent", "think"}, {"delegate", "think"}, {"plan", "think"},
	{"fetch", "fetch"}, {"http", "fetch"}, {"browse", "fetch"}, {"url", "fetch"}, {"download", "fetch"},
	{"search", "search"}, {"grep", "search"}, {"glob", "search"}, {"find", "search"},
	{"delete", "delete"}, {"remove", "delete"}, {"move", "move"}, {"rename", "move"},
	{"edit", "edit"}, {"write", "edit"}, {"patch", "edit"}, {"replace", "edit"}, {"create_file", "edit"},
	{"bash", "execute"}, {"shell", "execute"}, {"exec", "execute"}, {"terminal", "execute"}, {"command", "execute"},
	{"read", "read"}, {"view", "read"}, {"cat", "read"}, {"list", "read"}, {"ls", "read"}, {"open_file", "read"},
}

// kindOf is the kind that clients choose an icon by: that of the source, else the one that the name suggests.
func (e *encoder) kindOf(kind, toolName []byte) string {
	if set, ok := e.opt.kinds[string(toolName)]; ok && toolKinds[set] {
		return set
	}
	switch {
	case toolKinds[string(kind)]:
		return string(kind)
	case string(kind) == "agent":
		return "think"
	}
	lower := bytes.ToLower(toolName)
	for _, k := range kindsByName {
		if bytes.Contains(lower, []byte(k.part)) {
			return k.kind
		}
	}
	return "other"
}

// appendFile appends the block for a file; it is dropped when it has nothing that a block can hold. words are its title and description, for
// which only a link has a place. disposition says whether the block identifies the file, named whether it has a place for what the file is called.
func appendFile(dst []byte, f *hub.FileRef, words linkWords) (_ []byte, disposition hub.Disposition, named bool) {
	data, mime, uri := f.Base64, f.Media, f.URL
	disposition = hub.Native
	if head, tail, inline := member.CutDataURL(uri); inline && len(data) == 0 {
		data, uri, disposition = tail, nil, hub.Folded
		mime = rawjson.First(mime, head)
	}
	switch {
	case len(data) == 0 && len(uri) == 0:
		return dst, hub.Dropped, false
	case len(data) == 0:
		return appendLink(dst, uri, label(f), f.Media, words), disposition, true
	case len(uri) == 0 && bytes.Contains(f.Name, []byte("://")):
		uri, named = f.Name, true // how the decoder keeps it
	}
	if words.any() {
		disposition = hub.Folded
	}
	switch {
	case bytes.HasPrefix(mime, []byte("image/")):
		dst = append(append(dst, `{"type":"image","data":"`...), data...)
		dst = member.AppendText(append(dst, '"'), `,"mimeType":"`, mime)
		return append(member.AppendText(dst, `,"uri":"`, uri), '}'), disposition, named
	case bytes.HasPrefix(mime, []byte("audio/")) && len(uri) == 0:
		dst = append(append(dst, `{"type":"audio","data":"`...), data...)
		return append(member.AppendText(append(dst, '"'), `,"mimeType":"`, mime), '}'), disposition, false
	}
	dst = append(dst, `{"type":"resource","resource":{"uri":"`...)
	if len(uri) == 0 {
		disposition, named = hub.Folded, true
		uri = append([]byte("file:///"), bytes.TrimPrefix(label(f), []byte("/"))...)
	}
	dst = append(append(append(append(dst, uri...), `","blob":"`...), data...), '"')
	return append(member.AppendText(dst, `,"mimeType":"`, mime), "}}"...), disposition, named
}

// linkWords are what a link says to people.
type linkWords struct{ title, description []byte }

func (w linkWords) any() bool { return len(w.title)+len(w.description) > 0 }

// appendLink appends a link. Its name is required.
func appendLink(dst, uri, name, mime []byte, words linkWords) []byte {
	dst = append(append(dst, `{"type":"resource_link","uri":"`...), uri...)
	dst = append(append(append(dst, `","name":"`...), name...), '"')
	dst = member.AppendText(dst, `,"mimeType":"`, mime)
	dst = member.AppendText(dst, `,"title":"`, words.title)
	return append(member.AppendText(dst, `,"description":"`, words.description), '}')
}

// label is what a file is called.
func label(f *hub.FileRef) []byte {
	switch {
	case len(f.Name) > 0:
		return f.Name
	case len(f.URL) > 0 && !bytes.HasPrefix(f.URL, []byte("data:")):
		return f.URL
	}
	return []byte("file")
}
