package eventjson

import (
	"math/bits"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Reader reads members into events. What it sets aliases the values that it is given.
type Reader struct {
	Scratch *hub.Scratch // where More comes from, unless the event has one
	Strict  bool         // a member of the wrong form is a fault; else it is ignored

	Err *hub.Error // the first fault
}

// Read reads those members of which that v has. A member that is absent, or null, leaves the event as it is; but the value
// of an event may be null.
func (r *Reader) Read(ev *hub.Event, v rawjson.Value, which Set) {
	for ; which != 0; which &= which - 1 {
		i := bits.TrailingZeros64(uint64(which))
		r.read(ev, i, rawjson.Get(v, members[i].name()))
	}
}

// Values are all members of a record, as [Record] lists them.
type Values [numMembers]rawjson.Value

// Record is the schema of a record of all members.
var Record = func() *rawjson.Schema {
	var names [numMembers]string
	for i := range members {
		names[i] = members[i].name()
	}
	return rawjson.SchemaOf(names[:]...)
}()

// ReadValues reads all members of a record.
func (r *Reader) ReadValues(ev *hub.Event, values *Values) {
	for i, v := range values {
		r.read(ev, i, v)
	}
}

// read reads one member.
func (r *Reader) read(ev *hub.Event, i int, v rawjson.Value) {
	m := &members[i]
	switch {
	case v == nil:
	case i < len(words):
		r.word(ev, i, v)
	case m.kind == other:
		r.other(ev, Set(1)<<i, v)
	default:
		val := r.value(m, "", v)
		switch {
		case val == nil:
		case i < firstRare:
			*bodiesOf(ev)[i-firstBody] = val
		default:
			*rareOf(r.Scratch.MoreOf(ev))[i-firstRare] = val
		}
	}
}

func (r *Reader) fail(reason hub.Reason, path, msg string) {
	if r.Strict && r.Err == nil {
		r.Err = hub.NewError(reason, path, -1, msg)
	}
}

// word reads a member with a closed vocabulary.
func (r *Reader) word(ev *hub.Event, i int, v rawjson.Value) {
	m := &members[i]
	if name := r.value(m, "", v); name != nil && !words[i].set(ev, name) {
		r.fail(hub.ReasonUnknown, m.name(), "not a name that is known here")
	}
}

var wants = map[byte]string{
	body: "want a string", '0': "want a number", '{': "want an object", '[': "want an array",
}

// value returns v as the member wants it, or nil. in is the path of its object.
func (r *Reader) value(m *member, in string, v rawjson.Value) []byte {
	switch kind, want := rawjson.Kind(v), m.kind; {
	case want == value:
		return v
	case kind == 0, kind == 'n':
		return nil
	case kind != want:
		r.fail(hub.ReasonType, join(in, m.name()), wants[want])
		return nil
	case want == body:
		return rawjson.Body(v)
	}
	return v
}

func join(in, name string) string {
	if in == "" {
		return name
	}
	return in + "." + name
}

// number reads a whole number; ok is false when there is none.
func (r *Reader) number(v rawjson.Value, in, name string) (n int64, ok bool) {
	if rawjson.IsNull(v) {
		return 0, false
	}
	if n, ok = rawjson.Int(v); !ok {
		r.fail(hub.ReasonType, join(in, name), "want a whole number")
	}
	return n, ok
}

// other reads the member with that bit, which is no string or value of its own.
func (r *Reader) other(ev *hub.Event, bit Set, v rawjson.Value) {
	switch bit {
	case Flags:
		r.flags(ev, v)
	case Seq:
		n, _ := r.number(v, "", "seq")
		ev.Seq = uint64(n)
	case Time:
		r.Scratch.MoreOf(ev).Time, _ = r.number(v, "", "time")
	case Items:
		m := r.Scratch.MoreOf(ev)
		m.Items = readList(r, "items", itemMembers, m.Items, v, itemOf)
	case Options:
		m := r.Scratch.MoreOf(ev)
		m.Options = readList(r, "options", optionMembers, m.Options, v, optionOf)
	case Usage:
		if ev.Kind == hub.Usage {
			r.usage(&r.Scratch.MoreOf(ev).Usage, v)
		}
	case File:
		of := fileOf(&r.Scratch.MoreOf(ev).File)
		r.object("file", fileMembers, of[:], v)
	}
}

func (r *Reader) flags(ev *hub.Event, v rawjson.Value) {
	list, flag := member{`,"flags":`, '['}, member{`,"flags":`, body}
	for e := range rawjson.Each(r.value(&list, "", v)) {
		name, known := r.value(&flag, "", e), false
		for i, own := range hub.FlagNames() {
			if own == string(name) {
				ev.Flags, known = ev.Flags|1<<i, true
			}
		}
		if name != nil && !known {
			r.fail(hub.ReasonUnknown, "flags", "not a name that is known here")
		}
	}
}

// object reads the members of a small object.
func (r *Reader) object(path string, rows []member, values []*[]byte, v rawjson.Value) {
	if kind := rawjson.Kind(v); kind != '{' && kind != 'n' {
		r.fail(hub.ReasonType, path, wants['{'])
	}
	for i := range rows {
		*values[i] = r.value(&rows[i], path, rawjson.Get(v, rows[i].name()))
	}
}

// readList appends what an array of small objects holds.
func readList[T any](r *Reader, path string, rows []member, dst []T, v rawjson.Value, of func(*T) slots) []T {
	if kind := rawjson.Kind(v); kind != '[' && kind != 'n' {
		r.fail(hub.ReasonType, path, wants['['])
	}
	for e := range rawjson.Each(v) {
		var zero T
		dst = append(dst, zero)
		values := of(&dst[len(dst)-1])
		r.object(path, rows, values[:], e)
	}
	return dst
}

func (r *Reader) usage(c *hub.Counts, v rawjson.Value) {
	of := costOf(c)
	r.object("usage", costMembers, of[:], v)
	for i, to := range countsOf(c) {
		name := countMembers[i].name()
		if n, ok := r.number(rawjson.Get(v, name), "usage", name); ok && n >= 0 {
			*to = n
		}
	}
}
