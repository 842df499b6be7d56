package redact

import (
	"encoding/binary"
	"errors"
	"regexp/syntax"
	"slices"
	"unicode"
)

// automaton finds in one look-up a byte where matches can be. It knows no counts and no word boundaries, so that it is small, and finds
// all that the expressions find and more: what it finds is verified.
type automaton struct {
	class  [256]uint8
	width  int      // classes
	next   []uint16 // by state and class
	accept []hits   // by state: which matches may end here
	max    []int    // by state: the longest match that may be going on, in bytes
	start  uint16   // of one that is anchored; others start at dead
}

// hits are patterns by number; those that are 64 apart are the same.
type hits uint64

// dead is the state in which no match is going on.
const dead = 0

// maxStates bounds one automaton. Patterns that need more together are searched by several.
const maxStates = 768

// maxScans is how many automata look at each byte.
const maxScans = 8

var (
	errStates = errors.New("is too complex")
	errScans  = errors.New("the patterns are too complex together; make them simpler, or give some to another route")
)

// newScans spreads patterns over as few automata as hold them.
func newScans(patterns []*pattern) (list []*automaton, err error) {
	for len(patterns) > 0 {
		var best *automaton
		n := 0
		for n < len(patterns) {
			a, err := newAutomaton(patterns[:n+1], false)
			if err != nil {
				break
			}
			best, n = a, n+1
		}
		if n == 0 || len(list) == maxScans {
			return nil, errScans
		}
		list, patterns = append(list, best), patterns[n:]
	}
	return list, nil
}

// scanState is how far the automata of some rules are.
type scanState [maxScans]uint16

// step takes a byte. It reports whether a match may be going on, and which may end here.
func (r *Rules) step(st *scanState, c byte) (alive bool, found hits) {
	for i, a := range r.scans {
		s := a.step(st[i], c)
		st[i] = s
		alive = alive || s != dead
		found |= a.accept[s]
	}
	return alive, found
}

// longest is the length of the longest match that may be going on.
func (r *Rules) longest(st *scanState) (n int) {
	for i, a := range r.scans {
		n = max(n, a.max[st[i]])
	}
	return n
}

// step is the state behind a byte.
func (a *automaton) step(state uint16, c byte) uint16 {
	return a.next[int(state)*a.width+int(a.class[c])]
}

// builder makes an automaton of programs. A place is an instruction of one of them.
type builder struct {
	progs    []*syntax.Prog
	max      []int
	bits     []hits
	anchored bool
	initial  []place
	states   map[string]uint16
	sets     [][]place
	symbols  []rune // one of each class
}

type place struct{ prog, pc uint32 }

// nonASCII stands for all characters beyond ASCII.
const nonASCII = rune(0x80)

// newAutomaton makes the automaton of all patterns; anchored, one of matches that begin with the first byte.
func newAutomaton(patterns []*pattern, anchored bool) (*automaton, error) {
	b := &builder{states: map[string]uint16{}, anchored: anchored}
	for i, p := range patterns {
		b.progs, b.max, b.bits = append(b.progs, p.loose), append(b.max, p.Max), append(b.bits, p.bit)
		b.initial = b.closure(b.initial, place{uint32(i), uint32(p.loose.Start)})
	}
	a := b.classes()
	if _, err := b.state(a, nil); err != nil {
		return nil, err
	}
	if anchored {
		start, err := b.state(a, b.initial)
		if err != nil {
			return nil, err
		}
		a.start = start
	}
	for s := 0; ; s++ { // following a state may add others
		if s == len(b.sets) {
			return a, nil
		}
		if err := b.follow(a, s); err != nil {
			return nil, err
		}
	}
}

