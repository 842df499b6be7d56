package declared

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// decodeTable is how records are read. It never changes; decoders share it.
type decodeTable struct {
	name  []byte // of the dialect
	plans []*plan

	typ       *source  // of the type of a record; nil: rules look at all records
	typeSteps [][]step // its members, for lookups without a view
	prefix    string   // how records begin whose first member is the type; "" if they cannot
	longest   int      // type of a rule, in bytes
	numbered  bool     // types may be numbers
	byType    map[string][]*rule
	untyped   []*rule // for types that no rule names
	unknown   string  // what becomes of records for which there is no rule: raw, drop, error

	endMark      []byte
	endsWithBody bool
	grammar      hub.Grammar

	common   []assign
	tools    *tools
	prefixes []string
}

// readDecode reads the parts of the document that are about reading; nil if there are none.
func (c *compiler) readDecode(m fields) *decodeTable {
	t := &decodeTable{name: []byte(c.name), byType: map[string][]*rule{}}
	main := &reader{plan: c.plans[0]}
	c.readType(m.get("type"), t, main)
	mark, _ := m.get("end_mark").text()
	t.endMark = []byte(mark)
	t.endsWithBody = m.get("end_of_body").choice("cut", "done") == "done"
	c.tools = c.readTools(m.get("tools"))
	c.readCommon(m.get("common"), main)
	list, isSet := c.ruleList(m.get("decode"))
	t.unknown = m.get("else").choice("raw", "drop", "error")
	if !isSet {
		return nil
	}
	var rules []*rule
	for _, n := range list {
		if r := c.rule(n); r != nil {
			rules = append(rules, r)
		}
	}
	t.arrange(rules)
	c.checkEnds(m, t, rules)
	t.grammar = grammarOf(rules)
	t.numbered, t.plans = c.numbered, c.plans
	t.common, t.tools, t.prefixes = c.common, c.tools, c.prefixes
	return t
}

// ruleList reads a list of rules.
func (c *compiler) ruleList(n node) (list []node, isSet bool) {
	list, isSet = n.list()
	if all, _ := n.val.([]any); isSet && (len(all) == 0 || len(all) > maxRules) {
		n.problem("must have from 1 to %d rules", maxRules)
		return nil, true
	}
	return list, isSet
}

// readType reads where the type of a record is.
func (c *compiler) readType(n node, t *decodeTable, main *reader) {
	typ := source{}
	if !main.paths(n, &typ) {
		return
	}
	c.typed, t.typ = true, &typ
	for _, m := range typ.members {
		t.typeSteps = append(t.typeSteps, c.plans[0].steps(m))
	}
	if typ.members[0] == memberEvent {
		return
	}
	if m := c.plans[0].members[typ.members[0]]; m.parent == 0 && m.step.index < 0 {
		t.prefix = `{"` + string(m.body) + `":"`
	}
}

// readCommon reads the fields that all events have.
func (c *compiler) readCommon(n node, main *reader) {
	m, _ := n.free()
	for _, key := range m.keys() {
		f := findField(key)
		if f == fieldNone || !common.has(f) {
			m.get(key).problem("is not common to all events; there are %s", common.names())
			continue
		}
		if s, ok := main.source(m.get(key), f, nil); ok {
			c.common = append(c.common, assign{f, f.form(), s})
		}
	}
}

// arrange finds the rules for each type, in the order of the document.
func (t *decodeTable) arrange(rules []*rule) {
	for _, r := range rules {
		for _, typ := range r.types {
			t.byType[typ] = nil
			t.longest = max(t.longest, len(typ))
		}
	}
	for _, r := range rules {
		if len(r.types) == 0 {
			t.untyped = append(t.untyped, r)
		}
		for typ := range t.byType {
			if len(r.types) == 0 || slices.Contains(r.types, typ) {
				t.byType[typ] = append(t.byType[typ], r)
			}
		}
	}
}

// checkEnds reports what is wrong with how a run ends.
func (c *compiler) checkEnds(m fields, t *decodeTable, rules []*rule) {
	ends := len(t.endMark) > 0 || t.endsWithBody
	late := false
	for _, r := range rules {
		ends = ends || r.makes(hub.RunEnd)
		late = late || r.late
	}
	if !ends && len(rules) > 0 {
		m.get("decode").problem("no rule makes a run.end, so that every stream would count as cut; " +
			"add one, an end_mark, or end_of_body: done")
	}
	if late && !m.get("settle").isSet() {
		m.get("settle").problem("is missing; it says how long the end of a run waits for records with late: true")
	}
	var json rawjson.Decoder
	if mark := m.get("end_mark"); len(t.endMark) > 0 && json.Valid(t.endMark) == nil {
		if v := rawjson.Value(t.endMark); rawjson.Kind(v) == '{' {
			mark.problem("is for a record that is no JSON object; make a rule for this one")
		}
	}
}

// grammarOf leaves out what no record can say.
func grammarOf(rules []*rule) (g hub.Grammar) {
	makes := func(kinds ...hub.Kind) bool {
		return !slices.ContainsFunc(kinds, func(k hub.Kind) bool { return !slices.ContainsFunc(rules, func(r *rule) bool { return r.makes(k) }) })
	}
	g.Parts = makes(hub.TextStart, hub.TextEnd)
	for _, lacks := range []struct {
		rule  hub.Rule
		kinds []hub.Kind
	}{
		{hub.RuleStart, []hub.Kind{hub.RunStart}}, {hub.RuleReady, []hub.Kind{hub.ToolReady}}, {hub.RuleResult, []hub.Kind{hub.ToolEnd}},
		{hub.RuleClosed, []hub.Kind{hub.StepEnd, hub.AgentEnd}},
	} {
		if !makes(lacks.kinds...) {
			g.Permits = append(g.Permits, lacks.rule)
		}
	}
	return g
}

func (r *rule) makes(k hub.Kind) bool {
	return slices.ContainsFunc(r.emits, func(e *emit) bool { return e.proto.Kind == k })
}
