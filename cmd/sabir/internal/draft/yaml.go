package draft

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/wire"
)

const head = `# A draft of what these records mean, guessed from their names. Look through it; the samples below are read whenever the file is.
# The manual is docs/declared-dialects.md, a tutorial examples/dialects/homemade.yaml.
`

// yaml is the description.
func (s *stream) yaml() []byte {
	var b strings.Builder
	b.WriteString(head)
	fmt.Fprintf(&b, "title: My agent\nframing: %s\n", s.framing)
	if s.typed != "" {
		fmt.Fprintf(&b, "type: %s\n", scalar(s.typed))
	}
	if s.endMark != "" {
		fmt.Fprintf(&b, "end_mark: %s\n", scalar(s.endMark))
	} else if !s.has(end) {
		b.WriteString("end_of_body: done   # nothing in the records says that the run is over\n")
	}
	b.WriteString("decode:\n")
	for _, g := range s.groups {
		b.WriteString("  - " + g.rule() + "\n")
	}
	if s.framing == wire.SSE || s.framing == wire.NDJSON {
		s.samples(&b)
	}
	return []byte(b.String())
}

func (s *stream) has(m meaning) bool {
	for _, g := range s.groups {
		if g.means == m {
			return true
		}
	}
	return false
}

// rule says what the records of a group mean.
func (g *group) rule() string {
	text := scalar(g.text)
	switch g.means {
	case answer:
		return fmt.Sprintf("{%semit: text.delta, set: {text: %s}}", g.about(), text)
	case reasoning:
		return fmt.Sprintf("{%semit: text.delta, set: {chan: reasoning, text: %s}}", g.about(), text)
	case failure:
		if g.text == "" {
			return fmt.Sprintf("{%semit: run.end, set: {status: failed}}", g.about())
		}
		return fmt.Sprintf("{%semit: run.end, set: {status: failed, err: %s}}", g.about(), text)
	case end:
		return fmt.Sprintf("{%semit: run.end, set: {status: done}}", g.about())
	}
	return fmt.Sprintf("{%semit: none}   # not clear; what it can mean: tool.start, tool.end, plan, state ...", g.about())
}

// about says which records a rule is about.
func (g *group) about() string {
	switch {
	case g.name != "":
		return "type: " + scalar(g.name) + ", "
	case g.sign != "":
		return "has: " + scalar(g.sign) + ", "
	}
	return ""
}

// samples are one record of each group.
func (s *stream) samples(b *strings.Builder) {
	b.WriteString("samples: |\n")
	for i, g := range s.groups {
		r := g.records[0]
		if s.framing == wire.NDJSON {
			fmt.Fprintf(b, "  %s\n", oneLine(r.raw))
			continue
		}
		if i > 0 {
			b.WriteString("\n")
		}
		if r.event != "" {
			fmt.Fprintf(b, "  event: %s\n", r.event)
		}
		fmt.Fprintf(b, "  data: %s\n", oneLine(r.raw))
	}
}

// oneLine is JSON without line breaks, which stand between its tokens only.
func oneLine(raw []byte) string {
	return strings.NewReplacer("\r", " ", "\n", " ").Replace(string(raw))
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
