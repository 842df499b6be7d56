package langgraph

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/usage"
)

// messageUsage is what the current message has used so far. Its pieces count each for itself, and readers add them
// up; so it is reported when no more can come.
type messageUsage struct {
	open   bool
	id     []byte
	counts hub.Counts
	known  *message
	model  []byte
}

// addUsage adds the counts of a piece. The message so far has them all, once.
func (d *decoder) addUsage(m *fields, k *message) {
	u := &d.usage
	if rawjson.Kind(m.usage) != '{' || k.counted {
		return
	}
	if !u.open || u.known != k || d.source == sourcePartial {
		*u = messageUsage{open: true, id: append(u.id[:0], m.id...), counts: hub.NoCounts, known: k, model: u.model[:0]}
	}
	u.model = append(u.model[:0], modelOf(m)...)
	piece := hub.NoCounts
	counts.Read(&piece, m.usage)
	u.counts.Add(&piece)
}

func modelOf(m *fields) []byte { return first(m.response, "model_name", "model") }

// counts are those of usage_metadata, whose input includes cached tokens and whose output includes reasoning.
var counts = usage.Fields{
	usage.At(usage.In, "input_tokens"), usage.At(usage.Out, "output_tokens"), usage.At(usage.Total, "total_tokens"),
	usage.At(usage.Cached, "input_token_details.cache_read"), usage.At(usage.CacheWrite, "input_token_details.cache_creation"),
	usage.At(usage.Reasoning, "output_token_details.reasoning"),
}

// emitUsage tells what was counted.
func (d *decoder) emitUsage(dst []hub.Event) []hub.Event {
	u := &d.usage
	if !u.open {
		return dst
	}
	u.open = false
	u.known.counted = true
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.Scope, ev.SubAgent, ev.Msg, ev.More = hub.Usage, hub.StepScope, u.known.subAgent.id, u.id, d.scratch.More()
	ev.More.Usage = u.counts
	d.scratch.SetModel(ev, u.model)
	return dst
}

// wholeUsage reports the usage of a message that came whole, unless its pieces did.
func (d *decoder) wholeUsage(dst []hub.Event, m *fields, k *message) []hub.Event {
	if k.counted || rawjson.Kind(m.usage) != '{' {
		return dst
	}
	k.counted = true
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.Scope, ev.SubAgent, ev.Msg, ev.More = hub.Usage, hub.StepScope, k.subAgent.id, m.id, d.scratch.More()
	counts.Read(&ev.More.Usage, m.usage)
	d.scratch.SetModel(ev, modelOf(m))
	return dst
}

// elsewhere reports whether a message is another than the one whose usage is being counted.
func (d *decoder) elsewhere(m *fields) bool { return d.usage.open && !bytes.Equal(d.usage.id, m.id) }
