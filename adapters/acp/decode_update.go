package acp

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// chunk decodes the three kinds of *_chunk: a text is a delta, anything else is whole.
func (d *decoder) chunk(dst []hub.Event, u *update, ch hub.Chan, role hub.Flags) ([]hub.Event, error) {
	d.origin = rawjson.Body(u.MessageID)
	switch rawjson.Kind(u.Content) {
	case '{':
		b := readBlock(u.Content)
		return d.block(dst, &b, ch, role)
	case '"':
		return d.block(dst, &block{acpwire.Block{Kind: textKind, Text: rawjson.Body(u.Content)}}, ch, role)
	case 0, 'n':
		return dst, d.fault(hub.ReasonMissing, "content", "a chunk needs its content")
	}
	return dst, d.fault(hub.ReasonType, "content", "want a content block")
}

// block decodes one block of a message. Blocks of kinds that later versions add are raw, so that nothing is lost in silence.
func (d *decoder) block(dst []hub.Event, b *block, ch hub.Chan, role hub.Flags) ([]hub.Event, error) {
	if string(b.Kind) == "text" {
		if b.Text == nil {
			return dst, d.fault(hub.ReasonMissing, "content.text", "a text block needs its text, a string")
		}
		return d.put(dst, hub.Event{Kind: hub.TextDelta, Chan: ch, Text: b.Text, Flags: role}), nil
	}
	if !b.isFile() {
		return d.raw(dst), nil
	}
	if len(b.Data) == 0 && len(b.URI) == 0 && b.Text == nil {
		return dst, d.fault(hub.ReasonMissing, "content.data", "want the data of the block, or its uri")
	}
	dst, ev := d.add(dst, hub.Event{Kind: hub.File, Chan: ch, Flags: role, Title: b.Title, Text: b.Description})
	d.scratch.MoreOf(ev).File = b.file(&d.scratch)
	return dst, nil
}

// rareUpdate decodes the kinds that a turn has few of.
func (d *decoder) rareUpdate(dst []hub.Event, u *update, kind string) ([]hub.Event, error) {
	switch kind {
	case "usage_update":
		return d.contextUsage(dst), nil
	case "notice":
		return d.notice(dst), nil
	case "session_info_update":
		if rawjson.Get(u.Meta, hub.ExtensionKey) != nil {
			return dst, nil // what an encoder wrote for other proxies; the pump asks Extension
		}
		return d.state(dst, kind), nil
	case "available_commands_update", "current_mode_update", "config_option_update", "compaction_update":
		return d.state(dst, kind), nil
	case "compaction_summary_chunk", "terminal_update", "terminal_output_chunk":
		dst = d.state(dst, kind)
		dst[len(dst)-1].Op = hub.Emit
		return dst, nil
	case "plan_update":
		return d.planUpdate(dst)
	case "plan_removed":
		return d.planRemoved(dst), nil
	case "subagent_update":
		return d.subagent(dst), nil
	}
	return d.draftUpdate(dst, u, kind)
}

// state passes on an update of the session's state as data of the same name.
func (d *decoder) state(dst []hub.Event, kind string) []hub.Event {
	return d.put(dst, hub.Event{Kind: hub.Data, Name: []byte(kind), Op: hub.Set, Value: d.rawUpdate()})
}

// plan decodes the entries of a plan, which replace all earlier ones.
func (d *decoder) plan(dst []hub.Event, entries rawjson.Value, id []byte) ([]hub.Event, error) {
	if rawjson.Kind(entries) != '[' {
		return dst, d.fault(hub.ReasonType, "entries", "want an array")
	}
	dst, ev := d.add(dst, hub.Event{Kind: hub.Plan, ID: id})
	acpwire.ReadEntries(d.scratch.MoreOf(ev), entries)
	return dst, nil
}

// planUpdate decodes plans that have an id. One that is a file or a text is data: it has no entries.
func (d *decoder) planUpdate(dst []hub.Event) ([]hub.Event, error) {
	plan := rawjson.Get(d.rawUpdate(), "plan")
	entries := rawjson.Get(plan, "entries")
	if entries == nil {
		return d.state(dst, "plan_update"), nil
	}
	return d.plan(dst, entries, rawjson.Text(plan, "planId"))
}

// planRemoved decodes the end of a plan as a plan without entries: that is all there is left of it.
func (d *decoder) planRemoved(dst []hub.Event) []hub.Event {
	dst, ev := d.add(dst, hub.Event{Kind: hub.Plan, ID: rawjson.Text(d.rawUpdate(), "planId")})
	d.scratch.MoreOf(ev)
	return dst
}

// subagent decodes what an agent says of a session that it has opened for a sub-agent.
func (d *decoder) subagent(dst []hub.Event) []hub.Event {
	u := d.rawUpdate()
	session := rawjson.Text(u, "sessionId")
	if len(session) == 0 || bytes.Equal(session, d.root) {
		return d.raw(dst)
	}
	dst = d.openSubAgent(dst, session, nil, rawjson.Text(u, "title"))
	if string(rawjson.Text(u, "state", "state")) == "idle" {
		dst = d.closeSubAgent(dst, session, subAgentStatus(rawjson.Text(u, "state", "stopReason")))
	}
	return dst
}

// subAgentStatus is how a sub-agent ended whose session stopped for a reason. A limit or a refusal is no success for its parent.
func subAgentStatus(reason []byte) hub.Status {
	switch acpwire.StopStatus(reason) {
	case hub.StatusDone:
		return hub.StatusOK
	case hub.StatusCancelled:
		return hub.StatusAborted
	}
	return hub.StatusError
}

// contextUsage decodes how full the context is, and what the session has cost.
func (d *decoder) contextUsage(dst []hub.Event) []hub.Event {
	dst, ev := d.add(dst, hub.Event{Kind: hub.Usage, Scope: hub.SessionScope})
	acpwire.ReadContextUsage(&d.scratch.MoreOf(ev).Usage, d.rawUpdate())
	return dst
}

// notice decodes a message to the user.
func (d *decoder) notice(dst []hub.Event) []hub.Event {
	dst, ev := d.add(dst, hub.Event{Kind: hub.Notice})
	acpwire.ReadNotice(ev, d.rawUpdate())
	return dst
}
