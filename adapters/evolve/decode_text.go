package evolve

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// chunk decodes the three kinds of *_chunk: a text is a delta, an image is whole.
func (d *decoder) chunk(dst []hub.Event, u *update, ch hub.Chan, role hub.Flags) ([]hub.Event, error) {
	if id, ok := rawjson.Str(u.MessageID); ok {
		d.from.msg = id
	}
	var b acpwire.Block
	switch rawjson.Kind(u.Content) {
	case '{':
		b = acpwire.ReadBlock(u.Content)
	case '"':
		b.Kind, b.Text = []byte("text"), rawjson.Body(u.Content)
	case 0, 'n':
		return dst, d.fault(hub.ReasonMissing, "content", "a chunk needs its content")
	default:
		return dst, d.fault(hub.ReasonType, "content", "want a content block")
	}
	d.from.flags |= role
	return d.block(dst, &b, ch)
}

func (d *decoder) block(dst []hub.Event, b *acpwire.Block, ch hub.Chan) ([]hub.Event, error) {
	switch string(b.Kind) {
	case "text":
		if b.Text == nil {
			return dst, d.fault(hub.ReasonMissing, "content.text", "a text block needs its text, a string")
		}
		return d.put(dst, hub.Event{Kind: hub.TextDelta, Chan: ch, Text: b.Text}), nil
	case "image", "audio", "resource_link":
		if len(b.Data) == 0 && len(b.URI) == 0 {
			return dst, d.fault(hub.ReasonMissing, "content.data", "want data, or the uri of a remote file")
		}
		dst, ev := d.add(dst, hub.Event{Kind: hub.File, Chan: ch, Title: b.Title, Text: b.Description})
		d.scratch.MoreOf(ev).File = hub.FileRef{Media: b.Mime, Name: b.Name, URL: b.URI, Base64: b.Data}
		return dst, nil
	}
	return d.raw(dst), nil
}

// plan decodes the entries of a plan, which replace all earlier ones.
func (d *decoder) plan(dst []hub.Event, entries rawjson.Value, id []byte) ([]hub.Event, error) {
	if rawjson.Kind(entries) != '[' {
		return dst, d.fault(hub.ReasonType, "entries", "want an array")
	}
	dst, ev := d.add(dst, hub.Event{Kind: hub.Plan, ID: id})
	m := d.scratch.MoreOf(ev)
	for entry := range rawjson.Each(entries) {
		m.Items = append(m.Items, readEntry(entry))
	}
	return dst, nil
}

// readEntry reads an entry of a plan, which has an id here.
func readEntry(entry rawjson.Value) hub.PlanItem {
	item := acpwire.ReadEntry(entry)
	item.ID = rawjson.Text(entry, "id")
	return item
}

// failure decodes an error of the harness. A fatal one ends the run, even without words; what follows within the
// settling time is kept.
func (d *decoder) failure(dst []hub.Event, u *update) ([]hub.Event, error) {
	text, ok := rawjson.Str(u.Message)
	fatal, _ := rawjson.Bool(u.Fatal)
	switch {
	case fatal && !ok:
		return d.endRun(dst, hub.StatusFailed, []byte("error"), []byte(agentFailed), nil), nil
	case fatal:
		return d.endRun(dst, hub.StatusFailed, []byte("error"), text, nil), nil
	case !ok:
		return dst, d.fault(hub.ReasonMissing, "message", "an error needs its message, a string")
	}
	return d.put(dst, hub.Event{Kind: hub.Notice, Level: hub.LevelError, Text: text}), nil
}
