package declared

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// tools is the section of that name: how tool calls are distinguished. Without it, rules set the id of tool events themselves.
type tools struct {
	id, name   node // paths; not set: records have none
	byName     bool // calls without an id are matched by name
	lifo       bool
	sequential bool
	serialise  bool // encode: calls of one name take turns
	prefix     string
	implicit   map[string]struct{} // names, as string bodies
}

// maxImplicit is how many tools may be listed as implicit.
const maxImplicit = 256

func (c *compiler) readTools(n node) *tools {
	m, ok := n.fixed("id", "name", "match", "prefix", "implicit", "sequential", "serialise")
	if !ok {
		return nil
	}
	t := &tools{id: m.get("id"), name: m.get("name"), implicit: map[string]struct{}{}}
	t.byName = m.get("match").isSet()
	t.lifo = m.get("match").choice("fifo", "lifo") == "lifo"
	t.sequential = m.get("sequential").flag(false)
	t.serialise = m.get("serialise").flag(t.byName)
	t.prefix = c.body(m.get("prefix"), "call_")
	main := &reader{plan: c.plans[0]}
	main.source(t.id, fieldID, nil)
	main.source(t.name, fieldName, nil)
	names := m.get("implicit").oneOrMore()
	if len(names) > maxImplicit {
		m.get("implicit").problem("lists more than %d tools", maxImplicit)
		names = nil
	}
	for _, e := range names {
		if s, ok := e.word(); ok {
			t.implicit[string(rawjson.AppendEscaped(nil, []byte(s)))] = struct{}{}
		}
	}
	t.check(m)
	return t
}

// check reports what does not go together.
func (t *tools) check(m fields) {
	switch {
	case t.byName && !t.name.isSet():
		t.name.problem("is missing; calls are matched by it")
	case !t.byName && !t.id.isSet():
		t.id.problem("is missing; where records have no id, match says how calls are distinguished by name")
	}
	for _, key := range []string{"prefix", "implicit", "sequential", "serialise"} {
		if n := m.get(key); n.isSet() && !t.byName {
			n.problem("needs match; it is for calls that are distinguished by name")
		}
	}
}

// toolOf says where a tool event has its id and name from.
func (c *compiler) toolOf(e *emit, set fields, in *reader) {
	id, name := set.get("id"), set.get("name")
	if c.tools == nil {
		if !id.isSet() {
			id.problem("is missing; set it, or say in a section tools how calls are distinguished")
		}
		return
	}
	if id.isSet() {
		id.problem("comes from the section tools; remove one of the two")
	}
	if name.isSet() && c.tools.name.isSet() {
		name.problem("comes from the section tools; remove one of the two")
	}
	e.id, e.name = c.toolSource(c.tools.id, fieldID, in), c.toolSource(c.tools.name, fieldName, in)
	if e.need == fieldName && e.name != nil {
		e.need = fieldNone // see decoder.tool
	}
}

// toolSource reads a path of the section for one event, as it is seen from there.
func (c *compiler) toolSource(n node, f field, in *reader) *source {
	if s, ok := in.source(n, f, []hub.Kind{hub.ToolStart}); ok {
		return &s
	}
	return nil
}
