// Package redact keeps secrets from leaving: keys, numbers of cards, addresses and whatever else patterns describe are masked in a
// canonical stream, or end it.
//
// Few automata look once at each byte for all patterns together, and hold back what may be the beginning of a match, within the
// longest that is possible. What they find is verified by the expressions themselves.
//
// pattern.go and builtin.go are the patterns, automaton.go the automaton. text.go searches a text that comes in pieces, escapes.go sees
// through its escapes, match.go masks. stage.go takes a stream through, whole.go what comes in one piece;
// half.go masks what may be the beginning of a secret where a limit ends the run.
package redact

import (
	"fmt"
	"slices"
	"strings"
)

// Rules are patterns made ready. They never change, and serve any number of streams.
type Rules struct {
	patterns []*pattern
	scans    []*automaton
	scoped   bool // some patterns are only for some tools
}

// New makes rules of built-in patterns, by name, which block or not, and of patterns of one's own. The error names the pattern.
func New(names []string, block bool, own []Pattern) (*Rules, error) {
	r := new(Rules)
	for _, name := range names {
		list := builtin(name)
		if list == nil {
			return nil, fmt.Errorf("there are no built-in patterns %q; there are: %s", name, strings.Join(Builtin(), ", "))
		}
		for _, p := range list {
			p.Block = block
			if err := r.add(p); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	for _, p := range own {
		if err := r.add(p); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	var err error
	r.scans, err = newScans(r.patterns)
	return r, err
}

// Check returns what is wrong with one pattern; nil when fine.
func Check(p Pattern) error {
	_, err := compile(p, 0)
	return err
}

func (r *Rules) add(p Pattern) error {
	c, err := compile(p, len(r.patterns))
	if err != nil {
		return err
	}
	r.patterns = append(r.patterns, c)
	r.scoped = r.scoped || len(p.Tools) > 0
	return nil
}

// applies reports whether a pattern is searched in what belongs to a tool; "" for all that belongs to no call.
func (p *pattern) applies(tool string) bool {
	if len(p.Tools) == 0 {
		return true
	}
	return slices.ContainsFunc(p.Tools, func(name string) bool {
		prefix, open := strings.CutSuffix(name, "*")
		return tool != "" && (tool == name || open && strings.HasPrefix(tool, prefix))
	})
}
