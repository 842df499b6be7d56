package evolve

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// card is a tool call as the client sees it.
type card struct {
	slot              hub.Slot
	id, wireID        []byte
	name, title, kind []byte
	locations         []byte // raw, like the next three; empty when absent
	content, meta     []byte
	input             []byte
	status            hub.Status // of the start
	subAgent          *subAgent
	ready             bool // the arguments are complete
	announced         bool
	running           bool // it was said to run: content is read as output from then on
	todo              bool // shown as a plan

	view   view
	output acpwire.Output // so far
	shown  []byte         // content of the output that was written last, if its source made it
	spoke  bool           // a sub-agent's text is part of the output
	fault  []byte         // why a sub-agent failed that the call runs
}

// view is what a client sees in the place of a call's output.
type view uint8

const (
	viewNone    view = iota // nothing, or what describes the call
	viewText                // the output, as the last update had it
	viewContent             // shown
	viewValue               // a value
	viewLook                // content that an update gave to a running call: it describes the call, but reads as output
	viewStale               // a message, or output that was taken back
)

// shows reports whether the client sees text, and knows it for all of the output.
func (c *card) shows(text []byte) bool {
	return c.view == viewText && c.output.Shows(text)
}

// addCard opens a card, in a slot that keeps its memory.
func (e *encoder) addCard(slot hub.Slot, id []byte, l *subAgent) *card {
	c := e.cards.Add(slot)
	c.output.Reset()
	*c = card{
		slot: slot, subAgent: l, id: append(c.id[:0], id...), name: c.name[:0], title: c.title[:0], kind: c.kind[:0],
		locations: c.locations[:0], content: c.content[:0], meta: c.meta[:0], input: c.input[:0], output: c.output, shown: c.shown[:0],
	}
	c.wireID = c.id
	return c
}

// setWireID takes the prefix away that the decoder gave to an id because two sessions use it. That is the later one of
// them, which readers give it to again; before another session has used the id, it must keep the prefix.
func (e *encoder) setWireID(c *card) {
	if l := c.subAgent; l != nil && l.how == subAgentSession {
		rest, ok := bytes.CutPrefix(c.id, l.id)
		if ok && len(rest) > 1 && rest[0] == '/' && e.used[string(rest[1:])] {
			c.wireID = rest[1:]
		}
	}
	if len(e.used) < acpwire.MaxCalls {
		e.used[string(c.wireID)] = true
	}
}

// learn keeps what a start or an update says of the call. What it does not say stays.
func (c *card) learn(ev *hub.Event) {
	set := func(have *[]byte, now []byte) {
		if len(now) > 0 {
			*have = append((*have)[:0], now...)
		}
	}
	m := ev.Rare()
	set(&c.title, ev.Title)
	set(&c.kind, m.ToolKind)
	set(&c.locations, m.Locations)
	set(&c.content, m.Content)
	set(&c.meta, m.Meta)
}

// keepCard is the largest output buffer that is kept for the next call.
const keepCard = 16 << 10

// dropCard closes a card, also for the sub-agents that it shows: they may outlive it.
func (e *encoder) dropCard(c *card) {
	for _, l := range e.subAgents.All {
		if l.card == c {
			l.card = nil
		}
	}
	e.cards.Drop(c.slot)
	if max(cap(c.output.Text), cap(c.shown), cap(c.input), cap(c.content)) > keepCard {
		*c = card{}
	}
}

