package mastra

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
)

func (d *decoder) textStart(dst []hub.Event) ([]hub.Event, error) {
	return d.partStart(dst, hub.AnswerText)
}

func (d *decoder) reasoningStart(dst []hub.Event) ([]hub.Event, error) {
	return d.partStart(dst, hub.Reasoning)
}

func (d *decoder) textDelta(dst []hub.Event) ([]hub.Event, error) {
	return d.partDelta(dst, hub.AnswerText)
}

func (d *decoder) reasoningDelta(dst []hub.Event) ([]hub.Event, error) {
	return d.partDelta(dst, hub.Reasoning)
}

// part is the id of a text. Models name texts alike, so those of sub-agents, which talk at once, have the call before theirs.
func (d *decoder) part() ([]byte, error) {
	id, err := member.Text(d.rec.Payload.ID, "payload.id")
	if err != nil || d.sub == nil {
		return id, err
	}
	b := append(append(d.scratch.Begin(), d.sub...), '/')
	return d.scratch.Since(append(b, id...)), nil
}

func (d *decoder) partStart(dst []hub.Event, ch hub.Chan) ([]hub.Event, error) {
	id, err := d.part()
	if err != nil {
		return dst, err
	}
	d.sigs.Keep(id, signatures.OfMetadata(d.rec.Payload.ProviderMetadata))
	return d.put(dst, hub.Event{Kind: hub.TextStart, ID: id, Chan: ch}), nil
}

// partDelta appends a delta. One that names no part is an error, but its text is not lost.
func (d *decoder) partDelta(dst []hub.Event, ch hub.Chan) ([]hub.Event, error) {
	p := &d.rec.Payload
	id, err := d.part()
	text, ok := rawjson.Str(p.Text)
	if !ok && rawjson.Kind(p.Text) != 'n' {
		return dst, member.Wrong(p.Text, "payload.text", "want a string")
	}
	if ch == hub.Reasoning {
		d.sigs.Keep(id, signatures.OfMetadata(p.ProviderMetadata))
	}
	if len(text) == 0 {
		return dst, err
	}
	return d.put(dst, hub.Event{Kind: hub.TextDelta, ID: id, Chan: ch, Text: text}), err
}

func (d *decoder) textEnd(dst []hub.Event) ([]hub.Event, error) {
	id, err := d.part()
	if err != nil {
		return dst, err
	}
	dst, ev := d.emit(dst, hub.Event{Kind: hub.TextEnd, ID: id})
	d.sigs.Keep(id, signatures.OfMetadata(d.rec.Payload.ProviderMetadata)) // some models sign what they answer, too
	d.signed(ev)
	return dst, nil
}

func (d *decoder) reasoningEnd(dst []hub.Event) ([]hub.Event, error) {
	dst, err := d.textEnd(dst)
	if err == nil {
		dst[len(dst)-1].Chan = hub.Reasoning
	}
	return dst, err
}

func (d *decoder) reasoningSignature(dst []hub.Event) ([]hub.Event, error) {
	id, err := d.part()
	if err == nil {
		d.sigs.Keep(id, rawjson.Body(d.rec.Payload.Signature))
	}
	return dst, err
}

// redacted is reasoning of which there is only the encrypted form.
func (d *decoder) redacted(dst []hub.Event) ([]hub.Event, error) {
	id, err := d.part()
	if err != nil {
		return dst, err
	}
	dst = d.put(dst, hub.Event{Kind: hub.TextStart, ID: id, Chan: hub.Reasoning})
	dst, ev := d.emit(dst, hub.Event{Kind: hub.TextEnd, ID: id, Chan: hub.Reasoning})
	d.sigs.Keep(id, rawjson.Or(rawjson.Body(d.rec.Payload.Data), string(signatures.OfMetadata(d.rec.Payload.ProviderMetadata))))
	d.signed(ev)
	return dst, nil
}

// signed adds its signature to the end of a part.
func (d *decoder) signed(ev *hub.Event) {
	if sig := d.sigs.Take(ev.ID); sig != nil {
		d.scratch.MoreOf(ev).Sig = d.scratch.Copy(sig)
	}
}
