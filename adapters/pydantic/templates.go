package pydantic

import (
	"strconv"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// A template is a friendly text with places for values:
//
//	{path}             the argument path, or of a result its member
//	{path|file_path}   the first of these that there is
//	{path|=a file}     a text where there is none
//	{context:500}      at most 500 characters, then [...]
//	{result.exit_code} a member of an object
//	{? in '{cwd}'}     a part that is left out if one of its values is missing
//
// A template that misses a value elsewhere, or renders to nothing, gives way to the next: that of the tool, that of all
// delegations, that of all tools.
type template []segment

// segment is a literal, a place for a value, or an optional part.
type segment struct {
	literal  string
	names    []string // of a place
	limit    int      // characters; 0 for no limit
	fallback string
	hasElse  bool
	part     template // of an optional part
}

// cutMark follows a value that was cut.
const cutMark = "[...]"

// parseTemplate reads a template. Braces that do not fit together are text.
func parseTemplate(s string) template {
	t, _ := parsePart(s, false)
	return t
}

// parsePart reads up to the end, or to the brace that closes an optional part. Optional parts do not nest.
func parsePart(s string, inner bool) (t template, rest string) {
	for s != "" {
		i := strings.IndexAny(s, "{}")
		if i < 0 || s[i] == '}' && !inner {
			i = len(s)
		}
		if i > 0 {
			t = append(t, segment{literal: s[:i]})
		}
		switch s = s[i:]; {
		case s == "":
		case s[0] == '}':
			return t, s[1:]
		case strings.HasPrefix(s, "{?") && !inner:
			var part template
			part, s = parsePart(s[2:], true)
			t = append(t, segment{part: part})
		default:
			var g segment
			g, s = parsePlace(s)
			t = append(t, g)
		}
	}
	return t, ""
}

// parsePlace reads a place for a value; s begins with its brace.
func parsePlace(s string) (g segment, rest string) {
	end := strings.IndexByte(s, '}')
	if end < 0 {
		return segment{literal: s}, ""
	}
	names, rest := s[1:end], s[end+1:]
	if i := strings.Index(names, "|="); i >= 0 {
		g.hasElse, g.fallback, names = true, names[i+2:], names[:i]
	}
	if i := strings.LastIndexByte(names, ':'); i >= 0 {
		if n, err := strconv.Atoi(names[i+1:]); err == nil && n > 0 {
			g.limit, names = n, names[:i]
		}
	}
	g.names = strings.Split(names, "|")
	return g, rest
}

// values are what the places of a template stand for.
type values struct {
	tool, agent []byte        // plain
	task        []byte        // string body
	args        rawjson.Value // of a call
	result      []byte        // of an end, a string body
	object      rawjson.Value // the result, if it is an object
	reason      []byte        // why it failed, a string body
}

// render appends the text; ok is false if a value is missing.
func (t template) render(dst []byte, v *values) (_ []byte, ok bool) {
	from := len(dst)
	for i := range t {
		g := &t[i]
		switch {
		case g.part != nil:
			if grown, ok := g.part.render(dst, v); ok {
				dst = grown
			}
		case g.names == nil:
			dst = append(dst, g.literal...)
		default:
			if dst, ok = g.fill(dst, v); !ok {
				return dst[:from], false
			}
		}
	}
	return dst, true
}

// fill appends the value of a place.
func (g *segment) fill(dst []byte, v *values) (_ []byte, ok bool) {
	from := len(dst)
	for _, n := range g.names {
		if dst = v.append(dst, n); len(dst) > from {
			return g.cut(dst, from), true
		}
	}
	return append(dst, g.fallback...), g.hasElse
}

// cut limits the value appended since from.
func (g *segment) cut(dst []byte, from int) []byte {
	if g.limit == 0 || len(dst)-from <= g.limit {
		return dst
	}
	chars := 0
	for i := range string(dst[from:]) {
		if chars == g.limit {
			return append(dst[:from+i], cutMark...)
		}
		chars++
	}
	return dst
}

// append appends the plain text of a value; nothing if there is none.
func (v *values) append(dst []byte, n string) []byte {
	switch n {
	case "tool_name":
		return append(dst, v.tool...)
	case "agent_type":
		return append(dst, v.agent...)
	case "agent_title":
		return appendTitle(dst, v.agent)
	case "arguments":
		if len(v.args) > len("{}") {
			dst = append(dst, v.args...)
		}
		return dst
	case "result":
		return rawjson.AppendUnescaped(dst, v.result)
	case "reason":
		return rawjson.AppendUnescaped(dst, v.reason)
	case "task":
		if len(v.task) > 0 {
			return rawjson.AppendUnescaped(dst, v.task)
		}
	}
	if v.object != nil {
		member := strings.Split(strings.TrimPrefix(n, "result."), ".")
		if found := rawjson.Get(v.object, member...); !rawjson.IsNull(found) {
			return appendValue(dst, found)
		}
	}
	return appendValue(dst, rawjson.Get(v.args, strings.Split(n, ".")...))
}

// appendValue appends a string plain, null not at all, and other JSON as it is written.
func appendValue(dst []byte, v rawjson.Value) []byte {
	if body, ok := rawjson.Str(v); ok {
		return rawjson.AppendUnescaped(dst, body)
	}
	if rawjson.IsNull(v) {
		return dst
	}
	return append(dst, v...)
}

// appendTitle appends code_reviewer as Code Reviewer.
func appendTitle(dst, plain []byte) []byte {
	upper := true
	for _, c := range plain {
		switch {
		case c == '_':
			c = ' '
		case upper && 'a' <= c && c <= 'z':
			c -= 'a' - 'A'
		}
		upper = c == ' '
		dst = append(dst, c)
	}
	return dst
}

// Keys of templates that are not for one tool.
const (
	forDelegations = delegatePrefix + "*"
	forAll         = "*"
)

// phase holds the templates of one phase: for a tool by its name, for a delegation by delegate_to_ and its type.
type phase map[string]template

func newPhase(defaults, custom map[string]string) phase {
	p := make(phase, len(defaults)+len(custom))
	for _, texts := range []map[string]string{defaults, custom} {
		for key, text := range texts {
			p[key] = parseTemplate(text)
		}
	}
	return p
}

// append appends the text for v, plain.
func (p phase) append(dst []byte, v *values) []byte {
	keys := []string{string(v.tool)}
	if len(v.agent) > 0 {
		keys = append(keys, delegatePrefix+string(v.agent), forDelegations)
	}
	for _, key := range append(keys, forAll) {
		if grown, ok := p[key].render(dst, v); ok && len(grown) > len(dst) {
			return grown
		}
	}
	return dst
}
