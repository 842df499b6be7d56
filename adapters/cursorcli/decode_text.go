package cursorcli

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// message is the echo of the prompt, a message of the answer, or a piece of one.
func (d *decoder) message(dst []hub.Event, typ []byte) ([]hub.Event, error) {
	content := rawjson.Get(d.rec.Message, "content")
	if rawjson.Kind(content) != '[' {
		return dst, hub.NewError(hub.ReasonType, "message.content", -1, "want a list of blocks")
	}
	text, others := d.texts(content)
	if others {
		dst = d.raw(dst)
	}
	if len(text) == 0 {
		return dst, nil
	}
	if string(typ) == "user" {
		dst = append(dst, hub.Event{Kind: hub.TextDelta, Text: text, Flags: hub.User})
		return append(dst, hub.Event{Kind: hub.TextEnd, Flags: hub.User}), nil
	}
	if d.rec.Time != nil && d.rec.ModelCall == nil {
		return d.piece(dst, text), nil
	}
	return d.wholeMessage(dst, text), nil
}

// texts joins the texts of a message, nearly always one. others reports whether there is anything else.
func (d *decoder) texts(content rawjson.Value) (text []byte, others bool) {
	for block := range rawjson.Each(content) {
		piece := rawjson.Text(block, "text")
		switch {
		case string(rawjson.Text(block, "type")) != "text":
			others = true
		case len(text) == 0:
			text = piece
		case len(piece) > 0:
			text = d.scratch.Since(append(append(d.scratch.Begin(), text...), piece...))
		}
	}
	return text, others
}

func (d *decoder) piece(dst []hub.Event, text []byte) []hub.Event {
	if d.whole {
		dst = textEnd(dst, hub.AnswerText)
	}
	d.said, d.again, d.whole, d.isPiece = true, true, false, true
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.Text = hub.TextDelta, text
	return dst
}

// wholeMessage is a message as a whole. It stays open: the result may have more of it.
func (d *decoder) wholeMessage(dst []hub.Event, text []byte) []hub.Event {
	if d.whole {
		dst = textEnd(dst, hub.AnswerText)
	}
	dst = append(dst, hub.Event{Kind: hub.TextDelta, Text: text, Op: op(d.again)})
	d.said, d.whole = true, true
	return dst
}

// op is that of a text that may say again what was said, of which the sequencer finds what is new, or of another.
func op(again bool) hub.Op {
	if again {
		return hub.Replace
	}
	return hub.Append
}

func textEnd(dst []hub.Event, channel hub.Chan) []hub.Event {
	return append(dst, hub.Event{Kind: hub.TextEnd, Chan: channel})
}

func (d *decoder) thinking(dst []hub.Event, subtype string) ([]hub.Event, error) {
	switch subtype {
	case "completed":
		return textEnd(dst, hub.Reasoning), nil
	case "delta":
		text, ok := rawjson.Str(d.rec.Text)
		if !ok {
			return dst, hub.NewError(hub.ReasonType, "text", -1, "want a string")
		}
		if len(text) > 0 {
			var ev *hub.Event
			dst, ev = hub.Grow(dst)
			ev.Kind, ev.Chan, ev.Text = hub.TextDelta, hub.Reasoning, text
			d.isPiece = true
		}
		return dst, nil
	}
	return d.rawUnknown(dst), nil
}
