package langgraph

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// usage is what the current message has used so far. Its pieces count each for itself, and readers add them
// up; so it is reported when no more can come.
type usage struct {
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
		*u = usage{open: true, id: append(u.id[:0], m.id...), counts: hub.NoCounts, known: k, model: u.model[:0]}
	}
	u.model = append(u.model[:0], modelOf(m)...)
	readUsage(m.usage, func(count *int64, n int64) { *count = max(*count, 0) + n }, &u.counts)
}

func modelOf(m *fields) []byte { return first(m.response, "model_name", "model") }

// readUsage reads usage_metadata, whose input includes cached tokens and whose output includes reasoning.
func readUsage(v rawjson.Value, set func(*int64, int64), c *hub.Counts) {
	in, out := rawjson.Get(v, "input_token_details"), rawjson.Get(v, "output_token_details")
	for _, count := range [...]struct {
		to   *int64
		from rawjson.Value
	}{
		{&c.In, rawjson.Get(v, "input_tokens")}, {&c.Out, rawjson.Get(v, "output_tokens")}, {&c.Total, rawjson.Get(v, "total_tokens")},
		{&c.Cached, rawjson.Get(in, "cache_read")}, {&c.CacheWrite, rawjson.Get(in, "cache_creation")},
		{&c.ReasoningTokens, rawjson.Get(out, "reasoning")},
	} {
		if n, ok := rawjson.Int(count.from); ok && n >= 0 {
			set(count.to, n)
		}
	}
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
	if len(u.model) > 0 {
		ev.More.Model = u.model
	}
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
	readUsage(m.usage, func(count *int64, n int64) { *count = n }, &ev.More.Usage)
	if model := modelOf(m); len(model) > 0 {
		ev.More.Model = model
	}
	return dst
}

// elsewhere reports whether a message is another than the one whose usage is being counted.
func (d *decoder) elsewhere(m *fields) bool { return d.usage.open && !bytes.Equal(d.usage.id, m.id) }
