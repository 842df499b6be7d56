package declared

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// plan is everything that the rules want of a record, as a tree: two paths with the same beginning share it, and each object
// on the way is gone through once, whatever the number of its members that are wanted. It is made once and never changes.
type plan struct {
	members []member
	schema  *rawjson.Schema // the members of the record itself; nil when elements are wanted, not members
	named   int             // how many are in schema
}

// member is one value that is wanted, or that leads to such.
type member struct {
	step   step
	body   []byte // name as the body of a JSON string
	wanted string // place in the document of the first path that leads here; "" for what only lies on the way
	parent int
	named  int // its place in the schema; -1: it is in none
	kids   []int
}

// newPlan returns a plan that wants the record alone, which is member 0.
func newPlan() *plan { return &plan{members: []member{{parent: -1, named: -1}}} }

// want adds a path and returns its member.
func (p *plan) want(steps []step) int {
	at := 0
	for _, s := range steps {
		at = p.child(at, s)
	}
	return at
}

func (p *plan) child(parent int, s step) int {
	for _, k := range p.members[parent].kids {
		if p.members[k].step == s {
			return k
		}
	}
	k := len(p.members)
	p.members = append(p.members, member{step: s, body: rawjson.AppendEscaped(nil, []byte(s.name)), parent: parent, named: -1})
	p.members[parent].kids = append(p.members[parent].kids, k)
	return k
}

// steps returns the way to a member.
func (p *plan) steps(m int) (all []step) {
	for ; m > 0; m = p.members[m].parent {
		all = append(all, p.members[m].step)
	}
	slices.Reverse(all)
	return all
}

// finish is called when everything is wanted.
func (p *plan) finish() {
	kids := p.members[0].kids
	if slices.ContainsFunc(kids, func(k int) bool { return p.members[k].step.index >= 0 }) {
		return
	}
	var names []string
	for i, k := range kids {
		names = append(names, p.members[k].step.name)
		p.members[k].named = i
	}
	p.schema, p.named = rawjson.SchemaOf(names...), len(names)
}

// view is what a plan found in one record. Its values alias the record.
type view struct {
	plan   *plan
	vals   []rawjson.Value // by member
	filled []uint64        // by member: the turn in which its kids were looked for
	turn   uint64
	named  []rawjson.Value // the members in the schema
	whole  bool            // the record is looked at, not an element: the schema has filled named
}

func newView(p *plan) *view {
	n := len(p.members)
	return &view{plan: p, vals: make([]rawjson.Value, n), filled: make([]uint64, n), named: make([]rawjson.Value, p.named)}
}

// decode validates a record and makes it the one that is looked at.
func (v *view) decode(json *rawjson.Decoder, data []byte) error {
	v.look(bytes.TrimSpace(data))
	if v.plan.schema == nil {
		return json.Valid(data)
	}
	v.whole = true
	return json.DecodeNamed(data, v.plan.schema, v.named)
}

// look makes a value the one that is looked at. It is part of a record that was validated.
func (v *view) look(value rawjson.Value) {
	v.turn++
	v.vals[0] = value
}

// get returns a member, nil if it is absent. The recursion is as deep as the path has steps.
func (v *view) get(m int) rawjson.Value {
	if m == 0 {
		return v.vals[0]
	}
	of := &v.plan.members[m]
	if of.named >= 0 && v.whole {
		return v.named[of.named]
	}
	if v.filled[of.parent] != v.turn {
		v.fill(of.parent)
	}
	return v.vals[m]
}

// fill looks for all kids of a member at once.
func (v *view) fill(m int) {
	of := v.get(m)
	kids := v.plan.members[m].kids
	for _, k := range kids {
		v.vals[k] = nil
	}
	v.filled[m] = v.turn
	switch rawjson.Kind(of) {
	case '{':
		v.fillMembers(rawjson.Fields(of), kids)
	case '[':
		v.fillElements(rawjson.Elems(of), kids)
	}
}

// fillMembers goes through an object once. Of members with the same name the last one counts.
func (v *view) fillMembers(it rawjson.Members, kids []int) {
	for {
		key, val, ok := it.Next()
		if !ok {
			return
		}
		for _, k := range kids {
			m := &v.plan.members[k]
			if m.step.index < 0 && (string(key) == string(m.body) || bytes.IndexByte(key, '\\') >= 0 && rawjson.EqualBody(key, m.body)) {
				v.vals[k] = val
			}
		}
	}
}

// fillElements goes through an array up to the last element that is wanted.
func (v *view) fillElements(it rawjson.Iter, kids []int) {
	last := -1
	for _, k := range kids {
		last = max(last, v.plan.members[k].step.index)
	}
	for i := 0; i <= last; i++ {
		elem, ok := it.Next()
		if !ok {
			return
		}
		for _, k := range kids {
			if v.plan.members[k].step.index == i {
				v.vals[k] = elem
			}
		}
	}
}
