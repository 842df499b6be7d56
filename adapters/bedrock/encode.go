package bedrock

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/legalid"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/opened"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
	"github.com/sabir-proxy/sabir/adapters/usage"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// encoder writes one message. Its blocks come one after the other, and their indices are counted here.
type encoder struct {
	begun bool

	next int      // index of the next block
	open openKind // what the open block holds
	part []byte   // id of the part or call in it
	head []byte   // its delta up to the text

	muted    opened.List[struct{}] // open parts that are not the agent's
	redacted []byte                // open part of reasoning that may have no text at all

	calls  opened.List[call]
	asked  int  // calls that the client has to run
	ran    bool // one of them was run by someone else
	broken bool // one of them cannot be run: its arguments are no JSON

	usage usage.Run
}

// openKind is what the open block holds.
type openKind uint8

const (
	openNone openKind = iota
	openText
	openReasoning
	openCall
)

// call is an open call of the client's.
type call struct {
	lost bool // not all of its arguments were written
}

func newEncoder(hub.Options) hub.Encoder { return &encoder{} }

// Reset implements [hub.Encoder].
func (e *encoder) Reset() {
	e.muted.Reset()
	e.calls.Reset()
	e.usage.Reset()
	*e = encoder{part: e.part[:0], head: e.head[:0], muted: e.muted, redacted: e.redacted[:0], calls: e.calls, usage: e.usage}
}

// Finish implements [hub.Encoder]. There is no end mark.
func (e *encoder) Finish(*wire.Out) {}

// writers are the methods of the encoder, by the kind of event that they write.
var writers = hub.Writers[*encoder]{
	hub.RunStart: (*encoder).runStart, hub.RunEnd: (*encoder).runEnd,
	hub.TextStart: (*encoder).textStart, hub.TextDelta: (*encoder).textDelta, hub.TextEnd: (*encoder).textEnd,
	hub.ToolStart: (*encoder).toolStart, hub.ToolArgs: (*encoder).toolArgs, hub.ToolReady: (*encoder).toolReady,
	hub.ToolEnd: hub.Silent((*encoder).toolEnd),
	hub.Usage:   hub.Silent((*encoder).addUsage),
	hub.Source:  (*encoder).source,
}

// Encode implements [hub.Encoder].
func (e *encoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	return writers.Write(e, out, ev)
}

func (e *encoder) runStart(out *wire.Out, _ *hub.Event) hub.Disposition {
	e.begin(out)
	return hub.Native
}

// begin writes messageStart, once.
func (e *encoder) begin(out *wire.Out) {
	if !e.begun {
		member.End(out, append(member.Begin(out, nameStart), `{"role":"assistant"}`...))
	}
	e.begun = true
}

// openBlock begins a block, whose deltas begin with head. Only calls have a start that says something.
func (e *encoder) openBlock(out *wire.Out, kind openKind, part []byte, head string) {
	e.closeBlock(out)
	e.begin(out)
	e.open, e.part = kind, append(e.part[:0], part...)
	e.setHead(head)
}

func (e *encoder) setHead(head string) {
	b := append(e.head[:0], `{"contentBlockIndex":`...)
	b = strconv.AppendInt(b, int64(e.next), 10)
	e.head = append(append(b, `,"delta":{`...), head...)
}

// closeBlock ends the open block, if there is one.
func (e *encoder) closeBlock(out *wire.Out) {
	if e.open == openNone {
		return
	}
	b := append(member.Begin(out, nameBlockStop), `{"contentBlockIndex":`...)
	member.Close(out, strconv.AppendInt(b, int64(e.next), 10))
	e.open = openNone
	e.next++
}

// delta writes a delta of the open block. It is the hot path: the head was made when the block was opened. tail ends it.
func (e *encoder) delta(out *wire.Out, text []byte, tail string) {
	b := append(member.Begin(out, nameBlockDelta), e.head...)
	member.End(out, append(append(b, text...), tail...))
}

// holds reports whether a part or call is in the open block.
func (e *encoder) holds(kind openKind, id []byte) bool {
	return e.open == kind && bytes.Equal(e.part, id)
}

// toolStart opens the block of a call that the client has to run. Others have no form that all readers know.
func (e *encoder) toolStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	if !ev.Flags.Has(hub.ClientRuns) || ev.Flags.Has(hub.Resumed) {
		return hub.Dropped // the client has one that is resumed
	}
	*e.calls.Add(ev.Slot) = call{}
	e.asked++
	e.openBlock(out, openCall, ev.ID, `"toolUse":{"input":"`)
	b := append(member.Begin(out, nameBlockStart), `{"contentBlockIndex":`...)
	b = append(strconv.AppendInt(b, int64(e.next), 10), `,"start":{"toolUse":{"toolUseId":"`...)
	b = append(legalid.Append(b, ev.ID), `","name":"`...)
	member.End(out, append(append(b, ev.Name...), `"}}}`...))
	return hub.Native
}

// toolArgs passes a fragment for the client to put together.
func (e *encoder) toolArgs(out *wire.Out, ev *hub.Event) hub.Disposition {
	if e.holds(openCall, ev.ID) {
		e.delta(out, ev.Text, `"}}}`)
		return hub.Native
	}
	if c := e.calls.Find(ev.Slot); c != nil { // too much came at once for the blocks to stay in order
		c.lost, e.broken = true, true
	}
	return hub.Dropped
}

// toolReady ends the block of a call.
func (e *encoder) toolReady(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.calls.Find(ev.Slot)
	if c == nil {
		return hub.Dropped
	}
	e.broken = e.broken || ev.Flags.Has(hub.Invalid)
	if e.holds(openCall, ev.ID) {
		e.closeBlock(out)
	}
	if c.lost {
		return hub.Dropped
	}
	return hub.Native
}

// toolEnd: the result of a call for the client is the client's to say. One that somebody else has run asks no more.
func (e *encoder) toolEnd(ev *hub.Event) hub.Disposition {
	c := e.calls.Find(ev.Slot)
	if c == nil {
		return hub.Dropped
	}
	e.calls.Drop(ev.Slot)
	if toolresult.Silent(ev) {
		return hub.Implied
	}
	e.asked--
	e.ran = true
	return hub.Dropped
}
