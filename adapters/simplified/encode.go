package simplified

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/opened"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
	"github.com/sabir-proxy/sabir/adapters/internal/texthash"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// failedText is what an error says where the run does not.
const failedText = "The agent reported an error."

// encoder writes one message.
type encoder struct {
	opt encodeOptions

	id    []byte // messageId, a string body; empty until something names it
	begun bool   // the first frame was written

	root   *agent
	agents opened.List[agent] // the root is in slot 0
	tools  opened.List[call]
	asks   opened.List[string] // kinds of open questions

	todos   todoList
	docs    []byte // documents so far, each with a comma behind it
	stats   []byte // raw, of the last stats frame
	model   []byte // as last said
	steps   hub.Counts
	isTotal bool // the upstream tells totals itself, so steps are not added up

	pieces []piece
	plain  []byte // scratch
	next   []byte // scratch
}

func newEncoder(o hub.Options) hub.Encoder {
	e := &encoder{opt: parseEncodeOptions(o)}
	e.Reset()
	return e
}

// Reset implements [hub.Encoder].
func (e *encoder) Reset() {
	e.agents.Reset()
	e.tools.Reset()
	e.asks.Reset()
	*e = encoder{
		opt: e.opt, root: e.agents.Add(0), agents: e.agents, tools: e.tools, asks: e.asks, steps: hub.NoCounts, id: append(e.id[:0], e.opt.messageID...),
	}
	*e.root = agent{text: newThinker(0)}
}

// Finish implements [hub.Encoder]. The end of the run was the last frame.
func (e *encoder) Finish(*wire.Out) {}

// Encode implements [hub.Encoder].
func (e *encoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	switch {
	case ev.Kind == hub.RunStart:
		return e.runStart(out, ev)
	case ev.Kind == hub.RunEnd:
		return e.runEnd(out, ev)
	case !e.begun:
		e.begin(out, ev)
	}
	a := e.agent(ev.AgentSlot)
	switch ev.Kind {
	case hub.TextDelta:
		return e.textDelta(out, ev, a)
	case hub.TextStart, hub.TextEnd:
		return e.textEdge(out, ev, a)
	case hub.ToolStart, hub.ToolReady, hub.ToolEnd:
		return e.tool(out, ev, a)
	case hub.AgentStart:
		return e.agentStart(out, ev, a)
	case hub.AgentEnd:
		return e.agentEnd(out, ev, a)
	}
	return e.single(out, ev, a)
}

// single writes the events that stand alone.
func (e *encoder) single(out *wire.Out, ev *hub.Event, a *agent) hub.Disposition {
	switch ev.Kind {
	case hub.Plan:
		return e.plan(out, ev, a)
	case hub.Source:
		return e.source(out, ev, a)
	case hub.Usage:
		return e.usage(out, ev, a)
	case hub.Notice:
		return e.notice(out, ev, a)
	case hub.Ask:
		return e.ask(out, ev, a)
	case hub.Answer:
		return e.answer(out, ev, a)
	case hub.Raw:
		return e.raw(out, ev, a)
	}
	return hub.Dropped
}

// runStart makes the client's message, unless nothing names it yet: then the event does that comes next.
func (e *encoder) runStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	if len(ev.Msg) == 0 && len(ev.ID) == 0 && len(e.id) == 0 {
		return hub.Implied
	}
	e.begin(out, ev)
	return hub.FoldedIf(len(ev.Ref) > 0 || len(ev.Name) > 0 || ev.Value != nil)
}

// begin writes the empty response with which clients make their message.
func (e *encoder) begin(out *wire.Out, ev *hub.Event) {
	e.begun = true
	e.identify(ev)
	e.close(out, append(e.open(out, e.root, typeResponse), `,"data":""`...), e.root)
}

// identify chooses the id of the message. Clients tell messages apart by it, the user's own included, whose id may be
// that of the run: so it is never that, but made of it. The server's ids are 14 hexadecimal digits, too.
func (e *encoder) identify(ev *hub.Event) {
	switch {
	case len(e.id) > 0:
		return
	case len(ev.Msg) > 0:
		e.id = append(e.id, ev.Msg...)
		return
	}
	h := texthash.Of(nil)
	if ev.Kind == hub.RunStart {
		h = texthash.Pair(ev.Ref, ev.ID)
	}
	const digits = "0123456789abcdef"
	for shift := 52; shift >= 0; shift -= 4 {
		e.id = append(e.id, digits[h>>shift&15])
	}
}

// open begins a frame of an agent, up to its type. Members follow, each with a comma before it.
func (e *encoder) open(out *wire.Out, a *agent, typ string) []byte {
	buf := append(append(member.Begin(out, ""), a.head...), `{"type":"`...)
	out.Buf = append(append(buf, typ...), '"')
	return out.Buf
}

// close ends a frame. Only the outermost names the message.
func (e *encoder) close(out *wire.Out, frame []byte, a *agent) {
	for range a.depth {
		frame = append(frame, '}')
	}
	frame = append(append(frame, `,"messageId":"`...), e.id...)
	member.End(out, append(frame, `"}`...))
}

