// Package policy stands around the encoder and the decoder of a dialect and does what does not depend on the dialect:
//
//   - Events that the dialect cannot carry, or that a route does not want, are written to the dialect's extension place,
//     folded into text that people can read, or dropped, by class of event.
//   - With extension, the whole canonical stream goes along in the extension place, so that a Sabir behind the client's
//     side gets back what this one had, whatever the dialect between them can say.
package policy

import (
	"bytes"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/stages"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Settings are what a route says about its client. The zero value is the dialect's own choice.
type Settings struct {
	Classes   map[hub.Class]hub.Policy
	Extension bool // send the whole canonical stream along

	Correct   bool // see [hub.SequencerConfig]
	SubAgents hub.SubAgentMode
	Linear    bool                // also where the dialect does not ask for it
	Coalesce  time.Duration       // how long a delta may wait for the next; 0: not at all
	Filter    stages.FilterConfig // Count is not used

	// Folded is shown the events of the texts that are made of others; nil for none. Valid during the call.
	Folded func(*hub.Event)
	// Instead receives each event that a policy treated instead of the dialect; nil for none.
	Instead func(*hub.Event, hub.Policy)
}

// Stages makes what stands between the sequencer and the encoder of a dialect, in order. count receives what the stages
// take away or change; nil for none.
func Stages(d *hub.Dialect, s Settings, count func(hub.Kind, hub.Disposition)) (list []hub.Stage) {
	list = WholeStages(s, count)
	subAgents := s.SubAgents
	if subAgents == hub.SubAgentsDefault {
		subAgents = d.SubAgents
	}
	mixed := subAgents == hub.SubAgentsTool || subAgents == hub.SubAgentsFlatten // what sub-agents say side by side comes in one
	if mixed || subAgents == hub.SubAgentsHide {
		list = append(list, stages.NewSubAgents(subAgents, count))
	}
	if s.Linear || mixed || d.Caps.Has(hub.CapLinear) {
		list = append(list, stages.NewLinear(0))
	}
	if s.Coalesce > 0 {
		list = append(list, stages.NewCoalesce(s.Coalesce))
	}
	return list
}

// WholeStages are those of an answer in one piece, which has no order in which things go on.
func WholeStages(s Settings, count func(hub.Kind, hub.Disposition)) (list []hub.Stage) {
	if f := s.Filter; len(f.Classes)+len(f.Tools)+len(f.Data) > 0 {
		f.Count = count
		list = append(list, stages.NewFilter(f))
	}
	return list
}

// NewEncoder makes the encoder of a dialect, behind what the settings ask for. Where nothing is asked, it is the bare
// encoder of the dialect.
func NewEncoder(d *hub.Dialect, options hub.Options, s Settings) hub.Encoder {
	return Around(d, d.NewEncoder(options), s)
}

// Around puts what the settings ask for around an encoder for clients of a dialect.
func Around(d *hub.Dialect, inner hub.Encoder, s Settings) hub.Encoder {
	if len(s.Classes) == 0 && len(d.Policies) == 0 && !s.Extension {
		return inner
	}
	e := &encoder{inner: inner, whole: s.Extension, fold: folder{seen: s.Folded}, reported: s.Instead}
	e.place, _ = inner.(hub.Extender)
	e.whole = e.whole && e.place != nil
	for c := range e.wanted {
		class := hub.Class(c)
		e.wanted[c] = s.Classes[class]
		e.instead[c] = d.Policies[class]
		switch e.instead[c] {
		case hub.PolicyDefault, hub.PolicyNative:
			e.instead[c] = hub.PolicyDrop
		}
		if e.wanted[c] == hub.PolicyNative {
			e.instead[c] = hub.PolicyDrop
		}
	}
	return e
}

// Keeper is the encoder inside, if it keeps texts; nil if not. It is asked after each record, so only those are that must.
func Keeper(e hub.Encoder) hub.Keeper {
	if outer, ok := e.(*encoder); ok {
		e = outer.inner
	}
	k, _ := e.(hub.Keeper)
	return k
}

// encoder applies the policies of a route.
type encoder struct {
	inner   hub.Encoder
	place   hub.Extender // nil: the dialect has no extension place
	whole   bool
	wanted  [hub.NumClasses]hub.Policy // before the dialect is asked
	instead [hub.NumClasses]hub.Policy // where the dialect drops: extension, fold or drop

	reported func(*hub.Event, hub.Policy)

	calls []call // that are not written as the dialect's own
	parts []part // of reasoning, likewise
	fold  folder
	buf   []byte
}

// call is a call that is treated by a policy.
type call struct {
	id, name, args []byte
	policy         hub.Policy
}

// part is a reasoning part that is treated by a policy.
type part struct {
	id     []byte
	policy hub.Policy
	at     folded
}

// Reset implements [hub.Encoder].
func (e *encoder) Reset() {
	e.inner.Reset()
	e.calls, e.parts = e.calls[:0], e.parts[:0]
	e.fold.reset()
}

// Finish implements [hub.Encoder].
func (e *encoder) Finish(out *wire.Out) { e.inner.Finish(out) }

// Answer implements [hub.Answerer].
func (e *encoder) Answer(req *hub.Request) {
	e.fold.unique = append(e.fold.unique[:0], req.Unique...)
	if a, ok := e.inner.(hub.Answerer); ok {
		a.Answer(req)
	}
}

// Encode implements [hub.Encoder].
func (e *encoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	if e.whole {
		e.extend(out, ev)
	}
	class := hub.ClassOf(ev)
	switch ev.Kind {
	case hub.TextStart:
		if class == hub.ClassReasoning {
			return e.reasoningStart(out, ev)
		}
		return e.plain(out, ev)
	case hub.TextDelta, hub.TextEnd:
		if len(e.parts) > 0 {
			return e.reasoning(out, ev)
		}
		return e.plain(out, ev)
	case hub.ToolStart, hub.ToolArgs, hub.ToolReady, hub.ToolUpdate, hub.ToolOutput, hub.ToolEnd:
		return e.tool(out, ev, class)
	}
	if class == hub.ClassNone {
		return e.plain(out, ev)
	}
	return e.treat(out, ev, class)
}

// plain is an event that every client must get. Texts have their place in the order of folded ones, too.
func (e *encoder) plain(out *wire.Out, ev *hub.Event) hub.Disposition {
	switch ev.Kind {
	case hub.TextStart:
		e.fold.opened++
	case hub.RunEnd:
		e.fold.opened = 0
		e.flush(out)
	}
	disposition := e.inner.Encode(out, ev)
	switch ev.Kind {
	case hub.TextDelta:
		e.fold.spoke = true
	case hub.TextEnd:
		if e.fold.opened--; e.fold.opened <= 0 {
			e.flush(out)
		}
	}
	return disposition
}

// treat is an event that stands alone.
func (e *encoder) treat(out *wire.Out, ev *hub.Event, class hub.Class) hub.Disposition {
	policy := e.wanted[class]
	if policy == hub.PolicyDefault || policy == hub.PolicyNative {
		if disposition := e.inner.Encode(out, ev); disposition != hub.Dropped {
			return disposition
		}
		policy = e.instead[class]
	}
	return e.apply(out, ev, policy)
}

func (e *encoder) apply(out *wire.Out, ev *hub.Event, policy hub.Policy) hub.Disposition {
	e.tell(ev, policy)
	switch policy {
	case hub.PolicyExtension:
		switch {
		case e.whole:
			return hub.Extension // it went along already
		case e.place == nil:
			return hub.Dropped
		}
		e.extend(out, ev)
		return hub.Extension
	case hub.PolicyFold:
		e.buf = appendFolded(e.buf[:0], ev)
		if len(e.buf) == 0 {
			return hub.Dropped
		}
		e.say(out, e.buf)
		return hub.Folded
	}
	return hub.Dropped
}

func (e *encoder) tell(ev *hub.Event, policy hub.Policy) {
	if e.reported != nil {
		e.reported(ev, policy)
	}
}

// extend writes an event to the extension place.
func (e *encoder) extend(out *wire.Out, ev *hub.Event) {
	e.buf = append(e.buf[:0], `{"`+hub.ExtensionKey+`":`...)
	e.buf = native.Append(e.buf, ev)
	e.buf = append(e.buf, '}')
	e.place.Extend(out, e.buf)
}

// tool is an event of a call. What becomes of a call is decided at its start, for all of it.
func (e *encoder) tool(out *wire.Out, ev *hub.Event, class hub.Class) hub.Disposition {
	if ev.Kind == hub.ToolStart {
		return e.toolStart(out, ev, class)
	}
	at := e.call(ev.ID)
	if at < 0 {
		if class == hub.ClassProgress {
			return e.treat(out, ev, class)
		}
		return e.inner.Encode(out, ev)
	}
	c := &e.calls[at]
	if c.policy != hub.PolicyFold {
		policy := c.policy
		if ev.Kind == hub.ToolEnd {
			e.forget(at)
		}
		return e.apply(out, ev, policy)
	}
	switch ev.Kind {
	case hub.ToolReady:
		c.args = clip(c.args[:0], quoted(ev.Value))
	case hub.ToolUpdate, hub.ToolOutput:
		return hub.Dropped
	case hub.ToolEnd:
		e.buf = appendCall(e.buf[:0], c, ev)
		e.forget(at)
		e.say(out, e.buf)
	}
	return hub.Folded
}

func (e *encoder) toolStart(out *wire.Out, ev *hub.Event, class hub.Class) hub.Disposition {
	policy := e.wanted[class]
	if policy == hub.PolicyDefault || policy == hub.PolicyNative {
		if disposition := e.inner.Encode(out, ev); disposition != hub.Dropped {
			return disposition
		}
		policy = e.instead[hub.ClassTools]
	}
	e.calls = append(e.calls, call{id: bytes.Clone(ev.ID), name: bytes.Clone(ev.Name), policy: policy})
	if policy == hub.PolicyFold {
		e.tell(ev, policy)
		return hub.Folded // when it ends
	}
	return e.apply(out, ev, policy)
}

func (e *encoder) call(id []byte) int {
	for i := range e.calls {
		if bytes.Equal(e.calls[i].id, id) {
			return i
		}
	}
	return -1
}

func (e *encoder) forget(at int) { e.calls = append(e.calls[:at], e.calls[at+1:]...) }

// reasoning is an event of a part that may be one which a policy treats. Only the start of a part need say its channel.
func (e *encoder) reasoning(out *wire.Out, ev *hub.Event) hub.Disposition {
	for i := range e.parts {
		p := &e.parts[i]
		if !bytes.Equal(p.id, ev.ID) {
			continue
		}
		disposition := e.reasoned(out, ev, p)
		if ev.Kind == hub.TextEnd {
			e.parts = append(e.parts[:i], e.parts[i+1:]...)
		}
		return disposition
	}
	return e.plain(out, ev)
}

func (e *encoder) reasoningStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	policy := e.wanted[hub.ClassReasoning]
	if policy == hub.PolicyDefault || policy == hub.PolicyNative {
		if disposition := e.inner.Encode(out, ev); disposition != hub.Dropped {
			e.fold.opened++
			return disposition
		}
		policy = e.instead[hub.ClassReasoning]
	}
	p := part{id: bytes.Clone(ev.ID), policy: policy}
	if policy == hub.PolicyFold {
		e.tell(ev, policy)
		p.at = e.fold.begin(e.inner, out, ev.Slot, thinkStart)
		e.parts = append(e.parts, p)
		return hub.Folded
	}
	e.parts = append(e.parts, p)
	return e.apply(out, ev, policy)
}

// Folded reasoning is a text between these marks, which many clients know from models that write it so.
const (
	thinkStart = `<think>\n`
	thinkEnd   = `\n</think>\n\n`
)

func (e *encoder) reasoned(out *wire.Out, ev *hub.Event, p *part) hub.Disposition {
	switch {
	case p.policy != hub.PolicyFold:
		return e.apply(out, ev, p.policy)
	case ev.Kind == hub.TextDelta:
		e.fold.text(e.inner, out, p.at, ev.Text)
	default:
		e.fold.end(e.inner, out, p.at, thinkEnd)
		e.flush(out)
	}
	return hub.Folded
}

// say shows a line of text, at once or when the part that is open ends.
func (e *encoder) say(out *wire.Out, line []byte) {
	e.fold.add(line)
	e.flush(out)
}

func (e *encoder) flush(out *wire.Out) {
	if e.fold.opened <= 0 || e.fold.full() {
		e.fold.flush(e.inner, out)
	}
}
