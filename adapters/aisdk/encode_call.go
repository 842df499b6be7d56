package aisdk

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// call writes the members of a call: what it is, its state, and what the state has.
func (w *messageWriter) call(p *hub.Part) {
	id := w.calls.Take(p.ID, w.base+"-call")
	if p.Dynamic {
		w.Const("type", "dynamic-tool")
		w.Text("toolName", p.Name)
	} else {
		w.Text("type", append([]byte("tool-"), p.Name...))
	}
	w.Text("toolCallId", id)
	switch a := w.approvalOf(p, id); {
	case p.Result == nil:
		w.open(p, a)
	case p.Result.Status == hub.StatusDenied, p.Result.Status == hub.StatusOK && a != nil && a.Decided && !a.Approved:
		w.denied(p, a, id)
	default:
		w.result(p, a)
	}
}

// approvalOf is the approval of a call, with the answer that the request has for it.
func (w *messageWriter) approvalOf(p *hub.Part, id []byte) *hub.Approval {
	d := w.answers[p]
	if d == nil {
		return p.Approval
	}
	a := hub.Approval{ID: rawjson.First(d.Ask, id), Decided: true, Approved: d.Decided && d.Approved && !d.Cancelled, Reason: d.Reason}
	if p.Approval != nil {
		a.ID, a.Sig = rawjson.First(p.Approval.ID, a.ID), p.Approval.Sig
	}
	return &a
}

// open writes a call without a result.
func (w *messageWriter) open(p *hub.Part, a *hub.Approval) {
	switch {
	case a == nil || len(a.ID) == 0:
		w.losses.AddIf("messages.approval", a != nil)
		w.state("input-available", p)
	case a.Decided:
		w.state("approval-responded", p)
		w.approval(a)
	default:
		w.state("approval-requested", p)
		w.approval(a)
	}
}

func (w *messageWriter) state(name string, p *hub.Part) {
	w.Const("state", name)
	w.Key("input")
	switch {
	case p.Value != nil:
		w.Raw(p.Value)
	case len(p.Text) > 0:
		w.String(p.Text)
	default:
		w.Raw([]byte("{}"))
	}
}

// approval writes a question and its answer. A reason without an answer is refused.
func (w *messageWriter) approval(a *hub.Approval) {
	w.OpenAt("approval", '{')
	w.Text("id", a.ID)
	w.TextIf("signature", a.Sig)
	if a.Decided {
		w.Bool("approved", a.Approved)
		w.TextIf("reason", a.Reason)
	}
	w.Close('}')
}

// denied writes a call that was not allowed to run. Where the request tells of no question, there has been one of our own.
func (w *messageWriter) denied(p *hub.Part, a *hub.Approval, id []byte) {
	r := p.Result
	w.losses.AddIf("messages.result.content", r.Status == hub.StatusOK && (len(r.Text) > 0 || r.Value != nil))
	w.state("output-denied", p)
	no := hub.Approval{ID: id, Decided: true}
	if a != nil {
		no.ID, no.Sig, no.Reason = rawjson.First(a.ID, id), a.Sig, a.Reason
	}
	if ev := r.Event(); len(no.Reason) == 0 && r.Status == hub.StatusDenied {
		if no.Reason = toolresult.Text(&ev); string(no.Reason) == denied {
			no.Reason = nil
		}
	}
	w.approval(&no)
}

// result writes what came of a call that was run.
func (w *messageWriter) result(p *hub.Part, a *hub.Approval) {
	ev := p.Result.Event()
	w.losses.AddIf("messages.result.content", !conversation.OnlyText(p.Result.Content))
	if hub.Failed(&ev) {
		w.state("output-error", p)
		w.Text("errorText", rawjson.Or(toolresult.Text(&ev), "error"))
	} else {
		w.state("output-available", p)
		w.Key("output")
		w.output(&ev)
	}
	granted := a != nil && a.Decided && a.Approved && len(a.ID) > 0
	w.losses.AddIf("messages.approval", a != nil && !granted)
	if granted {
		w.approval(a)
	}
}

func (w *messageWriter) output(ev *hub.Event) {
	switch {
	case len(ev.Text) == 0 && ev.Value != nil:
		w.Raw(ev.Value)
	case ev.Text == nil && toolresult.Content(ev) == nil:
		w.Raw([]byte("null"))
	default:
		w.String(toolresult.Text(ev))
	}
}
