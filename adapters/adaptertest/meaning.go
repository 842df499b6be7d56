package adaptertest

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Meaning is what a reader understands of a normalized stream. The zero value is ready; see Event.
type Meaning struct {
	Tools  []*ToolMeaning // in the order of their starts
	Plan   []string       // content and status of each item
	Status hub.Status     // of the run
	Err    string         // of the run
	Steps  int
	Agents int

	Notices, Data, Sources, Files, Asks, Answers, Sigs []string
	Usage                                              []hub.Counts

	totals    []string       // what each of Usage is the total of
	parts     []*partMeaning // in the order of their starts
	deltas    []deltaMeaning
	subAgents map[string]string // sub-agent id to the sub-agent that a reader sees

	planSure, statusSure bool
	folded               bool // something is there in another form: what comes back may hold more than was claimed
}

// ToolMeaning is what a reader understands of one tool call.
type ToolMeaning struct {
	ID, Name string
	Args     []byte // JSON, or text that is none
	Status   hub.Status
	Result   []byte // plain text, or JSON
	Resumed  bool   // an earlier stream opened it: a dialect whose clients have such calls says neither name nor arguments

	sure, argsSure, readySure, endSure bool
}

// partMeaning is one text part.
type partMeaning struct {
	id   string
	key  textKey
	text []byte
}

// textKey says whose text it is. Sub-agents are those that a reader sees.
type textKey struct {
	subAgent string
	ch       hub.Chan
	user     bool
}

type deltaMeaning struct {
	key  textKey
	text []byte
}

// claimed reports whether an encoder says with this disposition that a reader of its dialect gets the event as it is.
// Implied events are not compared: what the grammar implies comes back in the dialect's own way.
func claimed(f hub.Disposition) bool { return f == hub.Native || f == hub.Deferred }

// Event adds the next event of a stream. disposition is what an encoder did with it: only what it claims to have carried is
// compared. For a stream that was read it is Native.
func (m *Meaning) Event(ev *hub.Event, disposition hub.Disposition) {
	if m.subAgents == nil {
		m.subAgents = map[string]string{}
	}
	if disposition == hub.Folded || disposition == hub.Extension {
		m.folded = true
	}
	sure := claimed(disposition)
	switch ev.Kind {
	case hub.TextStart, hub.TextDelta, hub.TextEnd:
		m.text(ev, sure)
	case hub.ToolStart, hub.ToolArgs, hub.ToolReady, hub.ToolEnd:
		m.tool(ev, sure)
	case hub.AgentStart:
		m.agent(ev, disposition)
	case hub.RunEnd:
		m.Status, m.statusSure = ev.Status, sure
		if ev.More != nil {
			m.Err = plain(ev.More.Err)
		}
	case hub.Plan:
		m.plan(ev, sure)
	default:
		if sure {
			m.single(ev)
		}
	}
}

// agent opens a sub-agent. If the target has no place for it, its events are in the sub-agent around it.
func (m *Meaning) agent(ev *hub.Event, disposition hub.Disposition) {
	subAgent := m.subAgents[string(ev.SubAgent)]
	if claimed(disposition) || disposition == hub.Implied {
		m.Agents++
		subAgent = "agent " + itoa(m.Agents)
	}
	m.subAgents[string(ev.ID)] = subAgent
}

func (m *Meaning) text(ev *hub.Event, sure bool) {
	if ev.Kind == hub.TextEnd {
		if sure && ev.More != nil && len(ev.More.Sig) > 0 {
			m.Sigs = append(m.Sigs, plain(ev.More.Sig))
		}
		return
	}
	p := m.part(ev)
	if ev.Kind == hub.TextStart || !sure {
		return
	}
	text := rawjson.AppendUnescaped(nil, ev.Text)
	if ev.Op == hub.Replace {
		p.text = p.text[:0]
	}
	p.text = append(p.text, text...)
	m.deltas = append(m.deltas, deltaMeaning{p.key, text})
}

// part returns the part of a start or a delta, made by the start.
func (m *Meaning) part(ev *hub.Event) *partMeaning {
	for i := len(m.parts) - 1; i >= 0; i-- {
		if m.parts[i].id == string(ev.ID) {
			return m.parts[i]
		}
	}
	key := textKey{subAgent: m.subAgents[string(ev.SubAgent)], ch: ev.Chan, user: ev.Flags.Has(hub.User)}
	p := &partMeaning{id: string(ev.ID), key: key}
	m.parts = append(m.parts, p)
	return p
}

// Text is the text of the root agent, or of a sub-agent, on a channel: part by part, in the order of their starts.
func (m *Meaning) Text(subAgent string, ch hub.Chan) string {
	return string(m.byParts(textKey{subAgent: subAgent, ch: ch}))
}

// SubAgentTexts is the text of all sub-agents on a channel, part by part.
func (m *Meaning) SubAgentTexts(ch hub.Chan) string {
	var all []byte
	for _, p := range m.parts {
		if p.key.subAgent != "" && !p.key.user && p.key.ch == ch {
			all = append(all, p.text...)
		}
	}
	return string(all)
}

