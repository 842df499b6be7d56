package opencode

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// toolState is how far a call is.
type toolState struct {
	Status   rawjson.Value `json:"status"`
	Input    rawjson.Value `json:"input"`
	Output   rawjson.Value `json:"output"`
	Title    rawjson.Value `json:"title"`
	Error    rawjson.Value `json:"error"`
	Metadata struct {
		Output    rawjson.Value `json:"output"`
		SessionID rawjson.Value `json:"sessionId"`
	} `json:"metadata"`
	Attachments rawjson.Value `json:"attachments"`
	Time        struct {
		Compacted rawjson.Value `json:"compacted"`
	} `json:"time"`
}

// call is what the stream has said of one.
type call struct {
	id                   []byte
	ready, titled, ended bool
}

// tool decodes a call, all of which is said each time.
func (d *decoder) tool(dst []hub.Event) ([]hub.Event, error) {
	id, err := member.Text(d.part.CallID, "part.callID")
	if err != nil {
		return dst, err
	}
	if d.part.State.Time.Compacted != nil { // one of a turn before, which is taken out of what the model sees
		return dst, nil
	}
	dst, c := d.call(dst, id)
	if c.ended {
		return dst, nil
	}
	switch string(rawjson.Body(d.part.State.Status)) {
	case "running":
		dst = d.toolReady(dst, id, c)
		of := d.of
		dst = d.toolRuns(dst, id)
		d.of = of
		return d.askEarly(dst, id, false)
	case "completed", "error":
		dst = d.toolReady(dst, id, c)
		c.ended = true
		delete(d.open.calls, string(id))
		return d.askEarly(d.toolEnd(dst, id), id, true)
	}
	return dst, nil
}

// call is what is known of a call, which begins with the first that is said of it.
func (d *decoder) call(dst []hub.Event, id []byte) ([]hub.Event, *call) {
	key := rawjson.First(rawjson.Body(d.part.ID), id)
	c, title := d.calls[string(key)], rawjson.Body(d.part.State.Title)
	if c != nil {
		if len(title) > 0 && !c.titled && !c.ended {
			c.titled = true
			dst = d.put(dst, hub.Event{Kind: hub.ToolUpdate, ID: id, Title: title})
		}
		return dst, c
	}
	c = &call{id: bytes.Clone(id), titled: len(title) > 0}
	if len(d.calls) < maxKnown {
		d.calls[string(key)] = c
	}
	name := rawjson.Body(d.part.Tool)
	if d.noteCall(id, string(name) == "task") {
		c.ready = true
		return dst, c
	}
	dst, ev := d.emit(dst, hub.Event{Kind: hub.ToolStart, ID: id, Name: name, Title: title, Msg: rawjson.Body(d.part.MessageID)})
	if kind := kindOf(name); kind != "" {
		d.scratch.MoreOf(ev).ToolKind = []byte(kind)
	}
	return dst, c
}

// kindOf is what a tool of OpenCode's own does.
func kindOf(name []byte) string {
	switch string(name) {
	case "bash":
		return "execute"
	case "read", "list":
		return "read"
	case "edit", "write", "patch", "apply_patch":
		return "edit"
	case "glob", "grep", "websearch", "codesearch":
		return "search"
	case "webfetch":
		return "fetch"
	case "task":
		return "agent"
	}
	return ""
}

func (d *decoder) toolReady(dst []hub.Event, id []byte, c *call) []hub.Event {
	if c.ready {
		return dst
	}
	c.ready = true
	args := rawjson.First(rawjson.OfKind(d.part.State.Input, '{'), []byte("{}"))
	return d.put(dst, hub.Event{Kind: hub.ToolReady, ID: id, Name: rawjson.Body(d.part.Tool), Value: args})
}

// toolRuns is what a call has written so far, or the sub-agent that works for it.
func (d *decoder) toolRuns(dst []hub.Event, id []byte) []hub.Event {
	m := &d.part.State.Metadata
	if text := rawjson.Body(m.Output); len(text) > 0 {
		dst = d.put(dst, hub.Event{Kind: hub.ToolOutput, ID: id, Chan: hub.Result, Text: text, Op: hub.Replace})
	}
	if sub := d.sessions[string(rawjson.Body(m.SessionID))]; sub != nil {
		d.of = sub
		dst = d.agentStart(dst, id)
	}
	return dst
}

// toolEnd is the result of a call. The call that keeps a plan has all of it.
func (d *decoder) toolEnd(dst []hub.Event, id []byte) []hub.Event {
	s := &d.part.State
	for v := range rawjson.Each(s.Attachments) {
		dst = d.file(dst, id, fileRef{rawjson.Get(v, "mime"), rawjson.Get(v, "filename"), rawjson.Get(v, "url")})
	}
	dst, ev := d.emit(dst, hub.Event{Kind: hub.ToolEnd, ID: id, Status: hub.StatusOK, Text: rawjson.Body(s.Output)})
	if string(rawjson.Body(s.Status)) == "error" {
		d.toolFailed(ev, rawjson.Body(s.Error))
		return dst
	}
	name := rawjson.Body(d.part.Tool)
	if string(name) == "invalid" {
		d.toolFailed(ev, rawjson.Text(s.Input, "error"))
	}
	if todos := rawjson.Get(s.Input, "todos"); string(name) == "todowrite" && rawjson.Kind(todos) == '[' {
		dst = d.plan(dst, todos)
	}
	return dst
}

// toolFailed says why a call has failed, which only the words of the error tell. Those of one that was interrupted say no more than that.
func (d *decoder) toolFailed(ev *hub.Event, why []byte) {
	if string(why) == "Tool execution aborted" {
		ev.Status = hub.StatusAborted
		return
	}
	ev.Status = hub.StatusError
	d.scratch.MoreOf(ev).Err = why
	if bytes.HasPrefix(why, []byte("The user rejected permission")) || bytes.HasPrefix(why, []byte("The user dismissed this question")) {
		ev.Status, d.of.denied = hub.StatusDenied, true
	}
}
