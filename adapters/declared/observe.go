package declared

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// observe finds the records that end a run, without a decoder: streams that are copied share it. A record whose type never
// ends a run costs no more than finding its type.
func (t *decodeTable) observe(rec wire.Record) hub.Observation {
	data := bytes.TrimSpace(rec.Data)
	if len(data) == 0 {
		return hub.ObservedNothing
	}
	if len(t.endMark) > 0 && bytes.Equal(data, t.endMark) {
		return hub.ObservedEnd
	}
	rules := t.untyped
	if t.typ != nil {
		typ, ok := t.observedType(data, rec)
		if !ok && len(t.untyped) == 0 {
			return hub.ObservedNothing
		}
		if named, ok := t.byType[string(typ)]; ok {
			rules = named
		}
	}
	if slices.ContainsFunc(rules, (*rule).endsRun) && ends(rules, data, rec) {
		return hub.ObservedEnd
	}
	return hub.ObservedNothing
}

// observedType finds the type of a record that was not validated; at its first member, where most servers write it, or
// else by a search.
func (t *decodeTable) observedType(data []byte, rec wire.Record) (typ []byte, ok bool) {
	if t.typ.members[0] == memberEvent {
		return rec.Event, len(rec.Event) > 0
	}
	if rest, found := bytes.CutPrefix(data, []byte(t.prefix)); found && t.prefix != "" {
		typ, _, found = bytes.Cut(rest[:min(len(rest), t.longest+1)], []byte{'"'})
		if bytes.IndexByte(typ, '\\') < 0 {
			return typ, found || len(rest) > t.longest // a longer one is of no rule
		}
	}
	var v rawjson.Value
	for i := 0; i < len(t.typeSteps) && rawjson.IsNull(v); i++ {
		v = walk(data, t.typeSteps[i])
	}
	body, isString := rawjson.Str(v)
	if !isString {
		return v, t.numbered && v != nil
	}
	if bytes.IndexByte(body, '\\') >= 0 {
		body = rawjson.AppendUnescaped(nil, body)
	}
	return body, true
}

func (r *rule) endsRun() bool { return r.makes(hub.RunEnd) }

// ends reports whether the first rule that is about the record makes the end of the run, as it does in a decoder.
func ends(rules []*rule, data []byte, rec wire.Record) bool {
	for _, r := range rules {
		if !observed(r.tests, data, rec) {
			continue
		}
		for _, e := range r.emits {
			if e.proto.Kind == hub.RunEnd && observed(e.tests, data, rec) {
				var json rawjson.Decoder
				return json.Valid(rec.Data) == nil
			}
		}
		if !r.goOn {
			return false
		}
	}
	return false
}

// observed reports whether all conditions hold.
func observed(tests []demand, data []byte, rec wire.Record) bool {
	for i := range tests {
		t := &tests[i]
		v := rawjson.Value(nil)
		switch {
		case t.member != memberEvent:
			v = walk(data, t.steps)
		case len(rec.Event) > 0:
			v = rawjson.AppendString(nil, rec.Event)
		}
		if !t.holds(v) {
			return false
		}
	}
	return true
}
