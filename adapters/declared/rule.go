package declared

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// rule says what records of some type mean.
type rule struct {
	types []string // plain; none: any type
	tests []demand // all of these hold
	late  bool     // applies after the end of the run too
	goOn  bool     // the rules that follow are tried as well
	emits []*emit

	each  int // member whose elements the rule is about
	inner int // number of the view of an element; 0: the rule is about the record itself
}

// demand is a condition on a member.
type demand struct {
	view   int
	member int
	steps  []step // the same member, for lookups without a view
	condition
}

// emit is one event that a rule makes.
type emit struct {
	proto hub.Event // kind, words and flags that are always the same
	tests []demand
	needs *source // what the event cannot be without
	need  field
	maybe bool // without it there is no event, rather than an error
	sets  []assign
	lists []*listSource
	block *block // a text that is a whole part

	id, name *source // of tool events, from the section tools
}

// assign fills one field.
type assign struct {
	field field
	form  form
	source
}

// listSource fills the items of a plan or the options of a question.
type listSource struct {
	field  field
	source     // of the list
	inner  int // number of the view of an element
	parts  [4]*source
}

// block makes ids of parts.
type block struct {
	prefix string
	at     int // number of the counter
}

var ruleKeys = []string{"type", "when", "has", "lacks", "each", "late", "continue", "emit", "set", "block", "optional"}

// rule reads one entry of decode.
func (c *compiler) rule(n node) *rule {
	m, ok := n.fixed(ruleKeys...)
	if !ok {
		return nil
	}
	r := &rule{late: m.get("late").flag(false), goOn: m.get("continue").flag(false)}
	for _, e := range m.get("type").oneOrMore() {
		if s, ok := e.word(); ok {
			r.types = append(r.types, s)
			c.numbered = c.numbered || !isText(e.val)
		}
	}
	if len(r.types) > 0 && !c.typed {
		m.get("type").problem("needs a key type at the top: the path of what says the type of a record")
	}
	in := &reader{plan: c.plans[0]}
	r.tests = in.demands(m)
	if each := m.get("each"); each.isSet() {
		if r.each, ok = in.path(each); ok && r.each == memberEvent {
			each.problem("must be the path of a list")
		}
		in = c.inner()
		r.inner = in.view
	}
	r.emits = c.emits(m, in)
	return r
}

func isText(v any) bool { _, ok := v.(string); return ok }

// demands reads the conditions of a rule or an event.
func (r *reader) demands(m fields) (all []demand) {
	when, _ := m.get("when").free()
	for _, key := range when.keys() {
		n := when.get(key)
		all = r.demand(all, node{n.report, n.path, key}, readCondition(n))
	}
	for _, key := range []string{"has", "lacks"} {
		for _, n := range m.get(key).oneOrMore() {
			all = r.demand(all, n, condition{has: key == "has", lacks: key == "lacks"})
		}
	}
	return all
}

// demand adds a condition on the path that n holds.
func (r *reader) demand(all []demand, n node, c condition) []demand {
	member, ok := r.path(n)
	if !ok {
		return all
	}
	d := demand{view: r.view, member: member, condition: c}
	if member != memberEvent {
		d.steps = r.plan.steps(member)
	}
	return append(all, d)
}

// emits reads what a rule makes: emit is a kind, several kinds that share set, or a list of maps that have their own.
func (c *compiler) emits(m fields, in *reader) (all []*emit) {
	n := m.get("emit")
	list := n.oneOrMore()
	switch {
	case !n.isSet():
		n.problem("is missing; name the kind of event that such a record means, or none")
	case len(list) > maxEmits:
		n.problem("makes more than %d events", maxEmits)
	case n.val == "none":
		noSet(m, "none")
	case slices.ContainsFunc(list, func(e node) bool { return !isText(e.val) }):
		noSet(m, "a list of maps, which have their own")
		for _, e := range list {
			if made := c.longEmit(e, in); made != nil {
				all = append(all, made)
			}
		}
	default:
		var kinds []hub.Kind
		for _, e := range list {
			if k, ok := emittable(e); ok {
				kinds = append(kinds, k)
			}
		}
		for _, k := range kinds {
			all = append(all, c.emit(m, k, kinds, in))
		}
	}
	return all
}

// noSet reports what a rule may not have beside an emit that is something else than kinds.
func noSet(m fields, what string) {
	for _, key := range []string{"set", "block", "optional"} {
		if n := m.get(key); n.isSet() {
			n.problem("has no meaning here, for emit is %s", what)
		}
	}
}

const maxEmits = 8

// emittable reads the kind of an event that a rule can make.
func emittable(n node) (hub.Kind, bool) {
	s, ok := n.text()
	k, known := hub.ParseKind([]byte(s))
	switch {
	case !ok:
	case !known || k == hub.KindNone:
		n.problem("must be a kind of event, not %q; there are %s", clip(s), kindNamesText())
	case k == hub.Raw:
		n.problem("raw events are made by else: raw")
	default:
		return k, true
	}
	return k, false
}

