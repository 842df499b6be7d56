package langgraph

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/recent"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// outMessage is a message that is being written.
type outMessage struct {
	id, msg  []byte // on the wire, and as the upstream calls it
	role     string
	subAgent *outSubAgent
	closed   bool // a result was written behind it: what follows is another message
	blocks   bool // its content is a list
	index    int  // of the last content block
	ch       hub.Chan
	calls    []*outCall
	used     hub.Counts // usage that was written last, and what it was of
	usedFor  []byte

	// The rest is kept only for modes that repeat messages.
	kept, done      bool
	text, reasoning []byte
	files           []byte // content blocks, each with a comma before it
	result          []byte // of a tool: the members of its message
}

// Roles, as the types of messages. A piece has a longer name.
const (
	roleAgent  = "ai"
	roleUser   = "human"
	roleSystem = "system"
	roleTool   = "tool"
)

var pieceTypes = map[string]string{roleAgent: "AIMessageChunk", roleUser: "HumanMessageChunk", roleSystem: "SystemMessageChunk"}

// message returns the message that an event belongs to. The upstream says which; else it is the one that the sub-agent is in.
// After the result of a call a new one begins: that is the order in which clients, and models, expect them.
func (e *encoder) message(out *wire.Out, l *outSubAgent, role string, msg []byte) *outMessage {
	key := append(append(append(append(e.buf[:0], l.namespace...), 0), role...), 0)
	e.buf = append(key, msg...)
	m, _ := e.messages.Find(e.buf)
	if m == nil || m.closed {
		key := string(e.buf) // what follows uses the buffer
		if e.modes&modesWhole != 0 {
			e.complete(out, l)
		}
		m = e.newMessage(l, role, msg)
		e.messages.Put(key, m)
	}
	if role == roleAgent {
		if l == &e.root && l.current != m {
			e.waiting = recent.Cleared(e.waiting)
		}
		l.current = m
	}
	return m
}

// newMessage makes a message with an id that no other has, also none of another run.
func (e *encoder) newMessage(l *outSubAgent, role string, msg []byte) *outMessage {
	m := &outMessage{msg: append([]byte(nil), msg...), role: role, subAgent: l, index: -1, used: hub.NoCounts}
	m.id = append(m.id, msg...)
	if len(msg) == 0 {
		e.made++
		m.id = strconv.AppendInt(append(append(m.id, e.run...), '-'), int64(e.made), 10)
	}
	m.id = e.unique("message\x00", m.id)
	e.keep(m)
	return m
}

// appendHead appends a piece of the message up to its content.
func (m *outMessage) appendHead(dst []byte) []byte {
	dst = append(append(dst, `[{"id":"`...), m.id...)
	dst = append(append(dst, `","type":"`...), pieceTypes[m.role]...)
	return append(dst, `","content":`...)
}

// begin starts a record with a piece of the message, up to its content.
func (m *outMessage) begin(out *wire.Out, l *outSubAgent) []byte {
	out.Begin(l.event)
	return m.appendHead(out.Buf)
}

// textStart finds the message of a part and prepares its pieces. Once a message has reasoning, its content is a list of
// blocks, joined by index: plain text would not be joined to them.
func (e *encoder) textStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	l, role := e.subAgent(ev.AgentSlot), roleAgent
	switch {
	case ev.Flags.Has(hub.User):
		role = roleUser
	case ev.Instructs():
		role = roleSystem
	}
	m := e.message(out, l, role, ev.Msg)
	p := e.addPart(ev.Slot)
	p.message, p.ch = m, ev.Chan
	m.blocks = m.blocks || ev.Chan == hub.Reasoning
	p.head = m.appendHead(p.head)
	if !m.blocks {
		p.head = append(p.head, '"')
		p.tail = append(append(p.tail, '"'), l.tail...)
		return dispositionOf(ev.Chan)
	}
	m.nextBlock(ev.Chan)
	kind := `,"type":"text","text":"`
	if ev.Chan == hub.Reasoning {
		kind = `,"type":"reasoning","reasoning":"`
	}
	p.head = strconv.AppendInt(append(p.head, `[{"index":`...), int64(m.index), 10)
	p.head = append(p.head, kind...)
	p.tail = append(append(p.tail, `"}]`...), l.tail...)
	return dispositionOf(ev.Chan)
}