func (m *Meaning) byParts(key textKey) (all []byte) {
	for _, p := range m.parts {
		if p.key == key {
			all = append(all, p.text...)
		}
	}
	return all
}

// byDeltas is the same text in the order of the deltas: parts that are open at once are mixed.
func (m *Meaning) byDeltas(key textKey) (all []byte) {
	for _, d := range m.deltas {
		if d.key == key {
			all = append(all, d.text...)
		}
	}
	return all
}

func (m *Meaning) findTool(id string) *ToolMeaning {
	for i := len(m.Tools) - 1; i >= 0; i-- {
		if m.Tools[i].ID == id {
			return m.Tools[i]
		}
	}
	return nil
}

func (m *Meaning) tool(ev *hub.Event, sure bool) {
	t := m.findTool(string(ev.ID))
	if t == nil {
		t = &ToolMeaning{ID: string(ev.ID), argsSure: true}
		m.Tools = append(m.Tools, t)
	}
	if t.Name == "" {
		t.Name = plain(ev.Name)
	}
	switch ev.Kind {
	case hub.ToolStart:
		t.sure = t.sure || sure
		t.Resumed = t.Resumed || ev.Flags.Has(hub.Resumed)
	case hub.ToolArgs:
		t.Args = rawjson.AppendUnescaped(t.Args, ev.Text)
		t.argsSure = t.argsSure && sure
	case hub.ToolReady:
		t.readySure = sure
		t.sure = t.sure || sure
	case hub.ToolEnd:
		t.Status, t.Result = ev.Status, result(ev)
		t.endSure = sure
		t.sure = t.sure || sure
	}
}

// result is the plain text of a result, whichever member has it. What a tool that failed said may be in its error, and
// what one said at all in its content blocks.
func result(ev *hub.Event) []byte {
	body, ok := rawjson.Str(ev.Value)
	switch {
	case ok:
	case ev.Value != nil:
		return bytes.Clone(ev.Value)
	case len(ev.Text) == 0 && ev.More != nil && len(ev.More.Err) > 0:
		body = ev.More.Err
	case len(ev.Text) == 0 && ev.More != nil:
		return words(ev.More.Content)
	default:
		body = ev.Text
	}
	return rawjson.AppendUnescaped(nil, body)
}

// words is what content blocks say, a line for each that says something.
func words(content rawjson.Value) []byte {
	var lines [][]byte
	for it := rawjson.Elems(content); ; {
		block, ok := it.Next()
		if !ok {
			return bytes.Join(lines, []byte("\n"))
		}
		text, ok := rawjson.Str(rawjson.Get(block, "content", "text"))
		if !ok {
			text, ok = rawjson.Str(rawjson.Get(block, "text"))
		}
		if ok {
			lines = append(lines, rawjson.AppendUnescaped(nil, text))
		}
	}
}

func (m *Meaning) plan(ev *hub.Event, sure bool) {
	m.Plan, m.planSure = nil, sure
	if ev.More == nil {
		return
	}
	for i := range ev.More.Items {
		it := &ev.More.Items[i]
		m.Plan = append(m.Plan, plain(it.Content)+" ["+plain(it.Status)+"]")
	}
}

// single adds an event that stands alone.
func (m *Meaning) single(ev *hub.Event) {
	more := ev.More
	if more == nil {
		more = &hub.More{}
	}
	switch ev.Kind {
	case hub.StepStart:
		m.Steps++
	case hub.Notice:
		m.Notices = append(m.Notices, plain(ev.Text))
	case hub.Data:
		m.Data = append(m.Data, plain(ev.Name)+" "+canonical(ev.Value))
	case hub.Source:
		m.Sources = append(m.Sources, firstOf(more.File.URL, more.File.Name, ev.Title, more.File.FileID))
	case hub.File:
		m.Files = append(m.Files, firstOf(more.File.URL, more.File.Base64, more.File.FileID, more.File.Name))
	case hub.Ask:
		m.Asks = append(m.Asks, ev.AskKind.String()+" "+plain(ev.Title))
	case hub.Answer:
		m.Answers = append(m.Answers, ev.Status.String()+" "+plain(ev.Name))
	case hub.Usage:
		m.usage(ev.Scope.String()+" "+plain(ev.Ref)+" "+plain(more.Model), &more.Usage)
	}
}

// usage adds counts, and what they are the total of.
func (m *Meaning) usage(of string, counts *hub.Counts) {
	m.totals, m.Usage = append(m.totals, of), append(m.Usage, *counts)
}

// finalUsage lists the counts without those that later ones of the same thing have replaced.
func (m *Meaning) finalUsage() (all []hub.Counts) {
	for i, of := range m.totals {
		if !slices.Contains(m.totals[i+1:], of) {
			all = append(all, m.Usage[i])
		}
	}
	return all
}

func firstOf(bodies ...[]byte) string {
	for _, b := range bodies {
		if len(b) > 0 {
			return plain(b)
		}
	}
	return ""
}

func plain(body []byte) string { return string(rawjson.AppendUnescaped(nil, body)) }

// canonical is a value without insignificant white space. Its members keep their order.
func canonical(v []byte) string { return string(rawjson.AppendCompact(nil, v)) }
