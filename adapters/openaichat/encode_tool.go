package openaichat

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// clientCall is the index of a call on the wire that the client was asked to run.
type clientCall int

// toolStart asks the client to run a call. What the agent runs itself must not look like that, and a call that was asked for in
// an earlier run is not asked for again.
func (e *encoder) toolStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	if !ev.Flags.Has(hub.ClientRuns) || ev.Flags.Has(hub.Resumed) || e.asks == maxCalls {
		return hub.Dropped
	}
	b := append(append(member.Begin(out, ""), e.head...), `{"tool_calls":[{"index":`...)
	b = strconv.AppendInt(b, int64(e.asks), 10)
	b = append(append(b, `,"id":"`...), ev.ID...)
	b = append(append(b, `","type":"function","function":{"name":"`...), ev.Name...)
	b = appendExtra(append(b, `","arguments":""}`...), ev)
	member.End(out, append(b, `}]}`+chunkEnd...))
	*e.calls.Add(ev.Slot) = clientCall(e.asks)
	e.asks++
	e.waiting++
	return hub.Native
}

// toolArgs writes index and fragment alone: clients add up whatever is said twice.
func (e *encoder) toolArgs(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.calls.Find(ev.Slot)
	if c == nil {
		return hub.Dropped
	}
	b := append(append(member.Begin(out, ""), e.head...), `{"tool_calls":[{"index":`...)
	b = strconv.AppendInt(b, int64(*c), 10)
	b = append(append(b, `,"function":{"arguments":"`...), ev.Text...)
	member.End(out, append(b, `"}}]}`+chunkEnd...))
	return hub.Native
}

// appendExtra appends the signature of a call as Google's servers have it.
func appendExtra(dst []byte, ev *hub.Event) []byte {
	if extra := shownExtra(ev.Rare().Sig); extra != nil {
		dst = append(append(dst, `,"`+memberExtra+`":`...), extra...)
	}
	return dst
}

// toolUpdate writes a signature that comes late. Of other news clients have no member.
func (e *encoder) toolUpdate(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.calls.Find(ev.Slot)
	if c == nil || len(ev.Rare().Sig) == 0 {
		return hub.Dropped
	}
	b := append(append(member.Begin(out, ""), e.head...), `{"tool_calls":[{"index":`...)
	b = appendExtra(append(strconv.AppendInt(b, int64(*c), 10), `,"function":{"arguments":""}`...), ev)
	member.End(out, append(b, `}]}`+chunkEnd...))
	return hub.Extension
}

// toolState handles the steps of a call that no frame shows. The end of a call that was left to the client is said by the
// end of the run; a result has no place.
func (e *encoder) toolState(ev *hub.Event) hub.Disposition {
	switch {
	case e.calls.Find(ev.Slot) == nil:
		return hub.Dropped
	case ev.Kind == hub.ToolReady:
		return hub.Implied
	}
	e.calls.Drop(ev.Slot)
	switch ev.Status {
	case hub.StatusClient, hub.StatusPaused, hub.StatusAborted, hub.StatusUnknown:
		return hub.Implied
	}
	e.waiting-- // somebody has run it all the same
	return hub.Dropped
}
