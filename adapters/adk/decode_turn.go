package adk

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/genai"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// branch is an agent that works beside others, and the turn of the model that it is in. Agents without a branch, to which the
// root agent hands over, speak one after the other: they share the root.
type branch struct {
	id []byte // the branch, string body; nil for the root

	open    bool   // a turn has begun, with fragments
	turn    []byte // id of its first event
	author  []byte
	shared  bool     // events of the turn have the same id: servers before 2.0 give each its own
	emitted [2]bool  // fragments of text came, by channel
	last    hub.Chan // of the last fragment
	usage   []byte   // the last usageMetadata
	code    []byte   // id of the last code
}

// branch returns the branch of the record. A new one is opened.
func (d *decoder) branch(dst []hub.Event) ([]hub.Event, *branch) {
	name := d.body(mBranch)
	if len(name) == 0 {
		return dst, &d.root
	}
	if l := d.branches[string(name)]; l != nil {
		return dst, l
	}
	if len(d.branches) == maxBranches {
		return dst, &d.root
	}
	l := &branch{id: bytes.Clone(name)}
	dst = append(dst, hub.Event{Kind: hub.AgentStart, ID: l.id, SubAgent: d.around(name), Name: agentName(name)})
	d.branches[string(name)], d.order = l, append(d.order, l)
	return dst, l
}

// around is the innermost known branch that a branch lies in.
func (d *decoder) around(branch []byte) []byte {
	for {
		i := bytes.LastIndexByte(branch, '.')
		if i < 0 {
			return nil
		}
		branch = branch[:i]
		if l := d.branches[string(branch)]; l != nil {
			return l.id
		}
	}
}

// agentName is the name of the agent that a branch, as root.agent or root.agent@2, belongs to.
func agentName(branch []byte) []byte {
	name, _, _ := bytes.Cut(branch[bytes.LastIndexByte(branch, '.')+1:], []byte("@"))
	if len(name) == 0 {
		return branch
	}
	return name
}

// inTurn begins a turn, unless the record goes on with the one that is open.
func (d *decoder) inTurn(dst []hub.Event, l *branch) []hub.Event {
	id, author := d.body(mID), d.body(mAuthor)
	same := bytes.Equal(id, l.turn)
	if l.open && bytes.Equal(author, l.author) && (same || !l.shared) {
		l.shared = same
		return dst
	}
	dst = d.overcome(d.endTurn(dst, l, hub.StatusTruncated))
	l.open = true
	l.turn, l.author = append(l.turn[:0], id...), append(l.author[:0], author...)
	if len(id) == 0 {
		return dst
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.StepStart, ID: l.turn, Name: author, SubAgent: l.id})
	d.scratch.SetModel(ev, d.body(mModel))
	return dst
}

// endTurn ends the turn that is open.
func (d *decoder) endTurn(dst []hub.Event, l *branch, status hub.Status) []hub.Event {
	if !l.open {
		return dst
	}
	dst = d.stepUsage(dst, l)
	l.open, l.shared, l.emitted = false, false, [2]bool{}
	if len(l.turn) == 0 {
		return dst
	}
	return append(dst, hub.Event{Kind: hub.StepEnd, ID: d.scratch.Copy(l.turn), Status: status, SubAgent: l.id})
}

// noteUsage keeps the usage of the turn. Each event says the total so far.
func (l *branch) noteUsage(v rawjson.Value) {
	if rawjson.Kind(v) == '{' && len(v) <= maxKept {
		l.usage = append(l.usage[:0], v...)
	}
}

// stepUsage tells the usage of the turn.
func (d *decoder) stepUsage(dst []hub.Event, l *branch) []hub.Event {
	if len(l.usage) == 0 {
		return dst
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Usage, Scope: hub.StepScope, SubAgent: l.id, More: d.scratch.More()})
	if l.open {
		ev.Ref = d.scratch.Copy(l.turn)
	}
	ev.More.Model = d.body(mModel)
	genai.ReadCounts(&ev.More.Usage, l.usage)
	l.usage = l.usage[:0]
	return dst
}

// emitUsage tells the usage of turns that have no end.
func (d *decoder) emitUsage(dst []hub.Event) []hub.Event {
	clear(d.rec[:])
	dst = d.stepUsage(dst, &d.root)
	for _, l := range d.order {
		dst = d.stepUsage(dst, l)
	}
	return dst
}

// fragment appends what is new of a turn that goes on. Everything but text is only shown in advance: calls have other ids
// than those that are run in the end.
func (d *decoder) fragment(dst []hub.Event, l *branch, parts rawjson.Value) []hub.Event {
	dst = d.inTurn(dst, l)
	d.msg, d.speaker = l.turn, l
	l.noteUsage(d.rec[mUsage])
	for v := range rawjson.Each(parts) {
		p := genai.ReadPart(v)
		if p.Kind != genai.PartText {
			continue
		}
		l.emitted[p.Channel()], l.last = true, p.Channel()
		if text := rawjson.Body(p.Value); len(text) > 0 {
			var ev *hub.Event
			dst, ev = d.textEvent(dst, l, hub.TextDelta, p.Channel())
			ev.Text = text
		}
	}
	return dst
}

// textEvent appends an event of a text of the turn. Only where fragments came, the text has a name, by which the whole finds
// it.
func (d *decoder) textEvent(dst []hub.Event, l *branch, kind hub.Kind, channel hub.Chan) ([]hub.Event, *hub.Event) {
	dst, ev := hub.Add(dst, hub.Event{Kind: kind, Chan: channel, SubAgent: l.id, Msg: d.msg})
	switch {
	case d.isUser():
		ev.Flags = hub.User
	case l.emitted[channel]:
		ev.ID = l.turn
	}
	return dst, ev
}

// isUser reports whether the event is the user's own.
func (d *decoder) isUser() bool { return string(d.body(mAuthor)) == authorUser }

// whole appends the events of a record that is complete.
func (d *decoder) whole(dst []hub.Event, l *branch, parts rawjson.Value) ([]hub.Event, error) {
	l.noteUsage(d.rec[mUsage])
	reason, isTurn := d.body(mFinish), d.isTurn(l, parts)
	if d.msg = d.body(mID); isTurn {
		dst = d.inTurn(dst, l)
		d.msg = l.turn
	}
	dst, err := d.parts(dst, l, parts)
	status := hub.StatusDone
	if genai.Finished(d.rec[mFinish]) {
		status = genai.StatusOf(reason)
	}
	if isTurn = isTurn || len(reason) > 0; isTurn && l == &d.root {
		d.reason = append(d.reason[:0], reason[:min(len(reason), maxKept)]...)
	}
	if isTurn {
		dst = d.endTurn(dst, l, status)
	}
	if !l.open {
		dst = d.stepUsage(dst, l)
	}
	return dst, err
}

// isTurn reports whether parts are what a model has said: not results, nor questions of the framework, nor what comes without
// a text in the middle of a turn that has another id.
func (d *decoder) isTurn(l *branch, parts rawjson.Value) bool {
	if d.isUser() {
		return false
	}
	beside := l.open && (l.emitted[0] || l.emitted[1]) && !bytes.Equal(d.body(mID), l.turn)
	for v := range rawjson.Each(parts) {
		switch p := genai.ReadPart(v); p.Kind {
		case genai.PartText:
			return true
		case genai.PartInline, genai.PartFile, genai.PartCode:
			if !beside {
				return true
			}
		case genai.PartCall:
			if !beside && !isRequest(rawjson.Body(rawjson.Get(p.Value, "name"))) {
				return true
			}
		}
	}
	return false
}
