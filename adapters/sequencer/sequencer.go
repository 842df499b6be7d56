// Package sequencer normalizes the decoded events of one stream: it opens what was not opened, closes what was not closed,
// holds back what comes too early, and counts each repair. What leaves it keeps the invariants I1 to I15 (see [Sequencer]), so
// that encoders need no defensive code.
//
// sequencer.go has the invariants and the way of an event; slot.go the numbers of what is open, number.go those of streams that
// come from no sequencer; text.go, tool.go, step.go, subagent.go and ask.go one family of events each; hold.go what waits for the
// start of its call; memory.go what is remembered of ids; resume.go what the request tells of earlier streams; status.go the
// statuses of ends; repair.go the names of the repairs.
package sequencer

import (
	"errors"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
)

// A Sequencer turns the decoded events of a decoder into a normalized stream, on which encoders rely:
//
//	I1  RunStart is first, and only once.
//	I2  RunEnd is last, and only once; before it every part, tool, step and sub-agent has been ended, and every ask
//	    answered (but when the reason is StatusPaused).
//	I3  TextDelta and TextEnd only for a part that is open; part ids are never used again; no delta is empty.
//	I4  At most one open part per sub-agent and message; no part of a sub-agent is open when a tool starts in it.
//	I5  A tool's life is start, args*, ready, (update or output)*, end. An update may also come between start and
//	    ready. Nothing comes after the end; the name is never empty. A call that an earlier stream opened lives alike,
//	    from the moment that this stream first speaks of it: its start is flagged Resumed, and name and arguments are
//	    those that the request shows. Where its name is unknown, the start is flagged Synthetic too, the name is
//	    [UnknownTool], and the arguments are "{}". Encoders whose clients keep calls over streams write neither.
//	    A call that the client is to run, open where the run ends as done, is left to it: that run ends as tools.
//	I6  The fragments of a tool, joined, are the value of its ToolReady: at least one fragment, "{}" if the upstream
//	    gave none; valid JSON, or flagged Invalid.
//	I7  An ask with a tool comes after that tool's ready and before its end; an answer only to an open ask.
//	I8  An event of a sub-agent lies between its AgentStart and AgentEnd; parents outlive children; sub-agent ids are never used
//	    again. A sub-agent may outlive the tool that spawned it.
//	I9  Step ids are never used again.
//	I10 Every character of answer text appears exactly once, in upstream order within its sub-agent.
//	I11 Events of different tools, sub-agents and parts keep their upstream order; only held events move, and only later.
//	I12 Values, texts and ids are valid (decoders see to it).
//	I13 ToolEnd carries the whole result even if only partial outputs came, up to a limit.
//	I14 What the sequencer made up is flagged Synthetic; what it dropped or repaired is counted.
//	I15 What is open has a slot that nothing else has which is open, and all events about it carry it (see [hub.Slot]).
//
// Nothing is held back in a well-formed stream, but for a TextStart, which comes with the first character of its part.
// Events of a tool whose start has not come are held, for that tool only, within Bounds; and RunEnd is held for EndGrace.
// Memory is bounded too: "never again" means within the last Bounds.Known ids.
//
// Events returned are valid until the next call. A Sequencer is not safe for concurrent use. Times are durations since
// any fixed moment that the caller chooses.
type Sequencer struct {
	Repairs RepairCounts // since the last Reset

	cfg     Config
	now     time.Duration
	scratch hub.Scratch
	asked   *hub.Request // that the stream answers; nil: unknown

	started, ended bool
	pending        *hub.Event // RunEnd that waits for stragglers
	pendingSince   time.Duration
	replaying      bool // events that were held are going through

	slots     slots
	texts     textState
	tools     toolState
	subAgents subAgentState
	steps     stepState
	asks      askState
}

// Bounds limit what a sequencer keeps of one stream.
type Bounds struct {
	Events int           // held events
	Bytes  int           // held bytes
	Age    time.Duration // how long an event is held
	Args   int           // bytes of a tool's argument text; fragments beyond are dropped and the arguments invalid
	Result int           // bytes of a tool result collected from partial outputs
	Open   int           // parts, tools, sub-agents, steps and asks that are open at once, each; the oldest is then ended
	Known  int           // parts, tools, sub-agents, steps and their ids that are remembered, each; "never" means within these
}

// DefaultBounds are used where a bound is zero.
var DefaultBounds = Bounds{
	Events: 1024, Bytes: 1 << 20, Age: 2 * time.Second, Args: 64 << 20, Result: 1 << 20, Open: 512, Known: 16 << 10,
}

// minOpen is room for the deepest nesting of sub-agents and one more.
const minOpen = maxDepth + 2

// SequencerConfig is fixed for the life of a sequencer.
type Config struct {
	Bounds   Bounds
	EndGrace time.Duration // how long a RunEnd waits for stragglers
	Replace  bool          // the target can replace text that it has shown
	Correct  bool          // if not Replace: text that turns out otherwise is said again in a part of its own, not kept as shown
	// SealCalls says that the target has a place for signatures of reasoning only. Those of calls go there, see [signatures.Call].
	SealCalls bool
}

