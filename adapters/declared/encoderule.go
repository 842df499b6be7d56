package declared

import (
	"slices"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// encodeRule says how events of some kinds are written.
type encodeRule struct {
	kinds []hub.Kind
	main  hub.Kind // the one that readers will take the record for; KindNone: the record says it
	words []wordTest
	tests []fieldTest
	flags hub.Flags // these are looked at
	want  hub.Flags // and are so

	subAgents      bool // knows of sub-agents
	block          bool
	disposition    hub.Disposition
	hasDisposition bool

	event     string
	templates []*template
	item      *template // of a list's element; nil: as Sabir names its members
	names     map[field]map[string]name

	native [hub.NumKinds][]wordTest // what a reader will take events for
}

// name is what a value is called on the wire.
type name struct {
	json   rawjson.Value
	shared bool // by others, so that readers cannot tell which it was
}

// wordTest is a condition on a field with a vocabulary.
type wordTest struct {
	field field
	mask  uint32 // bits of the words
}

func (w *wordTest) holds(v uint8) bool { return w.mask&(1<<v) != 0 }

// fieldTest is a condition on another field, or on the JSON in it.
type fieldTest struct {
	ref ref
	condition
}

var encodeKeys = []string{"on", "when", "has", "lacks", "write", "event", "block", "fate", "map", "item"}

// encodeRule reads one entry of encode; nil if nothing can be said about it.
func (c *compiler) encodeRule(n node) *encodeRule {
	m, ok := n.fixed(encodeKeys...)
	if !ok {
		return nil
	}
	r := &encodeRule{}
	if r.kinds = c.kinds(m.get("on")); len(r.kinds) == 0 {
		return nil
	}
	r.block = m.get("block").flag(false)
	c.fieldTests(m, r)
	if r.block && (len(r.kinds) > 1 || r.kinds[0] != hub.TextDelta) {
		m.get("block").problem("only text.delta can be collected")
	}
	r.event, _ = m.get("event").text()
	if strings.ContainsAny(r.event, "\r\n") {
		m.get("event").problem("must be a single line")
	}
	if s, ok := m.get("fate").text(); ok {
		r.disposition, r.hasDisposition = c.disposition(m.get("fate"), s), true
	}
	c.templates(m, r)
	c.names(m.get("map"), r)
	r.finish()
	return r
}

// kinds reads the kinds that a rule is about.
func (c *compiler) kinds(n node) (all []hub.Kind) {
	if !n.isSet() {
		n.problem("is missing; name the kinds of events that are written so")
	}
	for _, e := range n.oneOrMore() {
		s, ok := e.text()
		k, known := hub.ParseKind([]byte(s))
		switch {
		case !ok:
		case !known || k == hub.KindNone:
			e.problem("must be a kind of event, not %q; there are %s", clip(s), kindNamesText())
		case slices.Contains(all, k):
			e.problem("%s is named twice", s)
		default:
			all = append(all, k)
		}
	}
	return all
}

func (c *compiler) disposition(n node, s string) hub.Disposition {
	names := namesOf(hub.Dispositions())
	if i := slices.Index(names, s); i >= 0 {
		return hub.Dispositions()[i]
	}
	n.problem("must be one of %s, not %q", strings.Join(names, ", "), clip(s))
	return hub.Native
}

// allowed are the fields that a rule may speak of.
func (r *encodeRule) allowed() fieldSet {
	all := common | setOf(fieldKind, fieldSeq, fieldRun, fieldThread)
	for _, k := range r.kinds {
		all |= kindInfos[k].fields
		if k >= hub.ToolStart && k <= hub.ToolEnd {
			all |= 1 << fieldIndex
		}
		if k == hub.ToolEnd {
			all |= 1 << fieldArgs
		}
		if r.block {
			all = all&^setOf(fieldOp) | 1<<fieldSig // a whole text is written with what its end brings
		}
	}
	return all
}

// fieldTests reads when, has and lacks.
func (c *compiler) fieldTests(m fields, r *encodeRule) {
	when, _ := m.get("when").free()
	for _, key := range when.keys() {
		c.fieldTest(when.get(key), key, r)
	}
	for _, key := range []string{"has", "lacks"} {
		for _, n := range m.get(key).oneOrMore() {
			name, ok := n.text()
			if !ok {
				continue
			}
			if to, ok := c.testedField(n, name, r); ok && to.field.form() == formWord {
				n.problem("%s is always there; use when", name)
			} else if ok {
				r.tests = append(r.tests, fieldTest{to, condition{has: key == "has", lacks: key == "lacks"}})
			}
		}
	}
}

func (c *compiler) fieldTest(n node, key string, r *encodeRule) {
	if flag := findFlag(key); flag != 0 {
		r.flags |= flag
		if n.flag(true) {
			r.want |= flag
		}
		return
	}
	to, ok := c.testedField(n, key, r)
	switch {
	case !ok:
	case to.field.form() == formWord:
		c.wordTest(n, to.field, r)
	case to.field.form() == formCount || to.field.form() == formItems || to.field.form() == formOptions:
		n.problem("can only be asked for with has and lacks")
	default:
		r.tests = append(r.tests, fieldTest{to, readCondition(n)})
	}
}

// testedField finds the field that a condition is about.
func (c *compiler) testedField(n node, name string, r *encodeRule) (ref, bool) {
	p := &templater{known: r.allowed(), what: kindsText(r.kinds)}
	to, err := p.field(name)
	if err != nil {
		n.problem("%v; and flags: %s", err, strings.Join(hub.FlagNames(), ", "))
		return to, false
	}
	if to.field.form() == formMade {
		n.problem("cannot be asked for")
		return to, false
	}
	r.subAgents = r.subAgents || to.field == fieldSubAgent
	return to, true
}

// wordTest reads one or more words. The first is what readers will take the record for.
func (c *compiler) wordTest(n node, f field, r *encodeRule) {
	w, first := wordTest{field: f}, wordTest{field: f}
	for _, e := range n.oneOrMore() {
		s, ok := e.text()
		switch {
		case !ok:
		case !mean(r.kinds, f, s):
			e.problem("must be one of %s, not %q", strings.Join(wordsOf(r.kinds, f), ", "), clip(s))
		default:
			v, _ := wordFields[f].parse(s)
			w.mask |= 1 << v
			if first.mask == 0 {
				first.mask = w.mask
			}
		}
	}
	r.words = append(r.words, w)
	for _, k := range r.kinds {
		r.native[k] = append(r.native[k], first)
	}
}

// elseName stands for all values that a map does not name.
const elseName = "else"

// names reads how values are called on the wire, by field.
func (c *compiler) names(n node, r *encodeRule) {
	m, ok := n.free()
	if !ok {
		return
	}
	r.names = map[field]map[string]name{}
	for _, key := range m.keys() {
		f := findField(key)
		if !r.hasItems() && !r.allowed().has(f) {
			m.get(key).problem("%s has no field %q", kindsText(r.kinds), clip(key))
			continue
		}
		table, _ := m.get(key).free()
		r.names[f] = map[string]name{}
		for _, from := range table.keys() {
			if f.form() == formWord && from != elseName && !mean(r.kinds, f, from) && r.item == nil {
				table.get(from).problem("is no %s; there are %s", key, strings.Join(wordsOf(r.kinds, f), ", "))
				continue
			}
			if to := readConstants(table.get(from)); len(to) == 1 {
				r.names[f][from] = name{json: to[0], shared: from == elseName}
			} else if len(to) > 1 {
				table.get(from).problem("must be a single value")
			}
		}
		markShared(r.names[f])
	}
}

// hasItems reports whether there are lists whose elements have fields of their own.
func (r *encodeRule) hasItems() bool {
	return slices.Contains(r.kinds, hub.Plan) || slices.Contains(r.kinds, hub.Ask)
}

// markShared finds the names that stand for several values.
func markShared(table map[string]name) {
	count := map[string]int{}
	for _, n := range table {
		count[string(n.json)]++
	}
	for from, n := range table {
		n.shared = n.shared || count[string(n.json)] > 1
		table[from] = n
	}
}

const maxTemplates = 8

// templates reads what is written.
func (c *compiler) templates(m fields, r *encodeRule) {
	write := m.get("write")
	list := write.oneOrMore()
	switch {
	case !write.isSet():
		write.problem("is missing; give the JSON of the record, or none")
	case len(list) > maxTemplates:
		write.problem("writes more than %d records", maxTemplates)
		return
	case write.val == "none":
		if !r.hasDisposition {
			r.disposition, r.hasDisposition = hub.Dropped, true
		}
		return
	}
	for _, e := range list {
		if t := c.template(e, r.allowed(), kindsText(r.kinds)); t != nil {
			r.templates = append(r.templates, t)
			r.subAgents = r.subAgents || t.uses.has(fieldSubAgent)
		}
	}
	c.itemTemplate(m.get("item"), r)
}

// itemTemplate reads how an element of a plan or an option of a question is written.
func (c *compiler) itemTemplate(n node, r *encodeRule) {
	switch {
	case !n.isSet():
	case slices.Equal(r.kinds, []hub.Kind{hub.Plan}):
		r.item = c.template(n, setOf(fieldID, fieldContent, fieldStatus, fieldPriority, fieldIndex), "an item of a plan")
	case slices.Equal(r.kinds, []hub.Kind{hub.Ask}):
		r.item = c.template(n, setOf(fieldID, fieldName, fieldKind, fieldIndex), "an option")
	default:
		n.problem("only plan and ask have items")
	}
}

func (c *compiler) template(n node, known fieldSet, what string) *template {
	s, ok := n.text()
	if !ok {
		return nil
	}
	t, err := parseTemplate(s, known, what)
	if err != nil {
		n.problem("%v", err)
		return nil
	}
	return t
}

// reported are the fields whose word has to come through for a reader to understand the event, by kind.
func reported(k hub.Kind) []field {
	switch k {
	case hub.TextStart, hub.TextEnd:
		return []field{fieldChan}
	case hub.TextDelta, hub.ToolOutput:
		return []field{fieldChan, fieldOp}
	case hub.RunEnd, hub.ToolEnd, hub.AgentEnd, hub.Answer:
		return []field{fieldStatus}
	case hub.Ask:
		return []field{fieldWhat}
	}
	return nil
}

// finish works out for which words the record says all: those that it writes out, or else the first that a condition names,
// or else what events have that say nothing.
func (r *encodeRule) finish() {
	var uses fieldSet
	for _, t := range r.templates {
		uses |= t.uses
	}
	var all [hub.NumKinds][]wordTest
	for _, k := range r.kinds {
		for _, f := range reported(k) {
			i := slices.IndexFunc(r.native[k], func(w wordTest) bool { return w.field == f })
			switch {
			case uses.has(f):
			case i >= 0:
				all[k] = append(all[k], r.native[k][i])
			default:
				v, _ := wordFields[f].parse(vocabulary(k, f)[0])
				all[k] = append(all[k], wordTest{f, 1 << v})
			}
		}
	}
	r.native = all
	if r.main = r.kinds[0]; uses.has(fieldKind) {
		r.main = hub.KindNone
	}
}
