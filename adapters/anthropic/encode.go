package anthropic

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/opened"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	totals "github.com/sabir-proxy/sabir/adapters/usage"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// encoder writes one message. Its blocks come one after the other, and their indices are counted here: clients lose text
// or fail when an index is skipped, used twice, or that of another block.
type encoder struct {
	opt options

	id, model []byte // of the message, string bodies
	named     bool   // the client has said which model it asked for: it hears of no other
	fixed     bool   // the id is that by which a later request goes on from the message
	begun     bool   // message_start is written

	next int // index of the next block
	open openKind
	part []byte // id of the part or call in the open block
	head []byte // its delta event up to the text

	muted    opened.List[struct{}] // open parts that are not the agent's
	redacted []byte                // open part of reasoning that may have no text at all

	calls  opened.List[call]
	asked  int  // calls that the client has to run
	ran    bool // one that was written for the client was run by someone else
	broken bool // one of them cannot be run: its arguments are no JSON

	usage totals.Run
}

// options are those of the encoder.
type options struct {
	model, message, server []byte // string bodies
	hold                   bool
}

// openKind is what the open block holds.
type openKind uint8

const (
	openNone openKind = iota
	openText
	openThinking
	openCall
)

func newEncoder(o hub.Options) hub.Encoder {
	text := func(name string) []byte { return rawjson.AppendEscaped(nil, []byte(o.Text(name))) }
	e := &encoder{opt: options{
		model: text("model"), message: text("message"), server: text("server"), hold: o.Enum("message_start") == "late",
	}}
	e.Reset()
	return e
}

// Reset implements [hub.Encoder].
func (e *encoder) Reset() {
	e.muted.Reset()
	e.calls.Reset()
	e.usage.Reset()
	*e = encoder{
		opt: e.opt, id: append(e.id[:0], e.opt.message...), model: append(e.model[:0], e.opt.model...),
		part: e.part[:0], head: e.head[:0], muted: e.muted, redacted: e.redacted[:0], calls: e.calls, usage: e.usage,
	}
}

// Answer implements [hub.Answerer]. The client hears of the model by the name that it used, whatever the upstream calls
// it; and it tells messages apart by their ids.
func (e *encoder) Answer(req *hub.Request) {
	if len(req.Model) > 0 {
		e.model, e.named = append(e.model[:0], req.Model...), true
	}
	if len(req.Unique) > 0 {
		e.id = append(append(e.id[:0], messagePrefix...), req.Unique...)
	}
	if len(req.Answer) > 0 {
		e.id, e.fixed = append(e.id[:0], req.Answer...), true
	}
}

// messagePrefix begins the ids of messages.
const messagePrefix = "msg_"

// Finish implements [hub.Encoder]. The last event was the end of the message; a [DONE] behind it would be fatal.
func (e *encoder) Finish(*wire.Out) {}

// Extend implements [hub.Extender], by a ping with an extra member: clients ignore pings.
func (e *encoder) Extend(out *wire.Out, payload []byte) {
	out.Buf = append(member.Begin(out, "ping"), pingHead+`"`+extensionMember+`":`...)
	member.End(out, append(rawjson.AppendHarmless(out.Buf, payload), '}'))
}

// writers are the methods of the encoder, by the kind of event that they write.
var writers = hub.Writers[*encoder]{
	hub.RunStart: (*encoder).runStart, hub.RunEnd: (*encoder).runEnd,
	hub.TextStart: (*encoder).textStart, hub.TextDelta: (*encoder).textDelta, hub.TextEnd: (*encoder).textEnd,
	hub.ToolStart: (*encoder).toolStart, hub.ToolArgs: (*encoder).toolArgs, hub.ToolReady: (*encoder).toolReady,
	hub.ToolEnd: (*encoder).toolEnd,
	hub.Usage:   hub.Silent((*encoder).addUsage),
	hub.Source:  (*encoder).source,
}

// Encode implements [hub.Encoder].
func (e *encoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	return writers.Write(e, out, ev)
}

// runStart begins the message, or lets it wait for usage that comes before its first block.
func (e *encoder) runStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.learnNames(ev)
	if e.opt.hold {
		return hub.Deferred
	}
	e.begin(out)
	return hub.Native
}

// learnNames takes the id of the message and the model from the start of the run.
func (e *encoder) learnNames(ev *hub.Event) {
	if id := rawjson.First(ev.Msg, ev.ID); len(id) > 0 && !e.fixed {
		e.id = append(e.id[:0], id...)
	}
	if model := ev.Rare().Model; len(model) > 0 && !e.named {
		e.model = append(e.model[:0], model...)
	}
}

// begin writes message_start, once. Clients need all of its members, usage and the empty content above all.
func (e *encoder) begin(out *wire.Out) {
	if e.begun {
		return
	}
	e.begun = true
	b := append(member.Begin(out, "message_start"), `{"type":"message_start","message":{"id":"`...)
	b = append(append(b, e.id...), `","type":"message","role":"assistant","model":"`...)
	b = append(append(b, e.model...), `","content":[],"stop_reason":null,"stop_sequence":null,"usage":`...)
	c := e.usage.Sum()
	c.In, c.Out, c.ReasoningTokens = max(c.In, 0), max(c.Out, 0), -1
	b = appendUsage(b, &c)
	member.End(out, append(b, "}}"...))
}

// openBlock begins the event that opens a block, up to the block itself. closeStart ends it.
func (e *encoder) openBlock(out *wire.Out) []byte {
	e.closeBlock(out)
	e.begin(out)
	b := append(member.Begin(out, "content_block_start"), `{"type":"content_block_start","index":`...)
	b = strconv.AppendInt(b, int64(e.next), 10)
	return append(b, `,"content_block":`...)
}

// closeStart ends the event of openBlock. Deltas of the block begin with head.
func (e *encoder) closeStart(out *wire.Out, b []byte, kind openKind, part []byte, head string) {
	member.End(out, append(b, '}'))
	e.open, e.part = kind, append(e.part[:0], part...)
	e.setHead(head)
}

func (e *encoder) setHead(head string) {
	b := append(e.head[:0], `{"type":"content_block_delta","index":`...)
	b = strconv.AppendInt(b, int64(e.next), 10)
	e.head = append(append(b, `,"delta":`...), head...)
}

// closeBlock ends the open block, if there is one.
func (e *encoder) closeBlock(out *wire.Out) {
	if e.open == openNone {
		return
	}
	b := append(member.Begin(out, "content_block_stop"), `{"type":"content_block_stop","index":`...)
	member.End(out, append(strconv.AppendInt(b, int64(e.next), 10), '}'))
	e.open = openNone
	e.next++
}

// delta writes a delta of the open block. It is the hot path: the head was made when the block was opened.
func (e *encoder) delta(out *wire.Out, text []byte) {
	b := append(member.Begin(out, "content_block_delta"), e.head...)
	member.End(out, append(append(b, text...), `"}}`...))
}

// holds reports whether a part or call is in the open block.
func (e *encoder) holds(kind openKind, id []byte) bool {
	return e.open == kind && bytes.Equal(e.part, id)
}
