package agentevent

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolinfo"
)

// The data of a tool_progress may be any JSON value. Strings and a few objects are known; everything else passes as it
// is, so that a new tool needs nothing here.

// Subtypes that are known.
const (
	subtypeStdout   = "stdout_chunk"
	subtypeStderr   = "stderr_chunk"
	subtypeTransfer = "transfer_progress"
)

// How a chunk begins and ends when it has no further members. Between them is the body of a string.
const (
	stdoutHead = `{"subtype":"` + subtypeStdout + `","content":"`
	stderrHead = `{"subtype":"` + subtypeStderr + `","content":"`
	chunkTail  = `"}`
)

// form is what a payload is.
type form uint8

const (
	formOther form = iota
	formText
	formStdout
	formStderr
	formPercent
)

// payload is what is understood of the data of a tool_progress. text aliases the data: the body of a string, or with
// formPercent a number.
type payload struct {
	form  form
	text  []byte
	exact bool // form and text say everything
}

func (p payload) isOutput() bool {
	return p.form == formText || p.form == formStdout || p.form == formStderr
}

func (p payload) channel() hub.Chan {
	switch p.form {
	case formStdout:
		return hub.Stdout
	case formStderr:
		return hub.Stderr
	}
	return hub.Result
}

// readPayload looks into data no deeper than its own members. Empty text is no output, but still a payload.
func readPayload(data rawjson.Value) payload {
	switch rawjson.Kind(data) {
	case '"':
		if body := rawjson.Body(data); len(body) > 0 {
			return payload{form: formText, text: body, exact: true}
		}
	case '{':
		return readObject(data)
	}
	return payload{}
}

// readObject goes through the members once, in whatever order they come.
func readObject(data rawjson.Value) payload {
	var subtype, content, percent rawjson.Value
	for key, val := range rawjson.EachField(data) {
		switch string(key) {
		case "subtype":
			subtype = val
		case "content":
			content = val
		case "percent":
			percent = val
		}
	}
	kind := rawjson.Body(subtype)
	switch string(kind) {
	case subtypeStdout:
		return readChunk(data, content, formStdout, stdoutHead)
	case subtypeStderr:
		return readChunk(data, content, formStderr, stderrHead)
	case subtypeTransfer:
		if rawjson.IsPercent(percent) {
			return payload{form: formPercent, text: percent}
		}
	}
	return payload{}
}

func readChunk(data, content rawjson.Value, f form, head string) payload {
	body := rawjson.Body(content)
	if len(body) == 0 {
		return payload{}
	}
	exact := len(data) == len(head)+len(body)+len(chunkTail) && string(data[:len(head)]) == head
	return payload{form: f, text: body, exact: exact}
}

// appendPayload appends the data of a tool_progress. With disposition Implied or Dropped there is none, and dst comes back
// unchanged.
func appendPayload(dst []byte, ev *hub.Event) ([]byte, hub.Disposition) {
	if ev.Kind == hub.ToolOutput {
		return appendOutput(dst, ev)
	}
	return appendUpdate(dst, ev)
}

// appendOutput writes a partial result. Clients append what comes; a replacement reads like one more piece.
func appendOutput(dst []byte, ev *hub.Event) ([]byte, hub.Disposition) {
	switch {
	case ev.Text != nil:
		disposition := hub.Native
		if ev.Op == hub.Replace {
			disposition = hub.Folded
		}
		return appendText(dst, ev), disposition
	case ev.Value != nil:
		return append(dst, ev.Value...), hub.Native
	case ev.Rare().Content != nil:
		return append(dst, ev.More.Content...), hub.Folded
	}
	return dst, hub.Dropped
}

func appendText(dst []byte, ev *hub.Event) []byte {
	head := `"`
	f := formText
	switch ev.Chan {
	case hub.Stdout:
		head, f = stdoutHead, formStdout
	case hub.Stderr:
		head, f = stderrHead, formStderr
	}
	if m := ev.More; m != nil && m.Meta != nil {
		if p := readPayload(m.Meta); p.form == f && bytes.Equal(p.text, ev.Text) {
			return append(dst, m.Meta...) // our own decoder's: it has members that we do not know
		}
	}
	dst = append(dst, head...)
	dst = append(dst, ev.Text...)
	if f == formText {
		return append(dst, '"')
	}
	return append(dst, chunkTail...)
}

// appendUpdate writes progress in the best form there is. A payload comes first: our own decoder's says everything, and
// those of other dialects are meant for a renderer that knows the tool.
func appendUpdate(dst []byte, ev *hub.Event) ([]byte, hub.Disposition) {
	m := ev.More
	switch {
	case ev.Value != nil && (len(ev.Text) > 0 || toolinfo.Has(ev)):
		return append(dst, ev.Value...), hub.Folded
	case ev.Value != nil:
		return append(dst, ev.Value...), hub.Native
	case m != nil && m.Percent != nil:
		return appendPercent(dst, m.Percent, ev.Text), lookDisposition(ev)
	case len(ev.Text) > 0:
		return rawjson.AppendQuoted(dst, ev.Text), lookDisposition(ev)
	case m != nil && m.Content != nil:
		return append(dst, m.Content...), hub.Folded
	case toolinfo.Has(ev):
		return dst, hub.Dropped
	}
	return dst, hub.Implied // a status: that a tool runs goes without saying
}

// lookDisposition is the disposition of an update whose news is written, but not what it changes in the title of the call: progress has no place
// for that.
func lookDisposition(ev *hub.Event) hub.Disposition {
	return hub.FoldedIf(toolinfo.Has(ev))
}

// appendPercent writes the payload of the file transfer example; message is a member of our own, which clients ignore.
func appendPercent(dst, percent, message []byte) []byte {
	dst = append(dst, `{"subtype":"`+subtypeTransfer+`","percent":`...)
	dst = append(dst, percent...)
	if len(message) > 0 {
		dst = append(dst, `,"message":`...)
		dst = rawjson.AppendQuoted(dst, message)
	}
	return append(dst, '}')
}
