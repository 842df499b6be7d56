// Package questions keeps what an agent has asked and waits for, and how far its turn is, for the drivers of agents.
package questions

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Question is one that an agent waits for the answer to.
type Question struct {
	ID    []byte // as the agent has it, in the notation in which it wants it back
	Ask   []byte // string body: the id that clients know it by
	Call  []byte // string body: the call that it is about, if it is about one
	Kind  string // what is asked, in the words of the driver
	Value []byte // raw: what the answer is made of, such as the options that were offered
}

// Bounds of what one agent may ask at a time. No user answers as many questions as that.
const (
	maxOpen = 64
	maxHeld = 16 << 20 // bytes of all questions
)

// Open are the questions that an agent waits for. The zero value has none.
type Open struct {
	all      []Question
	held     int
	answered [][]byte // what clients know those by that have their answer in this turn
	returned [][]byte // calls whose results the client has sent in this turn
}

// Add keeps a question, in a copy. It reports false if there is no room: the question has to be refused at once.
func (o *Open) Add(q Question) bool {
	o.Close(q.Ask)
	if len(o.all) >= maxOpen || o.held+q.size() > maxHeld {
		return false
	}
	for _, p := range []*[]byte{&q.ID, &q.Ask, &q.Call, &q.Value} {
		*p = bytes.Clone(*p)
	}
	o.all, o.held = append(o.all, q), o.held+q.size()
	return true
}

func (q *Question) size() int {
	return len(q.ID) + len(q.Ask) + len(q.Call) + len(q.Kind) + len(q.Value)
}

// Close takes out a question that needs no answer any more. It reports whether it was open.
func (o *Open) Close(ask []byte) bool {
	i := slices.IndexFunc(o.all, func(q Question) bool { return rawjson.EqualBody(q.Ask, ask) })
	if i < 0 {
		return false
	}
	o.held -= o.all[i].size()
	o.all = slices.Delete(o.all, i, i+1)
	return true
}

// All are the questions that are open, in their order. They are valid until the next is added or closed.
func (o *Open) All() []Question { return o.all }

// Any reports whether there are any.
func (o *Open) Any() bool { return len(o.all) > 0 }

// State is that of a turn which waits as long as there are any.
func (o *Open) State() hub.TurnState {
	if o.Any() {
		return hub.TurnWaits
	}
	return hub.TurnRuns
}

// Reset forgets everything: the turn is over.
func (o *Open) Reset() { *o = Open{} }

// An Answer is a question with what was decided.
type Answer struct {
	Question *Question
	Decision *hub.Decision
}

// Match finds the questions of decisions: by the id that they name, or the call; one that names nothing is about the only question that
// there is. Clients tell old decisions again with new ones, so that those of this turn are passed over. The error is an *[hub.Error]
// for one that no question is open for.
func (o *Open) Match(decisions []hub.Decision) (answers []Answer, err error) {
	for i := range decisions {
		d := &decisions[i]
		switch q := o.find(d); {
		case q != nil && !slices.ContainsFunc(answers, func(a Answer) bool { return a.Question == q }):
			answers = append(answers, Answer{q, d})
		case q == nil && !o.knows(d):
			return nil, NotOpen()
		}
	}
	return answers, nil
}

// Returned reports whether the client has sent the result of a call in this turn.
func (o *Open) Returned(call []byte) bool {
	return slices.ContainsFunc(o.returned, func(id []byte) bool { return bytes.Equal(id, call) })
}

// Results finds the calls of the client's tools, which are questions of one kind, that results answer.
func (o *Open) Results(kind string, returned []hub.Part) (answers []Answer) {
	for i := range o.all {
		if q := &o.all[i]; q.Kind == kind && ResultOf(q, returned) != nil {
			answers = append(answers, Answer{Question: q})
		}
	}
	return answers
}

// ResultOf is the part with the result of the call that a question is about, nil for none.
func ResultOf(q *Question, returned []hub.Part) *hub.Part {
	for i := range returned {
		if rawjson.EqualBody(returned[i].ID, q.Call) {
			return &returned[i]
		}
	}
	return nil
}

// NotOpen is the error for an answer to a question that the agent does not wait for.
func NotOpen() error {
	return hub.NewError(hub.ReasonUnknown, "answers", -1, "the agent waits for no answer to that question")
}

// Unclear is the error for an answer that says neither yes nor no, nor anything else that the question has a place for.
func Unclear() error {
	return hub.NewError(hub.ReasonType, "answers", -1, "want a decision that the question allows")
}

func (o *Open) find(d *hub.Decision) *Question {
	if len(d.Ask)+len(d.Call) == 0 && len(o.all) == 1 {
		return &o.all[0]
	}
	i := slices.IndexFunc(o.all, func(q Question) bool { return len(d.Ask) > 0 && rawjson.EqualBody(q.Ask, d.Ask) })
	if i < 0 {
		i = slices.IndexFunc(o.all, func(q Question) bool { return len(d.Call) > 0 && rawjson.EqualBody(q.Call, d.Call) })
	}
	if i < 0 {
		return nil
	}
	return &o.all[i]
}

func (o *Open) knows(d *hub.Decision) bool {
	return slices.ContainsFunc(o.answered, func(id []byte) bool {
		return len(id) > 0 && (rawjson.EqualBody(id, d.Ask) || rawjson.EqualBody(id, d.Call))
	})
}

// Answered closes the questions of answers that were sent.
func (o *Open) Answered(answers []Answer) {
	const most = 256 // the results of more are shown to the client that sent them
	for _, a := range answers {
		if a.Decision == nil && len(o.returned) < most {
			o.returned = append(o.returned, a.Question.Call)
		}
	}
	for _, id := range asks(answers) {
		i := slices.IndexFunc(o.all, func(q Question) bool { return bytes.Equal(q.Ask, id) })
		o.remember(id)
		o.remember(o.all[i].Call)
		o.Close(id)
	}
}

// remember keeps an id of an answered question. What is older, or odd, is not remembered.
func (o *Open) remember(id []byte) {
	const most, longest = 4 * maxOpen, 1 << 10
	if len(id) <= longest {
		o.answered = append(o.answered[max(0, len(o.answered)+1-most):], id)
	}
}

// asks are the ids of questions, which move when one is closed.
func asks(answers []Answer) (ids [][]byte) {
	for _, a := range answers {
		ids = append(ids, a.Question.Ask)
	}
	return ids
}

// Chosen is the option that a decision names in its payload, nil if it names none.
func Chosen(d *hub.Decision) []byte {
	return rawjson.First(rawjson.Body(d.Payload), rawjson.Text(d.Payload, "optionId"), rawjson.Text(d.Payload, "option"))
}

// Edited are the arguments that the user has put in place of those of a call that was asked about; nil if the call stays as it is.
func Edited(d *hub.Decision) rawjson.Value {
	for _, name := range [...]string{"updatedInput", "editedArgs"} {
		if v := rawjson.Get(d.Payload, name); rawjson.Kind(v) == '{' {
			return v
		}
	}
	return nil
}

// Changes reports whether a decision allows a call with other arguments than its own, for agents that run it as it is. Some clients
// always send the arguments back, so that these change nothing where the agent has not sent them.
func Changes(d *hub.Decision, args rawjson.Value) bool {
	edited := Edited(d)
	if edited == nil || args == nil && rawjson.Get(d.Payload, "updatedInput") != nil {
		return false
	}
	return !rawjson.Equal(edited, args)
}
