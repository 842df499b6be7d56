package pydantic

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// What a sub-agent says comes between two marks in message, or in the parts of its result, or in both. It becomes text of
// its sub-agent, once: the two copies are merged as they come. A mark names no sub-agent; with several at work, the text in
// message waits for the part that says whose it is, up to a limit or the end of the section, and is then taken for the one's
// that was called last.

// maxOwed bounds the text that waits.
const maxOwed = 64 << 10

// marker is what a message marks.
type marker uint8

const (
	noMarker marker = iota
	markStart
	markEnd
)

// markerWord is in both marks, however their other characters are escaped; markerMax is longer than either.
const (
	markerWord = "**Subagent "
	markerMax  = 128
)

// marker tells a mark: a message that holds nothing else.
func (d *decoder) marker(body []byte) marker {
	if len(body) > markerMax || !bytes.Contains(body, []byte(markerWord)) {
		return noMarker
	}
	d.plain = rawjson.AppendUnescaped(d.plain[:0], body)
	switch string(bytes.TrimSpace(d.plain)) {
	case startMarker:
		return markStart
	case endMarker:
		return markEnd
	}
	return noMarker
}

// markedName is what a sub-agent is called of which only the marks tell.
const markedName = "general"

// section opens or closes a stretch of sub-agent text in message. Where no delegation was called, it is a sub-agent of its own.
func (d *decoder) section(dst []hub.Event, m marker) []hub.Event {
	dst = d.flush(dst, &d.root)
	if m == markStart {
		d.sections++
		if d.subAgents && d.calls.open == 0 && d.marked == nil {
			return d.openMarked(dst)
		}
		return dst
	}
	d.sections = max(d.sections-1, 0)
	dst = d.pay(dst, d.calls.current())
	if d.sections == 0 && d.marked != nil {
		return d.closeMarked(dst)
	}
	return dst
}

func (d *decoder) openMarked(dst []hub.Event) []hub.Event {
	dst = d.interrupt(dst, &d.root)
	d.calls.minted++
	c := &call{id: strconv.AppendInt([]byte("pa_"), int64(d.calls.minted), 10), agent: true, voice: newVoice()}
	c.voice.subAgent = c.id
	d.marked = c
	dst, ev := event(dst, hub.AgentStart, c)
	ev.Name = []byte(markedName)
	return dst
}

func (d *decoder) closeMarked(dst []hub.Event) []hub.Event {
	c := d.marked
	d.marked = nil
	dst = d.flush(dst, &c.voice)
	dst, ev := event(dst, hub.AgentEnd, c)
	ev.Name, ev.Status = []byte(markedName), hub.StatusOK
	d.quieten()
	return dst
}

// emitCopied appends sub-agent text that came in message, as far as the parts have not brought it.
func (d *decoder) emitCopied(dst []hub.Event, body []byte) []hub.Event {
	c := d.marked
	if c == nil {
		c = d.calls.current()
	}
	if c == nil {
		return d.say(dst, &d.root, body)
	}
	d.plain = rawjson.AppendUnescaped(d.plain[:0], body)
	c.failed = c.failed || d.tellsFailure(d.plain, literalsOnly)
	fresh := fromRune(d.plain, d.emitted.inMessage(len(d.plain)))
	if len(fresh) == 0 {
		return dst
	}
	if d.marked == nil && d.calls.open > 1 {
		d.emitted.owed = append(d.emitted.owed, fresh...)
		if len(d.emitted.owed) > maxOwed {
			return d.pay(dst, c)
		}
		return dst
	}
	dst = d.pay(dst, c)
	if len(fresh) < len(d.plain) {
		body = d.scratch.Since(rawjson.AppendEscaped(d.scratch.Begin(), fresh))
	}
	return d.say(dst, &c.voice, body)
}

// pay tells the text that waits, as c's.
func (d *decoder) pay(dst []hub.Event, c *call) []hub.Event {
	if len(d.emitted.owed) == 0 || c == nil {
		return dst
	}
	body := d.scratch.Since(rawjson.AppendEscaped(d.scratch.Begin(), d.emitted.owed))
	d.emitted.owed = d.emitted.owed[:0]
	return d.say(dst, &c.voice, body)
}

// quieten forgets what was said when no sub-agent is at work any more.
func (d *decoder) quieten() {
	if d.calls.open == 0 && d.marked == nil {
		d.sections = 0
		d.emitted.reset()
	}
}

// openAgent opens the sub-agent of a delegation, unless it is open.
func (d *decoder) openAgent(dst []hub.Event, c *call, flags hub.Flags) []hub.Event {
	if c.agent {
		return dst
	}
	c.agent = true
	d.calls.open++
	tool := c.name
	if now := rawjson.Body(d.entry.ToolName); isDelegation(now) {
		tool = now // a call may turn out to be a delegation
	}
	dst, ev := event(dst, hub.AgentStart, c)
	ev.Ref, ev.Name, ev.Title, ev.Flags = c.id, agentType(tool), d.task(), flags
	return dst
}

// endAgent closes the sub-agent of a delegation.
func (d *decoder) endAgent(dst []hub.Event, c *call, failed bool, result []byte) []hub.Event {
	if !c.agent {
		return dst
	}
	if d.calls.open == 1 {
		dst = d.pay(dst, c)
	}
	dst = d.flush(dst, &c.voice)
	dst, ev := event(dst, hub.AgentEnd, c)
	ev.Ref, ev.Status, ev.Text = c.id, hub.StatusOK, result
	if failed {
		ev.Status = hub.StatusError
	}
	return dst
}

// Headings in the summary of a delegation, as string bodies.
const (
	taskHeading    = `**Task:**\n`
	contextHeading = `\n\n**Context Provided:**`
)

// task is what the sub-agent in hand was asked to do: a detail of its own, or a paragraph of the summary.
func (d *decoder) task() []byte {
	if body := rawjson.Text(d.entry.Details, "task"); len(body) > 0 {
		return body
	}
	_, task, ok := bytes.Cut(d.summary(), []byte(taskHeading))
	if !ok {
		return nil
	}
	task, _, _ = bytes.Cut(task, []byte(contextHeading))
	return task
}