// nextBlock counts the content blocks: another channel is another block.
func (m *outMessage) nextBlock(ch hub.Chan) {
	if m.index < 0 || m.ch != ch {
		m.index++
	}
	m.ch = ch
}

// dispositionOf is what becomes of a text: a refusal looks like any answer.
func dispositionOf(ch hub.Chan) hub.Disposition {
	return hub.FoldedIf(ch == hub.Refusal)
}

// textDelta is the hot path: all but the text was made when the part was opened.
func (e *encoder) textDelta(out *wire.Out, ev *hub.Event) hub.Disposition {
	p := e.parts.Find(ev.Slot)
	if p == nil {
		return hub.Dropped
	}
	m := p.message
	if e.modes&modeTuple != 0 {
		b := append(append(member.Begin(out, m.subAgent.event), p.head...), ev.Text...)
		member.End(out, append(b, p.tail...))
	}
	if m.kept {
		e.keepText(out, m, ev)
	}
	if len(e.waiting) > 0 && p.ch == hub.AnswerText && m.role == roleAgent && m.subAgent == &e.root && len(m.calls) == 0 {
		e.waiting = recent.Cleared(e.waiting)
	}
	return dispositionOf(ev.Chan)
}

// textEnd writes the signature of reasoning; else the grammar has no ends.
func (e *encoder) textEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	p := e.parts.Find(ev.Slot)
	if p == nil {
		return hub.Dropped
	}
	m := p.message
	defer e.parts.Drop(ev.Slot)
	if !signatures.IsSigned(ev) || p.ch != hub.Reasoning || e.modes&modeTuple == 0 {
		return hub.Implied
	}
	b := append(m.begin(out, m.subAgent), `[{"index":`...)
	b = strconv.AppendInt(b, int64(m.index), 10)
	b = append(append(b, `,"type":"reasoning","reasoning":"","signature":"`...), ev.More.Sig...)
	member.End(out, append(append(b, `"}]`...), m.subAgent.tail...))
	return hub.Native
}

// appendEmpty appends content that adds nothing.
func (m *outMessage) appendEmpty(dst []byte) []byte {
	if m.blocks {
		return append(dst, "[]"...)
	}
	return append(dst, `""`...)
}

// file writes a content block of the message.
func (e *encoder) file(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.More == nil {
		return hub.Dropped
	}
	l, role := e.subAgent(ev.AgentSlot), roleAgent
	if ev.Flags.Has(hub.User) {
		role = roleUser
	}
	m := e.message(out, l, role, ev.Msg)
	m.blocks = true
	m.index++
	m.ch = hub.Result // no text joins it
	b := strconv.AppendInt(append(e.buf[:0], `{"index":`...), int64(m.index), 10)
	b = appendFile(b, &ev.More.File)
	e.buf = b
	if m.kept {
		m.files = append(append(m.files, ','), b...)
	}
	if e.modes&modeTuple == 0 {
		return hub.Deferred
	}
	member.End(out, append(append(append(append(m.begin(out, l), '['), b...), ']'), l.tail...))
	return hub.FoldedIf(ev.DescribesFile())
}

// appendFile appends the members of a content block, in the spelling of both languages.
func appendFile(dst []byte, f *hub.FileRef) []byte {
	kind := "file"
	for _, k := range [...]string{"image", "audio", "video"} {
		if len(f.Media) > len(k) && string(f.Media[:len(k)]) == k {
			kind = k
		}
	}
	dst = append(append(append(dst, `,"type":"`...), kind...), '"')
	dst = member.AppendText(dst, `,"url":"`, f.URL)
	dst = member.AppendText(dst, `,"data":"`, f.Base64)
	dst = member.AppendText(dst, `,"base64":"`, f.Base64)
	dst = member.AppendText(dst, `,"file_id":"`, f.FileID)
	dst = member.AppendText(dst, `,"mimeType":"`, f.Media)
	dst = member.AppendText(dst, `,"mime_type":"`, f.Media)
	dst = member.AppendText(dst, `,"filename":"`, f.Name)
	return append(dst, '}')
}

