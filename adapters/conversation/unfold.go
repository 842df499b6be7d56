package conversation

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/approval"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
)

// Unfold appends what messages say as decoded events, for a sequencer: history, flagged so. Neither the start nor the end of a
// run is among them. The events alias the messages.
//
// Ids are made unique, as those of events have to be; those that are missing are made from the position. Each message of the
// agent's is a step. Calls that are made side by side begin before the first of them ends. Calls without a result end as
// handed to the client, or as paused. Text of the system is left out, for clients show all that they receive; so are raw parts.
func Unfold(dst []hub.Event, ms []hub.Message) []hub.Event {
	u := unfolder{events: dst}
	for i := range ms {
		u.message(ms, i)
	}
	sequencer.Number(u.events[len(dst):]) // for encoders that get them without a sequencer between
	return u.events
}

type unfolder struct {
	events             []hub.Event
	msgs, calls, parts IDs
	asks               IDs
	msg                []byte    // id of the message
	flags              hub.Flags // of its events
	parallel           []end     // of the calls that have begun
}

// end is the end of a call that has begun.
type end struct {
	id   []byte
	part *hub.Part
}

// mostParallel bounds the calls that are open at once, which sequencers do too.
const mostParallel = 100

func (u *unfolder) message(ms []hub.Message, i int) {
	m := &ms[i]
	switch m.Role {
	case hub.RoleUser:
		u.begin(ms, i, hub.User)
		u.saidAll(m)
	case hub.RoleAgent:
		u.begin(ms, i, 0)
		step := []byte("s" + strconv.Itoa(i+1))
		u.event(hub.StepStart, step)
		u.saidAll(m)
		u.event(hub.StepEnd, step)
	case hub.RoleResults:
		u.begin(ms, i, hub.Resumed)
		for j := range m.Parts {
			if p := &m.Parts[j]; p.Result != nil {
				u.result(p.ID, p)
			}
		}
	}
}

// begin sets the id of a message. That of a step is the same as that of the step before.
func (u *unfolder) begin(ms []hub.Message, i int, flags hub.Flags) {
	m := &ms[i]
	u.flags = hub.Replayed | flags
	if i > 0 && len(m.ID) > 0 && ms[i-1].Role == m.Role && bytes.Equal(ms[i-1].ID, m.ID) {
		return
	}
	id := m.ID
	if len(id) == 0 {
		id = []byte("m" + strconv.Itoa(i+1))
	}
	u.msg = u.msgs.Of(id)
}

// event appends an event of the message.
func (u *unfolder) event(kind hub.Kind, id []byte) *hub.Event {
	u.events = append(u.events, hub.Event{Kind: kind, ID: id, Msg: u.msg, Flags: u.flags})
	return &u.events[len(u.events)-1]
}

func (u *unfolder) saidAll(m *hub.Message) {
	for j := range m.Parts {
		p := &m.Parts[j]
		if p.Kind != hub.PartCall || len(u.parallel) == mostParallel {
			u.endCalls()
		}
		u.part(p)
	}
	u.endCalls()
}

func (u *unfolder) part(p *hub.Part) {
	switch p.Kind {
	case hub.PartText:
		u.text(p, hub.AnswerText)
	case hub.PartReasoning:
		u.text(p, hub.Reasoning)
	case hub.PartRefusal:
		u.text(p, hub.Refusal)
	case hub.PartCall:
		u.call(p)
	case hub.PartFile, hub.PartSource:
		u.file(p)
	case hub.PartData:
		ev := u.event(hub.Data, p.ID)
		ev.Name, ev.Op, ev.Value = p.Name, hub.Emit, p.Value
	}
}

// partID is the id of a part; it only has to be unique.
func (u *unfolder) partID(p *hub.Part) []byte {
	if len(p.ID) > 0 {
		return u.parts.Of(p.ID)
	}
	return u.parts.Of([]byte("p1"))
}

func (u *unfolder) text(p *hub.Part, ch hub.Chan) {
	id := u.partID(p)
	start := u.event(hub.TextStart, id)
	start.Chan, start.Name = ch, p.Name
	if len(p.Text) > 0 {
		delta := u.event(hub.TextDelta, id)
		delta.Chan, delta.Text = ch, p.Text
	}
	last := u.event(hub.TextEnd, id)
	if last.Chan = ch; len(p.Sig) > 0 {
		last.More = &hub.More{Sig: p.Sig}
	}
}

func (u *unfolder) file(p *hub.Part) {
	kind := hub.File
	if p.Kind == hub.PartSource {
		kind = hub.Source
	}
	ev := u.event(kind, p.ID)
	ev.Title, ev.Text, ev.Value = p.Title, p.Text, p.Value
	if p.File != nil {
		ev.More = &hub.More{File: *p.File}
	}
}

// call begins a call, up to the decision whether it may run.
func (u *unfolder) call(p *hub.Part) {
	id := u.calls.Of(p.ID)
	u.parallel = append(u.parallel, end{id, p})
	start := u.event(hub.ToolStart, id)
	start.Name = p.Name
	if p.ClientRuns {
		start.Flags |= hub.ClientRuns
	}
	if len(p.Sig) > 0 {
		start.More = &hub.More{Sig: p.Sig}
	}
	ready := u.event(hub.ToolReady, id)
	ready.Name, ready.Value = p.Name, p.Value
	if p.Value == nil && len(p.Text) > 0 {
		ready.Text, ready.Flags = p.Text, ready.Flags|hub.Invalid
	}
	if p.Approval != nil {
		u.approval(id, p)
	}
}

// Question is that whether a call may run, as far as the conversation has it.
func Question(p *hub.Part) hub.Event {
	return hub.Event{
		Kind: hub.Ask, ID: p.Approval.ID, Ref: p.ID, AskKind: hub.AskPermission, Title: p.Name,
		More: &hub.More{Sig: p.Approval.Sig, Options: approval.AppendOptions(nil)},
	}
}

func (u *unfolder) approval(call []byte, p *hub.Part) {
	a, asked := p.Approval, Question(p)
	if len(asked.ID) == 0 {
		asked.ID = call
	}
	id := u.asks.Of(asked.ID)
	ask := u.event(hub.Ask, id)
	ask.Ref, ask.AskKind, ask.Title, ask.More = call, asked.AskKind, asked.Title, asked.More
	if a.Decided {
		answer := u.event(hub.Answer, id)
		answer.Status, answer.Name, answer.Text = hub.StatusChosen, approval.Option(a.Approved), a.Reason
	}
}

// endCalls ends the calls that have begun, in their order.
func (u *unfolder) endCalls() {
	for _, e := range u.parallel {
		u.result(e.id, e.part)
	}
	u.parallel = u.parallel[:0]
}

func (u *unfolder) result(id []byte, p *hub.Part) {
	ev := u.event(hub.ToolEnd, id)
	ev.Name = p.Name
	switch r := p.Result; {
	case r != nil:
		ev.Status, ev.Text, ev.Value, ev.More = r.Status, r.Text, r.Value, &hub.More{Content: r.Content, Err: r.Err}
	case p.ClientRuns:
		ev.Status = hub.StatusClient
	default:
		ev.Status = hub.StatusPaused
	}
}
