package declared

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// A path leads from a record to a value in it: names of members with dots between, indices of elements in brackets, and
// names that hold other characters in brackets and quotes:
//
//	content   data.percent   choices[0].delta.content   data["odd.name"]   .   (the whole record)

// step is one step of a path.
type step struct {
	name  string // of a member
	index int    // of an element; -1: a member
}

const (
	maxSteps = 16
	maxIndex = 1023
)

// parsePath reads a path. No steps mean the whole record.
func parsePath(s string) (steps []step, err error) {
	if s == "." {
		return nil, nil
	}
	for rest := s; rest != "" || steps == nil; {
		var next step
		if next, rest, err = cutStep(rest, len(steps) == 0); err != nil {
			return nil, fmt.Errorf("is not a path: %w", err)
		}
		if steps = append(steps, next); len(steps) > maxSteps {
			return nil, fmt.Errorf("is a path of more than %d steps", maxSteps)
		}
	}
	return steps, nil
}

// cutStep cuts the first step off a path.
func cutStep(s string, first bool) (next step, rest string, err error) {
	if inner, ok := strings.CutPrefix(s, "["); ok {
		return cutBracket(inner)
	}
	if !first {
		var ok bool
		if s, ok = strings.CutPrefix(s, "."); !ok {
			return step{}, "", errors.New("after a bracket comes a dot or another bracket")
		}
	}
	n := strings.IndexAny(s, ".[")
	if n < 0 {
		n = len(s)
	}
	if n == 0 {
		return step{}, "", errors.New("a name is missing")
	}
	if i := strings.IndexAny(s[:n], " \t\r\n\"'()]{}"); i >= 0 {
		return step{}, "", fmt.Errorf(`write names with %q as ["name"]`, s[i])
	}
	return step{name: s[:n], index: -1}, s[n:], nil
}

// cutBracket cuts off what follows an opening bracket: an index, or a name in quotes.
func cutBracket(s string) (next step, rest string, err error) {
	if inner, ok := strings.CutPrefix(s, `"`); ok {
		name, rest, ok := strings.Cut(inner, `"]`)
		if !ok || name == "" {
			return step{}, "", errors.New(`a name in brackets ends with "]`)
		}
		return step{name: name, index: -1}, rest, nil
	}
	digits, rest, ok := strings.Cut(s, "]")
	index, err := strconv.Atoi(digits)
	if !ok || err != nil || index < 0 || index > maxIndex {
		return step{}, "", fmt.Errorf(`brackets hold an index from 0 to %d, or a name in quotes`, maxIndex)
	}
	return step{index: index}, rest, nil
}

// walk follows the steps from v; nil where they lead nowhere. It is for rare paths; those of decoding are in a [plan].
func walk(v rawjson.Value, steps []step) rawjson.Value {
	for _, s := range steps {
		if v == nil {
			return nil
		}
		if s.index < 0 {
			v = rawjson.Get(v, s.name)
			continue
		}
		elems := rawjson.Elems(v)
		for i := 0; ; i++ {
			elem, ok := elems.Next()
			if v = elem; !ok || i == s.index {
				break
			}
		}
	}
	return v
}
