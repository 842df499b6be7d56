package redact

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
)

// Pattern says what must not leave.
type Pattern struct {
	Name  string   // of one or several patterns, for the mask and for counting
	Expr  string   // a regular expression, as of package regexp
	Max   int      // the longest match in bytes; 0: as the expression says, which must have a bound then
	Tools []string // only in calls of these tools, whose names may end in *; empty: everywhere
	Block bool     // a match ends the run

	find func(text []byte) (from, to int) // in place of the expression; from < 0 for nothing
	ok   func(match []byte) bool          // judges what the expression has found; nil: all counts
	half func(begin []byte) bool          // whether the beginning of a match tells something; nil: if it is long enough
}

// MaxLength bounds the length of patterns, in bytes: so much of a text may have to wait.
const MaxLength = 16 << 10

// pattern is a pattern made ready.
type pattern struct {
	Pattern
	re    *regexp.Regexp
	later *regexp.Regexp // its first group is a match that does not begin at once, whatever is before it
	loose *syntax.Prog   // the same without counts
	min   int            // of a match, in bytes
	bit   hits
	alone *automaton // of matches of this one, from their beginning
}

var (
	errAnchor = errors.New(`^, $, \A and \z have no meaning in a stream; \b is a border of words`)
	errEmpty  = errors.New("matches the empty text")
	errMax    = errors.New("can match any length; give max, the longest match in bytes")
)

// compile makes a pattern ready.
func compile(p Pattern, number int) (*pattern, error) {
	tree, err := syntax.Parse(p.Expr, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("is no regular expression: %w", err)
	}
	shortest, longest := lengths(tree)
	switch {
	case anchored(tree):
		return nil, errAnchor
	case shortest == 0:
		return nil, errEmpty
	case p.Max == 0 && longest < 0:
		return nil, errMax
	case p.Max == 0:
		p.Max = longest
	}
	if p.Max > MaxLength || p.Max < shortest {
		return nil, fmt.Errorf("has matches of %d bytes or more, and max is %d; it must be between that and %d", shortest, p.Max, MaxLength)
	}
	c := &pattern{Pattern: p, min: shortest, bit: 1 << (number % 64)}
	if c.re, err = regexp.Compile(p.Expr); err != nil {
		return nil, fmt.Errorf("is no regular expression: %w", err)
	}
	if c.later, err = regexp.Compile(`\A(?s:.+?)(` + p.Expr + `)`); err != nil {
		return nil, err
	}
	if c.loose, err = syntax.Compile(loosen(tree).Simplify()); err != nil {
		return nil, err
	}
	c.alone, err = newAutomaton([]*pattern{c}, true)
	return c, err
}

// anchored reports whether an expression speaks of the beginning or the end of a text or a line.
func anchored(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText:
		return true
	}
	for _, sub := range re.Sub {
		if anchored(sub) {
			return true
		}
	}
	return false
}

// loosen takes the counts off an expression, in place.
func loosen(re *syntax.Regexp) *syntax.Regexp {
	for i, sub := range re.Sub {
		re.Sub[i] = loosen(sub)
	}
	if re.Op != syntax.OpRepeat || re.Max == 0 {
		return re
	}
	switch {
	case re.Max == 1 && re.Min == 1:
		return re.Sub[0]
	case re.Max == 1:
		re.Op = syntax.OpQuest
	case re.Min == 0:
		re.Op = syntax.OpStar
	default:
		re.Op = syntax.OpPlus
	}
	return re
}

// longestRune is the length of the longest character, in bytes.
const longestRune = 4

// lengths are those of the shortest and the longest match, in bytes; the longest is -1 where there is none.
func lengths(re *syntax.Regexp) (shortest, longest int) {
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			shortest, longest = shortest+1, longest+runeLength(r)
		}
	case syntax.OpCharClass:
		longest = 1
		for _, r := range re.Rune {
			longest = max(longest, runeLength(r))
		}
		shortest = 1
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1, longestRune
	case syntax.OpCapture:
		return lengths(re.Sub[0])
	case syntax.OpConcat:
		return joined(re.Sub)
	case syntax.OpAlternate:
		return either(re.Sub)
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		return repeated(re)
	}
	return shortest, longest
}

func runeLength(r rune) int {
	if r < nonASCII {
		return 1
	}
	return longestRune
}

func joined(subs []*syntax.Regexp) (shortest, longest int) {
	for _, sub := range subs {
		s, l := lengths(sub)
		if shortest += s; longest < 0 || l < 0 {
			longest = -1
		} else {
			longest += l
		}
	}
	return shortest, longest
}

func either(subs []*syntax.Regexp) (shortest, longest int) {
	shortest, longest = lengths(subs[0])
	for _, sub := range subs[1:] {
		s, l := lengths(sub)
		if shortest = min(shortest, s); longest < 0 || l < 0 {
			longest = -1
		} else {
			longest = max(longest, l)
		}
	}
	return shortest, longest
}

func repeated(re *syntax.Regexp) (shortest, longest int) {
	least, most := 0, -1
	switch re.Op {
	case syntax.OpPlus:
		least = 1
	case syntax.OpQuest:
		most = 1
	case syntax.OpRepeat:
		least, most = re.Min, re.Max
	}
	s, l := lengths(re.Sub[0])
	if most < 0 || l < 0 {
		return least * s, -1
	}
	return least * s, most * l
}
