package bench

import (
	"fmt"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// Part is what a long stream consists of: one of [Parts], in the repeating form, whose records differ in their texts alone, or a
// shape of testdata, see [Shapes].
type Part string

// The parts that models write piece by piece.
const (
	AnswerPart    Part = "text"
	ReasoningPart Part = "reasoning"
	ArgsPart      Part = "args" // of one tool call
)

// Parts lists them all.
func Parts() []Part { return []Part{AnswerPart, ReasoningPart, ArgsPart} }

// Long returns the canonical events of a run with one long part of count deltas, with marks that rise from 0 by 1, and
// how many events come before the first of them. After reasoning comes a short answer.
func Long(p Part, count int) (evs []hub.Event, before int) {
	evs = append(make([]hub.Event, 0, count+8),
		hub.Event{Kind: hub.RunStart, ID: []byte("run_7f3a9c"), Ref: []byte("thread_21b4")})
	switch p {
	case ReasoningPart:
		evs, before = longText(evs, hub.Event{ID: []byte("think_01"), Msg: []byte("msg_01"), Chan: hub.Reasoning}, count)
		evs, _ = longText(evs, answer, 1)
	case ArgsPart:
		evs, before = longArgs(evs, count)
	default:
		evs, before = longText(evs, answer, count)
	}
	return append(evs, hub.Event{Kind: hub.RunEnd, Status: hub.StatusDone}), before
}

var answer = hub.Event{ID: []byte("msg_01"), Msg: []byte("msg_01")}

// longText appends a part in count deltas. like has its ids.
func longText(evs []hub.Event, like hub.Event, count int) (all []hub.Event, before int) {
	add := func(k hub.Kind, text []byte) {
		ev := like
		ev.Kind, ev.Text = k, text
		evs = append(evs, ev)
	}
	add(hub.TextStart, nil)
	before = len(evs)
	for i := range count {
		add(hub.TextDelta, AppendMark(nil, uint32(i)))
	}
	add(hub.TextEnd, nil)
	return evs, before
}

// longArgs appends a tool call whose arguments are an object with one long string. It is the client's to run: that is a
// call that every dialect writes with its arguments in pieces, if it writes any so.
func longArgs(evs []hub.Event, count int) (all []hub.Event, before int) {
	id := []byte("call_5d1e")
	fragment := func(text []byte) { evs = append(evs, hub.Event{Kind: hub.ToolArgs, ID: id, Text: text}) }
	evs = append(evs, hub.Event{Kind: hub.ToolStart, ID: id, Name: []byte("write"), Msg: []byte("msg_01"), Flags: hub.ClientRuns})
	fragment([]byte(`{\"text\":\"`))
	before = len(evs)
	for i := range count {
		fragment(AppendMark(nil, uint32(i)))
	}
	fragment([]byte(`\"}`))
	return evs, before
}

// NewLongScript writes a long part of count deltas in dialect d. It fails if the dialect does not write each delta when
// it comes: not every dialect has reasoning, or arguments in pieces, or that shape.
func NewLongScript(d *hub.Dialect, p Part, count int) (*Script, error) {
	s, err := shaped(d, p, count)
	if s == nil && err == nil {
		s, err = encoded(d, p, count)
	}
	if err != nil {
		return nil, err
	}
	for i, piece := range s.Deltas {
		if FindMark(piece) < 0 {
			return nil, fmt.Errorf("%s does not write delta %d of the %s at once: %q", d.Name, i, p, piece)
		}
	}
	return s, nil
}

func encoded(d *hub.Dialect, p Part, count int) (*Script, error) {
	if d.NewEncoder == nil {
		return nil, fmt.Errorf("%s is only decoded, and testdata holds no record of its %s", d.Name, p)
	}
	if !slices.Contains(Parts(), p) {
		return nil, fmt.Errorf("testdata has no shape %s of %s", p, d.Name)
	}
	evs, before := Long(p, count)
	pieces := Encode(d, evs)
	return &Script{Dialect: d, Head: join(pieces[:before]), Deltas: pieces[before : before+count], Tail: join(pieces[before+count:])}, nil
}
