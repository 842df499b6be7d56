package conversation

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/usage"
)

// Fold adds what was said in a run to the messages before it, which are left as they are. The events are normalized ones; see
// [Folder].
func Fold(before []hub.Message, run []hub.Event) []hub.Message {
	f := NewFolder(before)
	for i := range run {
		f.Add(&run[i])
	}
	return f.Messages()
}

// Folder puts the normalized events of one run together as messages: the texts of the agent, its calls with their results and
// the questions whether they may run, files, sources and data. It copies what it keeps.
//
// A message begins where the upstream names another, where a step begins, behind results, and where the speaker changes.
// Without ids of messages, those of the agent's have that of the run: they are its steps.
//
// Results and answers go to calls of earlier runs, too. A result whose call is nowhere is in a message of role Results.
// Calls that the client is to run, and those whose result comes in a later run, stay open; so do those that were broken off,
// which the client may not run any more.
//
// What sub-agents say is left out: it is for the agent. Of their calls those are kept that the client must run, or was asked
// about, and their files and sources, which are for the user; their answers are kept where the agent has none of its own. They
// stand at the end.
//
// History that the run repeats is left out where there are messages before it, since those are what it repeats. Plans, notices,
// usage, raw records, transient data and shared state are no messages. Metadata are left out, too: those of streams have not the
// form of those of messages.
type Folder struct {
	agent, inner lane // of the root agent, and of all sub-agents
	run          hub.Run
	used         usage.Run
	texts, calls map[string]target
	asks         map[string]question
	data         map[string]target // by name and id
	size         int
}

// target is where a part stands that further events speak of.
type target struct {
	lane    *lane
	at      place
	nowhere bool // the call of an earlier run is not known
	name    []byte
}

func (t target) get() *hub.Part { return t.lane.part(t.at) }

// isNew reports whether it is not among the messages before.
func (t target) isNew() bool { return t.at.message >= t.lane.past }

// question is one about a call that may be answered.
type question struct {
	approval *hub.Approval
	allow    [][]byte
}

// NewFolder returns a folder of a run that follows these messages.
func NewFolder(before []hub.Message) *Folder {
	f := &Folder{run: hub.Run{Usage: hub.NoCounts}}
	f.agent.past = len(before)
	for i := range before {
		m := before[i]
		m.Parts = append([]hub.Part(nil), m.Parts...)
		f.agent.Messages = append(f.agent.Messages, m)
		f.remember(i)
	}
	return f
}

// keptSize is up to what size of a run a folder keeps its memory in a Reset.
const keptSize = 32 << 10

// Reset makes the folder that of another run, which follows no messages. What has come of the run before is not valid any more.
func (f *Folder) Reset() {
	if f.size > keptSize {
		*f = *NewFolder(nil)
		return
	}
	f.agent.reset()
	f.inner.reset()
	clear(f.texts)
	clear(f.calls)
	clear(f.asks)
	clear(f.data)
	*f = Folder{
		agent: f.agent, inner: f.inner, run: hub.Run{Usage: hub.NoCounts}, texts: f.texts, calls: f.calls, asks: f.asks, data: f.data,
	}
}

// note puts a value under a key. Most runs need few of a folder's maps, so that each is made when it is.
func note[T any](m *map[string]T, key string, value T) {
	if *m == nil {
		*m = map[string]T{}
	}
	(*m)[key] = value
}

// remember notes the calls of a message of before, and what was asked about them.
func (f *Folder) remember(message int) {
	m := &f.agent.Messages[message]
	for j := range m.Parts {
		p := &m.Parts[j]
		if p.Kind != hub.PartCall || m.Role == hub.RoleResults {
			continue
		}
		f.agent.noteAt(p.ID, place{message, j})
		if p.Approval != nil {
			own := *p.Approval
			p.Approval = &own
			note(&f.asks, string(own.ID), question{approval: &own})
		}
	}
}

// Size is about how many bytes the folder keeps of the run.
func (f *Folder) Size() int { return f.size }

// overhead is what an entry costs beside its bytes, about.
const overhead = 256

// own copies bytes of an event and counts them.
func (f *Folder) own(b []byte) []byte {
	f.size += len(b)
	return bytes.Clone(b)
}

