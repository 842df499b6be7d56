package langgraph

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// An interrupt of LangChain's human-in-the-loop middleware asks about one call or several, and wants a decision about each, in their
// order. Each call is a question of its own here. Its id is that of the interrupt, #, its number and the number of all: so the answer
// says by itself that decisions are wanted, and how many.

// reviewID appends the id of a question.
func reviewID(dst, interrupt []byte, n, of int) []byte {
	dst = append(append(dst, interrupt...), '#')
	dst = append(strconv.AppendInt(dst, int64(n), 10), '/')
	return strconv.AppendInt(dst, int64(of), 10)
}

// maxReviewed bounds how many calls one interrupt can be about, for what its questions are named by comes back from clients.
const maxReviewed = 100

// splitID takes an id apart. of is 0 if it is that of another interrupt.
func splitID(id []byte) (interrupt []byte, n, of int) {
	interrupt, number, found := bytes.Cut(id, []byte("#"))
	first, all, _ := bytes.Cut(number, []byte("/"))
	n, err := strconv.Atoi(string(first))
	of, err2 := strconv.Atoi(string(all))
	if !found || !isInterrupt(interrupt) || err != nil || err2 != nil || n < 1 || n > of || of > maxReviewed {
		return id, 0, 0
	}
	return interrupt, n, of
}

// answer is what is said to one interrupt.
type answer struct {
	id        []byte
	value     rawjson.Value // of an interrupt of the graph's own
	decisions [][]byte      // of one of the middleware
}

// appendResume writes the command that goes on with a run. Answers name their interrupts where these have ids, so that none goes to
// another interrupt than the one that it was given to.
func appendResume(w *jsonwriter.Writer, req *hub.Request, decided []hub.Decision, l *hub.Losses) error {
	answers := answersOf(req, decided, l)
	if err := complete(answers); err != nil {
		return err
	}
	w.OpenAt("command", '{')
	if len(answers) == 1 && !isInterrupt(answers[0].id) {
		w.Key("resume")
		w.Append(answers[0].append)
	} else {
		w.OpenAt("resume", '{')
		for i := range answers {
			w.Key(string(answers[i].id))
			w.Append(answers[i].append)
		}
		w.Close('}')
	}
	w.Close('}')
	return nil
}

// complete checks that the answers can be distinguished, and that none is missing of those that belong together.
func complete(answers []answer) error {
	for i := range answers {
		if len(answers[i].id) == 0 && len(answers) > 1 {
			return hub.NewError(hub.ReasonMissing, "answers", -1, "one of several does not say to which question it is")
		}
		if slices.ContainsFunc(answers[i].decisions, func(d []byte) bool { return d == nil }) {
			return hub.NewError(hub.ReasonMissing, "answers", -1, "the graph takes all answers at once, and one is missing")
		}
	}
	return nil
}

// append writes the value that an interrupt gets.
func (a *answer) append(dst []byte) []byte {
	if a.decisions == nil {
		return append(dst, a.value...)
	}
	w := jsonwriter.New(dst)
	w.Open('{')
	w.OpenAt("decisions", '[')
	for _, d := range a.decisions {
		w.Raw(d)
	}
	w.Close(']')
	w.Close('}')
	return w.Buf
}

// answersOf puts together what was decided about each interrupt.
func answersOf(req *hub.Request, decided []hub.Decision, l *hub.Losses) (all []answer) {
	at := map[string]int{}
	for i := range decided {
		d := &decided[i]
		id, n, of := splitID(d.Ask)
		place, known := at[string(id)]
		if !known {
			place = len(all)
			at[string(id)] = place
			all = append(all, answer{id: id})
		}
		a := &all[place]
		switch {
		case of == 0:
			a.value = ownValue(req, d)
		case rawjson.Kind(rawjson.Get(d.Payload, "decisions")) == '[':
			a.value = d.Payload // the client speaks the language of the middleware
		default:
			if len(a.decisions) < of {
				a.decisions = append(a.decisions, make([][]byte, of-len(a.decisions))...)
			}
			a.decisions[n-1] = review(d, l)
		}
	}
	return all
}

// ownValue is the answer to an interrupt of the graph's own, whose form only the graph knows: what the client has sent, or else yes or
// no.
func ownValue(req *hub.Request, d *hub.Decision) rawjson.Value {
	boolean := req.Upstream.EnumOr("approvals", "object") == "boolean"
	switch {
	case d.Payload != nil && !(boolean && d.Decided):
		return d.Payload
	case boolean:
		return strconv.AppendBool(nil, d.Approved)
	}
	w := jsonwriter.New(nil)
	w.Open('{')
	w.Bool("approved", d.Approved)
	w.TextIf("reason", d.Reason)
	if d.Cancelled {
		w.Bool("cancelled", true)
	}
	w.Close('}')
	return w.Buf
}

// review is a decision as the middleware takes it. One that the client has written in that form stays as it is.
func review(d *hub.Decision, l *hub.Losses) rawjson.Value {
	if len(rawjson.Text(d.Payload, "type")) > 0 {
		return d.Payload
	}
	l.AddIf("answers", rawjson.Get(d.Payload, "editedArgs") != nil)
	w := jsonwriter.New(nil)
	w.Open('{')
	if d.Approved {
		w.Const("type", "approve")
	} else {
		w.Const("type", "reject")
		w.TextIf("message", d.Reason)
	}
	w.Close('}')
	return w.Buf
}
