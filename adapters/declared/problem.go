package declared

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Problem is one thing that is wrong in a document.
type Problem struct {
	Path string // the value, such as decode[3].set.text; a value that is missing has the path it should have; "" is the whole document
	Msg  string // what is wrong and what to do, for people
}

// String is "decode[3].set.text: names no member".
func (p Problem) String() string {
	if p.Path == "" {
		return p.Msg
	}
	return p.Path + ": " + p.Msg
}

// maxProblems are kept; a document with more is no description of a dialect.
const maxProblems = 100

// report collects problems.
type report struct{ problems []Problem }

// add adds a problem, once: a value may be read for several events.
func (r *report) add(path, format string, args ...any) {
	p := Problem{path, fmt.Sprintf(format, args...)}
	if len(r.problems) < maxProblems && !slices.Contains(r.problems, p) {
		r.problems = append(r.problems, p)
	}
}

// node is one value of the document and its place. A value that is absent or null has val nil.
type node struct {
	*report
	path string
	val  any
}

func (n node) problem(format string, args ...any) { n.add(n.path, format, args...) }

func (n node) isSet() bool { return n.val != nil }

// fields are the values of a map by key; absent keys give nodes that are not set.
type fields struct {
	node
	vals map[string]any
}

func (f fields) get(key string) node {
	return node{f.report, join(f.path, key), f.vals[key]}
}

// keys are the keys that are set, sorted, so that problems come in the same order every time.
func (f fields) keys() []string {
	return slices.Sorted(maps.Keys(f.vals))
}

// free reads a map whose keys the user chose. ok is false when it is none, which is reported unless it is not set.
func (n node) free() (f fields, ok bool) {
	f.node = n
	switch m := n.val.(type) {
	case nil:
		return f, false
	case map[string]any:
		f.vals = m
		return f, true
	case map[any]any: // what YAML makes of a map with a key such as true
		f.vals = make(map[string]any, len(m))
		for k, v := range m {
			f.vals[fmt.Sprint(k)] = v
		}
		return f, true
	}
	n.problem("must be a map of keys, not %s", kindOf(n.val))
	return f, false
}

// fixed reads a map whose keys are known; others are reported.
func (n node) fixed(known ...string) (f fields, ok bool) {
	f, ok = n.free()
	for _, k := range f.keys() {
		if !slices.Contains(known, k) {
			f.get(k).problem("unknown key; the keys here are %s", strings.Join(known, ", "))
		}
	}
	return f, ok
}

// list reads a list. ok is false when it is none, which is reported unless it is not set.
func (n node) list() (all []node, ok bool) {
	list, ok := n.val.([]any)
	if !ok {
		if n.isSet() {
			n.problem("must be a list, not %s", kindOf(n.val))
		}
		return nil, false
	}
	for i, v := range list {
		e := n.element(i, v)
		if !e.isSet() {
			e.problem("has no value")
			continue
		}
		all = append(all, e)
	}
	return all, true
}

func (n node) element(i int, v any) node {
	return node{n.report, n.path + "[" + strconv.Itoa(i) + "]", v}
}

// oneOrMore reads a list, or a single value as a list of one.
func (n node) oneOrMore() []node {
	if list, ok := n.val.([]any); ok {
		if len(list) == 0 {
			n.problem("is an empty list")
		}
		all, _ := n.list()
		return all
	}
	if !n.isSet() {
		return nil
	}
	return []node{n}
}

// text reads a text. ok is false when it is none, which is reported unless it is not set.
func (n node) text() (s string, ok bool) {
	s, ok = n.val.(string)
	if !ok && n.isSet() {
		n.problem("must be text, not %s", kindOf(n.val))
	}
	return s, ok
}

// word reads a text, a number or a boolean as text.
func (n node) word() (s string, ok bool) {
	s, _, ok = scalar(n.val)
	if !ok {
		n.problem("must be a single value, not %s", kindOf(n.val))
	}
	return s, ok
}

// flag reads true or false; absent is what is said to be.
func (n node) flag(absent bool) bool {
	b, ok := n.val.(bool)
	switch {
	case ok:
		return b
	case n.isSet():
		n.problem("must be true or false, not %s", kindOf(n.val))
	}
	return absent
}

// choice reads one of the values; absent is the first.
func (n node) choice(values ...string) string {
	s, ok := n.text()
	switch {
	case !ok:
		return values[0]
	case !slices.Contains(values, s):
		n.problem("must be one of %s, not %q", strings.Join(values, ", "), clip(s))
	}
	return s
}

// scalar returns a single value as text; isText is false for numbers and booleans.
func scalar(v any) (s string, isText, ok bool) {
	switch v := v.(type) {
	case string:
		return v, true, true
	case bool, int, int64, uint64:
		return fmt.Sprint(v), false, true
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return "", false, false
		}
		return strconv.FormatFloat(v, 'g', -1, 64), false, true
	}
	return "", false, false
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "nothing"
	case string:
		return "text"
	case bool:
		return "true or false"
	case int, int64, uint64, float64:
		return "a number"
	case []any:
		return "a list"
	case map[string]any, map[any]any:
		return "a map"
	}
	return "this"
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// clip shortens what a message repeats of the document.
func clip(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
