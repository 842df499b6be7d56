package acp

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/questions"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// answer sends the answers to permissions that were asked for, all or none.
func (d *driver) answer(dst []byte, answers []questions.Answer, l *hub.Losses) ([]byte, hub.TurnState, error) {
	from := len(dst)
	for _, a := range answers {
		asked := a.Question.Value
		option, ok := choose(a.Decision, rawjson.Get(asked, "options"))
		switch {
		case !ok || questions.Changes(a.Decision, rawjson.Get(asked, "toolCall", "rawInput")): // the call would run as it is
			return dst[:from], d.State(), questions.Unclear()
		case option == nil:
			dst = d.dismiss(dst, a.Question.ID)
		default:
			dst = d.choose(dst, a.Question.ID, option)
		}
		l.AddIf("answers", len(a.Decision.Reason) > 0)
	}
	d.Open.Answered(answers)
	return dst, d.State(), nil
}

func (d *driver) choose(dst []byte, id, option []byte) []byte {
	return d.rpc.Answer(dst, id, func(w *jsonwriter.Writer) {
		w.OpenAt("outcome", '{')
		w.Const("outcome", "selected")
		w.Text("optionId", option)
		w.Close('}')
	})
}

// dismiss answers that no decision will come.
func (d *driver) dismiss(dst []byte, id []byte) []byte {
	return d.rpc.Answer(dst, id, func(w *jsonwriter.Writer) {
		w.OpenAt("outcome", '{')
		w.Const("outcome", "cancelled")
		w.Close('}')
	})
}

// choose finds the option among those offered that a decision means: the one that it names, or else one of its kind, the narrower
// first. nil is the answer without a decision; ok is false for a decision that means nothing here.
func choose(a *hub.Decision, options rawjson.Value) (id []byte, ok bool) {
	named := questions.Chosen(a)
	for v := range rawjson.Each(options) {
		if id := rawjson.Text(v, "optionId"); len(named) > 0 && bytes.Equal(id, named) {
			return id, true
		}
	}
	switch {
	case a.Cancelled:
		return nil, true
	case !a.Decided:
		return nil, false
	case a.Approved:
		id = ofKind(options, "allow_once", "allow_always")
		return id, id != nil
	}
	return ofKind(options, "reject_once", "reject_always"), true
}

func ofKind(options rawjson.Value, kinds ...string) []byte {
	for _, kind := range kinds {
		for v := range rawjson.Each(options) {
			if string(rawjson.Text(v, "kind")) == kind {
				return rawjson.Text(v, "optionId")
			}
		}
	}
	return nil
}
