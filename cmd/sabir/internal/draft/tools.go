package draft

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var (
	likeTool  = regexp.MustCompile(`(?i)tool|function|(^|[^a-z])call(s|ed|ing)?($|[^a-z])`)
	likeUsage = regexp.MustCompile(`(?i)usage|tokens`)
)

// tool is what the records of a group say of a call: that it begins, and how it ended. Paths are "" where records do not have it.
type tool struct {
	each                        string // a list of calls; the other paths start at its elements
	id, name, args, result, err string
	apart                       bool // some records begin a call, and others end it
}

// begins reports whether records begin calls.
func (t *tool) begins() bool { return t.args != "" || t.result == "" && t.err == "" }

// ends reports whether records end calls.
func (t *tool) ends() bool { return t.result != "" || t.err != "" }

// toolOf is what the records of a group say of tools, nil if they are not about that.
func (g *group) toolOf(typed string) *tool {
	about := likeTool.MatchString(g.title())
	t := new(tool)
	for _, r := range g.records {
		all := membersOf(r.members)
		if each, element := listOfCalls(all, about); each != nil {
			t.each, all = each.written(), membersOf(element)
		}
		t.learn(slices.DeleteFunc(all, func(m member) bool { return m.written() == typed }), about)
	}
	if t.args == "" && slices.ContainsFunc(g.records, inPieces) {
		return nil
	}
	explicit := t.name != "" && !strings.HasSuffix("."+t.name, ".name")
	if t.name == "" && (t.id == "" || !t.ends()) || !about && !(explicit && (t.args != "" || t.ends())) || !about && t.each != "" {
		return nil
	}
	t.apart = t.args != "" && t.ends() && slices.ContainsFunc(g.records, func(r record) bool { return !t.inBoth(r) })
	return t
}

// title is what a group is called: the text that it is a part for, its type, or the member that is its own.
func (g *group) title() string {
	switch {
	case g.part != "":
		return lastName(g.part)
	case g.name != "":
		return g.name
	}
	return g.sign
}

// listOfCalls is a list whose elements name tools and arguments, with the first of them; nil for none.
func listOfCalls(all []member, about bool) (list *member, element map[string]any) {
	for i := range all {
		elements, _ := all[i].value.([]any)
		if len(elements) == 0 {
			continue
		}
		first, _ := elements[0].(map[string]any)
		within := membersOf(first)
		args := toolArgs.find(within, nil)
		if args != nil && toolName.find(within, args) != nil && (about || likeTool.MatchString(all[i].name())) {
			return &all[i], first
		}
	}
	return nil, nil
}

// learn finds in a record what is not known yet. Where only the type says that it is about a tool, the outermost members are near.
func (t *tool) learn(all []member, about bool) {
	var near *member
	if about {
		near = outermost
	}
	args := toolArgs.find(all, nil)
	if args != nil {
		near = args
	}
	name := toolName.find(all, near)
	if name != nil && near == nil {
		near = name
	}
	result := toolResult.find(all, near)
	if args == nil && result != nil {
		near = result
		name = toolName.find(all, near)
	}
	for path, found := range map[*string]*member{
		&t.args: args, &t.name: name, &t.result: result, &t.id: callID.find(all, near), &t.err: toolFault.find(all, near),
	} {
		if found != nil && *path == "" {
			*path = found.written()
		}
	}
}

// inPieces reports whether a record has arguments that are not whole.
func inPieces(r record) bool {
	return slices.ContainsFunc(membersOf(r.members), func(m member) bool { return slices.Contains(toolArgs.names, m.name()) && isText(m.value) })
}

// inBoth reports whether a record begins a call and ends it.
func (t *tool) inBoth(r record) bool {
	return hasPath(r, t.args) && (hasPath(r, t.result) || hasPath(r, t.err))
}

// hasPath reports whether something stands at a path of a record.
func hasPath(r record, path string) bool {
	return slices.ContainsFunc(membersOf(r.members), func(m member) bool { return path != "" && m.value != nil && m.written() == path })
}

// textAt is what stands at a path of a record, as text; "" for nothing.
func textAt(r record, path string) string {
	for _, m := range membersOf(r.members) {
		if m.written() == path && m.value != nil {
			return fmt.Sprint(m.value)
		}
	}
	return ""
}

// idsOf notes the ids of the calls that a record begins.
func (t *tool) idsOf(r record, ids map[string]bool) {
	if t.each == "" {
		ids[textAt(r, t.id)] = true
		return
	}
	for _, m := range membersOf(r.members) {
		elements, _ := m.value.([]any)
		for _, e := range elements {
			if call, ok := e.(map[string]any); ok && m.written() == t.each {
				ids[textAt(record{members: call}, t.id)] = true
			}
		}
	}
}

