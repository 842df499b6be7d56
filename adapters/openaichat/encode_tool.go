package openaichat

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// clientCall is a call that the client was asked to run. Its index on the wire is its place in the list.
type clientCall struct {
	id       []byte
	answered bool // somebody has run it all the same
}

// call returns the index of a call, -1 if it is none that the client runs. Arguments are of the latest call, mostly.
func (e *encoder) call(id []byte) int {
	for i := len(e.calls) - 1; i >= 0; i-- {
		if bytes.Equal(e.calls[i].id, id) {
			return i
		}
	}
	return -1
}

// toolStart asks the client to run a call. What the agent runs itself must not look like that, and a call that was asked for in
// an earlier run is not asked for again.
func (e *encoder) toolStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	if !ev.Flags.Has(hub.ClientRuns) || ev.Flags.Has(hub.Resumed) || len(e.calls) == maxCalls {
		return hub.Dropped
	}
	out.Begin("")
	b := append(append(out.Buf, e.head...), `{"tool_calls":[{"index":`...)
	b = strconv.AppendInt(b, int64(len(e.calls)), 10)
	b = append(append(b, `,"id":"`...), ev.ID...)
	b = append(append(b, `","type":"function","function":{"name":"`...), ev.Name...)
	out.Buf = append(b, `","arguments":""}}]}`+chunkEnd...)
	out.End()
	e.addCall(ev.ID)
	return hub.Native
}

// addCall remembers a call, in a slot that keeps its memory.
func (e *encoder) addCall(id []byte) {
	n := len(e.calls)
	if n < cap(e.calls) {
		e.calls = e.calls[:n+1]
	} else {
		e.calls = append(e.calls, clientCall{})
	}
	e.calls[n].id, e.calls[n].answered = append(e.calls[n].id[:0], id...), false
}

// toolArgs writes index and fragment alone: clients add up whatever is said twice.
func (e *encoder) toolArgs(out *wire.Out, ev *hub.Event) hub.Disposition {
	i := e.call(ev.ID)
	if i < 0 {
		return hub.Dropped
	}
	out.Begin("")
	b := append(append(out.Buf, e.head...), `{"tool_calls":[{"index":`...)
	b = strconv.AppendInt(b, int64(i), 10)
	b = append(append(b, `,"function":{"arguments":"`...), ev.Text...)
	out.Buf = append(b, `"}}]}`+chunkEnd...)
	out.End()
	return hub.Native
}

// toolState handles the steps of a call that no frame shows. The end of a call that was left to the client is said by the
// end of the run; a result has no place.
func (e *encoder) toolState(ev *hub.Event) hub.Disposition {
	i := e.call(ev.ID)
	switch {
	case i < 0:
		return hub.Dropped
	case ev.Kind == hub.ToolReady:
		return hub.Implied
	}
	switch ev.Status {
	case hub.StatusClient, hub.StatusPaused, hub.StatusAborted, hub.StatusUnknown:
		return hub.Implied
	}
	e.calls[i].answered = true
	return hub.Dropped
}

// waiting reports whether the client has calls to run.
func (e *encoder) waiting() bool {
	for i := range e.calls {
		if !e.calls[i].answered {
			return true
		}
	}
	return false
}
