package pydantic

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/opened"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/plandedup"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Values of the options for writing.
const (
	reasoningMember = "thinking" // of reasoning
	reasoningTags   = "tags"
	reasoningDrop   = "drop"

	argsDetails = "details" // of arguments
	argsStream  = "stream"
	argsDrop    = "drop"

	subAgentParts   = "stream_part" // of lane_text
	subAgentMessage = "message"
	subAgentBoth    = "both"

	noticesErrors = "errors" // of notices
	noticesAll    = "all"
)

// encoder writes the chunks of the HTTP interface: message, citations, tool_calls, each in every chunk.
type encoder struct {
	reasoning    string
	arguments    string
	subAgentText string
	notices      string
	asString     bool // an entry is a string that holds its object
	repeat       bool // the last part repeats the whole text
	errorEvent   bool
	citeLast     bool

	textHead string // what precedes the text of a chunk
	toolHead string // what precedes its entry
	m        *members

	run, response, call, result, failure phase

	begun     bool // a chunk was written
	thought   bool // an element of reasoning is open in message
	cards     opened.Refs[card]
	subAgents opened.List[subAgent]
	planned   bool // a card shows the plan
	reported  plandedup.Filter
	sources   []byte // citations that wait for the end, with commas between them

	entry []byte // an entry that is to become a string
	plain []byte // a text that is being rendered
}

// The parts of a chunk around what differs; the members are spaced as servers do.
const (
	textTail = `", "citations": [], "tool_calls": []}`
	toolTail = `]}`
)

// failedText is the text of a failed run without a reason.
const failedText = "The agent reported an error."

func newEncoder(o hub.Options) *encoder {
	member := o.Enum("text_member")
	e := &encoder{
		reasoning:    o.Enum("reasoning"),
		arguments:    o.Enum("arguments"),
		subAgentText: o.Enum("lane_text"),
		notices:      o.Enum("notices"),
		asString:     o.Enum("tool_calls_encoding") == "string",
		repeat:       o.Enum("last_part") == "repeat",
		errorEvent:   o.Enum("failures") == typeError,
		citeLast:     o.Enum("citations") == "last",
		textHead:     `{"` + member + `": "`,
		toolHead:     `{"` + member + `": "", "citations": [], "tool_calls": [`,
		m:            &spaced,
		run:          newPhase(runMessages, o.Map("run_messages")),
		response:     newPhase(responseMessages, o.Map("response_messages")),
		call:         newPhase(callInfos, o.Map("call_infos")),
		result:       newPhase(resultInfos, o.Map("result_infos")),
		failure:      newPhase(failureMessages, o.Map("failure_messages")),
	}
	if e.asString {
		e.m = &compact // as servers write these
	}
	e.Reset()
	return e
}

// Reset keeps the options and some of the memory.
func (e *encoder) Reset() {
	e.begun, e.thought, e.planned, e.sources = false, false, false, nil
	e.cards.Reset()
	e.subAgents.Reset()
	e.reported.Reset()
}

// Finish appends nothing: the end of the body is the end of the run.
func (e *encoder) Finish(*wire.Out) {}

// Encode appends the chunks for ev.
func (e *encoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	return writers.Write(e, out, ev)
}

func (e *encoder) begin(out *wire.Out) []byte {
	e.begun = true
	return member.Begin(out, "")
}

// beginText starts a chunk, up to its text.
func (e *encoder) beginText(out *wire.Out) []byte { return append(e.begin(out), e.textHead...) }

// endText ends a chunk that holds nothing but text.
func (e *encoder) endText(out *wire.Out, chunk []byte) { member.End(out, append(chunk, textTail...)) }

// toolEvent writes an event of a tool call.
func (e *encoder) toolEvent(out *wire.Out, ev *hub.Event) hub.Disposition {
	disposition := e.tool(out, ev)
	if len(ev.SubAgent) > 0 && disposition == hub.Native {
		return hub.Folded // the call is there, but not whose it is
	}
	return disposition
}