// NewSequencer makes a sequencer.
func New(cfg Config) *Sequencer {
	b := &cfg.Bounds
	b.Events = orDefault(b.Events, DefaultBounds.Events)
	b.Bytes = orDefault(b.Bytes, DefaultBounds.Bytes)
	b.Age = orDefault(b.Age, DefaultBounds.Age)
	b.Args = orDefault(b.Args, DefaultBounds.Args)
	b.Result = orDefault(b.Result, DefaultBounds.Result)
	b.Open = min(max(orDefault(b.Open, DefaultBounds.Open), minOpen), maxOpen)
	b.Known = max(orDefault(b.Known, DefaultBounds.Known), 2*b.Open)
	s := &Sequencer{cfg: cfg}
	s.Reset()
	return s
}

func orDefault[T int | time.Duration](v, fallback T) T {
	if v <= 0 {
		return fallback
	}
	return v
}

// Reset makes the sequencer ready for another stream.
func (s *Sequencer) Reset() {
	s.Repairs = RepairCounts{}
	s.started, s.ended, s.pending = false, false, nil
	s.asked = nil
	s.scratch.Reset()
	s.slots.reset()
	known := s.cfg.Bounds.Known
	s.texts.reset(known)
	s.tools.reset(known)
	s.subAgents.reset(known)
	s.steps.reset(known)
	s.asks.reset(known)
}

// Answer implements [Answerer]: the request tells which calls the client has, and which tools it runs. req is used until
// the next Reset.
func (s *Sequencer) Answer(req *hub.Request) { s.asked = req }

// Ended reports whether the RunEnd has been emitted.
func (s *Sequencer) Ended() bool { return s.ended }

// Ending reports whether the upstream has said that the run is over, even if its RunEnd is still kept back.
func (s *Sequencer) Ending() bool { return s.ended || s.pending != nil }

// Push appends the normalized form of in to dst.
func (s *Sequencer) Push(dst, in []hub.Event, now time.Duration) []hub.Event {
	s.scratch.Reset()
	s.now = now
	for i := range in {
		dst = s.push(dst, &in[i])
	}
	return s.expire(dst)
}

// Tick appends what has become due by the passing of time alone. Call it no later than Deadline says.
func (s *Sequencer) Tick(dst []hub.Event, now time.Duration) []hub.Event {
	s.scratch.Reset()
	s.now = now
	return s.expire(dst)
}

// Deadline says when Tick will have something to do; ok is false while nothing is held.
func (s *Sequencer) Deadline() (at time.Duration, ok bool) {
	if s.pending != nil {
		at, ok = s.pendingSince+s.cfg.EndGrace, true
	}
	if q := s.tools.oldest(); q != nil {
		if t := q.since + s.cfg.Bounds.Age; !ok || t < at {
			at, ok = t, true
		}
	}
	return at, ok
}

// Flush ends the stream: it appends all that is still owed, RunEnd included. cause is nil when the upstream closed
// the body in good order; a *Failure otherwise. After a RunEnd of the upstream's own the cause no longer matters.
func (s *Sequencer) Flush(dst []hub.Event, cause error) []hub.Event {
	s.scratch.Reset()
	switch {
	case s.ended:
		return dst
	case s.pending != nil:
		return s.finish(dst, s.pending)
	}
	end := s.failureEnd(cause)
	if !s.started {
		dst = s.startRun(dst)
	}
	return s.finish(dst, &end)
}

// failureEnd makes the RunEnd of a stream that has none of its own.
func (s *Sequencer) failureEnd(cause error) hub.Event {
	var f *hub.Failure
	if !errors.As(cause, &f) {
		f = hub.Fail(hub.CodeTruncated, cause)
		if cause != nil {
			f.Code = hub.CodeInternal
		}
	}
	if f.Reason() == hub.StatusTruncated {
		s.Repairs[TruncatedRun]++
	}
	return hub.FailureEnd(f, s.scratch.More())
}

func (s *Sequencer) push(dst []hub.Event, ev *hub.Event) []hub.Event {
	if s.ended {
		s.Repairs[afterEndRepair(ev.Kind)]++
		return dst
	}
	if !s.started && ev.Kind != hub.RunStart {
		dst = s.startRun(dst)
	}
	switch ev.Kind {
	case hub.TextDelta:
		return s.textDelta(dst, ev)
	case hub.TextStart:
		return s.textStart(dst, ev)
	case hub.TextEnd:
		return s.textEnd(dst, ev)
	case hub.ToolStart, hub.ToolArgs, hub.ToolReady, hub.ToolUpdate, hub.ToolOutput, hub.ToolEnd:
		ev = s.clientNamed(ev)
		if s.cfg.SealCalls && len(ev.Rare().Sig) > 0 {
			return s.signedCall(dst, ev)
		}
		return s.tool(dst, ev)
	case hub.AgentStart:
		return s.agentStart(dst, ev)
	case hub.AgentEnd:
		return s.agentEnd(dst, ev)
	case hub.StepStart:
		return s.stepStart(dst, ev)
	case hub.StepEnd:
		return s.stepEnd(dst, ev)
	case hub.Ask:
		return s.ask(dst, ev)
	case hub.Answer:
		return s.answer(dst, ev)
	case hub.RunStart:
		return s.runStart(dst, ev)
	case hub.RunEnd:
		return s.runEnd(dst, ev)
	}
	return s.plain(dst, ev)
}

