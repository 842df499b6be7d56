package langgraph

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

const (
	keyMessages  = "messages"
	keyInterrupt = "__interrupt__"
)

// partial is the mode messages: each record has the message so far.
func (d *decoder) partial(dst []hub.Event, l *subAgent, v rawjson.Value) ([]hub.Event, error) {
	if rawjson.Kind(v) != '[' {
		return dst, wrong("", "want a list of messages")
	}
	for e := range rawjson.Each(v) {
		m := readFields(e)
		switch {
		case !d.listens(&m, sourcePartial):
		case m.author() == agent:
			dst = d.soFar(dst, l, &m)
		default:
			dst = d.whole(dst, l, &m)
		}
	}
	return dst, nil
}

// soFar compares a message with its earlier form.
func (d *decoder) soFar(dst []hub.Event, l *subAgent, m *fields) []hub.Event {
	k, _ := d.know(l, m)
	l.begun = true
	if k.whole {
		return dst
	}
	d.turnTo(k)
	dst = d.say(dst, m, k, hub.Replace)
	dst = d.callPieces(dst, m, k)
	d.addUsage(m, k)
	d.stopped(m, k)
	return dst
}

// complete is the end of messages in the mode messages.
func (d *decoder) complete(dst []hub.Event, l *subAgent, v rawjson.Value) ([]hub.Event, error) {
	if rawjson.Kind(v) != '[' {
		return dst, wrong("", "want a list of messages")
	}
	return d.each(dst, l, v), nil
}

// each compares all messages of a list, or a single one, with what is known.
func (d *decoder) each(dst []hub.Event, l *subAgent, v rawjson.Value) []hub.Event {
	if rawjson.Kind(v) == '{' {
		m := readFields(v)
		return d.whole(dst, l, &m)
	}
	for e := range rawjson.Each(v) {
		m := readFields(e)
		dst = d.whole(dst, l, &m)
	}
	return dst
}

// values is the state after a step: all messages of the thread, and whatever else the graph keeps. Interrupts come as a
// state that has nothing else.
func (d *decoder) values(dst []hub.Event, l *subAgent, v rawjson.Value) ([]hub.Event, error) {
	if rawjson.Kind(v) != '{' {
		return dst, nil // a graph may keep anything
	}
	if list := rawjson.Get(v, keyInterrupt); list != nil {
		dst = d.interrupts(dst, list)
	}
	if list := rawjson.Get(v, keyMessages); rawjson.Kind(list) == '[' {
		dst = d.history(dst, l, list)
	}
	rest := d.without(v)
	if rest == nil {
		return dst, nil
	}
	return append(dst, hub.Event{Kind: hub.Data, SubAgent: l.id, Name: []byte(nameState), Op: hub.Set, Value: rest}), nil
}

// nameState is the name of the data that are the state of the graph.
const nameState = "state"

// without is a state without its messages and interrupts, nil if nothing is left.
func (d *decoder) without(v rawjson.Value) rawjson.Value {
	rest := d.scratch.Begin()
	n := len(rest)
	for key, val := range rawjson.EachField(v) {
		if string(key) == keyMessages || string(key) == keyInterrupt {
			continue
		}
		if len(rest) == n {
			rest = append(rest, '{')
		} else {
			rest = append(rest, ',')
		}
		rest = append(append(rawjson.AppendQuoted(rest, key), ':'), val...)
	}
	if len(rest) == n {
		return nil
	}
	return d.scratch.Since(append(rest, '}'))
}

// history finds what is new in the list of all messages. The first state of a graph is its input, with all that was said
// before; it is only remembered. Later ones have what is new at their end, behind all that is known.
func (d *decoder) history(dst []hub.Event, l *subAgent, list rawjson.Value) []hub.Event {
	if !l.begun {
		l.begun = true
		d.remember(l, list)
		return dst
	}
	from := d.firstNew(list)
	n := 0
	for v := range rawjson.Each(list) {
		m := readFields(v)
		if n >= from || d.messages.Has(m.id) && len(m.id) > 0 {
			dst = d.whole(dst, l, &m)
		}
		n++
	}
	return dst
}

// firstNew is the index behind the last message that is known, or that is the user's own.
func (d *decoder) firstNew(list rawjson.Value) (from int) {
	n := 0
	for v := range rawjson.Each(list) {
		n++
		m := readFields(v)
		known := d.messages.Has(m.id) || m.author() == toolbox && d.messages.Has(d.join("tool\x00", m.callID))
		if known || m.author() == user {
			from = n
		}
	}
	return from
}