func (e *encoder) runStart(_ *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.ID != nil || ev.Ref != nil || ev.Name != nil || ev.Value != nil {
		return hub.Dropped
	}
	return hub.Implied
}

// writers are the methods of the encoder, by the kind of event that they write.
var writers = hub.Writers[*encoder]{
	hub.RunStart: (*encoder).runStart, hub.RunEnd: (*encoder).runEnd,
	hub.AgentStart: (*encoder).agentStart, hub.AgentEnd: (*encoder).agentEnd,
	hub.TextStart: hub.Silent((*encoder).textStart), hub.TextDelta: (*encoder).textDelta, hub.TextEnd: (*encoder).textEnd,
	hub.ToolStart: (*encoder).toolEvent, hub.ToolArgs: (*encoder).toolEvent, hub.ToolReady: (*encoder).toolEvent,
	hub.ToolUpdate: (*encoder).toolEvent, hub.ToolOutput: (*encoder).toolOutput, hub.ToolEnd: (*encoder).toolEvent,
	hub.Ask:  func(e *encoder, out *wire.Out, ev *hub.Event) hub.Disposition { return e.aside(out, ev.Title) },
	hub.Plan: (*encoder).plan, hub.Notice: (*encoder).notice,
	hub.Source: (*encoder).source, hub.File: (*encoder).file, hub.Raw: (*encoder).raw,
}

// message writes a chunk with text.
func (e *encoder) message(out *wire.Out, body []byte) {
	e.endText(out, append(e.beginText(out), body...))
}

func (e *encoder) textStart(ev *hub.Event) hub.Disposition {
	if ev.Flags.Has(hub.User) || ev.Chan == hub.Reasoning && !e.showsThoughts(ev) {
		return hub.Dropped
	}
	return hub.Implied
}

// showsThoughts reports whether reasoning of the agent is written: that of a sub-agent only as tags have a place for it.
func (e *encoder) showsThoughts(ev *hub.Event) bool {
	return e.reasoning == reasoningTags || e.reasoning == reasoningMember && len(ev.SubAgent) == 0
}

func (e *encoder) textDelta(out *wire.Out, ev *hub.Event) hub.Disposition {
	switch {
	case ev.Flags.Has(hub.User), ev.Chan == hub.Reasoning && !e.showsThoughts(ev):
		return hub.Dropped
	case len(ev.SubAgent) > 0:
		return e.subAgentDelta(out, ev)
	case ev.Chan == hub.Reasoning && e.reasoning == reasoningMember:
		e.thinking(out, ev.Text)
		return hub.Native
	case ev.Chan == hub.Reasoning:
		e.tagged(out, ev.Text)
		return hub.Native
	}
	e.closeThought(out)
	e.message(out, ev.Text)
	return hub.FoldedIf(ev.Chan == hub.Refusal)
}

// thinking writes reasoning in the member that later servers have for it.
func (e *encoder) thinking(out *wire.Out, body []byte) {
	buf := append(e.beginText(out), `", "citations": [], "tool_calls": [], "thinking": "`...)
	member.End(out, append(append(buf, body...), `"}`...))
}

// tagged writes reasoning inside an element of the text, as these servers do it.
func (e *encoder) tagged(out *wire.Out, body []byte) {
	buf := e.beginText(out)
	if !e.thought {
		buf = append(buf, `<think>`...)
	}
	e.endText(out, append(buf, body...))
	e.thought = true
}

func (e *encoder) closeThought(out *wire.Out) {
	if e.thought {
		e.message(out, []byte(`</think>`))
		e.thought = false
	}
}

func (e *encoder) textEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	switch {
	case ev.Chan != hub.Reasoning:
		return hub.Implied
	case !e.showsThoughts(ev):
		return hub.Dropped
	case len(ev.SubAgent) > 0:
		e.closeSubAgentThought(out, e.subAgents.Find(ev.AgentSlot))
	default:
		e.closeThought(out)
	}
	if signatures.IsSigned(ev) {
		return hub.Dropped
	}
	return hub.Implied
}

