package aisdk

import (
	"strconv"

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

func (d *decoder) partStart(dst []hub.Event, ch hub.Chan) ([]hub.Event, error) {
	id, err := member.Text(d.rec.ID, "id")
	if err != nil {
		return dst, err
	}
	dst = d.put(dst, hub.Event{Kind: hub.TextStart, ID: id, Chan: ch})
	d.sigs.Keep(id, signatures.OfMetadata(d.rec.ProviderMetadata))
	return dst, nil
}

// partDelta appends a delta. One that names no part is an error, but its text is not lost.
func (d *decoder) partDelta(dst []hub.Event, ch hub.Chan) ([]hub.Event, error) {
	id, err := member.Text(d.rec.ID, "id")
	text, ok := rawjson.Str(d.rec.Delta)
	if !ok && rawjson.Kind(d.rec.Delta) != 'n' {
		return dst, member.Wrong(d.rec.Delta, "delta", "want a string")
	}
	if ch == hub.Reasoning {
		d.sigs.Keep(id, signatures.OfMetadata(d.rec.ProviderMetadata))
	}
	if len(text) == 0 {
		return dst, err
	}
	dst = d.put(dst, hub.Event{Kind: hub.TextDelta, ID: id, Chan: ch, Text: text})
	return dst, err
}

// textEnd ends a text. Its citations (version 7) are sources of their own.
func (d *decoder) textEnd(dst []hub.Event) ([]hub.Event, error) {
	id, err := member.Text(d.rec.ID, "id")
	if err != nil {
		return dst, err
	}
	for citation := range rawjson.Each(d.rec.Citations) {
		dst = d.citation(dst, id, citation)
	}
	dst, ev := d.emit(dst, hub.Event{Kind: hub.TextEnd, ID: id})
	if sig := signatures.OfMetadata(d.rec.ProviderMetadata); len(sig) > 0 { // some models sign what they answer, too
		d.scratch.MoreOf(ev).Sig = sig
	}
	return dst, nil
}

// reasoningEnd ends a reasoning part, with the signature that any of its records had.
func (d *decoder) reasoningEnd(dst []hub.Event) ([]hub.Event, error) {
	id, err := member.Text(d.rec.ID, "id")
	if err != nil {
		return dst, err
	}
	d.sigs.Keep(id, signatures.OfMetadata(d.rec.ProviderMetadata))
	dst, ev := d.emit(dst, hub.Event{Kind: hub.TextEnd, ID: id, Chan: hub.Reasoning})
	if sig := d.sigs.Take(id); sig != nil {
		d.scratch.MoreOf(ev).Sig = d.scratch.Copy(sig)
	}
	return dst, nil
}

// steering passes a message that the user sent while the run went on.
func (d *decoder) steering(dst []hub.Event) ([]hub.Event, error) {
	id, err := member.Text(d.rec.ID, "id")
	if err != nil {
		return dst, err
	}
	for part := range rawjson.Each(d.rec.Parts) {
		text := rawjson.Text(part, "text")
		if len(text) == 0 {
			continue
		}
		d.steered++
		partID := d.scratch.Since(strconv.AppendInt(append(d.scratch.Begin(), "steering-"...), int64(d.steered), 10))
		for _, kind := range [...]hub.Kind{hub.TextStart, hub.TextDelta, hub.TextEnd} {
			var ev *hub.Event
			dst, ev = hub.Add(dst, hub.Event{Kind: kind, ID: partID, Msg: id, Flags: hub.User})
			if kind == hub.TextDelta {
				ev.Text = text
			}
		}
	}
	return dst, nil
}
