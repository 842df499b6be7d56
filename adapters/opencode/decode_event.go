package opencode

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// events lists those of the bus that are about a conversation.
var events = map[string]func(*decoder, []hub.Event) ([]hub.Event, error){
	"session.status":       (*decoder).sessionStatus,
	"session.error":        (*decoder).sessionError,
	"session.idle":         (*decoder).sessionIdle,
	"message.updated":      (*decoder).messageUpdated,
	"message.part.updated": (*decoder).partUpdated,
	"message.part.delta":   (*decoder).partDelta,
	"permission.asked":     (*decoder).permissionAsked,
	"permission.replied":   (*decoder).permissionReplied,
	"question.asked":       (*decoder).questionAsked,
	"question.replied":     (*decoder).questionReplied,
	"question.rejected":    (*decoder).questionRejected,
}

// begins lists those that a session begins with, as far as a bus shows it.
var begins = rawjson.NamesOf([]string{"session.status", "message.updated", "message.part.updated", "message.part.delta"})

// aside are the first words of types that are of no conversation.
var aside = rawjson.NamesOf([]string{
	"server", "plugin", "catalog", "integration", "reference", "file", "lsp", "project", "vcs", "installation", "mcp", "pty", "tui",
	"worktree", "workspace", "global", "models-dev", "ide",
})

// event decodes an event of the bus.
func (d *decoder) event(dst []hub.Event, typ []byte) ([]hub.Event, error) {
	d.of, d.part = nil, &d.rec.Properties.Part
	switch string(typ) {
	case "session.created", "session.updated":
		d.learn()
		return dst, nil
	case "session.diff", "todo.updated": // what todowrite was called with
		return dst, nil
	}
	handle := events[string(typ)]
	if handle == nil {
		if word, _, _ := bytes.Cut(typ, []byte(".")); aside.Has(word) {
			return dst, nil
		}
		return d.unnamed(dst, typ), nil
	}
	id := rawjson.Body(d.rec.Properties.SessionID)
	if len(id) == 0 {
		return d.withoutSession(dst, typ)
	}
	if d.asked.known {
		var read bool
		if dst, read = d.awaits(dst, typ, id); !read {
			return dst, nil
		}
	}
	dst = d.enter(dst, typ, id)
	if d.of == nil {
		return d.other(dst, typ, id), nil
	}
	return handle(d, dst)
}

// unnamed passes on an event of an unknown type, unless it is of another session, or may be: where a run was asked for, others read the bus.
func (d *decoder) unnamed(dst []hub.Event, typ []byte) []hub.Event {
	id := rawjson.Body(d.rec.Properties.SessionID)
	d.of = d.sessions[string(id)]
	d.unknown = d.of != nil || !d.asked.known
	if d.of == nil && (len(id) > 0 || d.asked.known) || d.root == nil {
		return d.other(dst, typ, id)
	}
	return d.raw(dst)
}

// withoutSession decodes an event that names no session. A server may have errors of its own.
func (d *decoder) withoutSession(dst []hub.Event, typ []byte) ([]hub.Event, error) {
	if string(typ) != "session.error" {
		return dst, member.Wrong(d.rec.Properties.SessionID, "properties.sessionID", "want a string")
	}
	if d.root == nil || d.asked.known {
		return d.other(dst, typ, nil), nil
	}
	err, code := d.rec.Properties.Error.read()
	return append(dst, hub.Event{Kind: hub.Notice, Level: hub.LevelError, Text: err, Name: code}), nil
}

// other notes an event of a session that is not read. What it says stays here: it may be another user's.
func (d *decoder) other(dst []hub.Event, typ, id []byte) []hub.Event {
	if d.asked.known {
		return dst
	}
	if d.root == nil { // a raw event would begin the run
		d.unknown = true
		return dst
	}
	b := append(append(d.scratch.Begin(), `{"type":"`...), typ...)
	b = append(append(append(b, `","properties":{"sessionID":"`...), id...), `"}}`...)
	return append(dst, hub.Event{Kind: hub.Raw, Name: []byte(dialectName), Value: d.scratch.Since(b)})
}

// sessionStatus is busy, idle, or retry. The end is said by session.idle.
func (d *decoder) sessionStatus(dst []hub.Event) ([]hub.Event, error) {
	s := &d.rec.Properties.Status
	if string(rawjson.Body(s.Type)) != "retry" {
		return dst, nil
	}
	return d.put(dst, hub.Event{Kind: hub.Notice, Level: hub.LevelWarning, Text: rawjson.Body(s.Message), Name: []byte("retry")}), nil
}

// sessionError notes why the session will end.
func (d *decoder) sessionError(dst []hub.Event) ([]hub.Event, error) {
	dst = d.overcome(dst)
	d.of.fail(&d.rec.Properties.Error)
	return dst, nil
}

// sessionIdle ends the run, or a sub-agent.
func (d *decoder) sessionIdle(dst []hub.Event) ([]hub.Event, error) {
	if d.of == d.root {
		return d.runEnd(dst), nil
	}
	return d.agentEnd(dst), nil
}

// messageUpdated learns whose a message is. What it repeats of its parts is not read.
func (d *decoder) messageUpdated(dst []hub.Event) ([]hub.Event, error) {
	m := &d.rec.Properties.Info
	id := rawjson.Body(m.ID)
	switch string(rawjson.Body(m.Role)) {
	case "user":
		d.noteUser(id)
	case "assistant":
		d.of.keepModel(rawjson.Body(m.ModelID))
	}
	return dst, nil
}

// partDelta decodes a piece of a text whose beginning the stream has shown. Of others all is said when they are complete.
func (d *decoder) partDelta(dst []hub.Event) ([]hub.Event, error) {
	p := &d.rec.Properties
	channel, open := d.texts[string(rawjson.Body(p.PartID))]
	if !open || string(rawjson.Body(p.Field)) != "text" {
		return d.raw(dst), nil
	}
	text, err := member.Text(p.Delta, "properties.delta")
	if err != nil {
		return dst, err
	}
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.ID, ev.Chan, ev.Text = hub.TextDelta, rawjson.Body(p.PartID), channel, text
	ev.Msg, ev.SubAgent = rawjson.Body(p.MessageID), d.of.sub
	return dst, nil
}

// plan is the whole of it.
func (d *decoder) plan(dst []hub.Event, todos rawjson.Value) []hub.Event {
	dst, ev := d.emit(dst, hub.Event{Kind: hub.Plan, More: d.scratch.More()})
	for v := range rawjson.Each(todos) {
		ev.More.Items = append(ev.More.Items, hub.PlanItem{
			Content: rawjson.Text(v, "content"), Status: rawjson.Text(v, "status"), Priority: rawjson.Text(v, "priority"),
		})
	}
	return dst
}
