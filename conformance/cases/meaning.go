package main

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// Meaning is what a reader must understand of a normalized stream, whatever its dialect.
type Meaning struct {
	Answers    []string `json:"answers"` // texts of the agents, in the order of their starts
	Users      []string `json:"users"`   // texts of the user
	Others     []string `json:"others"`  // instructions
	Reasoning  []string `json:"reasoning"`
	Tools      []*Tool  `json:"tools"`
	Agents     []string `json:"agents"` // names
	Steps      int      `json:"steps"`
	End        string   `json:"end"` // success, interrupt or error
	Message    string   `json:"message,omitempty"`
	Code       string   `json:"code,omitempty"`
	Interrupts []string `json:"interrupts"` // ids of the questions that are open at the end
	Cancelled  bool     `json:"cancelled,omitempty"`

	Usage map[string]*Usage `json:"usage,omitempty"` // by scope, the last that was said of each; run_sum is over all models

	models map[string]*Usage // of the run

	parts map[string]*part
	order []*part
	tools map[string]*Tool
	asks  []string
}

// Tool is one call.
type Tool struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Args   string `json:"args"`
	Result string `json:"result"`

	// Answered is whether there is a result; AnyText that its words are the encoder's choice.
	Answered bool `json:"answered"`
	AnyText  bool `json:"any_text,omitempty"`
	// Resumed calls began in an earlier run: the stream has only their result.
	Resumed bool `json:"resumed,omitempty"`

	ClientRuns bool `json:"client_runs,omitempty"` // the client is asked to run it
	Undecided  bool `json:"undecided,omitempty"`   // it is unknown who runs it
	Invalid    bool `json:"invalid,omitempty"`     // its arguments are no JSON
	Paused     bool `json:"paused,omitempty"`      // its result comes in a later run; what there is of one is partial
	Failed     bool `json:"failed,omitempty"`      // ended with an error, was denied or aborted
	Denied     bool `json:"denied,omitempty"`      // it was not allowed
	Dropped    bool `json:"dropped,omitempty"`     // its outcome is not written
}

// Usage are the counts that are known.
type Usage struct {
	In    *int64 `json:"in,omitempty"`
	Out   *int64 `json:"out,omitempty"`
	Total *int64 `json:"total,omitempty"`
}

type part struct {
	text string
	list *[]string
}

func newMeaning() *Meaning {
	return &Meaning{
		Answers: []string{}, Users: []string{}, Others: []string{}, Reasoning: []string{}, Tools: []*Tool{},
		Agents: []string{}, Interrupts: []string{}, parts: map[string]*part{}, tools: map[string]*Tool{},
	}
}

func (m *Meaning) event(ev *hub.Event) {
	switch ev.Kind {
	case hub.TextStart:
		p := &part{list: m.list(ev)}
		m.parts[string(ev.ID)] = p
		m.order = append(m.order, p)
	case hub.TextDelta:
		m.parts[string(ev.ID)].text += plain(ev.Text)
	case hub.ToolStart, hub.ToolArgs, hub.ToolReady, hub.ToolEnd:
		m.tool(ev)
	case hub.AgentStart:
		m.Agents = append(m.Agents, plain(ev.Name))
	case hub.StepStart:
		m.Steps++
	case hub.Usage:
		m.usage(ev)
	case hub.Ask:
		m.asks = append(m.asks, plain(ev.ID))
	case hub.Answer:
		m.answer(plain(ev.ID))
	case hub.RunEnd:
		m.end(ev)
	}
}

// withdraw takes back what the target does not show in a form of its own. Where it is shown as text, that text is an
// event of its own.
func (m *Meaning) withdraw(ev *hub.Event) {
	switch ev.Kind {
	case hub.ToolStart:
		m.Tools = slices.DeleteFunc(m.Tools, func(t *Tool) bool { return t == m.tools[string(ev.ID)] })
	case hub.TextDelta:
		if p := m.parts[string(ev.ID)]; p != nil {
			p.text = strings.TrimSuffix(p.text, plain(ev.Text))
		}
	case hub.ToolEnd:
		if t := m.tools[string(ev.ID)]; t != nil {
			t.Dropped = true
		}
	case hub.TextStart:
		m.order = slices.DeleteFunc(m.order, func(p *part) bool { return p == m.parts[string(ev.ID)] })
	case hub.Usage:
		delete(m.Usage, ev.Scope.String())
	}
}

// list is where the text of a part belongs.
func (m *Meaning) list(ev *hub.Event) *[]string {
	switch {
	case ev.Chan == hub.Reasoning:
		return &m.Reasoning
	case ev.Flags.Has(hub.User):
		return &m.Users
	case string(ev.Name) == "system", string(ev.Name) == "developer":
		return &m.Others
	}
	return &m.Answers
}

