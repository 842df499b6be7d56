package simplified

import (
	"strconv"
	"unicode/utf8"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// maxEmitted is how many bytes of a sub-agent's text are kept for its summary.
const maxEmitted = 64 << 10

// agent is the root or a sub-agent that has not ended.
type agent struct {
	head  []byte // what is before a frame of it
	depth int    // how many frames are around one of it

	text     thinker // follows what readers make of its answer
	thinking bool    // a think element is open

	task    []byte
	since   int64  // milliseconds since the Unix epoch; 0 = not said
	emitted []byte // its answer, up to maxEmitted
}

// say keeps what a sub-agent answers. Beyond the limit the summary stops short; the frames have shown all of it.
func (a *agent) say(text []byte) {
	if a.depth > 0 && len(a.emitted)+len(text) <= maxEmitted {
		a.emitted = append(a.emitted, text...)
	}
}

// agent returns the agent in a slot, the root if it is not open.
func (e *encoder) agent(slot hub.Slot) *agent {
	if a := e.agents.Find(slot); a != nil {
		return a
	}
	return e.root
}

// around is the agent whose frames tell of the sub-agents of a: itself, or the root where they are not nested.
func (e *encoder) around(a *agent) *agent {
	if e.opt.flat {
		return e.root
	}
	return a
}

// agentStart writes the start, and makes what will stand before every frame of the sub-agent: deltas then cost a copy.
func (e *encoder) agentStart(out *wire.Out, ev *hub.Event, outer *agent) hub.Disposition {
	e.boundary(out, outer)
	outer = e.around(outer)
	a := e.agents.Add(ev.Slot)
	*a = agent{depth: outer.depth + 1, text: newThinker(0), task: append([]byte(nil), ev.Title...)}
	a.head = append(append(a.head, outer.head...), `{"type":"`+typeAgentData+`"`...)
	a.head = append(append(a.head, `,"subagentId":"`...), ev.ID...)
	a.head = append(append(a.head, `","subagentName":"`...), ev.Name...)
	a.head = append(a.head, `","data":`...)
	a.since = ev.Rare().Time

	out.Buf = append(append(e.open(out, outer, typeAgentStarted), `,"executionId":"`...), ev.ID...)
	out.Buf = append(append(out.Buf, `","name":"`...), ev.Name...)
	out.Buf = append(append(out.Buf, `","task":"`...), ev.Title...)
	e.close(out, append(out.Buf, '"'), outer)
	return hub.Native
}

// agentEnd writes the members in the order of the server. What is unknown is left out, but for the lists and texts that
// clients look at.
func (e *encoder) agentEnd(out *wire.Out, ev *hub.Event, outer *agent) hub.Disposition {
	a := e.agent(ev.Slot)
	e.agents.Drop(ev.Slot)
	e.endThought(out, a)
	outer = e.around(outer)
	isError := ev.Status == hub.StatusError || ev.Status == hub.StatusDenied || ev.Status == hub.StatusAborted
	typ, status := typeAgentDone, statusSuccess
	if isError {
		typ, status = typeAgentError, statusError
	}
	task := rawjson.First(ev.Title, a.task)
	b := append(append(e.open(out, outer, typ), `,"id":"`...), ev.ID...)
	b = append(append(b, `","name":"`...), ev.Name...)
	b = append(append(b, `","task":"`...), task...)
	b = append(append(append(b, `","status":"`...), status...), '"')
	rest := ev.Meta(name)
	b = appendTimes(b, ev, a, rest)
	b = append(b, `,"summary":"`...)
	if isError {
		why := rawjson.First(hub.Why(ev), []byte(reasons[ev.Status]), []byte("Unknown error"))
		b = append(append(b, `","error":"`...), why...)
	} else {
		b = appendSummary(b, ev, a)
	}
	b = append(b, '"')
	e.close(out, appendMembers(b, rest, "startTime", "endTime", "documents"), outer)
	return hub.NativeIf(ev.Status == hub.StatusOK || ev.Status == hub.StatusError)
}

// appendTimes appends when the sub-agent ran, and its documents, as they came or as far as they are known.
func appendTimes(dst []byte, ev *hub.Event, a *agent, rest rawjson.Value) []byte {
	dst = appendTime(dst, `,"startTime":`, rawjson.Get(rest, "startTime"), a.since)
	dst = appendTime(dst, `,"endTime":`, rawjson.Get(rest, "endTime"), ev.Rare().Time)
	return append(append(dst, `,"documents":`...), rawjson.Or(rawjson.Get(rest, "documents"), "[]")...)
}

// appendTime appends a time, as it was kept or in milliseconds since the Unix epoch; nothing where it is not known.
func appendTime(dst []byte, member string, kept rawjson.Value, ms int64) []byte {
	switch {
	case kept != nil:
		return append(append(dst, member...), kept...)
	case ms > 0:
		return strconv.AppendInt(append(dst, member...), ms, 10)
	}
	return dst
}

// appendSummary appends the result as the body of a string. The server's own sub-agents answer with what they said.
func appendSummary(dst []byte, ev *hub.Event, a *agent) []byte {
	if len(ev.Text) > 0 || ev.Value != nil {
		return toolresult.AppendValue(dst, ev)
	}
	return append(dst, a.emitted...)
}

// appendMembers appends the members of an object, each with a comma before it, but for those named.
func appendMembers(dst []byte, object rawjson.Value, without ...string) []byte {
	n := len(dst)
	dst = appendRest(append(dst, ','), object, without...)
	if len(dst) == n+1 {
		return dst[:n]
	}
	return dst[:len(dst)-1]
}

// nextChar reads the character that a string body begins with: its length in bytes and in UTF-16 code units.
func nextChar(body []byte) (size, units int) {
	if body[0] != '\\' {
		r, n := utf8.DecodeRune(body)
		return n, unitsOf(r)
	}
	if len(body) < 6 || body[1] != 'u' {
		return min(2, len(body)), 1
	}
	isPair := len(body) >= 12 && body[6] == '\\' && body[7] == 'u'
	if isPair {
		var plain [8]byte
		joined, n := utf8.DecodeRune(rawjson.AppendUnescaped(plain[:0], body[:12]))
		if unitsOf(joined) == 2 && n == 4 {
			return 12, 2
		}
	}
	return 6, 1
}