// usage writes counts on a piece without content. Readers add up what the pieces of a message say: of counts that were
// written before, only what is new.
func (e *encoder) usage(out *wire.Out, ev *hub.Event) hub.Disposition {
	l := e.subAgent(ev.AgentSlot)
	m := l.current
	switch {
	case m == nil && e.keepUsage(ev):
		return hub.Deferred
	case ev.More == nil, m == nil, e.modes&modeTuple == 0, ev.Scope == hub.SessionScope, ev.More.Usage.In < 0 && ev.More.Usage.Out < 0:
		return hub.Dropped
	case ev.Scope == hub.RunScope && e.counted:
		return hub.Dropped // the steps said it
	case ev.Scope != hub.RunScope:
		e.counted = true
	}
	now := ev.More.Usage
	disposition := hub.Native
	of := append(append(append(e.buf[:0], ev.Msg...), 0), ev.Ref...)
	e.buf = of
	switch {
	case len(m.usedFor) == 0:
		m.usedFor = append(m.usedFor, of...)
		if len(ev.Msg) > 0 && !bytes.Equal(ev.Msg, m.msg) {
			disposition = hub.Folded // the upstream counts for a message that is hidden
		}
	case string(of) != string(m.usedFor), len(of) == 1 && ev.Scope != hub.RunScope, fewer(&now, &m.used):
		return hub.Dropped // it would be added to what the message has used
	}
	b := append(m.appendEmpty(m.begin(out, l)), `,"usage_metadata":{`...)
	b = appendUsage(b, &now, &m.used)
	b = append(b, '}')
	if len(ev.More.Model) > 0 {
		b = append(append(append(b, `,"response_metadata":{"model_name":"`...), ev.More.Model...), `"}`...)
	}
	member.End(out, append(b, l.tail...))
	for _, c := range hub.TokenPairs(&m.used, &now) {
		*c[0] = max(*c[0], *c[1])
	}
	return disposition
}

// fewer says that counts are not those of before with more added, but those of something else, as of another model.
func fewer(now, before *hub.Counts) bool {
	return now.In >= 0 && now.In < before.In || now.Out >= 0 && now.Out < before.Out
}

// keepUsage keeps what the run has used where there is no message yet. A model that says nothing, or is kept from it, is paid for all the same.
func (e *encoder) keepUsage(ev *hub.Event) bool {
	if ev.More == nil || ev.Scope != hub.RunScope || ev.AgentSlot != 0 || e.modes&modeTuple == 0 || e.counted {
		return false
	}
	now := ev.More.Usage
	if now.In < 0 && now.Out < 0 || e.hasEarly && fewer(&now, &e.early) {
		return false
	}
	e.early, e.hasEarly = now, true
	e.early.Cost, e.early.Currency, e.early.Provider = nil, nil, nil // are borrowed, and have no place
	return true
}

// lateUsage writes at the end of a run what was kept, on a message of its own where there is none; not if a message has said it since.
func (e *encoder) lateUsage(out *wire.Out) {
	if m := e.root.current; !e.hasEarly || e.counted || m != nil && len(m.usedFor) > 0 {
		return
	} else if m == nil {
		e.message(out, &e.root, roleAgent, nil)
	}
	e.usage(out, &hub.Event{Kind: hub.Usage, Scope: hub.RunScope, More: &hub.More{Usage: e.early}})
}

// appendUsage appends the counts since before. The three that every reader wants are always there.
func appendUsage(dst []byte, now, before *hub.Counts) []byte {
	total := func(c *hub.Counts) int64 {
		if c.Total < 0 {
			return max(c.In, 0) + max(c.Out, 0)
		}
		return c.Total
	}
	count := func(head string, now, before int64) {
		dst = strconv.AppendInt(append(dst, head...), max(0, now)-max(0, min(before, now)), 10)
	}
	count(`"input_tokens":`, now.In, before.In)
	count(`,"output_tokens":`, now.Out, before.Out)
	count(`,"total_tokens":`, total(now), total(before))
	dst = append(dst, `,"input_token_details":{`...)
	n := len(dst)
	if now.Cached >= 0 {
		count(`"cache_read":`, now.Cached, before.Cached)
	}
	if now.CacheWrite >= 0 {
		if len(dst) > n {
			dst = append(dst, ',')
		}
		count(`"cache_creation":`, now.CacheWrite, before.CacheWrite)
	}
	dst = append(dst, `},"output_token_details":{`...)
	if now.ReasoningTokens >= 0 {
		count(`"reasoning":`, now.ReasoningTokens, before.ReasoningTokens)
	}
	return append(dst, '}')
}