func (m *Meaning) tool(ev *hub.Event) {
	t := m.tools[string(ev.ID)]
	if t == nil {
		t = &Tool{
			ID: plain(ev.ID), Name: plain(ev.Name), Resumed: ev.Flags.Has(hub.Resumed), ClientRuns: ev.Flags.Has(hub.ClientRuns),
			Undecided: ev.Kind == hub.ToolStart && ev.Status == hub.StatusUnknown && !ev.Flags.Has(hub.ClientRuns),
		}
		m.tools[string(ev.ID)] = t
		m.Tools = append(m.Tools, t)
	}
	switch ev.Kind {
	case hub.ToolArgs:
		t.Args += plain(ev.Text)
	case hub.ToolReady:
		t.Invalid = ev.Flags.Has(hub.Invalid)
	case hub.ToolEnd:
		t.Failed = ev.Status == hub.StatusError || ev.Status == hub.StatusDenied || ev.Status == hub.StatusAborted
		t.Denied = ev.Status == hub.StatusDenied
		t.result(ev)
	}
}

// result reads the end of a call. One that is left to the client, or not answered, has none.
func (t *Tool) result(ev *hub.Event) {
	var text string
	blocks := ev.More != nil && ev.More.Content != nil
	switch {
	case len(ev.Text) > 0:
		text = plain(ev.Text)
	case ev.Value != nil:
		if ev.Value[0] != '"' || json.Unmarshal(ev.Value, &text) != nil {
			text = string(ev.Value)
		}
	case blocks:
		t.AnyText = true
	case ev.More != nil:
		text = plain(ev.More.Err)
	}
	t.Paused = ev.Status == hub.StatusPaused
	switch ev.Status {
	case hub.StatusClient, hub.StatusPaused, hub.StatusAborted:
		t.Answered = len(ev.Text) > 0 || ev.Value != nil || blocks
	default:
		t.Answered = true
	}
	if t.Answered {
		t.Result = text
	}
}

// usage keeps the counts of the three that all dialects have.
func (m *Meaning) usage(ev *hub.Event) {
	if ev.More == nil {
		return
	}
	known := func(n int64) *int64 {
		if n < 0 {
			return nil
		}
		return &n
	}
	if m.Usage == nil {
		m.Usage = map[string]*Usage{}
	}
	c := &ev.More.Usage
	m.Usage[ev.Scope.String()] = &Usage{known(c.In), known(c.Out), known(c.Total)}
	if ev.Scope == hub.RunScope {
		m.sumUsage(string(ev.More.Model), m.Usage[ev.Scope.String()])
	}
}

// sumUsage adds up the totals of the run over its models, for targets that know only one sum. Of several models, one that
// tells no total has that of its counts.
func (m *Meaning) sumUsage(model string, last *Usage) {
	if m.models == nil {
		m.models = map[string]*Usage{}
	}
	m.models[model] = last
	sum := &Usage{}
	for _, u := range m.models {
		if len(m.models) > 1 && u.Total == nil && (u.In != nil || u.Out != nil) {
			u = &Usage{u.In, u.Out, total(u.In, u.Out)}
		}
		for _, n := range [][2]**int64{{&sum.In, &u.In}, {&sum.Out, &u.Out}, {&sum.Total, &u.Total}} {
			if *n[1] == nil {
				continue
			}
			total := **n[1]
			if *n[0] != nil {
				total += **n[0]
			}
			*n[0] = &total
		}
	}
	m.Usage["run_sum"] = sum
}

func total(counts ...*int64) *int64 {
	sum := int64(0)
	for _, n := range counts {
		if n != nil {
			sum += *n
		}
	}
	return &sum
}

func (m *Meaning) answer(id string) {
	for i, open := range m.asks {
		if open == id {
			m.asks = append(m.asks[:i], m.asks[i+1:]...)
			return
		}
	}
}

func (m *Meaning) end(ev *hub.Event) {
	for _, p := range m.order {
		if p.text != "" {
			*p.list = append(*p.list, p.text)
		}
	}
	m.End = "success"
	switch ev.Status {
	case hub.StatusFailed, hub.StatusCancelled, hub.StatusTruncated:
		m.End, m.Cancelled = "error", ev.Status == hub.StatusCancelled
		if ev.More != nil {
			m.Message, m.Code = plain(ev.More.Err), plain(ev.More.ErrCode)
		}
	case hub.StatusPaused:
		if len(m.asks) > 0 {
			m.End, m.Interrupts = "interrupt", m.asks
		}
	}
}

// plain is the text of a string body.
func plain(body []byte) string {
	var s string
	if err := json.Unmarshal(append(append([]byte{'"'}, body...), '"'), &s); err != nil {
		panic("BUG: not the body of a string: " + string(body))
	}
	return s
}
