package copilot

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// executionComplete reads the end of a call.
func (d *decoder) executionComplete(dst []hub.Event) ([]hub.Event, error) {
	id, c, quiet, err := d.ofCall()
	if err != nil || quiet {
		return dst, err
	}
	done := d.at.ev.Data.completion()
	grown, content, wrapper := ResultText(d.scratch.Begin(), done.Content)
	d.scratch.Since(grown)
	if c == nil { // its start was in the part of the history that is left out
		dst, c = d.begin(dst, id, endedName(done.Name, content, wrapper))
		if c.intent {
			return dst, nil // what it reported is in that part, too
		}
		dst[len(dst)-1].Flags |= hub.Synthetic
	}
	dst, ev := d.add(dst, hub.Event{Kind: hub.ToolEnd, ID: id, Name: c.name, Text: content})
	ev.Status = d.ending(ev, c, done.Success)
	switch result := d.at.ev.Data.Result; rawjson.Kind(result) {
	case '[', '0', 't', 'f':
		ev.Value = result // no result as it should be, but a result
	}
	d.content(ev)
	d.keepResult(ev, wrapper)
	return d.endImplied(dst, id, done.Success), nil
}

// endedName is the name of a call of which only the end is known. Newer servers do not repeat it there.
func endedName(name, content []byte, wrapper rawjson.Value) []byte {
	if len(name) == 0 && wrapper != nil {
		name = firstWord(content)
	}
	return rawjson.First(name, []byte(unnamedTool))
}

// Codes of the errors that stand for the ends of calls that are no failures of the tool.
const (
	codeDenied  = "denied"
	codeAborted = "aborted"
)

// ending reads how a call ended, and why.
func (d *decoder) ending(ev *hub.Event, c *call, success bool) hub.Status {
	fault := d.at.ev.Data.Error
	message := rawjson.First(rawjson.Body(fault), rawjson.Text(fault, "message"))
	code := rawjson.Text(fault, "code")
	if len(message) > 0 {
		d.scratch.MoreOf(ev).Err = message
	}
	if len(code) > 0 {
		d.scratch.MoreOf(ev).ErrCode = code
	}
	switch {
	case success:
		return hub.StatusOK
	case c.denied, string(code) == codeDenied:
		return hub.StatusDenied
	case string(code) == codeAborted:
		return hub.StatusAborted
	}
	return hub.StatusError
}

// content reads the blocks of a result, which are those of MCP, as the content of a tool.
func (d *decoder) content(ev *hub.Event) {
	if blocks := rawjson.Get(d.at.ev.Data.Result, "contents"); rawjson.Kind(blocks) == '[' {
		d.scratch.MoreOf(ev).Content = toolresult.Wrap(blocks, &d.scratch, nil)
	}
}

// Members of the metadata of a result.
const (
	metaResult  = "result"  // what result has besides its content
	metaError   = "error"   // what error has besides message and code
	metaWrapper = "wrapper" // what the object in the content has besides its text
)

// keepResult keeps all that the model has no place for.
func (d *decoder) keepResult(ev *hub.Event, wrapper rawjson.Value) {
	p := &d.at.ev.Data
	meta := d.beginMeta()
	n := len(meta)
	meta = appendMembers(meta, d.properties(),
		"toolCallId", "toolName", "name", "success", "result", "error", "parentToolCallId")
	meta = appendRest(meta, metaResult, p.Result, "content", "contents")
	meta = appendRest(meta, metaError, p.Error, "message", "code")
	meta = appendRest(meta, metaWrapper, wrapper, wrappedText)
	d.endMeta(ev, meta, n)
}

// appendRest appends a member with the members of object but those named, unless none is left.
func appendRest(dst []byte, name string, object rawjson.Value, but ...string) []byte {
	start := len(dst)
	dst = append(append(append(dst, '"'), name...), `":{`...)
	n := len(dst)
	if dst = appendMembers(dst, object, but...); len(dst) == n {
		return dst[:start]
	}
	return append(closeObject(dst), ',')
}

// plain passes an event that has no kind of its own, as data under the name of its type.
func (d *decoder) plain(dst []hub.Event) ([]hub.Event, error) {
	dst, ev := d.add(dst, hub.Event{Kind: hub.Data, Name: d.at.typ, Op: hub.Emit, Value: d.properties()})
	if bytes.Equal(d.at.typ, []byte(typeEmbed)) {
		ev.ID = rawjson.Body(d.prop("outputId"))
	}
	d.passing(ev)
	return dst, nil
}

const typeEmbed = "caco.embed"