// announce writes the tool_call. end, if not nil, is how the call ended already; the disposition is that of the end. A call whose
// arguments are still to come is not said to run: it would be read as one that has got all of them.
func (e *encoder) announce(out *wire.Out, c *card, end *hub.Event) hub.Disposition {
	c.announced = true
	e.setWireID(c)
	disposition, flags, status := hub.Native, hub.Flags(0), hub.StatusPending
	switch {
	case end != nil:
		status, flags = end.Status, end.Flags
	case c.status == hub.StatusRunning && c.ready:
		status = c.status
	}
	c.running = status == hub.StatusRunning
	buf := appendIn(e.begin(out, c.subAgent, "tool_call"), `,"toolCallId":"`, c.wireID, `","status":"`)
	buf = appendIn(buf, statusName(status), `","title":"`, "")
	if len(c.title) > 0 {
		buf = append(buf, c.title...)
	} else {
		buf = appendTitle(buf, c.name, c.input)
	}
	kind := e.kind(c)
	buf = appendIn(buf, `","kind":"`, kind, `"`)
	if end != nil {
		buf, disposition = e.appendResult(buf, c, end)
	}
	buf = e.appendCard(buf, c, end != nil)
	buf = member.AppendRaw(buf, `,"rawInput":`, c.input)
	buf = e.appendName(buf, c, kind)
	e.end(out, e.appendMeta(buf, c.meta), flags)
	return disposition
}

// appendCard appends content and locations of a call: as its source says, or as the table makes them. A source that
// gives a title has made its own card, and nothing is added to it.
func (e *encoder) appendCard(dst []byte, c *card, hasResult bool) []byte {
	if len(c.content) > 0 && !hasResult {
		dst = member.AppendRaw(dst, `,"content":`, c.content)
	}
	dst = e.appendLocations(dst, c.locations)
	if len(c.title) > 0 || len(c.content) > 0 || len(c.locations) > 0 || hasResult {
		return dst
	}
	return appendLook(dst, c.name, c.input, e.opt.lineBase)
}

// kind is the kind of a call: as configured, as its source says, or by the name of the tool.
func (e *encoder) kind(c *card) []byte {
	_, configured := e.opt.kinds[string(c.name)]
	switch {
	case configured || len(c.kind) == 0:
		return []byte(kindOf(c.name, e.opt.kinds))
	case string(c.kind) == "agent":
		return []byte("think")
	}
	return c.kind
}

// appendName appends the name of the tool, unless title and kind tell it.
func (e *encoder) appendName(dst []byte, c *card, kind []byte) []byte {
	e.next = e.next[:0]
	title := c.title
	if len(title) == 0 {
		e.next = appendTitle(e.next, c.name, c.input)
		title = e.next
	}
	n := len(e.next)
	e.next = appendToolName(e.next, title, kind)
	if bytes.Equal(e.next[n:], c.name) {
		return dst
	}
	member := `,"toolName":"`
	if e.opt.envelope == envelopeACP {
		member = `,"name":"`
	}
	return appendText(dst, member, c.name)
}

// appendLocations appends locations, if there are any.
func (e *encoder) appendLocations(dst, locations []byte) []byte {
	if e.opt.lineBase == 1 || !hasLines(locations) {
		return member.AppendRaw(dst, `,"locations":`, locations)
	}
	return appendShifted(append(dst, `,"locations":`...), locations, -1)
}

// appendMeta appends the metadata of a call. What the decoder put there from the wire gets its place back, here or beside
// the update.
func (e *encoder) appendMeta(dst, meta []byte) []byte {
	if len(meta) == 0 {
		return dst
	}
	output, extra := rawjson.Get(meta, acpwire.MetaOutput), rawjson.Value(nil)
	if e.opt.envelope == envelopeOutput {
		extra = rawjson.Get(meta, metaExtra)
	}
	dst = member.AppendRaw(dst, `,"rawOutput":`, output)
	if output == nil && extra == nil {
		return member.AppendRaw(dst, `,"_meta":`, meta)
	}
	opening := `,"_meta":{`
	for key, val := range rawjson.EachField(meta) {
		if string(key) == acpwire.MetaOutput || string(key) == metaExtra && extra != nil {
			continue
		}
		dst = append(rawjson.AppendQuoted(append(dst, opening...), key), ':')
		dst = append(dst, val...)
		opening = ","
	}
	if opening == "," {
		dst = append(dst, '}')
	}
	return dst
}
