package adaptertest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
)

// Compare says what of m a reader of got would not understand: m was sent and has the dispositions of its encoder, got was
// read back. Only what the encoder claimed is missed; if it folded something into another form, got may hold more.
func (m *Meaning) Compare(got *Meaning) (faults []string) {
	c := comparison{sent: m, got: got}
	c.texts()
	c.tools()
	c.run()
	c.all("notice", m.Notices, got.Notices)
	c.all("data", m.Data, got.Data)
	c.all("source", m.Sources, got.Sources)
	c.all("file", m.Files, got.Files)
	c.asks()
	c.all("answer", m.Answers, got.Answers)
	if len(got.Sigs) > 0 { // else the dialect has no place for them, while it has one for the end of a text
		c.all("signature", m.Sigs, got.Sigs)
	}
	for _, counts := range m.finalUsage() {
		c.usage(&counts)
	}
	return c.faults
}

type comparison struct {
	sent, got *Meaning
	faults    []string
}

func (c *comparison) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

// all looks for each of the things sent among those read.
func (c *comparison) all(what string, sent, got []string) {
	for _, s := range sent {
		if !slices.Contains(got, s) {
			c.fault("%s %q was claimed, but is not among %q", what, s, got)
		}
	}
}

// asks looks for each of the questions sent. One without a title may have been given one: some dialects want it.
func (c *comparison) asks() {
	for _, s := range c.sent.Asks {
		what, title, _ := strings.Cut(s, " ")
		if title != "" || !slices.ContainsFunc(c.got.Asks, func(g string) bool { return strings.HasPrefix(g, what+" ") }) {
			c.all("ask", []string{s}, c.got.Asks)
		}
	}
}

func (c *comparison) run() {
	m, got := c.sent, c.got
	if m.statusSure && m.Status != got.Status {
		c.fault("the run ended as %s, not %s; an encoder that cannot say so claims Folded", got.Status, m.Status)
	}
	if m.statusSure && m.Err != "" && got.Err == "" {
		c.fault("the run ended without the error %q", m.Err)
	}
	if m.planSure && !slices.Equal(m.Plan, got.Plan) {
		c.fault("the plan is %q, not %q", got.Plan, m.Plan)
	}
	if m.Steps > got.Steps {
		c.fault("%d steps were claimed, %d are there", m.Steps, got.Steps)
	}
}

// texts compares the text of the root agent exactly, and that of the sub-agents without regard to which is which: ids and
// order of sub-agents are the dialect's own.
func (c *comparison) texts() {
	for _, user := range []bool{false, true} {
		for ch := hub.AnswerText; ch <= hub.Refusal; ch++ {
			c.rootText(textKey{ch: ch, user: user})
			c.subAgentTexts(ch, user)
		}
	}
}

func (c *comparison) rootText(key textKey) {
	want, got := c.sent.byParts(key), c.got.byParts(key)
	switch {
	case bytes.Equal(want, got), bytes.Equal(c.sent.byDeltas(key), c.got.byDeltas(key)):
	case c.sent.folded && containsDeltas(c.got.byDeltas(key), c.sent.deltas, key):
	default:
		c.fault("the %s text is %q, not %q", key.ch, got, want)
	}
}

// containsDeltas reports whether the deltas of key occur in text, in their order.
func containsDeltas(text []byte, deltas []deltaMeaning, key textKey) bool {
	for _, d := range deltas {
		if d.key != key {
			continue
		}
		i := bytes.Index(text, d.text)
		if i < 0 {
			return false
		}
		text = text[i+len(d.text):]
	}
	return true
}

func (c *comparison) subAgentTexts(ch hub.Chan, user bool) {
	if c.sent.folded {
		return
	}
	want, got := c.sent.subAgentTexts(ch, user), c.got.subAgentTexts(ch, user)
	if !slices.Equal(want, got) {
		c.fault("the %s texts of the lanes are %q, not %q", ch, got, want)
	}
}

// subAgentTexts lists the texts of all sub-agents but the root that have one, sorted.
func (m *Meaning) subAgentTexts(ch hub.Chan, user bool) (all []string) {
	for i := range m.Agents {
		key := textKey{subAgent: "agent " + itoa(i+1), ch: ch, user: user}
		if text := m.byParts(key); len(text) > 0 {
			all = append(all, string(text))
		}
	}
	slices.Sort(all)
	return all
}

func (c *comparison) tools() {
	used := map[*ToolMeaning]bool{}
	for _, t := range c.sent.Tools {
		if !t.sure {
			continue
		}
		got := c.match(t, used)
		if got == nil {
			c.fault("tool %s %q is missing", t.Name, t.ID)
			continue
		}
		used[got] = true
		c.tool(t, got)
	}
	if extra := len(c.got.Tools) - len(c.sent.Tools); extra > 0 && !c.sent.folded {
		c.fault("there are %d tools that were never called", extra)
	}
}

// match finds the tool read that is t: by id, or the next of its name where the dialect has ids of its own. Of two calls of
// a name that is the one with the same arguments: a dialect may write a call when these are complete, in an order of its own.
func (c *comparison) match(t *ToolMeaning, used map[*ToolMeaning]bool) (next *ToolMeaning) {
	if same := c.got.findTool(t.ID); same != nil && !used[same] {
		return same
	}
	for _, g := range c.got.Tools {
		if used[g] || g.Name != t.Name {
			continue
		}
		if sameText(t.Args, g.Args) {
			return g
		}
		if next == nil {
			next = g
		}
	}
	return next
}

func (c *comparison) tool(t, got *ToolMeaning) {
	if t.Name != got.Name && !(t.Resumed && got.Name == sequencer.UnknownTool) { // only the client that has the call knows
		c.fault("tool %q is named %q, not %q", t.ID, got.Name, t.Name)
	}
	if (t.readySure || t.argsSure) && !sameText(t.Args, got.Args) {
		c.fault("tool %s %q has the arguments %s, not %s", t.Name, t.ID, got.Args, t.Args)
	}
	if !t.endSure {
		return
	}
	if t.Status != got.Status {
		c.fault("tool %s %q ended as %s, not %s; an encoder that cannot say so claims Folded", t.Name, t.ID, got.Status, t.Status)
	}
	if !sameText(t.Result, got.Result) {
		c.fault("tool %s %q has the result %q, not %q", t.Name, t.ID, got.Result, t.Result)
	}
}

// sameText compares texts that may be JSON.
func sameText(a, b []byte) bool {
	var d rawjson.Decoder
	return bytes.Equal(a, b) || d.Valid(a) == nil && d.Valid(b) == nil && rawjson.Equal(a, b)
}

// usage looks for the counts among those read; a count that a dialect has no member for is unknown there.
func (c *comparison) usage(want *hub.Counts) {
	same := func(a, b int64) bool { return a < 0 || b < 0 || a == b }
	for i := range c.got.Usage {
		g := &c.got.Usage[i]
		if same(want.In, g.In) && same(want.Out, g.Out) && same(want.Cached, g.Cached) && same(want.ReasoningTokens, g.ReasoningTokens) {
			return
		}
	}
	c.fault("usage in %d, out %d was claimed, but is not among %v", want.In, want.Out, c.got.Usage)
}
