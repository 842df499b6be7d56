package draft

import (
	"cmp"
	"slices"
	"strings"
)

// part separates the records of a type that carry their texts in different members, such as thoughts, pieces of the answer and of arguments. One
// rule would take one of them for all.
func (s *stream) part() {
	var groups []*group
	for _, g := range s.groups {
		groups = append(groups, g.parts(s.typed)...)
	}
	s.groups = groups
}

// parts are the groups of records with the same text, that without one last; the group itself if there are no two of them that look like texts of
// the agent's, or if members other than the text tell what a record is.
func (g *group) parts(typed string) []*group {
	if g.name == "" || g.toolOf(typed) != nil {
		return []*group{g}
	}
	var parts []*group
	for _, r := range g.records {
		parts = addTo(parts, g.name, typed, r)
	}
	likely := 0
	for _, p := range parts {
		if likeText.MatchString(p.title()) || likeReasoning.MatchString(p.title()) {
			likely++
		}
	}
	if likely < 2 {
		return []*group{g}
	}
	slices.SortStableFunc(parts, func(a, b *group) int { return cmp.Compare(rank(a.part == ""), rank(b.part == "")) })
	return parts
}

// addTo puts a record to the part whose text it has, or to a new one.
func addTo(parts []*group, name, typed string, r record) []*group {
	texts := textsOf(r)
	alone := &group{name: name, records: []record{r}}
	if alone.part = alone.textPath(typed); texts[alone.part] == "" || likeFlag.MatchString(lastName(alone.part)) {
		alone.part = ""
	}
	for _, p := range parts {
		_, has := texts[p.part]
		if p.part == alone.part || p.part != "" && has && alone.part == "" {
			p.records = append(p.records, r)
			return parts
		}
	}
	return append(parts, alone)
}

// lastName is the name at the end of a path.
func lastName(path string) string {
	name, _, _ := strings.Cut(path[strings.LastIndexByte(path, '.')+1:], "[")
	return name
}

// growing reports whether each text of a group has all of the one before it, as where the agent says the whole answer so far. Two texts may do so
// by chance, and where several runs were recorded, each begins anew.
func (g *group) growing() bool {
	before, more, anew := "", 0, 0
	for _, r := range g.records {
		text := textsOf(r)[g.text]
		if text == "" {
			continue // the last one may only say that it is the last
		}
		switch {
		case !strings.HasPrefix(text, before):
			anew++
		case before != "" && len(text) > len(before):
			more++
		}
		before = text
	}
	return more > 1 && more > 2*anew
}
