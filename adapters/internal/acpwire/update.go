package acpwire

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// ReadEntries reads the entries of a plan into m.
func ReadEntries(m *hub.More, entries rawjson.Value) {
	for entry := range rawjson.Each(entries) {
		m.Items = append(m.Items, ReadEntry(entry))
	}
}

// ReadEntry reads an entry of a plan.
func ReadEntry(entry rawjson.Value) (item hub.PlanItem) {
	for key, val := range rawjson.EachField(entry) {
		body, _ := rawjson.Str(val)
		switch string(key) {
		case "content":
			item.Content = body
		case "status":
			item.Status = body
		case "priority":
			item.Priority = body
		}
	}
	return item
}

// Count reads a number of tokens; -1 is unknown.
func Count(v rawjson.Value, member string) int64 {
	if n, ok := rawjson.Int(rawjson.Get(v, member)); ok && n >= 0 {
		return n
	}
	return -1
}

// ReadContextUsage reads a usage_update: how full the context is, and what the session has cost.
func ReadContextUsage(c *hub.Counts, update rawjson.Value) {
	c.ContextUsed, c.ContextSize = Count(update, "used"), Count(update, "size")
	if amount := rawjson.Get(update, "cost", "amount"); rawjson.Kind(amount) == '0' {
		c.Cost = amount
		c.Currency, _ = rawjson.Str(rawjson.Get(update, "cost", "currency"))
	}
}

// ReadNotice reads a notice, a message to the user. The text is the description where there is one, and the title if not.
func ReadNotice(ev *hub.Event, update rawjson.Value) {
	ev.Level = hub.LevelInfo
	switch severity, _ := rawjson.Str(rawjson.Get(update, "severity")); string(severity) {
	case "warning":
		ev.Level = hub.LevelWarning
	case "error":
		ev.Level = hub.LevelError
	}
	ev.Text, _ = rawjson.Str(rawjson.Get(update, "title"))
	if more, _ := rawjson.Str(rawjson.Get(update, "description")); len(more) > 0 {
		ev.Title, ev.Text = ev.Text, more
	}
}
