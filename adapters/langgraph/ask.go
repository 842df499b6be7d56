package langgraph

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/eventjson"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// A run that waits for a person ends with an interrupt, whose value is whatever the graph says. Two forms are known: that
// of LangChain's human-in-the-loop middleware, which asks whether calls may be run,
//
//	{"action_requests":[{"name":"send","args":{},"description":"Send it?"}],
//	 "review_configs":[{"action_name":"send","allowed_decisions":["approve","edit","reject"]}]}
//
// and our own, for what comes from elsewhere and has no such value:
//
//	{"type":"question","message":"Which one?","options":[{"id":"a","name":"The first"}]}

// readAsk reads what an interrupt wants.
func (d *decoder) readAsk(ev *hub.Event, v rawjson.Value) {
	ev.AskKind, ev.Value = hub.AskInput, rawjson.NotNull(v)
	if body, ok := rawjson.Str(v); ok {
		ev.Title = body
		return
	}
	if requests := reviewRequests(v); rawjson.Kind(requests) == '[' {
		d.readReview(ev, v, requests)
		return
	}
	ev.Title = first(v, "message", "question", "prompt", "title", "description")
	what, ok := hub.ParseAskKind(rawjson.Text(v, "type"))
	if !ok || what == hub.AskNone {
		return
	}
	ev.AskKind, ev.Ref, ev.Value = what, rawjson.Text(v, "tool_call_id"), rawjson.Get(v, "payload")
	r := eventjson.Reader{Scratch: &d.scratch}
	r.Read(ev, v, eventjson.Question)
}

// reviewRequests are the calls that the middleware asks about, nil if it is not the middleware that asks.
func reviewRequests(v rawjson.Value) rawjson.Value {
	if requests := rawjson.Get(v, "action_requests"); requests != nil {
		return requests
	}
	return rawjson.Get(v, "actionRequests")
}

// reviews reads an interrupt of the middleware: a question about each call. See [reviewID].
func (d *decoder) reviews(dst []hub.Event, id []byte, v, requests rawjson.Value) []hub.Event {
	var names [][]byte
	for request := range rawjson.Each(requests) {
		names = append(names, first(request, "name", "action"))
	}
	configs, n := rawjson.Elems(rawjson.Get(v, "review_configs")), 0
	for request := range rawjson.Each(requests) {
		config, _ := configs.Next()
		value := v
		if len(names) > 1 {
			value = d.scratch.Append(func(dst []byte) []byte { return appendReviewOf(dst, request, config) })
		}
		var ev *hub.Event
		dst, ev = hub.Grow(dst)
		ev.Kind, ev.ID = hub.Ask, d.scratch.Append(func(dst []byte) []byte { return reviewID(dst, id, n+1, len(names)) })
		d.readAsk(ev, value)
		ev.Ref = d.reviewedAt(names, n)
		n++
	}
	return dst
}

// appendReviewOf appends the part of a question that is about one call.
func appendReviewOf(dst []byte, request, config rawjson.Value) []byte {
	dst = append(append(dst, `{"action_requests":[`...), request...)
	return append(append(append(dst, `],"review_configs":[`...), config...), "]}"...)
}

// reviewedAt is the call that the question of that number is about, nil if that is not sure. Questions stand in the order of the calls.
func (d *decoder) reviewedAt(names [][]byte, n int) []byte {
	before, all := 0, 0
	for i, name := range names {
		if bytes.Equal(name, names[n]) {
			if all++; i < n {
				before++
			}
		}
	}
	open := d.openCalls(names[n])
	if len(open) != all {
		return nil
	}
	return open[before].id
}

// openCalls are those of a tool that have no result yet, but for those that a sub-graph asked for that is over.
func (d *decoder) openCalls(name []byte) (open []*call) {
	for c := range d.calls.All() {
		if !c.ended && !c.earlier && !c.subAgent.ended && bytes.Equal(c.name, name) {
			open = append(open, c)
		}
	}
	return open
}

// readReview reads a question about calls. If there is one, and one call that it can mean, it is about that.
func (d *decoder) readReview(ev *hub.Event, v, requests rawjson.Value) {
	ev.AskKind = hub.AskPermission
	it := rawjson.Elems(requests)
	request, _ := it.Next()
	ev.Title = first(request, "description", "name", "action")
	if _, more := it.Next(); !more {
		ev.Ref = d.reviewedAt([][]byte{first(request, "name", "action")}, 0)
	}
	configs := rawjson.Elems(rawjson.Get(v, "review_configs"))
	config, _ := configs.Next()
	for e := range rawjson.Each(rawjson.Get(config, "allowed_decisions")) {
		id := rawjson.Body(e)
		m := d.scratch.MoreOf(ev)
		m.Options = append(m.Options, hub.AskOption{ID: id, Name: id, Kind: decisionKinds[string(id)]})
	}
}

// decisionKinds are the kinds of the decisions that the middleware knows.
var decisionKinds = map[string][]byte{"approve": []byte("allow_once"), "reject": []byte("reject_once")}

// keyAsked marks a custom record that tells of a question which was answered while the run went on.
const keyAsked = "sabir.asked"

// asked reads a question and its answer.
func (d *decoder) asked(dst []hub.Event, l *subAgent, v rawjson.Value) []hub.Event {
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Ask, ID: rawjson.Text(v, "id"), SubAgent: l.id})
	d.readAsk(ev, rawjson.Get(v, "value"))
	id := ev.ID
	dst, ev = hub.Add(dst, hub.Event{Kind: hub.Answer, ID: id, SubAgent: l.id, Name: rawjson.Text(v, "option")})
	ev.Status, _ = hub.ParseStatus(rawjson.Text(v, "status"))
	ev.Value = rawjson.Get(v, "answer")
	return dst
}
