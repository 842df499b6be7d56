package agui

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/eventjson"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/opened"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/recent"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// encoder writes the subset of AG-UI that the clients 0.0.59 and 1.0.0 both accept without a warning: explicit starts
// and ends instead of chunks, no nulls, no empty deltas, results as strings, an outcome only for interrupts.
type encoder struct {
	defaultThread, defaultRun []byte // string bodies
	flat                      bool   // no sub-agents on the wire
	tagTools                  bool   // tool ids are unique only within a run

	thread, run []byte
	started     bool
	early       hub.EarlyExtensions // extensions that came before

	ids      ids
	parts    opened.List[part]
	tools    opened.List[tool] // those whose arguments are not complete
	resumed  recent.Map[bool]  // calls that the client knows from an earlier run
	waiting  unanswered
	steps    []step
	asks     []ask
	usage    []usageEntry
	snapshot []byte // a MESSAGES_SNAPSHOT that waits for open messages
	scratch  []byte
	times    member.Times

	activities recent.Map[string] // sub-agent and id of an activity or plan -> id on the wire
}

func newEncoder(o hub.Options) hub.Encoder {
	e := &encoder{
		defaultThread: rawjson.AppendEscaped(nil, []byte(o.Text("thread"))),
		defaultRun:    rawjson.AppendEscaped(nil, []byte(o.Text("run"))),
		flat:          o.Enum("subagents") == "flat",
		tagTools:      o.Enum("tool_ids") == "run",
	}
	e.Reset()
	return e
}

// Reset implements [hub.Encoder].
func (e *encoder) Reset() {
	e.thread, e.run, e.started = e.thread[:0], e.run[:0], false
	e.ids.reset()
	e.parts.Reset()
	e.tools.Reset()
	e.steps, e.asks, e.usage = nil, nil, nil
	e.snapshot, e.early = nil, hub.EarlyExtensions{}
	e.resumed.Reset()
	e.waiting.reset()
	e.activities.Reset()
}

// Finish implements [hub.Encoder]. The terminal event is the end; AG-UI has no mark behind it.
func (e *encoder) Finish(*wire.Out) {}

// writers are the methods of the encoder, by the kind of event that they write.
var writers = hub.Writers[*encoder]{
	hub.RunStart: (*encoder).runStart, hub.RunEnd: (*encoder).runEnd,
	hub.StepStart: (*encoder).stepStart, hub.StepEnd: (*encoder).stepEnd,
	hub.AgentStart: (*encoder).agentStart, hub.AgentEnd: (*encoder).agentEnd,
	hub.TextStart: (*encoder).textStart, hub.TextDelta: (*encoder).textDelta, hub.TextEnd: (*encoder).textEnd,
	hub.ToolStart: (*encoder).toolStart, hub.ToolArgs: (*encoder).toolArgs, hub.ToolReady: (*encoder).toolReady,
	hub.ToolUpdate: (*encoder).toolUpdate, hub.ToolOutput: (*encoder).extension, hub.ToolEnd: (*encoder).toolEnd,
	hub.Ask: hub.Silent((*encoder).ask), hub.Answer: (*encoder).answer,
	hub.Plan: (*encoder).plan, hub.Usage: (*encoder).addUsage, hub.Notice: (*encoder).extension,
	hub.Source: (*encoder).extension, hub.File: (*encoder).extension, hub.Data: (*encoder).data, hub.Raw: (*encoder).raw,
}

// Encode implements [hub.Encoder].
func (e *encoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	return writers.Write(e, out, ev)
}

// extension writes a kind that AG-UI has no event for, as a CUSTOM event with a name of ours.
func (e *encoder) extension(out *wire.Out, ev *hub.Event) hub.Disposition {
	which := ownKinds[ev.Kind]
	if which == 0 {
		return hub.Dropped
	}
	b := append(append(member.Begin(out, ""), `{"type":"CUSTOM","name":"`+ownPrefix...), ev.Kind.String()...)
	b = append(b, `","value":`...)
	b = eventjson.Close(appendMembers(b, ev, which), len(b))
	member.End(out, e.close(b, ev, 0))
	return hub.Extension
}

// close appends the members that all events have in common, and ends the event. own are those members of ev that go
// under metadata.sabir.
func (e *encoder) close(dst []byte, ev *hub.Event, own eventjson.Set) []byte {
	dst = e.closeUntagged(dst, ev, own)
	if len(ev.SubAgent) == 0 || e.flat {
		return dst
	}
	dst = e.ids.appendSubAgent(append(dst[:len(dst)-1], `,"subagentRunId":"`...), ev.SubAgent)
	return append(dst, `"}`...)
}

// closeUntagged is close for events that say nothing of a sub-agent.
func (e *encoder) closeUntagged(dst []byte, ev *hub.Event, own eventjson.Set) []byte {
	m := ev.Rare()
	if m.Time > 0 {
		dst = e.times.Append(dst, `,"timestamp":`, m.Time)
	}
	if own != 0 || len(m.Meta) > 0 {
		dst = appendMetadata(dst, ev, own)
	}
	return append(dst, '}')
}

// appendMetadata appends the metadata of ev: what it has of own under a key of ours, and its Meta.
func appendMetadata(dst []byte, ev *hub.Event, own eventjson.Set) []byte {
	const head, ownHead = `,"metadata":`, `,"` + ownKey + `":`
	dst = append(dst, head...)
	from := len(dst)
	if own != 0 {
		dst = append(dst, ownHead...)
		members := len(dst)
		if dst = appendMembers(dst, ev, own); len(dst) > members {
			dst = eventjson.Close(dst, members)
		} else {
			dst = dst[:from]
		}
	}
	dst = appendForeign(dst, ev.Rare().Meta)
	if len(dst) == from {
		return dst[:from-len(head)]
	}
	return eventjson.Close(dst, from)
}

// subAgent is the sub-agent that the client sees ev in.
func (e *encoder) subAgent(ev *hub.Event) string {
	if e.flat {
		return ""
	}
	return string(ev.SubAgent)
}

// part is an open text or reasoning part.
type part struct {
	wire []byte // on the wire
	span []byte // of a reasoning part, on the wire
	head []byte // its content event up to the text

	speaks bool // the agent speaks for itself: calls before it are not left to the client
}

// addPart opens a part, in a slot that keeps its memory.
func (e *encoder) addPart(slot hub.Slot) *part {
	p := e.parts.Add(slot)
	*p = part{wire: p.wire[:0], span: p.span[:0], head: p.head[:0]}
	return p
}