// aside writes something for people that is no answer, in the way these servers tell of errors: as a paragraph of its own,
// in italics.
func (e *encoder) aside(out *wire.Out, body []byte) hub.Disposition {
	if len(body) == 0 {
		return hub.Dropped
	}
	e.closeThought(out)
	buf := append(append(e.beginText(out), `\n\n*`...), body...)
	e.endText(out, append(buf, `*\n\n`...))
	return hub.Folded
}

func (e *encoder) notice(out *wire.Out, ev *hub.Event) hub.Disposition {
	isError := ev.Level == hub.LevelWarning || ev.Level == hub.LevelError
	if e.notices == noticesAll || e.notices == noticesErrors && isError {
		return e.aside(out, ev.Text)
	}
	return hub.Dropped
}

// runEnd tells people of a failure: to programs, the body ends as it always does.
func (e *encoder) runEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.closeThought(out)
	disposition := e.finalText(out, ev)
	if len(e.sources) > 0 {
		e.cite(out, e.sources)
	}
	return disposition
}

// finalText tells people why the run ended, if it says so or failed. A good end without any output has the empty chunk that
// servers begin with: a body without a chunk is one that was cut.
func (e *encoder) finalText(out *wire.Out, ev *hub.Event) hub.Disposition {
	switch {
	case len(hub.Why(ev)) > 0:
		return e.aside(out, ev.More.Err)
	case ev.Status == hub.StatusFailed || ev.Status == hub.StatusTruncated:
		return e.aside(out, []byte(failedText))
	case ev.Status == hub.StatusCancelled:
		return hub.Dropped
	case phrases.Early(ev.Status) != "":
		return e.aside(out, []byte(phrases.Early(ev.Status)))
	case !e.begun && len(e.sources) == 0:
		e.message(out, nil)
	}
	if ev.Status == hub.StatusDone {
		return hub.Implied
	}
	return hub.Dropped
}

// source writes a citation: the name of a file, or what else names it.
func (e *encoder) source(out *wire.Out, ev *hub.Event) hub.Disposition {
	f := &ev.Rare().File
	named := rawjson.First(f.URL, f.Name, ev.Title, f.FileID)
	switch {
	case len(named) == 0:
		return hub.Dropped
	case !e.citeLast:
		e.plain = rawjson.AppendQuoted(e.plain[:0], named)
		e.cite(out, e.plain)
		return hub.FoldedIf(len(ev.Text) > 0 || ev.Value != nil)
	case len(e.sources)+len(named) > maxKept:
		return hub.Dropped
	case len(e.sources) > 0:
		e.sources = append(e.sources, ", "...)
	}
	e.sources = rawjson.AppendQuoted(e.sources, named)
	return hub.Deferred
}

// cite writes a chunk with citations, the elements of an array.
func (e *encoder) cite(out *wire.Out, list []byte) {
	buf := append(append(e.beginText(out), `", "citations": [`...), list...)
	member.End(out, append(buf, `], "tool_calls": []}`...))
}

// file shows a file that has an address as a link; texts are markdown.
func (e *encoder) file(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.Flags.Has(hub.User) || len(ev.Rare().File.URL) == 0 {
		return hub.Dropped
	}
	f := &ev.More.File
	e.closeThought(out)
	buf := append(e.beginText(out), `\n\n`...)
	if bytes.HasPrefix(f.Media, []byte("image/")) {
		buf = append(buf, '!')
	}
	buf = append(append(append(buf, '['), rawjson.First(ev.Title, f.Name)...), `](`...)
	e.endText(out, append(append(buf, f.URL...), `)\n\n`...))
	return hub.Folded
}

// raw writes back what our own decoder did not know.
func (e *encoder) raw(out *wire.Out, ev *hub.Event) hub.Disposition {
	if string(ev.Name) != name || ev.Value == nil {
		return hub.Dropped
	}
	member.End(out, append(e.begin(out), ev.Value...))
	return hub.Native
}