func kindNamesText() string { return strings.Join(namesOf(hub.Kinds()), ", ") }

func namesOf[T fmt.Stringer](all []T) []string {
	names := make([]string, len(all))
	for i, v := range all {
		names[i] = v.String()
	}
	return names
}

// longEmit reads an entry of emit that is a map.
func (c *compiler) longEmit(n node, in *reader) *emit {
	m, ok := n.fixed("kind", "when", "has", "lacks", "set", "block", "optional")
	if !ok {
		return nil
	}
	kind := m.get("kind")
	if !kind.isSet() {
		kind.problem("is missing; name the kind of event")
		return nil
	}
	k, ok := emittable(kind)
	if !ok {
		return nil
	}
	e := c.emit(m, k, []hub.Kind{k}, in)
	e.tests = in.demands(m)
	return e
}

// emit reads how an event of kind k is filled. kinds share the map set.
func (c *compiler) emit(m fields, k hub.Kind, kinds []hub.Kind, in *reader) *emit {
	e := &emit{proto: defaults(k), need: kindInfos[k].needs, maybe: m.get("optional").flag(false)}
	values, _ := m.get("set").free()
	for _, key := range values.keys() {
		c.set(e, values.get(key), key, kinds, in)
	}
	for _, a := range c.common {
		if !values.get(a.field.String()).isSet() {
			e.sets = append(e.sets, a)
		}
	}
	c.blockOf(e, m.get("block"))
	if k >= hub.ToolStart && k <= hub.ToolEnd {
		c.toolOf(e, values, in)
	}
	if need := values.get(e.need.String()); e.need != fieldNone && e.needs == nil && !need.isSet() {
		need.problem("is missing; %s says nothing without it", k)
	}
	if in.each && (k == hub.RunStart || k == hub.RunEnd) {
		m.get("emit").problem("%s cannot be made for each element", k)
	}
	return e
}

// set reads one field of an event.
func (c *compiler) set(e *emit, n node, key string, kinds []hub.Kind, in *reader) {
	if flag := findFlag(key); flag != 0 {
		c.setFlag(e, n, flag)
		return
	}
	f := findField(key)
	var allowed fieldSet
	for _, k := range kinds {
		allowed |= kindInfos[k].fields | common
	}
	switch {
	case f == fieldNone || !allowed.has(f):
		n.problem("is no field of %s; there are %s, and flags: %s", kindsText(kinds), allowed.names(), strings.Join(settableNames(), ", "))
	case !(kindInfos[e.proto.Kind].fields | common).has(f): // a field of another kind that shares set
	case f == fieldItems || f == fieldOptions:
		c.setList(e, n, f, in)
	default:
		if s, ok := in.source(n, f, kinds); ok {
			e.add(f, s)
		}
	}
}

// add takes a source for a field.
func (e *emit) add(f field, s source) {
	switch {
	case f.form() == formWord && len(s.members) == 0:
		wordFields[f].set(&e.proto, s.other.value)
	case f == e.need:
		e.needs = &s
	default:
		e.sets = append(e.sets, assign{f, f.form(), s})
	}
}

func (c *compiler) setFlag(e *emit, n node, flag hub.Flags) {
	if !settable.Has(flag) {
		n.problem("is set by Sabir alone")
		return
	}
	if n.flag(false) {
		e.proto.Flags |= flag
	}
}

// settableNames are the names of the flags that documents may set.
func settableNames() (all []string) {
	for i, name := range hub.FlagNames() {
		if settable.Has(1 << i) {
			all = append(all, name)
		}
	}
	return all
}

func kindsText(kinds []hub.Kind) string { return strings.Join(namesOf(kinds), " or ") }

// blockOf reads the prefix of the ids of texts that are whole parts.
func (c *compiler) blockOf(e *emit, n node) {
	prefix, ok := n.text()
	switch {
	case !ok:
	case e.proto.Kind != hub.TextDelta:
		n.problem("only text.delta can be a block")
	default:
		body := string(rawjson.AppendEscaped(nil, []byte(prefix)))
		e.block = &block{prefix: body, at: c.counter(body)}
	}
}

var listParts = map[field][]string{
	fieldItems:   {"id", "content", "status", "priority"},
	fieldOptions: {"id", "name", "kind"},
}

// setList reads where the elements of a list come from, and what is in each.
func (c *compiler) setList(e *emit, n node, f field, in *reader) {
	parts := listParts[f]
	m, ok := n.fixed(append([]string{"from"}, parts...)...)
	if !ok {
		return
	}
	from := m.get("from")
	if !from.isSet() {
		from.problem("is missing; a path says where the list is")
		return
	}
	list := source{view: in.view}
	if !in.paths(from, &list) {
		return
	}
	inner := c.inner()
	l := &listSource{field: f, source: list, inner: inner.view}
	for i, part := range parts {
		if s, ok := inner.source(m.get(part), fieldName, []hub.Kind{e.proto.Kind}); ok {
			l.parts[i] = &s
		}
	}
	e.lists = append(e.lists, l)
	if f == e.need {
		e.needs = &list
	}
}
