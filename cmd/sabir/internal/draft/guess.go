package draft

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// meaning is what the records of a group are about.
type meaning int

const (
	unclear meaning = iota
	answer
	reasoning
	failure
	end
)

var (
	likeText      = regexp.MustCompile(`(?i)text|token|delta|chunk|content|word|message|answer|say|output|response`)
	likeReasoning = regexp.MustCompile(`(?i)think|thought|reason`)
	likeFailure   = regexp.MustCompile(`(?i)error|fail`)
	likeEnd       = regexp.MustCompile(`(?i)^(end|done|finish|finished|complete|completed|close|stop|bye|final|message_stop|result)$`)
	likeID        = regexp.MustCompile(`(?i)(^|[._-])(id|name|role|model|object|created|time|timestamp|status|state)$|Id$`)
)

// guess says of each group what it is about. last is the last record of the stream.
func (s *stream) guess(last record) {
	for _, g := range s.groups {
		g.text = g.textPath(s.typed)
		g.sign = s.signOf(g)
		g.means = g.byName()
	}
	if said := s.said(); said != nil {
		said.means = answer
	}
	for _, g := range s.groups {
		ends := len(g.records) == 1 && string(g.records[0].raw) == string(last.raw)
		if g.means == unclear && ends && s.endMark == "" {
			g.means = end
		}
	}
}

func (g *group) byName() meaning {
	name := g.name
	if name == "" {
		name = g.sign
	}
	switch {
	case likeFailure.MatchString(name):
		return failure
	case likeReasoning.MatchString(name) && g.text != "":
		return reasoning
	case likeEnd.MatchString(name):
		return end
	}
	return unclear
}

// said is the group that carries the answer: that with the most records, among those whose name is that of a text if there are any.
func (s *stream) said() (best *group) {
	weight := func(g *group) int {
		n := len(g.records)
		if likeText.MatchString(g.name) {
			n += 1000
		}
		return n
	}
	for _, g := range s.groups {
		if g.text != "" && g.means == unclear && (best == nil || weight(g) > weight(best)) {
			best = g
		}
	}
	return best
}

// signOf is the first member that the records of a group have, and no others; "" if there is none, or the type tells.
func (s *stream) signOf(g *group) string {
	if s.typed != "" {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(g.records[0].members)) {
		others := func(o *group) bool { _, has := o.records[0].members[name]; return o != g && has }
		if !slices.ContainsFunc(s.groups, others) {
			return name
		}
	}
	return ""
}

// textPath is the path of the text in the records of a group: of those that all have, the one with a likely name, or the longest.
func (g *group) textPath(typed string) (best string) {
	most := -1
	texts := map[string]int{}
	collect(g.records[0].members, "", texts)
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		weight := texts[path]
		if likeText.MatchString(path) {
			weight += 1 << 20
		}
		if path != typed && !likeID.MatchString(path) && weight > most {
			best, most = path, weight
		}
	}
	return best
}

// collect notes the texts in a value, with their lengths.
func collect(value any, path string, texts map[string]int) {
	switch v := value.(type) {
	case string:
		texts[path] = len(v)
	case map[string]any:
		for name, inner := range v {
			collect(inner, join(path, name), texts)
		}
	case []any:
		if len(v) > 0 {
			collect(v[0], path+"[0]", texts)
		}
	}
}

var isPlain = regexp.MustCompile(`^[A-Za-z_]\w*$`)

func join(path, name string) string {
	if !isPlain.MatchString(name) {
		return fmt.Sprintf("%s[%q]", path, name)
	}
	return strings.TrimPrefix(path+"."+name, ".")
}
