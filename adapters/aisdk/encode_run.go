package aisdk

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// steps are the model turns. A client knows one step at a time, and looks at the calls of the last one to see whether it
// has to go on by itself; so a message that goes on must not add to the step before.
type steps struct {
	depth int  // open in the model
	open  bool // on the wire
	any   bool // one was written
}

// runStart opens the message.
func (e *encoder) runStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	id := rawjson.First(e.message, ev.Msg, ev.ID)
	member.Close(out, member.AppendText(append(member.Begin(out, ""), `{"type":"start"`...), `,"messageId":"`, id))
	return hub.Native
}

// ensureStep opens a step for what comes before any other.
func (e *encoder) ensureStep(out *wire.Out) {
	if !e.steps.any {
		e.openStep(out)
	}
}

func (e *encoder) openStep(out *wire.Out) {
	bare(out, `{"type":"start-step"}`)
	e.steps.open, e.steps.any = true, true
}

// closeStep ends the step that is open. Versions 5 and 6 forget the parts that are open in it, so these end too; what is
// still to come of them follows as new parts.
func (e *encoder) closeStep(out *wire.Out) {
	if !e.steps.open {
		return
	}
	for _, p := range e.parts.All {
		if p.open {
			member.Close(out, e.partRecord(out, p, `-end","id":"`))
			p.open = false
		}
	}
	bare(out, `{"type":"finish-step"}`)
	e.steps.open = false
}

func (e *encoder) stepStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	if len(ev.SubAgent) > 0 {
		return hub.Dropped
	}
	if e.steps.depth++; e.steps.depth > 1 {
		return hub.Folded
	}
	e.closeStep(out)
	e.openStep(out)
	return hub.Native
}

func (e *encoder) stepEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	if len(ev.SubAgent) > 0 {
		return hub.Dropped
	}
	if e.steps.depth--; e.steps.depth > 0 {
		return hub.Folded
	}
	e.closeStep(out)
	return hub.Native
}

// runEnd says how the run ended. Clients read nothing behind an error.
func (e *encoder) runEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	switch ev.Status {
	case hub.StatusFailed, hub.StatusTruncated:
		member.Close(out, member.Open(out, `{"type":"error","errorText":"`, phrases.RunError(ev)))
		return hub.FoldedIf(ev.Status == hub.StatusTruncated)
	case hub.StatusCancelled:
		return e.cancelled(out, ev)
	}
	e.closeStep(out)
	reason, disposition := e.reasonOf(ev.Status)
	b := member.Open(out, `{"type":"finish","finishReason":"`, []byte(reason))
	if len(e.usage) > 0 {
		b = append(append(b, `,"messageMetadata":{"usage":`...), e.usage...)
		b = append(b, '}')
	}
	member.Close(out, b)
	if len(hub.Why(ev)) > 0 {
		return hub.Folded // a finish has no words
	}
	return disposition
}

// cancelled ends a run that was stopped. Version 5 knows no reason.
func (e *encoder) cancelled(out *wire.Out, ev *hub.Event) hub.Disposition {
	b := append(member.Begin(out, ""), `{"type":"abort"`...)
	if e.version >= 6 && ev.More != nil {
		b = member.AppendText(b, `,"reason":"`, ev.More.Err)
	}
	member.Close(out, b)
	return hub.FoldedIf(e.version < 6 && len(hub.Why(ev)) > 0)
}

// reasonOf is the finishReason of a run that ended well. A reader takes the calls without an output for the client's to
// run, whatever the reason.
func (e *encoder) reasonOf(status hub.Status) (reason string, disposition hub.Disposition) {
	switch status {
	case hub.StatusLength:
		return "length", hub.Native
	case hub.StatusFiltered:
		return "content-filter", hub.Native
	case hub.StatusRefused:
		return "content-filter", hub.Folded
	case hub.StatusLimit:
		return "other", hub.Folded
	case hub.StatusPaused:
		return "tool-calls", hub.NativeIf(e.asking > 0)
	case hub.StatusTools:
		return "tool-calls", hub.NativeIf(e.asking == 0 && e.left > 0)
	}
	return "stop", hub.NativeIf(e.asking == 0 && e.left == 0)
}
