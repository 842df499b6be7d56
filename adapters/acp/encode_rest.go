package acp

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// plan writes all entries of a plan. Version 2 has several plans, by id.
func (e *encoder) plan(out *wire.Out, ev *hub.Event) hub.Disposition {
	items := ev.Rare().Items
	closing := "]"
	if e.opt.drafts {
		out.Buf = member.AppendText(e.begin(out, "plan_update"), `,"plan":{"type":"items","planId":"`, rawjson.Or(ev.ID, "plan"))
		closing = "]}"
	} else {
		e.begin(out, "plan")
	}
	buf, disposition := append(out.Buf, `,"entries":[`...), hub.Native
	for i := range items {
		it := &items[i]
		status := e.planStatus(it.Status)
		if status != string(it.Status) {
			disposition = hub.Folded
		}
		buf = append(append(append(acpwire.Comma(buf), `{"content":"`...), it.Content...), '"')
		buf = member.AppendText(buf, `,"priority":"`, []byte(priority(it.Priority)))
		buf = append(member.AppendText(buf, `,"status":"`, []byte(status)), '}')
	}
	e.end(out, append(buf, closing...))
	return disposition
}

// priority is one that clients know; most sources have none, and clients want one.
func priority(p []byte) string {
	switch string(p) {
	case "high", "low":
		return string(p)
	}
	return "medium"
}

// planStatus is one that clients know: they drop entries of others. What was given up is done with.
func (e *encoder) planStatus(s []byte) string {
	switch string(s) {
	case "in_progress", "completed":
		return string(s)
	case "cancelled":
		if e.opt.drafts {
			return "cancelled"
		}
		return "completed"
	}
	return "pending"
}

// notice writes a message to the user. What the agent is doing is information.
func (e *encoder) notice(out *wire.Out, ev *hub.Event) hub.Disposition {
	title, description := ev.Title, ev.Text
	if len(title) == 0 {
		title, description = ev.Text, nil
	}
	if len(title) == 0 {
		return hub.Dropped
	}
	severity, disposition := "info", hub.Native
	switch ev.Level {
	case hub.LevelWarning:
		severity = "warning"
	case hub.LevelError:
		severity = "error"
	case hub.LevelStatus, hub.LevelIntent:
		disposition = hub.Folded
	}
	buf := member.AppendText(e.begin(out, "notice"), `,"severity":"`, []byte(severity))
	buf = member.AppendText(buf, `,"title":"`, title)
	e.end(out, member.AppendText(buf, `,"description":"`, description))
	return disposition
}

// file writes a file as a chunk of its own.
func (e *encoder) file(out *wire.Out, ev *hub.Event) hub.Disposition {
	block, disposition, _ := appendFile(e.next[:0], &ev.Rare().File, linkWords{ev.Title, ev.Text})
	e.next = block
	if disposition != hub.Dropped {
		e.chunk(out, ev, block)
	}
	return disposition
}

// chunk writes a block as a chunk. It has the id of the message that is open, if there is one.
func (e *encoder) chunk(out *wire.Out, ev *hub.Event, block []byte) {
	id := ev.Msg
	if e.opt.drafts {
		id = rawjson.Or(id, "file")
	}
	buf := member.AppendText(e.begin(out, chunkKind(ev)), `,"messageId":"`, id)
	e.end(out, member.AppendRaw(buf, `,"content":`, block))
}

// source writes a source as a link.
func (e *encoder) source(out *wire.Out, ev *hub.Event) hub.Disposition {
	if len(ev.Rare().File.URL) == 0 {
		return hub.Dropped
	}
	f := &ev.More.File
	name := rawjson.First(f.Name, ev.Title, f.URL)
	e.next = appendLink(e.next[:0], f.URL, name, f.Media, linkWords{ev.Title, ev.Text})
	e.chunk(out, ev, e.next)
	return hub.Folded
}

// data writes what has an update of its own, if clients accept it. Commands, modes and options have another shape in
// version 2.
func (e *encoder) data(out *wire.Out, ev *hub.Event) hub.Disposition {
	v := ev.Value
	is := func(member string, kind byte) bool { return rawjson.Kind(rawjson.Get(v, member)) == kind }
	valid := false
	switch string(ev.Name) {
	case "available_commands_update":
		valid = is("availableCommands", '[') && !e.opt.drafts
	case "current_mode_update":
		valid = is("currentModeId", '"') && !e.opt.drafts
	case "config_option_update":
		valid = is("configOptions", '[') && !e.opt.drafts
	case "session_info_update":
		valid = rawjson.Kind(v) == '{' && !rawjson.IsEmptyObject(v)
	case "compaction_update":
		valid = is("compactionId", '"') && is("status", '"')
	case "compaction_summary_chunk":
		b := readBlock(rawjson.Get(v, "content"))
		valid = is("compactionId", '"') && b.valid()
	}
	if !valid {
		return hub.Dropped
	}
	if is("sessionUpdate", '"') { // the whole update
		out.Buf = append(append(e.beginRecord(out), e.head[:len(e.head)-len(kindPrefix)]...), v...)
		e.endRecord(out, append(out.Buf, "}}"...))
		return hub.Native
	}
	e.begin(out, string(ev.Name))
	members := bytes.TrimSpace(v)[1:]
	e.end(out, append(append(out.Buf, ','), bytes.TrimSpace(members[:len(members)-1])...))
	return hub.Folded
}

// raw writes extensions of this dialect as they came. Other records would fail: an update of a kind that the client does
// not know, or a request whose answer has no receiver.
func (e *encoder) raw(out *wire.Out, ev *hub.Event) hub.Disposition {
	method := rawjson.Text(ev.Value, "method")
	if string(ev.Name) != name || len(method) == 0 || method[0] != '_' || rawjson.Get(ev.Value, "id") != nil {
		return hub.Dropped
	}
	e.endRecord(out, append(e.beginRecord(out), ev.Value...))
	return hub.Native
}