// textDelta writes a response. Disposition tells whether a reader takes it for what it is.
func (e *encoder) textDelta(out *wire.Out, ev *hub.Event, a *agent) hub.Disposition {
	switch {
	case ev.Flags.Has(hub.User):
		return hub.Dropped
	case ev.Chan == hub.Reasoning:
		return e.reasoning(out, ev, a)
	}
	isTag := e.hasTag(a, ev.Text)
	out.Buf = append(e.open(out, a, typeResponse), `,"data":"`...)
	if a.thinking {
		a.thinking = false
		out.Buf = append(out.Buf, closeThink...)
	}
	e.close(out, append(append(out.Buf, ev.Text...), '"'), a)
	a.say(ev.Text)
	return hub.FoldedIf(ev.Chan == hub.Refusal || isTag)
}

// hasTag reports whether readers find a tag of reasoning in or around an answer, or the beginning of one.
func (e *encoder) hasTag(a *agent, text []byte) bool {
	tags := a.text.tags
	e.pieces = a.text.pieces(e.pieces[:0], text)
	return a.text.tags != tags || a.text.inDoubt()
}

// reasoning puts tags around a delta, or before the first of a part.
func (e *encoder) reasoning(out *wire.Out, ev *hub.Event, a *agent) hub.Disposition {
	if e.opt.reasoning == reasoningDrop {
		return hub.Dropped
	}
	out.Buf = append(e.open(out, a, typeResponse), `,"data":"`...)
	if !a.thinking {
		out.Buf = append(out.Buf, openThink...)
	}
	var isCut bool
	out.Buf, isCut = e.appendThought(out.Buf, ev.Text)
	a.thinking = e.opt.reasoning == reasoningBlock && !isCut
	if !a.thinking {
		out.Buf = append(out.Buf, closeThink...)
	}
	e.close(out, append(out.Buf, '"'), a)
	return hub.Native
}

// appendThought appends reasoning that may hold the tag that would end it: there, it goes on in another element. isCut
// tells that it ends like the beginning of the tag.
func (e *encoder) appendThought(dst, body []byte) (_ []byte, isCut bool) {
	if !bytes.ContainsAny(body, `<\`) {
		return append(dst, body...), false
	}
	plain := rawjson.AppendUnescaped(e.plain[:0], body)
	e.plain = plain
	for {
		i := bytes.Index(plain, []byte(closeThink))
		if i < 0 {
			break
		}
		i += len("</")
		dst = rawjson.AppendEscaped(dst, plain[:i])
		dst = append(dst, closeThink+openThink...)
		plain = plain[i:]
	}
	for n := range len(closeThink) {
		isCut = isCut || n > 0 && bytes.HasSuffix(plain, []byte(closeThink[:n]))
	}
	return rawjson.AppendEscaped(dst, plain), isCut
}

// textEdge writes what lies around the deltas: hardly anything.
func (e *encoder) textEdge(out *wire.Out, ev *hub.Event, a *agent) hub.Disposition {
	switch {
	case ev.Flags.Has(hub.User), ev.Chan == hub.Reasoning && e.opt.reasoning == reasoningDrop:
		return hub.Dropped
	case ev.Kind == hub.TextEnd && ev.Chan == hub.Reasoning:
		e.endThought(out, a)
	}
	if ev.Kind == hub.TextEnd && signatures.IsSigned(ev) {
		return hub.Dropped
	}
	return hub.Implied
}

// endThought closes the element of a part of reasoning.
func (e *encoder) endThought(out *wire.Out, a *agent) {
	if !a.thinking {
		return
	}
	a.thinking = false
	e.close(out, append(e.open(out, a, typeResponse), `,"data":"`+closeThink+`"`...), a)
}

// boundary tells that something other than text comes: no tag goes on behind it.
func (e *encoder) boundary(out *wire.Out, a *agent) {
	e.endThought(out, a)
	e.pieces = a.text.boundary(e.pieces[:0])
}

// raw writes back what our own decoder did not know. It has its messageId.
func (e *encoder) raw(out *wire.Out, ev *hub.Event, a *agent) hub.Disposition {
	if string(ev.Name) != name || rawjson.Kind(ev.Value) != '{' {
		return hub.Dropped
	}
	out.Buf = append(append(member.Begin(out, ""), a.head...), bytes.TrimSpace(ev.Value)...)
	if a.depth == 0 {
		out.End()
		return hub.Native
	}
	out.Buf = out.Buf[:len(out.Buf)-1] // close begins with its last brace
	e.close(out, out.Buf, a)
	return hub.Native
}

// cutBody cuts a string body to at most n UTF-16 code units, between characters; 0 stands for no limit.
func cutBody(body []byte, n int) []byte {
	if n == 0 || len(body) <= n {
		return body
	}
	for i := 0; i < len(body); {
		size, units := nextChar(body[i:])
		if n -= units; n < 0 {
			return body[:i]
		}
		i += size
	}
	return body
}