// agree makes the groups that are about tools name calls alike: by ids, if each end has that of a call, or else by the names of tools. A group
// that has neither is not about tools.
func (s *stream) agree() {
	begun, all := map[string]bool{}, map[string]bool{}
	for _, g := range s.groups {
		if g.tool == nil || !g.tool.begins() {
			continue
		}
		for _, r := range g.records {
			g.tool.idsOf(r, begun)
		}
		all[g.name] = true
	}
	s.byName = false
	for _, g := range s.groups {
		if t := g.tool; t != nil && t.each == "" {
			s.byName = s.byName || t.id == "" || !t.begins() && !g.answersTo(begun)
		}
	}
	for _, g := range s.groups {
		if g.tool != nil && (len(all) == 0 || s.byName && (g.tool.name == "" || g.tool.each != "")) {
			g.tool = nil
		}
	}
}

// answersTo reports whether records end calls with these ids, and corrects where they have them.
func (g *group) answersTo(begun map[string]bool) bool {
	all := membersOf(g.records[0].members)
	for _, m := range callID.all(all, outermost) {
		path := m.written()
		if !slices.ContainsFunc(g.records, func(r record) bool { return !begun[textAt(r, path)] }) {
			g.tool.id = path
			return true
		}
	}
	return false
}

// section says how calls are distinguished that have no ids, "" where they have.
func (s *stream) section() string {
	var names []string
	for _, g := range s.groups {
		if g.tool != nil && !slices.Contains(names, g.tool.name) {
			names = append(names, g.tool.name)
		}
	}
	if !s.byName || len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("tools: {name: %s, match: fifo}\n", list(names))
}

// list is a path, or several, in YAML.
func list(paths []string) string {
	var written []string
	for _, p := range paths {
		written = append(written, scalar(p))
	}
	if len(written) == 1 {
		return written[0]
	}
	return "[" + strings.Join(written, ", ") + "]"
}

// rules say what the records of a group say of calls. What has most comes first.
func (t *tool) rules(about string, byName bool) (all []string) {
	if t.each != "" {
		about += "each: " + scalar(t.each) + ", "
	}
	rule := func(kinds string, fields ...[2]string) string {
		var set []string
		for _, f := range fields {
			named := f[0] == "id" || f[0] == "name"
			if f[1] != "" && !(named && byName) {
				set = append(set, f[0]+": "+scalar(f[1]))
			}
		}
		if len(set) == 0 {
			return fmt.Sprintf("emit: %s}", kinds)
		}
		return fmt.Sprintf("emit: %s, set: {%s}}", kinds, strings.Join(set, ", "))
	}
	id, name, args, result, fault := [2]string{"id", t.id}, [2]string{"name", t.name}, [2]string{"args", t.args}, [2]string{"result", t.result}, [2]string{"err", t.err}
	switch {
	case !t.ends() && t.args == "":
		return []string{"{" + about + rule("tool.start", id, name)}
	case !t.ends():
		return []string{"{" + about + rule("[tool.start, tool.ready]", id, name, args)}
	case t.args == "":
		return t.endings(about, rule, id, name, result, fault)
	case !t.apart:
		return []string{"{" + about + rule("[tool.start, tool.ready, tool.end]", id, name, args, result, fault)}
	}
	begins := "{" + about + "has: " + scalar(t.args) + ", " + rule("[tool.start, tool.ready]", id, name, args)
	return append([]string{begins}, t.endings(about, rule, id, name, result, fault)...)
}

// endings are the rules of records that end a call, well or not.
func (t *tool) endings(about string, rule func(string, ...[2]string) string, id, name, result, fault [2]string) (all []string) {
	if t.err != "" {
		all = append(all, "{"+about+"has: "+scalar(t.err)+", "+rule("tool.end", id, name, [2]string{"status", "error"}, fault))
	}
	if t.result != "" {
		all = append(all, "{"+about+rule("tool.end", id, name, result))
	}
	return all
}

// count is a number of a usage.
type count struct{ field, path string }

// countsOf are the numbers of a usage in the records of a group, nil for none.
func (g *group) countsOf() (all []count) {
	last := membersOf(g.records[len(g.records)-1].members)
	for i := range counters {
		c := &counters[i]
		for _, m := range c.all(last, outermost) {
			parent := g.title()
			if len(m.path) > 1 {
				parent = m.path[len(m.path)-2]
			}
			if slices.Contains(c.names, m.name()) || likeUsage.MatchString(parent) {
				all = append(all, count{c.field, m.written()})
				break
			}
		}
	}
	if !slices.ContainsFunc(all, func(c count) bool { return c.field == "usage.in" || c.field == "usage.out" || c.field == "usage.total" }) {
		return nil
	}
	return all
}

// usage is what a usage says, as rules have it. Where numbers become less, each record is about a step of the run.
func (g *group) usage() string {
	var set []string
	before := 0.0
	for _, r := range g.records {
		for _, m := range membersOf(r.members) {
			if n, _ := m.value.(float64); m.written() == g.counts[0].path {
				if n < before && set == nil {
					set = append(set, "scope: step")
				}
				before = n
			}
		}
	}
	for _, c := range g.counts {
		set = append(set, c.field+": "+scalar(c.path))
	}
	return "{" + strings.Join(set, ", ") + "}"
}