// clientNamed is the event with the name that the client has for its tool, where the agent knows it by another.
func (s *Sequencer) clientNamed(ev *hub.Event) *hub.Event {
	if len(ev.Name) == 0 || s.asked == nil {
		return ev
	}
	name, ok := s.asked.Renamed[string(ev.Name)]
	if !ok {
		return ev
	}
	own := *ev
	own.Name = name
	return &own
}

// signedCall puts the signature of a call into reasoning in front of it.
func (s *Sequencer) signedCall(dst []hub.Event, ev *hub.Event) []hub.Event {
	seal := hub.Event{Kind: hub.TextEnd, Chan: hub.Reasoning, Msg: ev.Msg, SubAgent: ev.SubAgent, More: s.scratch.More()}
	seal.More.Sig = signatures.SealCall(ev.ID, ev.More.Sig)
	dst = s.textEnd(dst, &seal)
	own, more := *ev, *ev.More
	more.Sig, own.More = nil, &more
	if ev.Kind == hub.ToolUpdate && more.HasOnlyTime() && len(ev.Title)+len(ev.Text)+len(ev.Value) == 0 {
		return dst
	}
	return s.tool(dst, &own)
}

func afterEndRepair(k hub.Kind) Repair {
	if k == hub.RunEnd {
		return SecondEnd
	}
	return AfterEnd
}

// plain passes an event without state of its own, in its sub-agent.
func (s *Sequencer) plain(dst []hub.Event, ev *hub.Event) []hub.Event {
	dst, l := s.subAgent(dst, ev.SubAgent)
	dst = append(dst, *ev)
	out := &dst[len(dst)-1]
	l.place(out)
	out.Ref, out.RefSlot = s.normalizedRef(ev)
	return dst
}

// normalizedRef is the normalized id of what ev belongs to: a step for usage, a text part or tool for the others.
func (s *Sequencer) normalizedRef(ev *hub.Event) ([]byte, hub.Slot) {
	if len(ev.Ref) == 0 {
		return nil, 0
	}
	if ev.Kind == hub.Usage {
		return s.steps.normalizedID(ev.Ref), 0
	}
	named := hub.Event{ID: ev.Ref, SubAgent: ev.SubAgent}
	for ch := hub.AnswerText; ch <= hub.Refusal; ch++ {
		if p := s.texts.parts.get(s.texts.keyOf(uint8(ch)<<1, &named)); p != nil && p.shown {
			return p.normalized, p.slot
		}
	}
	return s.tools.normalizedRef(ev.Ref)
}

func (s *Sequencer) runStart(dst []hub.Event, ev *hub.Event) []hub.Event {
	if s.started {
		s.Repairs[SecondStart]++
		return dst
	}
	s.started = true
	dst = append(dst, *ev)
	(*subAgent)(nil).place(&dst[len(dst)-1])
	return dst
}

func (s *Sequencer) startRun(dst []hub.Event) []hub.Event {
	s.started = true
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.Flags = hub.RunStart, hub.Synthetic
	return dst
}

func (s *Sequencer) runEnd(dst []hub.Event, ev *hub.Event) []hub.Event {
	switch {
	case s.pending != nil:
		s.Repairs[SecondEnd]++
		return dst
	case s.cfg.EndGrace > 0:
		end := ev.Clone()
		s.pending, s.pendingSince = &end, s.now
		return dst
	}
	return s.finish(dst, ev)
}

// finish closes everything and appends end. Afterwards nothing more is said.
func (s *Sequencer) finish(dst []hub.Event, end *hub.Event) []hub.Event {
	reason := endReason(end.Status)
	dst = s.releaseAll(dst)
	dst = s.closeSubAgent(dst, nil, reason)
	if reason != hub.StatusPaused {
		dst = s.closeAsks(dst, func(*openAsk) bool { return true })
	}
	if reason == hub.StatusDone && s.tools.handed {
		reason = hub.StatusTools
	}
	dst = append(dst, *end)
	out := &dst[len(dst)-1]
	(*subAgent)(nil).place(out)
	out.Status = reason
	s.ended, s.pending = true, nil
	return dst
}

func (s *Sequencer) expire(dst []hub.Event) []hub.Event {
	for q := s.tools.oldest(); q != nil && s.overdue(q); q = s.tools.oldest() {
		dst = s.releaseLate(dst, q)
	}
	if s.pending != nil && s.now-s.pendingSince >= s.cfg.EndGrace {
		dst = s.finish(dst, s.pending)
	}
	return dst
}
