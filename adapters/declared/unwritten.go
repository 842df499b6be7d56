package declared

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// unwritten is the disposition of an event for which there is no rule: implied if other records say it, or if it says nothing that
// could be lost; deferred if it is part of what is written later; dropped otherwise.
func (e *encoder) unwritten(ev *hub.Event, flags hub.Flags) hub.Disposition {
	if flags.Has(hub.User) {
		return hub.Dropped
	}
	tells := func(k hub.Kind) bool { return e.tells(ev, flags, k) }
	switch ev.Kind {
	case hub.TextStart, hub.TextEnd:
		return ifWritten(tells(hub.TextDelta) && !fieldSig.isIn(ev), hub.Implied)
	case hub.ToolStart:
		return ifWritten(tells(hub.ToolReady) || tells(hub.ToolEnd), hub.Deferred)
	case hub.ToolArgs:
		return ifWritten(e.t.keepsArgs || tells(hub.ToolReady), hub.Deferred)
	case hub.ToolReady:
		return e.unwrittenReady(ev, tells)
	case hub.ToolEnd:
		return ifWritten(ev.Status == hub.StatusClient && tells(hub.ToolReady), hub.Implied) // the client knows what it runs
	case hub.ToolUpdate:
		news := kindInfos[hub.ToolUpdate].fields &^ setOf(fieldID, fieldName)
		return ifWritten(!says(ev, news), hub.Implied) // that a tool runs goes without saying
	case hub.RunStart:
		return ifWritten(!says(ev, kindInfos[hub.RunStart].carries), hub.Implied)
	case hub.RunEnd:
		return ifWritten(ev.Status == hub.StatusDone && !says(ev, kindInfos[hub.RunEnd].carries), hub.Implied)
	}
	return hub.Dropped
}

// ifWritten is the disposition of what is reported in another way.
func ifWritten(reported bool, disposition hub.Disposition) hub.Disposition {
	if reported {
		return disposition
	}
	return hub.Dropped
}

// samples are events of all kinds that say something.
var samples = func() (all [hub.NumKinds]hub.Event) {
	for k := range all {
		all[k] = defaults(hub.Kind(k))
		all[k].Text, all[k].Value = []byte("x"), []byte(`"x"`)
	}
	return all
}()

// tells reports whether an event of another kind about the same thing would be written.
func (e *encoder) tells(ev *hub.Event, flags hub.Flags, kind hub.Kind) bool {
	near := samples[kind]
	near.SubAgent, near.Chan, near.ID = ev.SubAgent, ev.Chan, ev.ID
	r, _ := e.t.pick(&near, flags)
	return r != nil && len(r.templates) > 0
}

func (e *encoder) unwrittenReady(ev *hub.Event, tells func(hub.Kind) bool) hub.Disposition {
	switch {
	case e.t.keepsArgs && len(ev.Value)+len(ev.Text) <= maxArgs:
		return hub.Deferred
	case tells(hub.ToolArgs), string(ev.Value) == "{}" && (tells(hub.ToolStart) || tells(hub.ToolEnd)):
		return hub.Implied
	}
	return hub.Dropped
}

// says reports whether ev holds something in one of the fields.
func says(ev *hub.Event, set fieldSet) bool {
	for f := fieldNone + 1; f < fieldCount; f++ {
		if set.has(f) && f.form() < formArgs && f.form() != formWord && f.isIn(ev) {
			return true
		}
	}
	return false
}
