package draft

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/wire"
)

const head = `# A draft of what these records mean, guessed from their names. Look through it; the samples below are read whenever the file is.
# The manual is docs/declared-dialects.md, a tutorial examples/dialects/homemade.yaml.
`

const noFailure = `# In none of them has the run failed. Records that say so need a rule as well, and a sample, such as
#   - {type: error, emit: run.end, set: {status: failed, err: message}}
`

// yaml is the description.
func (s *stream) yaml() []byte {
	var b strings.Builder
	b.WriteString(head)
	if !s.has(failure) {
		b.WriteString(noFailure)
	}
	fmt.Fprintf(&b, "title: My agent\nframing: %s\n", s.framing)
	if s.typed != "" {
		fmt.Fprintf(&b, "type: %s\n", scalar(s.typed))
	}
	b.WriteString(s.section())
	if s.endMark != "" {
		fmt.Fprintf(&b, "end_mark: %s\n", scalar(s.endMark))
	} else if !s.has(end) {
		b.WriteString("end_of_body: done   # nothing in the records says that the run is over\n")
	}
	b.WriteString("decode:\n")
	for _, g := range s.ordered() {
		for _, rule := range g.rules(s.byName) {
			b.WriteString("  - " + rule + "\n")
		}
	}
	if s.framing == wire.SSE || s.framing == wire.NDJSON {
		s.samples(&b)
	}
	return []byte(b.String())
}

func (s *stream) has(m meaning) bool {
	for _, g := range s.groups {
		if g.means == m || m == end && g.flag != "" && g.means == answer {
			return true
		}
	}
	return false
}

// ordered are the groups in the order of their rules, the first of which counts: a group whose members others have as well comes behind those
// with more.
func (s *stream) ordered() []*group {
	groups := slices.Clone(s.groups)
	slices.SortStableFunc(groups, func(a, b *group) int {
		if a.named() || b.named() {
			return cmp.Compare(rank(b.named()), rank(a.named()))
		}
		return cmp.Compare(len(b.records[0].members), len(a.records[0].members))
	})
	return groups
}

// named reports whether a rule can be about this group alone.
func (g *group) named() bool { return g.name != "" || g.sign != "" }

func rank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// rules say what the records of a group mean.
func (g *group) rules(byName bool) []string {
	text := scalar(g.text)
	switch g.means {
	case answer:
		rule := fmt.Sprintf("{%semit: text.delta, set: {%stext: %s}}", g.about(), g.op(), text)
		if g.flag == "" {
			return []string{rule}
		}
		when := scalar(g.flag) + ": true"
		if _, ok := textsOf(g.records[len(g.records)-1])[g.flag]; ok {
			when = scalar(g.flag) + ": {is: text}"
		}
		return []string{g.ending(fmt.Sprintf("%swhen: {%s}, ", g.about(), when)), rule}
	case reasoning:
		return []string{fmt.Sprintf("{%semit: text.delta, set: {chan: reasoning, %stext: %s}}", g.about(), g.op(), text)}
	case failure:
		if g.text == "" {
			return []string{fmt.Sprintf("{%semit: run.end, set: {status: failed}}", g.about())}
		}
		return []string{fmt.Sprintf("{%semit: run.end, set: {status: failed, err: %s}}", g.about(), text)}
	case end:
		return []string{g.ending(g.about())}
	case call:
		return g.tool.rules(g.about(), byName)
	case usage:
		return []string{fmt.Sprintf("{%semit: usage, set: %s}", g.about(), g.usage())}
	}
	return []string{fmt.Sprintf("{%semit: none}   # not clear; what it can mean: run.start, tool.start, tool.args, tool.end, plan, usage, data ...", g.about())}
}

// op is what a field says of texts that are the whole so far, "" for pieces.
func (g *group) op() string {
	if g.grows {
		return "op: replace, "
	}
	return ""
}

// ending is the rule of the records that end the run.
func (g *group) ending(about string) string {
	var before []string
	if g.says {
		before = append(before, fmt.Sprintf("{kind: text.delta, set: {%stext: %s}, optional: true}", g.op(), scalar(g.text)))
	}
	if g.counts != nil {
		before = append(before, fmt.Sprintf("{kind: usage, set: %s, optional: true}", g.usage()))
	}
	if before == nil {
		return fmt.Sprintf("{%semit: run.end, set: {status: done}}", about)
	}
	return fmt.Sprintf("{%semit: [%s, {kind: run.end, set: {status: done}}]}", about, strings.Join(before, ", "))
}

// about says which records a rule is about.
func (g *group) about() string {
	switch {
	case g.part != "":
		return "type: " + scalar(g.name) + ", has: " + scalar(g.part) + ", "
	case g.name != "":
		return "type: " + scalar(g.name) + ", "
	case g.sign != "":
		return "has: " + scalar(join("", g.sign)) + ", "
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(g.records[0].members)) {
		if !slices.ContainsFunc(g.records, func(r record) bool { return r.members[name] == nil }) {
			names = append(names, scalar(join("", name)))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "has: [" + strings.Join(names, ", ") + "], "
}

// samples are one record of each group, and that which ends the run.
func (s *stream) samples(b *strings.Builder) {
	b.WriteString("samples: |\n")
	for i, g := range s.groups {
		shown := g.telling()
		for j, r := range shown {
			if s.framing == wire.NDJSON {
				fmt.Fprintf(b, "  %s\n", oneLine(r.raw))
				continue
			}
			if i+j > 0 {
				b.WriteString("\n")
			}
			if r.event != "" {
				fmt.Fprintf(b, "  event: %s\n", r.event)
			}
			fmt.Fprintf(b, "  data: %s\n", oneLine(r.raw))
		}
	}
}

// telling are the records of a group that show all of what its rules name.
func (g *group) telling() []record {
	first, last := g.records[0], g.records[len(g.records)-1]
	shown := []record{first}
	if g.tool != nil {
		for _, path := range []string{g.tool.args, g.tool.result, g.tool.err, g.tool.id, g.tool.name} {
			has := func(r record) bool { return hasPath(r, path) }
			if i := slices.IndexFunc(g.records, has); i >= 0 && !slices.ContainsFunc(shown, has) {
				shown = append(shown, g.records[i])
			}
		}
		return shown
	}
	if g.flag != "" || g.counts != nil && len(g.records) > 1 {
		shown = append(shown, last)
	}
	return shown
}

// oneLine is JSON without line breaks, which stand between its tokens only, and with escapes for what YAML takes for one, or does not take at
// all, which stands in its texts.
func oneLine(raw []byte) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(string(raw), "\ufffd") {
		switch {
		case r == '\r' || r == '\n':
			b.WriteByte(' ')
		case r >= 0x7f && r < 0xa0, r == '\u2028', r == '\u2029', r == '\ufeff', r == '\ufffe', r == '\uffff':
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// scalar is a text in YAML that stands for itself: a plain word, or JSON, which YAML is.
func scalar(text string) string {
	switch strings.ToLower(text) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
	default:
		if isWord.MatchString(text) && !strings.Contains(text, ":") {
			return text
		}
	}
	quoted, _ := json.Marshal(text) // a text always has a form
	return string(quoted)
}
