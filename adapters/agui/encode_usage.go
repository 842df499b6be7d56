package agui

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// usageEntry is one entry of the terminal event.
type usageEntry struct{ provider, model, entry []byte }

// maxUsage bounds the entries; a run does not use more models than that.
const maxUsage = 64

// addUsage keeps the totals of the run for its terminal event. Other totals, and what AG-UI does not count, go out in
// a form of ours at once.
func (e *encoder) addUsage(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.Scope != hub.RunScope || ev.More == nil {
		return e.extension(out, ev)
	}
	c := &ev.More.Usage
	entry := entryOf(ev.More)
	if len(entry) == 0 || len(c.Cost) > 0 || c.ContextUsed >= 0 || c.ContextSize >= 0 {
		e.extension(out, ev)
	}
	if len(entry) == 0 {
		return hub.Extension
	}
	u := usageEntry{bytes.Clone(c.Provider), bytes.Clone(ev.More.Model), entry}
	for i := range e.usage {
		if old := &e.usage[i]; bytes.Equal(old.provider, u.provider) && bytes.Equal(old.model, u.model) {
			*old = u // totals, not increments
			return hub.Deferred
		}
	}
	if len(e.usage) == maxUsage {
		return hub.Dropped
	}
	e.usage = append(e.usage, u)
	return hub.Deferred
}

// entryOf is the entry of one model; nil if no count is known.
func entryOf(m *hub.More) []byte {
	w := jsonwriter.New(nil)
	w.Open('{')
	w.TextIf("provider", m.Usage.Provider)
	w.TextIf("model", m.Model)
	named := len(w.Buf)
	if w.Buf = usageMembers.Append(w.Buf, &m.Usage); len(w.Buf) == named {
		return nil
	}
	w.Close('}')
	return w.Buf
}

// appendUsage appends what the run used, if anyone said so.
func (e *encoder) appendUsage(dst []byte) []byte {
	if len(e.usage) == 0 {
		return dst
	}
	dst = append(dst, `,"usage":[`...)
	for i := range e.usage {
		dst = append(append(dst, e.usage[i].entry...), ',')
	}
	dst[len(dst)-1] = ']'
	return dst
}
