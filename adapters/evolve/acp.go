package evolve

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// The Agent Client Protocol has the same updates as this dialect and some more. Those that say something canonical are
// decoded, those of a session's state are data, the rest stays raw.

// rareUpdate decodes the kinds of update that are not in the first versions of the SDK.
func (d *decoder) rareUpdate(dst []hub.Event, kind string) ([]hub.Event, error) {
	u := d.rawUpdate()
	switch kind {
	case "usage":
		return d.usage(dst, u)
	case "usage_update":
		return d.contextUsage(dst, u), nil
	case "notice":
		return d.notice(dst, u), nil
	case "plan_update":
		return d.planUpdate(dst, u)
	case "available_commands_update", "current_mode_update", "config_option_update", "session_info_update":
		return d.put(dst, hub.Event{Kind: hub.Data, Name: []byte(kind), Op: hub.Set, Value: u}), nil
	case dataUpdate:
		return d.extension(dst, u), nil
	}
	return d.raw(dst), nil
}

// usage decodes the accounting of newer versions of the SDK. promptTokens includes what was cached.
func (d *decoder) usage(dst []hub.Event, u rawjson.Value) ([]hub.Event, error) {
	counts := rawjson.Get(u, "usage")
	if rawjson.Kind(counts) != '{' {
		return dst, d.fault(hub.ReasonMissing, "usage", "want an object")
	}
	dst, ev := d.add(dst, hub.Event{Kind: hub.Usage, Scope: hub.StepScope})
	if string(rawjson.Text(u, "scope")) == "run" {
		ev.Scope = hub.RunScope
	}
	c, extra := &d.scratch.MoreOf(ev).Usage, rawjson.Get(counts, "extra")
	c.In, c.Out, c.Cached = acpwire.Count(counts, "promptTokens"), acpwire.Count(counts, "completionTokens"), acpwire.Count(counts, "cachedTokens")
	c.Total, c.ReasoningTokens = acpwire.Count(extra, "total_tokens"), acpwire.Count(extra, "reasoning_output_tokens")
	c.CacheWrite = max(acpwire.Count(extra, "cache_creation_input_tokens"), acpwire.Count(extra, "cache_write_input_tokens"))
	if cost := rawjson.Get(counts, "costUsd"); rawjson.Kind(cost) == '0' {
		c.Cost, c.Currency = cost, []byte("USD")
	}
	return dst, nil
}

// contextUsage decodes usage_update of ACP: how full the context is, and what the session has cost.
func (d *decoder) contextUsage(dst []hub.Event, u rawjson.Value) []hub.Event {
	dst, ev := d.add(dst, hub.Event{Kind: hub.Usage, Scope: hub.SessionScope})
	acpwire.ReadContextUsage(&d.scratch.MoreOf(ev).Usage, u)
	return dst
}

// promptUsage decodes the totals of a turn, which some agents put into the response that ends it.
func (d *decoder) promptUsage(dst []hub.Event, u rawjson.Value) []hub.Event {
	if rawjson.Kind(u) != '{' {
		return dst
	}
	dst, ev := d.add(dst, hub.Event{Kind: hub.Usage, Scope: hub.RunScope})
	c := &d.scratch.MoreOf(ev).Usage
	c.In, c.Out, c.Total = acpwire.Count(u, "inputTokens"), acpwire.Count(u, "outputTokens"), acpwire.Count(u, "totalTokens")
	c.Cached, c.CacheWrite = acpwire.Count(u, "cachedReadTokens"), acpwire.Count(u, "cachedWriteTokens")
	c.ReasoningTokens = acpwire.Count(u, "thoughtTokens")
	return dst
}

func (d *decoder) notice(dst []hub.Event, u rawjson.Value) []hub.Event {
	dst, ev := d.add(dst, hub.Event{Kind: hub.Notice})
	acpwire.ReadNotice(ev, u)
	return dst
}

// planUpdate decodes the plans with ids of ACP's drafts. Plans that are no list of items stay raw.
func (d *decoder) planUpdate(dst []hub.Event, u rawjson.Value) ([]hub.Event, error) {
	entries := rawjson.Get(u, "plan", "entries")
	if entries == nil {
		return d.raw(dst), nil
	}
	return d.plan(dst, entries, rawjson.Text(u, "plan", "planId"))
}

// extension decodes what the encoder writes for data that this dialect has no update for.
func (d *decoder) extension(dst []hub.Event, u rawjson.Value) []hub.Event {
	dst, ev := d.add(dst, hub.Event{Kind: hub.Data, Op: hub.Emit, Name: rawjson.Text(u, "name"), ID: rawjson.Text(u, "id")})
	if op, ok := hub.ParseOp(rawjson.Text(u, "op")); ok {
		ev.Op = op
	}
	ev.Value = rawjson.OrNull(rawjson.Get(u, "value"))
	return dst
}
