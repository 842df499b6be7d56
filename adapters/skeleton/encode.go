package skeleton

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// encoder keeps nothing between events. Most encoders keep what is open, in an opened.List.
type encoder struct{}

func newEncoder(hub.Options) hub.Encoder { return &encoder{} }

// Reset implements [hub.Encoder].
func (e *encoder) Reset() {}

// Finish implements [hub.Encoder]. There is no end mark.
func (e *encoder) Finish(*wire.Out) {}

// writers are the methods by kind. What has none is dropped; the policies decide what becomes of that.
var writers = hub.Writers[*encoder]{
	hub.RunStart: (*encoder).runStart, hub.RunEnd: (*encoder).runEnd,
	hub.TextStart: hub.Silent((*encoder).textStart), hub.TextDelta: (*encoder).textDelta, hub.TextEnd: hub.Always[*encoder](hub.Implied),
	hub.ToolStart: hub.Always[*encoder](hub.Implied), hub.ToolArgs: hub.Always[*encoder](hub.Implied),
	hub.ToolReady: (*encoder).toolReady, hub.ToolEnd: (*encoder).toolEnd,
}

// Encode implements [hub.Encoder].
func (e *encoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	return writers.Write(e, out, ev)
}

func (e *encoder) runStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	member.Close(out, member.Open(out, `{"type":"start","run":"`, ev.ID))
	return hub.Native
}

// textStart shows only answers: the format has no reasoning, and the client has its own words.
func (e *encoder) textStart(ev *hub.Event) hub.Disposition { return shown(ev, hub.Implied) }

func (e *encoder) textDelta(out *wire.Out, ev *hub.Event) hub.Disposition {
	if shown(ev, hub.Native) == hub.Native {
		member.Close(out, member.Open(out, `{"type":"text","text":"`, ev.Text))
	}
	return shown(ev, hub.Native)
}

func shown(ev *hub.Event, as hub.Disposition) hub.Disposition {
	if ev.Chan != hub.AnswerText || ev.Flags.Has(hub.User) {
		return hub.Dropped
	}
	return as
}

// toolReady writes arguments that are no JSON as none: the format has no place for them.
func (e *encoder) toolReady(out *wire.Out, ev *hub.Event) hub.Disposition {
	args, disposition := ev.Value, hub.Native
	if len(args) == 0 {
		args, disposition = []byte("{}"), hub.Folded
	}
	b := member.Open(out, `{"type":"call","id":"`, ev.ID)
	b = member.AppendText(b, `,"name":"`, ev.Name)
	member.Close(out, member.AppendRaw(b, `,"args":`, args))
	return disposition
}

func (e *encoder) toolEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	b := appendEnd(member.Open(out, `{"type":"result","id":"`, ev.ID), ev)
	b = member.AppendText(b, `,"text":"`, ev.Text)
	member.Close(out, member.AppendRaw(b, `,"value":`, ev.Value))
	return hub.FoldedIf(len(ev.Rare().Content) > 0) // its files and pictures are lost
}

func (e *encoder) runEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	member.Close(out, appendEnd(append(member.Begin(out, ""), `{"type":"end"`...), ev))
	return hub.Native
}

// appendEnd appends how a call or the run has ended.
func appendEnd(b []byte, ev *hub.Event) []byte {
	b = append(append(append(b, `,"status":"`...), ev.Status.String()...), '"')
	return member.AppendText(b, `,"error":"`, hub.Why(ev))
}
