package conversation

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/approval"
)

var kinds = map[hub.Chan]hub.PartKind{hub.AnswerText: hub.PartText, hub.Reasoning: hub.PartReasoning, hub.Refusal: hub.PartRefusal}

func (f *Folder) text(ev *hub.Event) {
	if ev.Kind == hub.TextStart {
		role := speaker(ev)
		p := hub.Part{Kind: kinds[ev.Chan], ID: f.own(ev.ID)}
		if role != hub.RoleSystem {
			p.Name = f.own(ev.Name)
		}
		note(&f.texts, string(ev.ID), f.part(ev, role, p))
		return
	}
	t, ok := f.texts[string(ev.ID)]
	if !ok {
		return
	}
	p := t.get()
	switch {
	case ev.Kind == hub.TextEnd:
		f.sign(p, ev)
		delete(f.texts, string(ev.ID))
	case ev.Op == hub.Replace:
		f.size -= len(p.Text)
		p.Text = f.own(ev.Text)
	default:
		f.size += len(ev.Text)
		p.Text = append(p.Text, ev.Text...)
	}
}

func (f *Folder) sign(p *hub.Part, ev *hub.Event) {
	if ev.More != nil && len(ev.More.Sig) > 0 {
		p.Sig = f.own(ev.More.Sig)
	}
}

func (f *Folder) tool(ev *hub.Event) {
	if ev.Kind == hub.ToolStart {
		note(&f.calls, string(ev.ID), f.call(ev))
		return
	}
	t, ok := f.calls[string(ev.ID)]
	if !ok {
		return
	}
	if ev.Kind == hub.ToolEnd {
		f.result(t, ev)
		delete(f.calls, string(ev.ID))
		return
	}
	if t.nowhere {
		return
	}
	p := t.get()
	f.sign(p, ev)
	if ev.Kind == hub.ToolReady && p.Value == nil && len(p.Text) == 0 {
		p.Value, p.Text = f.own(ev.Value), f.own(ev.Text)
	}
}

// call adds a call. One that an earlier stream opened is among the messages before.
func (f *Folder) call(ev *hub.Event) target {
	if !ev.Flags.Has(hub.Resumed) {
		p := hub.Part{Kind: hub.PartCall, ID: f.own(ev.ID), Name: f.own(ev.Name), ClientRuns: ev.Flags.Has(hub.ClientRuns)}
		f.sign(&p, ev)
		return f.part(ev, hub.RoleAgent, p)
	}
	if at, ok := f.agent.find(ev.ID); ok {
		return target{lane: &f.agent, at: at}
	}
	t := target{nowhere: true}
	if !ev.Flags.Has(hub.Synthetic) {
		t.name = f.own(ev.Name)
	}
	return t
}

// result gives a call what came of it, if that is known by now.
func (f *Folder) result(t target, ev *hub.Event) {
	r := f.resultOf(ev)
	if r == nil {
		if ev.Status == hub.StatusAborted && !t.nowhere && t.isNew() {
			t.get().ClientRuns = false // its arguments may be incomplete: it must not run
		}
		return
	}
	f.size += overhead
	if t.nowhere {
		f.agent.Result(f.own(ev.ID), t.name, *r)
		return
	}
	p := t.get()
	p.Result = r
	if a := p.Approval; a != nil && !a.Decided {
		a.Decided, a.Approved = true, r.Status != hub.StatusDenied // else it would not have run
	}
}

func (f *Folder) resultOf(ev *hub.Event) *hub.CallResult {
	r := &hub.CallResult{Status: hub.StatusOK, Text: f.own(ev.Text), Value: f.own(ev.Value)}
	if ev.More != nil {
		r.Content, r.Err = f.own(ev.More.Content), f.own(ev.More.Err)
	}
	says := len(r.Text) > 0 || r.Value != nil || r.Content != nil || len(r.Err) > 0
	switch ev.Status {
	case hub.StatusClient, hub.StatusPaused:
		return nil
	case hub.StatusAborted:
		if !says {
			return nil
		}
		r.Status = hub.StatusError
	case hub.StatusError, hub.StatusDenied:
		r.Status = ev.Status
	case hub.StatusUnknown:
		if hub.Failed(ev) {
			r.Status = hub.StatusError
		}
	}
	return r
}

// ask notes a question, and of one whether a call may run the call. Other questions are about no call.
func (f *Folder) ask(ev *hub.Event) {
	f.run.Asks = append(f.run.Asks, ev.Clone())
	f.size += overhead + ev.Size()
	t, ok := f.calls[string(ev.Ref)]
	if ev.AskKind != hub.AskPermission || !ok || t.nowhere {
		return
	}
	f.size += overhead
	a := &hub.Approval{ID: f.own(ev.ID)}
	if ev.More != nil {
		a.Sig = f.own(ev.More.Sig)
	}
	t.get().Approval = a
	note(&f.asks, string(ev.ID), question{a, approval.Allowing(ev)})
}

// answer notes what was decided. An unanswered question is left as it is.
func (f *Folder) answer(ev *hub.Event) {
	f.run.Asks = slices.DeleteFunc(f.run.Asks, func(asked hub.Event) bool { return bytes.Equal(asked.ID, ev.ID) })
	q, ok := f.asks[string(ev.ID)]
	if !ok || ev.Status != hub.StatusChosen && ev.Status != hub.StatusCancelled {
		return
	}
	q.approval.Decided, q.approval.Approved, q.approval.Reason = true, approval.Approves(q.allow, ev), f.own(ev.Text)
}

func (f *Folder) file(ev *hub.Event) {
	p := hub.Part{Kind: hub.PartFile, ID: f.own(ev.ID), Title: f.own(ev.Title), Text: f.own(ev.Text), File: &hub.FileRef{}}
	if ev.Kind == hub.Source {
		p.Kind, p.Value = hub.PartSource, f.own(ev.Value)
	}
	if ev.More != nil {
		from := &ev.More.File
		p.File = &hub.FileRef{
			Media: f.own(from.Media), Name: f.own(from.Name), URL: f.own(from.URL), FileID: f.own(from.FileID), Base64: f.own(from.Base64),
		}
	}
	f.part(ev, speaker(ev), p)
}

// datum adds data that belong to the message. Data of one name and id are one part, which has the last value.
func (f *Folder) datum(ev *hub.Event) {
	if ev.Flags.Has(hub.Transient) || ev.Op != hub.Emit {
		return
	}
	key := string(ev.Name) + "\x00" + string(ev.ID)
	if t, ok := f.data[key]; ok && len(ev.ID) > 0 {
		p := t.get()
		f.size -= len(p.Value)
		p.Value = f.own(ev.Value)
		return
	}
	role := hub.RoleAgent
	if ev.Flags.Has(hub.User) {
		role = hub.RoleUser
	}
	note(&f.data, key, f.part(ev, role, hub.Part{Kind: hub.PartData, ID: f.own(ev.ID), Name: f.own(ev.Name), Value: f.own(ev.Value)}))
}