// classes tells apart the bytes that the programs tell apart. Bytes inside of a character change no state.
func (b *builder) classes() *automaton {
	a, known := new(automaton), map[string]uint8{}
	classOf := func(r rune) uint8 {
		signature := b.signature(r)
		c, ok := known[signature]
		if !ok {
			c = uint8(len(b.symbols))
			known[signature] = c
			b.symbols = append(b.symbols, r)
		}
		return c
	}
	for r := range nonASCII {
		a.class[r] = classOf(r)
	}
	lead := classOf(nonASCII)
	inside := uint8(len(b.symbols))
	for c := 0x80; c <= 0xFF; c++ {
		if a.class[c] = lead; c < 0xC0 {
			a.class[c] = inside
		}
	}
	a.width = int(inside) + 1
	return a
}

// signature tells which instructions take a character.
func (b *builder) signature(r rune) string {
	var s []byte
	for _, prog := range b.progs {
		for i := range prog.Inst {
			if takes(&prog.Inst[i], r) {
				s = append(s, '1')
			} else {
				s = append(s, '0')
			}
		}
	}
	return string(s)
}

// takes reports whether an instruction takes a character, or for nonASCII, any beyond ASCII.
func takes(in *syntax.Inst, r rune) bool {
	switch in.Op {
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
	default:
		return false
	}
	if r != nonASCII {
		return in.MatchRune(r)
	}
	if in.Op == syntax.InstRuneAny || in.Op == syntax.InstRuneAnyNotNL || slices.Max(in.Rune) >= nonASCII {
		return true
	}
	for f := unicode.SimpleFold(in.Rune[0]); len(in.Rune) == 1 && f != in.Rune[0]; f = unicode.SimpleFold(f) {
		if f >= nonASCII {
			return syntax.Flags(in.Arg)&syntax.FoldCase != 0
		}
	}
	return false
}

// closure adds a place and those that are reached from it without a character.
func (b *builder) closure(set []place, p place) []place {
	if slices.Contains(set, p) {
		return set
	}
	in := &b.progs[p.prog].Inst[p.pc]
	switch in.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		return b.closure(b.closure(set, place{p.prog, in.Out}), place{p.prog, in.Arg})
	case syntax.InstCapture, syntax.InstEmptyWidth, syntax.InstNop:
		return b.closure(set, place{p.prog, in.Out})
	case syntax.InstFail:
		return set
	}
	return append(set, p)
}

// state is the number of a set of places.
func (b *builder) state(a *automaton, set []place) (uint16, error) {
	slices.SortFunc(set, func(x, y place) int { return int(x.prog)<<20 + int(x.pc) - int(y.prog)<<20 - int(y.pc) })
	var key []byte
	for _, p := range set {
		key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(p.prog)), uint64(p.pc))
	}
	if n, ok := b.states[string(key)]; ok {
		return n, nil
	}
	if len(b.sets) == maxStates {
		return 0, errStates
	}
	n := uint16(len(b.sets))
	b.states[string(key)] = n
	b.sets = append(b.sets, set)
	var accept hits
	longest := 0
	for _, p := range set {
		if b.progs[p.prog].Inst[p.pc].Op == syntax.InstMatch {
			accept |= b.bits[p.prog]
		}
		longest = max(longest, b.max[p.prog])
	}
	a.accept, a.max = append(a.accept, accept), append(a.max, longest)
	a.next = append(a.next, make([]uint16, a.width)...)
	return n, nil
}

// follow fills in what follows a state.
func (b *builder) follow(a *automaton, s int) error {
	inside := a.width - 1
	a.next[s*a.width+inside] = uint16(s)
	from := b.sets[s]
	if !b.anchored {
		from = slices.Concat(from, b.initial)
	}
	for c, r := range b.symbols {
		var to []place
		for _, p := range from {
			if in := &b.progs[p.prog].Inst[p.pc]; takes(in, r) {
				to = b.closure(to, place{p.prog, in.Out})
			}
		}
		n, err := b.state(a, to)
		if err != nil {
			return err
		}
		a.next[s*a.width+c] = n
	}
	return nil
}
