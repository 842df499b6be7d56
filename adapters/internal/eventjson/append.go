package eventjson

import (
	"math/bits"
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
//
// It is on the path of every delta of a native stream, where most members are absent, and those of every delta are written
// without the table.
func Append(dst []byte, ev *hub.Event, which Set) []byte {
	if which&Kind != 0 && ev.Kind != hub.KindNone {
		dst = append(append(append(dst, headKind...), ev.Kind.String()...), '"')
	}
	switch {
	case uint8(ev.Status)|uint8(ev.Op)|uint8(ev.Level)|uint8(ev.Scope)|uint8(ev.AskKind) != 0:
		dst = appendWords(dst, ev, which&^Kind)
	case ev.Chan != 0 && which&Chan != 0:
		dst = append(append(append(dst, headChan...), ev.Chan.String()...), '"')
	}
	if ev.Flags != 0 && which&Flags != 0 {
		dst = appendFlags(dst, ev.Flags)
	}
	if ev.Seq != 0 && which&Seq != 0 {
		dst = strconv.AppendUint(append(dst, headSeq...), ev.Seq, 10)
	}
	have := which & (bit(ev.SubAgent, SubAgent) | bit(ev.Ref, Ref) | bit(ev.Name, Name) | bit(ev.Title, Title) | bit(ev.Value, Value))
	if have&SubAgent != 0 {
		dst = appendBits(dst, ev, SubAgent)
	}
	if len(ev.Msg) > 0 && which&Msg != 0 {
		dst = append(append(append(dst, headMsg...), ev.Msg...), '"')
	}
	if len(ev.ID) > 0 && which&ID != 0 {
		dst = append(append(append(dst, headID...), ev.ID...), '"')
	}
	if have&(Ref|Name|Title) != 0 {
		dst = appendBits(dst, ev, have&(Ref|Name|Title))
	}
	if ev.Text != nil && which&Text != 0 {
		dst = append(append(append(dst, headText...), ev.Text...), '"')
	}
	if have&Value != 0 {
		dst = appendBits(dst, ev, Value)
	}
	if ev.More != nil && which>>firstRare != 0 {
		dst = appendMore(dst, ev, which)
	}
	return dst
}

// appendBits appends strings or the value of an event that are there.
func appendBits(dst []byte, ev *hub.Event, have Set) []byte {
	of := bodiesOf(ev)
	for ; have != 0; have &= have - 1 {
		i := bits.TrailingZeros64(uint64(have))
		dst = members[i].append(dst, *of[i-firstBody])
	}
	return dst
}

// bit is the bit of a member, unless it is absent.
func bit(v []byte, m Set) Set {
	if len(v) == 0 {
		return 0
	}
	return m
}

func appendWords(dst []byte, ev *hub.Event, which Set) []byte {
	for i, n := range wordsOf(ev) {
		if n != 0 && which&(1<<i) != 0 {
			dst = append(append(dst, members[i].head...), words[i].text(n)...)
			dst = append(dst, '"')
		}
	}
	return dst
}

// appendBodies appends those values of an object that are there.
func appendBodies(dst []byte, list []member, values *slots) []byte {
	for i := range list {
		if v := *values[i]; len(v) > 0 {
			dst = list[i].append(dst, v)
		}
	}
	return dst
}

// append appends the member with a value that is there.
func (m *member) append(dst, val []byte) []byte {
	dst = append(append(dst, m.head...), val...)
	if m.kind == body {
		dst = append(dst, '"')
	}
	return dst
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
		dst = appendBodies(append(dst, head...), fileMembers, &of)
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
	return appendBodies(dst, costMembers, &of)
}

// appendList appends an array of objects.
func appendList[T any](dst []byte, rows []member, list []T, of func(*T) slots) []byte {
	dst = append(dst, '[')
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		values := of(&list[i])
		dst = Close(appendBodies(dst, rows, &values), len(dst))
	}
	return append(dst, ']')
}
