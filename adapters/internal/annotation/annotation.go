// Package annotation reads the annotations of OpenAI's APIs, which say what a text of an answer cites. Responses has the members of one flat, Chat
// Completions under a member that is named as its type; servers have either form in both.
package annotation

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Read sets the members of a source from an annotation, and reports whether it cites anything. One of a file that the API itself has goes along as
// the value, since each type of them has other members.
func Read(ev *hub.Event, v rawjson.Value, s *hub.Scratch) bool {
	cited := inner(v)
	f := &s.MoreOf(ev).File
	f.URL, f.Name, f.FileID = rawjson.Text(cited, "url"), rawjson.Text(cited, "filename"), rawjson.Text(cited, "file_id")
	ev.Title, ev.Text = rawjson.Text(cited, "title"), rawjson.First(rawjson.Text(cited, "content"), rawjson.Text(cited, "quote"))
	switch {
	case IsOfFile(v):
		ev.Value = v
	case rawjson.Kind(rawjson.Get(cited, "start_index")) == '0':
		ev.Value = span(cited, s)
	default:
		ev.Value = span(v, s)
	}
	return len(f.URL)+len(f.Name)+len(f.FileID)+len(ev.Title) > 0
}

// ReadOfMessage is [Read] for an annotation in a conversation.
func ReadOfMessage(ev *hub.Event, v rawjson.Value) { Read(ev, v, new(hub.Scratch)) }

// inner are the members of an annotation, wherever they are.
func inner(v rawjson.Value) rawjson.Value {
	for _, name := range [...]string{"url_citation", string(rawjson.Text(v, "type"))} {
		if in := rawjson.Get(v, name); rawjson.Kind(in) == '{' {
			return in
		}
	}
	return v
}

// IsOfFile reports whether a value is an annotation of Responses that cites a file of the API's, with all members that its clients want.
func IsOfFile(v rawjson.Value) bool {
	wanted := []string{"index"}
	switch string(rawjson.Text(v, "type")) {
	case "container_file_citation":
		wanted = []string{"start_index", "end_index"}
		if len(rawjson.Text(v, "container_id")) == 0 {
			return false
		}
	case "file_citation", "file_path":
	default:
		return false
	}
	for _, name := range wanted {
		if rawjson.Kind(rawjson.Get(v, name)) != '0' {
			return false
		}
	}
	return len(rawjson.Text(v, "file_id")) > 0
}

// span is {"start":…,"end":…}, which are numbers of characters in the answer; nil if they are not said.
func span(v rawjson.Value, s *hub.Scratch) []byte {
	start, end := rawjson.Get(v, "start_index"), rawjson.Get(v, "end_index")
	if rawjson.Kind(start) != '0' || rawjson.Kind(end) != '0' {
		return nil
	}
	b := append(append(s.Begin(), `{"start":`...), start...)
	b = append(append(b, `,"end":`...), end...)
	return s.Since(append(b, '}'))
}

// AppendSpan appends the members start_index and end_index of a source, each with a comma before it: 0 where they are not known, as clients want both.
func AppendSpan(dst []byte, value rawjson.Value) []byte {
	for _, bound := range [...]string{"start", "end"} {
		n, known := rawjson.Int(rawjson.Get(value, bound))
		if !known {
			n, _ = rawjson.Int(rawjson.Get(value, bound+"_index"))
		}
		dst = strconv.AppendInt(append(append(append(dst, `,"`...), bound...), `_index":`...), max(n, 0), 10)
	}
	return dst
}

// Lacks reports whether an annotation of a page says less than its source: it has no place for a quote, nor for a place that is no span of the answer.
func Lacks(ev *hub.Event) bool {
	isSpan := ev.Value == nil || IsOfFile(ev.Value) || rawjson.Get(ev.Value, "start") != nil || rawjson.Get(ev.Value, "start_index") != nil
	return len(ev.Text) > 0 || !isSpan
}
