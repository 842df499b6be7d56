package agui

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/eventjson"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// usage is one entry of the terminal event.
type usage struct{ provider, model, entry []byte }

// maxUsage bounds the entries; a run does not use more models than that.
const maxUsage = 64

// addUsage keeps the totals of the run for its terminal event. Other totals, and what AG-UI does not count, go out in
// a form of ours at once.
func (e *encoder) addUsage(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.Scope != hub.RunScope || ev.More == nil {
		return e.extension(out, ev)
	}
	c := &ev.More.Usage
	entry := appendEntry(nil, ev.More)
	if len(entry) == 0 || len(c.Cost) > 0 || c.ContextUsed >= 0 || c.ContextSize >= 0 {
		e.extension(out, ev)
	}
	if len(entry) == 0 {
		return hub.Extension
	}
	u := usage{bytes.Clone(c.Provider), bytes.Clone(ev.More.Model), entry}
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

// appendEntry appends the counts of one model; nothing if none is known.
func appendEntry(dst []byte, m *hub.More) []byte {
	start := len(dst)
	dst = member.AppendText(dst, `,"provider":"`, m.Usage.Provider)
	dst = member.AppendText(dst, `,"model":"`, m.Model)
	from := len(dst)
	for i := range usageMembers {
		if n := *usageMembers[i].of(&m.Usage); n >= 0 {
			dst = append(append(append(dst, `,"`...), usageMembers[i].name...), `":`...)
			dst = strconv.AppendInt(dst, n, 10)
		}
	}
	if len(dst) == from {
		return dst[:start]
	}
	return eventjson.Close(dst, start)
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
