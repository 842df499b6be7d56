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
	call
	usage
)

var (
	likeText      = regexp.MustCompile(`(?i)text|token|delta|chunk|content|word|message|answer|say|output|response`)
	likeReasoning = regexp.MustCompile(`(?i)think|thought|reason`)
	likeFailure   = regexp.MustCompile(`(?i)error|fail|exception|^problem$`)
	likeEnd       = regexp.MustCompile(`(?i)^(end|done|finish|finished|complete|completed|close|stop|bye|final|message_stop|result)$`)
	likeFlag      = regexp.MustCompile(`(?i)done|finish|final|end|complete|last|stop`)
	likeID        = regexp.MustCompile(`(?i)(^|[._-])(id|name|role|model|object|created|time|timestamp|status|state)$|Id$`)
)

// guess says of each group what it is about. last is the last record of the stream.
func (s *stream) guess(last record) {
	for _, g := range s.groups {
		g.text = g.textPath(s.typed)
		g.sign = s.signOf(g)
		g.flag, g.grows = g.flagPath(last), g.growing()
		g.tool, g.counts = g.toolOf(s.typed), g.countsOf()
	}
	s.agree()
	for _, g := range s.groups {
		g.means = g.byName(last, s.endMark != "")
	}
	said := s.said()
	if said != nil {
		said.means = answer
	}
	for _, g := range s.groups {
		ends := len(g.records) == 1 && g.has(last)
		if g.means == unclear && ends && s.endMark == "" {
			g.means = end
		}
		one := s.typed == "" && g.means == end && said != nil && g.text == said.text
		g.says = (one || g.flag != "") && !s.repeats(said, last) && !(g.grows && textsOf(last)[g.text] == "")
	}
}

// has reports whether a group has the last record of a stream.
func (g *group) has(last record) bool {
	return string(g.records[len(g.records)-1].raw) == string(last.raw)
}

// repeats reports whether the last record says again all that was said before it.
func (s *stream) repeats(said *group, last record) bool {
	if said == nil {
		return false
	}
	all := ""
	for _, r := range said.records {
		if string(r.raw) != string(last.raw) {
			all += textsOf(r)[said.text]
		}
	}
	return all != "" && textsOf(last)[said.text] == all
}

// flagPath is the path of what says in the last record of a stream, and in no other of the group, that it is the last one; "" for none.
func (g *group) flagPath(last record) string {
	if len(g.records) < 2 || !g.has(last) {
		return ""
	}
	ends := map[string]bool{}
	flags(last.members, "", ends)
	for _, r := range g.records[:len(g.records)-1] {
		before := map[string]bool{}
		flags(r.members, "", before)
		maps.DeleteFunc(ends, func(path string, _ bool) bool { return before[path] })
	}
	for _, path := range slices.Sorted(maps.Keys(ends)) {
		return path
	}
	return ""
}

// flags notes what a value may say of an end: names that sound so, with true or a text.
func flags(value any, path string, found map[string]bool) {
	members, _ := value.(map[string]any)
	for name, inner := range members {
		at := join(path, name)
		text, _ := inner.(string)
		if likeFlag.MatchString(name) && (inner == true || text != "") {
			found[at] = true
		}
		flags(inner, at, found)
	}
}

// byName is what the names in a group say. marked says that something behind the last record ends the run.
func (g *group) byName(last record, marked bool) meaning {
	name := g.title()
	switch {
	case g.tool != nil:
		return call
	case g.counts != nil && (likeUsage.MatchString(g.name) || g.text == "" && !likeEnd.MatchString(name) && (marked || !g.has(last))):
		return usage
	case g.flag != "" && g.text != "":
		return unclear
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
		if likeText.MatchString(g.title()) {
			n += 1000
		}
		if likeTool.MatchString(g.name) {
			n -= 2000
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

// signOf is a member that the records of a group have, and no others: that with their text, or the first; "" if there is none, or the type
// tells.
func (s *stream) signOf(g *group) string {
	if s.typed != "" {
		return ""
	}
	names := slices.Sorted(maps.Keys(g.records[0].members))
	if top := isTop.FindString(g.text); slices.Contains(names, top) {
		names = slices.Insert(names, 0, top)
	}
	for _, name := range names {
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
	texts := textsOf(g.records[0])
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		weight := len(texts[path])
		if likeText.MatchString(path) {
			weight += 1 << 20
		}
		if path != typed && !likeID.MatchString(path) && weight > most {
			best, most = path, weight
		}
	}
	return best
}

// textsOf are the texts in a record, by path.
func textsOf(r record) map[string]string {
	texts := map[string]string{}
	collect(r.members, "", texts)
	return texts
}

func collect(value any, path string, texts map[string]string) {
	switch v := value.(type) {
	case string:
		texts[path] = v
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

var (
	isPlain = regexp.MustCompile(`^[A-Za-z_]\w*$`)
	isTop   = regexp.MustCompile(`^[A-Za-z_]\w*`)
)

func join(path, name string) string {
	if !isPlain.MatchString(name) {
		return fmt.Sprintf("%s[%q]", path, name)
	}
	return strings.TrimPrefix(path+"."+name, ".")
}