// Messages are those of before and of the run. They are valid until the next event.
func (f *Folder) Messages() []hub.Message {
	return append(f.agent.Messages[:len(f.agent.Messages):len(f.agent.Messages)], f.fromSubAgents()...)
}

// Said is likewise without what sub-agents say.
func (f *Folder) Said() []hub.Message { return f.agent.Messages }

// Run is what has come of the run so far. It is valid until the next event.
func (f *Folder) Run() hub.Run {
	run := f.run
	run.Messages = f.Messages()[f.agent.past:]
	run.Usage = f.used.Sum()
	return run
}

// Add adds the next event.
func (f *Folder) Add(ev *hub.Event) {
	if ev.Flags.Has(hub.Replayed) && f.agent.past > 0 {
		return
	}
	switch ev.Kind {
	case hub.RunStart:
		f.start(ev)
	case hub.RunEnd:
		f.end(ev)
	case hub.StepStart:
		f.lane(ev).step = true
		f.model(ev)
	case hub.Usage:
		f.used.Add(ev)
		f.model(ev)
	case hub.TextStart, hub.TextDelta, hub.TextEnd:
		f.text(ev)
	case hub.ToolStart, hub.ToolReady, hub.ToolUpdate, hub.ToolEnd:
		f.tool(ev)
	case hub.Ask:
		f.ask(ev)
	case hub.Answer:
		f.answer(ev)
	case hub.Source, hub.File:
		f.file(ev)
	case hub.Data:
		f.datum(ev)
	}
}

func (f *Folder) lane(ev *hub.Event) *lane {
	if len(ev.SubAgent) > 0 {
		return &f.inner
	}
	return &f.agent
}

func (f *Folder) start(ev *hub.Event) {
	f.run.ID, f.run.Thread = f.own(ev.ID), f.own(ev.Ref)
	f.agent.run, f.inner.run = f.run.ID, f.run.ID
	if ev.More != nil {
		f.run.Time = ev.More.Time
	}
	f.model(ev)
}

// model learns the model from the first event that names one.
func (f *Folder) model(ev *hub.Event) {
	if len(f.run.Model) == 0 {
		f.run.Model = f.own(ev.AgentModel())
	}
}

func (f *Folder) end(ev *hub.Event) {
	f.run.Ended, f.run.Status, f.run.Reason = true, ev.Status, f.own(ev.Name)
	if ev.More != nil {
		f.run.Err, f.run.ErrCode, f.run.Meta = f.own(ev.More.Err), f.own(ev.More.ErrCode), f.own(ev.More.Meta)
	}
	f.model(ev)
}

// speaker is whose part an event begins.
func speaker(ev *hub.Event) hub.Role {
	switch {
	case ev.Flags.Has(hub.User):
		return hub.RoleUser
	case ev.Instructs():
		return hub.RoleSystem
	}
	return hub.RoleAgent
}

// part adds a part, in the message of the event.
func (f *Folder) part(ev *hub.Event, role hub.Role, p hub.Part) target {
	f.size += overhead
	l := f.lane(ev)
	return target{lane: l, at: l.add(role, ev.Msg, p)}
}

// fromSubAgents are the messages of sub-agents that the client needs.
func (f *Folder) fromSubAgents() (kept []hub.Message) {
	answered := says(f.agent.Messages[f.agent.past:])
	for _, m := range f.inner.Messages {
		var parts []hub.Part
		for i := range m.Parts {
			p := &m.Parts[i]
			text := p.Kind == hub.PartText || p.Kind == hub.PartRefusal
			shown := p.Kind == hub.PartSource || p.Kind == hub.PartFile
			waits := p.Kind == hub.PartCall && p.Result == nil && (p.ClientRuns || p.Approval != nil)
			if waits || m.Role == hub.RoleAgent && (shown || text && !answered) {
				parts = append(parts, *p)
			}
		}
		if m.Parts = parts; len(parts) > 0 {
			kept = append(kept, m)
		}
	}
	return kept
}

// says reports whether the agent says something in messages.
func says(ms []hub.Message) bool {
	for i := range ms {
		for j := range ms[i].Parts {
			if k := ms[i].Parts[j].Kind; ms[i].Role == hub.RoleAgent && (k == hub.PartText || k == hub.PartRefusal) {
				return true
			}
		}
	}
	return false
}
