package eventjson

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// AppendObject appends an object of those members of which that ev has.
func AppendObject(dst []byte, ev *hub.Event, which Set) []byte {
	return Close(Append(dst, ev, which), len(dst))
}

// Close makes an object of the members that were appended since from, each of which begins with a comma.
func Close(dst []byte, from int) []byte {
	if len(dst) == from {
		dst = append(dst, '{')
	}
	dst[from] = '{'
	return append(dst, '}')
}

// Append appends those members of which that ev has, each with a comma before it. Values are spliced as they are.
func Append(dst []byte, ev *hub.Event, which Set) []byte {
	for i, n := range wordsOf(ev) {
		if n != 0 && which&(1<<i) != 0 {
			dst = append(append(dst, members[i].head...), '"')
			dst = append(append(dst, words[i].text(n)...), '"')
		}
	}
	if ev.Flags != 0 && which&Flags != 0 {
		dst = appendFlags(dst, ev.Flags)
	}
	if ev.Seq != 0 && which&Seq != 0 {
		dst = strconv.AppendUint(append(dst, `,"seq":`...), ev.Seq, 10)
	}
	of := bodiesOf(ev)
	dst = appendBodies(dst, members[firstBody:firstRare], of[:], which>>firstBody)
	if ev.More != nil && which>>firstRare != 0 {
		dst = appendMore(dst, ev, which)
	}
	return dst
}

// appendBodies appends those values that are there and selected.
func appendBodies(dst []byte, list []member, values []*[]byte, which Set) []byte {
	for i := range list {
		v := values[i]
		if *v == nil || which&(1<<i) == 0 {
			continue
		}
		if len(*v) > 0 || list[i].kind == text {
			dst = list[i].append(dst, *v)
		}
	}
	return dst
}

func (m *member) append(dst, val []byte) []byte {
	dst = append(dst, m.head...)
	if m.kind == body || m.kind == text {
		return append(append(append(dst, '"'), val...), '"')
	}
	return append(dst, val...)
}

func appendFlags(dst []byte, flags hub.Flags) []byte {
	dst = append(dst, `,"flags":[`...)
	for i, name := range hub.FlagNames() {
		if flags.Has(1 << i) {
			dst = append(append(append(dst, '"'), name...), `",`...)
		}
	}
	dst[len(dst)-1] = ']' // over the last comma
	return dst
}

func appendMore(dst []byte, ev *hub.Event, which Set) []byte {
	for i, v := range rareOf(ev.More) {
		bit := Set(1) << (firstRare + i)
		switch {
		case which&bit == 0:
		case v == nil:
			dst = appendOther(dst, ev, members[firstRare+i].head, bit)
		case len(*v) > 0:
			dst = members[firstRare+i].append(dst, *v)
		}
	}
	return dst
}

// appendOther appends the member of More with that bit, which is no string or value of its own.
func appendOther(dst []byte, ev *hub.Event, head string, bit Set) []byte {
	m := ev.More
	switch {
	case bit == Time && m.Time != 0:
		dst = strconv.AppendInt(append(dst, head...), m.Time, 10)
	case bit == Items && (ev.Kind == hub.Plan || len(m.Items) > 0):
		dst = appendList(append(dst, head...), itemMembers, m.Items, itemOf)
	case bit == Options && len(m.Options) > 0:
		dst = appendList(append(dst, head...), optionMembers, m.Options, optionOf)
	case bit == Usage && ev.Kind == hub.Usage:
		from := len(dst) + len(head)
		dst = appendCounts(append(dst, head...), &m.Usage)
		dst = closeMember(dst, head, from)
	case bit == File:
		from := len(dst) + len(head)
		of := fileOf(&m.File)
		dst = appendBodies(append(dst, head...), fileMembers, of[:], All)
		dst = closeMember(dst, head, from)
	}
	return dst
}

// closeMember closes the object that is the value of a member, or takes the member back when the object is empty.
func closeMember(dst []byte, head string, from int) []byte {
	if len(dst) == from {
		return dst[:from-len(head)]
	}
	return Close(dst, from)
}

func appendCounts(dst []byte, c *hub.Counts) []byte {
	for i, n := range countsOf(c) {
		if *n >= 0 {
			dst = strconv.AppendInt(append(dst, countMembers[i].head...), *n, 10)
		}
	}
	of := costOf(c)
	return appendBodies(dst, costMembers, of[:], All)
}

// appendList appends an array of objects.
func appendList[T any](dst []byte, rows []member, list []T, of func(*T) slots) []byte {
	dst = append(dst, '[')
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		values := of(&list[i])
		dst = Close(appendBodies(dst, rows, values[:], All), len(dst))
	}
	return append(dst, ']')
}