// remember notes messages of the past, and the calls in them whose results may come in this run.
func (d *decoder) remember(l *subAgent, list rawjson.Value) {
	for v := range rawjson.Each(list) {
		m := readFields(v)
		k, _ := d.know(l, &m)
		k.whole, k.counted = true, true
		for v := range rawjson.Each(m.calls) {
			if id := rawjson.Text(v, "id"); len(id) > 0 {
				d.calls.Put(string(id), &call{id: bytes.Clone(id), name: bytes.Clone(rawjson.Text(v, "name")), earlier: true})
			}
		}
	}
}

// updates has what the nodes of a step have written.
func (d *decoder) updates(dst []hub.Event, l *subAgent, v rawjson.Value) ([]hub.Event, error) {
	if rawjson.Kind(v) != '{' {
		return dst, wrong("", "want an object of nodes")
	}
	more := false
	for node, update := range rawjson.EachField(v) {
		if string(node) == keyInterrupt {
			dst = d.interrupts(dst, update)
			continue
		}
		var rest bool
		dst, rest = d.update(dst, l, update)
		more = more || rest
		dst = d.endNode(dst, l, node)
		dst = d.closeSteps(dst, l, func(s *step) bool { return bytes.Equal(s.node, node) })
	}
	if !more {
		return dst, nil
	}
	return append(dst, hub.Event{Kind: hub.Data, SubAgent: l.id, Name: []byte("updates"), Op: hub.Emit, Value: v}), nil
}

// update reads what a node wrote: an object, a list of them, or nothing. more says that there is more than messages.
func (d *decoder) update(dst []hub.Event, l *subAgent, v rawjson.Value) (_ []hub.Event, more bool) {
	if rawjson.Kind(v) == '{' {
		dst = d.each(dst, l, rawjson.Get(v, keyMessages))
		return dst, hasMore(v)
	}
	for e := range rawjson.Each(v) {
		dst = d.each(dst, l, rawjson.Get(e, keyMessages))
		more = more || hasMore(e)
	}
	return dst, more
}

func hasMore(v rawjson.Value) bool {
	for key := range rawjson.EachField(v) {
		if string(key) != keyMessages {
			return true
		}
	}
	return false
}

// interrupts reads what the run waits for. The same interrupt comes in values and in updates, and from sub-graphs once
// more; none at all stands for a breakpoint.
func (d *decoder) interrupts(dst []hub.Event, list rawjson.Value) []hub.Event {
	d.paused = true
	dst = d.completeAllArgs(dst)
	n := 0
	for v := range rawjson.Each(list) {
		n++
		id := first(v, "id", "interrupt_id")
		if len(id) == 0 {
			id = d.scratch.Since(strconv.AppendInt(append(d.scratch.Begin(), hub.MadeAsk...), int64(n), 10))
		}
		if d.asks.Has(id) {
			continue
		}
		d.asks.Put(string(id), true)
		value := rawjson.Get(v, "value")
		if requests := reviewRequests(value); isInterrupt(id) && 0 < count(requests) && count(requests) <= maxReviewed {
			dst = d.reviews(dst, id, value, requests)
			continue
		}
		var ev *hub.Event
		dst, ev = hub.Add(dst, hub.Event{Kind: hub.Ask, ID: id})
		d.readAsk(ev, value)
	}
	return dst
}

func count(list rawjson.Value) (n int) {
	for range rawjson.Each(list) {
		n++
	}
	return n
}

// custom is what a node wrote to the stream itself. Own extensions are read elsewhere.
func (d *decoder) custom(dst []hub.Event, l *subAgent, v rawjson.Value) ([]hub.Event, error) {
	if rawjson.Kind(v) == '{' {
		if rawjson.Get(v, hub.ExtensionKey) != nil {
			return dst, nil
		}
		if own := rawjson.Get(v, keyAsked); own != nil {
			return d.asked(dst, l, own), nil
		}
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Data, SubAgent: l.id, Name: []byte(nameCustom), Op: hub.Emit, Value: v})
	name, value := rawjson.Text(v, "name"), rawjson.Get(v, "value")
	if len(name) == 0 || value == nil {
		return dst, nil
	}
	ev.Name, ev.Value, ev.ID = name, value, rawjson.Text(v, "id")
	if op, ok := hub.ParseOp(rawjson.Text(v, "op")); ok {
		ev.Op = op
	}
	return dst, nil
}

// nameCustom is the name of data that have none.
const nameCustom = "custom"
