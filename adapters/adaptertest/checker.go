package adaptertest

import (
	"bytes"
	"fmt"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Checker tells whether a stream is normalized: it referees the invariants that can be seen in the stream alone, I1 to I9,
// I12, half of I13 and I15 (see [hub.Sequencer]). It is written from the model, not from the sequencer.
//
// The zero value is ready. It copies what it keeps.
type Checker struct {
	Replace    bool // TextDelta may replace the text so far
	Unnumbered bool // the stream was not made by a sequencer: things have no slots

	n              int
	started, ended bool
	reason         hub.Status

	subAgents map[string]*checkedSubAgent
	parts     map[string]*checkedPart
	tools     map[string]*checkedTool
	steps     map[string]*checkedStep
	asks      map[string]*checkedAsk
	taken     checkedSlots
	json      rawjson.Decoder
}

type checkedSubAgent struct {
	parent string
	open   bool
}

type checkedPart struct {
	subAgent, msg string
	ch            hub.Chan
	open          bool
}

type checkedStep struct {
	subAgent string
	open     bool
}

type checkedAsk struct{ open bool }

// checkedTool has been started.
type checkedTool struct {
	subAgent, name string
	ready, ended   bool
	args           []byte
	fragments      int
	output         bool
}

// Event takes the next event of the stream; it returns the first invariant that ev breaks.
func (c *Checker) Event(ev *hub.Event) error {
	if c.subAgents == nil {
		c.subAgents, c.parts, c.tools = map[string]*checkedSubAgent{}, map[string]*checkedPart{}, map[string]*checkedTool{}
		c.steps, c.asks, c.taken = map[string]*checkedStep{}, map[string]*checkedAsk{}, checkedSlots{}
	}
	c.n++
	if err := c.event(ev); err != nil {
		return fmt.Errorf("event %d (%s %q): %w", c.n, ev.Kind, ev.ID, err)
	}
	return nil
}

func (c *Checker) event(ev *hub.Event) error {
	if err := c.valid(ev); err != nil {
		return err
	}
	if err := c.place(ev); err != nil {
		return err
	}
	if err := c.slots(ev); err != nil && !c.Unnumbered {
		return err
	}
	switch ev.Kind {
	case hub.RunEnd:
		return c.runEnd(ev)
	case hub.StepStart, hub.StepEnd:
		return c.step(ev)
	case hub.AgentStart:
		return c.agentStart(ev)
	case hub.AgentEnd:
		return c.agentEnd(ev)
	case hub.TextStart:
		return c.textStart(ev)
	case hub.TextDelta, hub.TextEnd:
		return c.text(ev)
	case hub.ToolStart:
		return c.toolStart(ev)
	case hub.ToolArgs, hub.ToolReady, hub.ToolUpdate, hub.ToolOutput, hub.ToolEnd:
		return c.tool(ev)
	case hub.Ask, hub.Answer:
		return c.ask(ev)
	}
	return nil
}

// place checks I1, I2 and I8: what may come at this point of the stream and in this sub-agent.
func (c *Checker) place(ev *hub.Event) error {
	switch {
	case c.ended:
		return fmt.Errorf("I2: comes after the end of the run")
	case ev.Kind == hub.RunStart && c.started:
		return fmt.Errorf("I1: a second start of the run")
	case ev.Kind != hub.RunStart && !c.started:
		return fmt.Errorf("I1: comes before the start of the run")
	}
	c.started = true
	if len(ev.SubAgent) == 0 {
		return nil
	}
	if ev.Kind == hub.RunStart || ev.Kind == hub.RunEnd {
		return fmt.Errorf("I8: a run has no lane")
	}
	if l := c.subAgents[string(ev.SubAgent)]; l == nil || !l.open {
		return fmt.Errorf("I8: lane %q is not open", ev.SubAgent)
	}
	return nil
}

func (c *Checker) runEnd(ev *hub.Event) error {
	c.ended, c.reason = true, ev.Status
	if ev.Status == hub.StatusNone || ev.Status > hub.StatusTruncated {
		return fmt.Errorf("I2: %q is no reason to end", ev.Status)
	}
	for id, l := range c.subAgents {
		if l.open {
			return fmt.Errorf("I2: lane %q is still open", id)
		}
	}
	if err := c.contentEnded(""); err != nil {
		return fmt.Errorf("I2: %w", err)
	}
	for id, a := range c.asks {
		if a.open && ev.Status != hub.StatusPaused {
			return fmt.Errorf("I2: ask %q is still open", id)
		}
	}
	return nil
}

// contentEnded says what is still open in a sub-agent.
func (c *Checker) contentEnded(subAgent string) error {
	for id, p := range c.parts {
		if p.open && p.subAgent == subAgent {
			return fmt.Errorf("text part %q is still open", id)
		}
	}
	for id, t := range c.tools {
		if !t.ended && t.subAgent == subAgent {
			return fmt.Errorf("tool %q has not ended", id)
		}
	}
	for id, s := range c.steps {
		if s.open && s.subAgent == subAgent {
			return fmt.Errorf("step %q is still open", id)
		}
	}
	return nil
}

func (c *Checker) step(ev *hub.Event) error {
	s := c.steps[string(ev.ID)]
	if ev.Kind == hub.StepStart {
		if s != nil || len(ev.ID) == 0 {
			return fmt.Errorf("I9: step ids are never empty and never used again")
		}
		c.steps[string(ev.ID)] = &checkedStep{subAgent: string(ev.SubAgent), open: true}
		return nil
	}
	if s == nil || !s.open || s.subAgent != string(ev.SubAgent) {
		return fmt.Errorf("I9: no such step is open in this lane")
	}
	s.open = false
	return nil
}

func (c *Checker) agentStart(ev *hub.Event) error {
	switch {
	case len(ev.ID) == 0 || c.subAgents[string(ev.ID)] != nil:
		return fmt.Errorf("I8: lane ids are never empty and never used again")
	case len(ev.Name) == 0:
		return fmt.Errorf("I8: an agent has a name")
	}
	c.subAgents[string(ev.ID)] = &checkedSubAgent{parent: string(ev.SubAgent), open: true}
	return nil
}

func (c *Checker) agentEnd(ev *hub.Event) error {
	id := string(ev.ID)
	l := c.subAgents[id]
	switch {
	case l == nil || !l.open:
		return fmt.Errorf("I8: the lane is not open")
	case l.parent != string(ev.SubAgent):
		return fmt.Errorf("I8: ends in lane %q, but began in %q", ev.SubAgent, l.parent)
	case !isEnd(ev.Status):
		return fmt.Errorf("I8: %q is no status of an end", ev.Status)
	}
	for child, o := range c.subAgents {
		if o.open && o.parent == id {
			return fmt.Errorf("I8: its child lane %q is still open", child)
		}
	}
	if err := c.contentEnded(id); err != nil {
		return fmt.Errorf("I8: %w", err)
	}
	l.open = false
	return nil
}

func isEnd(s hub.Status) bool {
	switch s {
	case hub.StatusOK, hub.StatusError, hub.StatusDenied, hub.StatusAborted, hub.StatusClient, hub.StatusPaused, hub.StatusUnknown:
		return true
	}
	return false
}

func (c *Checker) textStart(ev *hub.Event) error {
	if len(ev.ID) == 0 || c.parts[string(ev.ID)] != nil {
		return fmt.Errorf("I3: part ids are never empty and never used again")
	}
	for id, p := range c.parts {
		if p.open && p.subAgent == string(ev.SubAgent) && p.msg == string(ev.Msg) {
			return fmt.Errorf("I4: part %q of the same lane and message is still open", id)
		}
	}
	if ev.Chan > hub.Refusal {
		return fmt.Errorf("I3: %q is no channel of a text", ev.Chan)
	}
	c.parts[string(ev.ID)] = &checkedPart{subAgent: string(ev.SubAgent), msg: string(ev.Msg), ch: ev.Chan, open: true}
	return nil
}

func (c *Checker) text(ev *hub.Event) error {
	p := c.parts[string(ev.ID)]
	switch {
	case p == nil || !p.open:
		return fmt.Errorf("I3: the part is not open")
	case p.subAgent != string(ev.SubAgent):
		return fmt.Errorf("I8: the part began in lane %q", p.subAgent)
	case p.ch != ev.Chan:
		return fmt.Errorf("I3: the part began on channel %s, not %s", p.ch, ev.Chan)
	}
	if ev.Kind == hub.TextEnd {
		p.open = false
		return nil
	}
	switch {
	case len(ev.Text) == 0:
		return fmt.Errorf("I3: the delta is empty")
	case ev.Op == hub.Append, ev.Op == hub.Replace && c.Replace:
		return nil
	}
	return fmt.Errorf("I10: operation %s on a text", ev.Op)
}

func (c *Checker) toolStart(ev *hub.Event) error {
	switch {
	case len(ev.ID) == 0:
		return fmt.Errorf("I5: a tool has an id")
	case c.tools[string(ev.ID)] != nil:
		return fmt.Errorf("I5: a second start")
	case len(ev.Name) == 0:
		return fmt.Errorf("I5: a tool has a name")
	}
	for id, p := range c.parts {
		if p.open && p.subAgent == string(ev.SubAgent) {
			return fmt.Errorf("I4: part %q is open in this lane", id)
		}
	}
	c.tools[string(ev.ID)] = &checkedTool{subAgent: string(ev.SubAgent), name: string(ev.Name)}
	return nil
}

func (c *Checker) tool(ev *hub.Event) error {
	t := c.tools[string(ev.ID)]
	switch {
	case t == nil:
		return fmt.Errorf("I5: the tool has not started")
	case t.ended:
		return fmt.Errorf("I5: the tool has ended")
	case t.subAgent != string(ev.SubAgent):
		return fmt.Errorf("I8: the tool began in lane %q", t.subAgent)
	}
	switch ev.Kind {
	case hub.ToolArgs:
		return t.fragment(ev)
	case hub.ToolReady:
		return t.becomeReady(ev)
	case hub.ToolUpdate:
		return nil
	case hub.ToolOutput:
		emitted := len(ev.Text) > 0 || ev.Value != nil || ev.More != nil && ev.More.Content != nil
		t.output = emitted || t.output && ev.Op != hub.Replace // which may take everything back
		return t.mustBeReady()
	}
	return t.end(ev)
}

func (t *checkedTool) mustBeReady() error {
	if !t.ready {
		return fmt.Errorf("I5: the tool is not ready")
	}
	return nil
}

func (t *checkedTool) fragment(ev *hub.Event) error {
	if t.ready {
		return fmt.Errorf("I5: arguments after ready")
	}
	if len(ev.Text) == 0 {
		return fmt.Errorf("I6: an empty fragment")
	}
	t.fragments++
	t.args = rawjson.AppendUnescaped(t.args, ev.Text)
	return nil
}

func (t *checkedTool) becomeReady(ev *hub.Event) error {
	switch {
	case t.ready:
		return fmt.Errorf("I5: ready twice")
	case t.fragments == 0:
		return fmt.Errorf("I6: ready without a fragment")
	case string(ev.Name) != t.name:
		return fmt.Errorf("I5: name %q, but began as %q", ev.Name, t.name)
	}
	t.ready = true
	if ev.Flags.Has(hub.Invalid) {
		if got := rawjson.AppendUnescaped(nil, ev.Text); !bytes.Equal(got, t.args) || ev.Value != nil {
			return fmt.Errorf("I6: text %q is not the fragments %q", got, t.args)
		}
		return nil
	}
	if !bytes.Equal(ev.Value, bytes.TrimSpace(t.args)) {
		return fmt.Errorf("I6: value %q is not the fragments %q", ev.Value, t.args)
	}
	return nil
}

func (t *checkedTool) end(ev *hub.Event) error {
	t.ended = true
	switch {
	case !t.ready:
		return fmt.Errorf("I5: the tool is not ready")
	case string(ev.Name) != t.name:
		return fmt.Errorf("I5: name %q, but began as %q", ev.Name, t.name)
	case !isEnd(ev.Status):
		return fmt.Errorf("I5: %q is no status of an end", ev.Status)
	case t.output && !ev.Flags.Has(hub.Invalid) && ev.Text == nil && ev.Value == nil && (ev.More == nil || ev.More.Content == nil):
		return fmt.Errorf("I13: there were outputs, but the end has no result")
	}
	return nil
}

func (c *Checker) ask(ev *hub.Event) error {
	a := c.asks[string(ev.ID)]
	if ev.Kind == hub.Answer {
		if a == nil || !a.open {
			return fmt.Errorf("I7: no such ask is open")
		}
		a.open = false
		if ev.Status < hub.StatusChosen && ev.Status != hub.StatusCancelled {
			return fmt.Errorf("I7: %q is no status of an answer", ev.Status)
		}
		return nil
	}
	if a != nil || len(ev.ID) == 0 {
		return fmt.Errorf("I7: ask ids are never empty and never used again")
	}
	c.asks[string(ev.ID)] = &checkedAsk{open: true}
	if len(ev.Ref) == 0 {
		return nil
	}
	t := c.tools[string(ev.Ref)]
	if t == nil || !t.ready || t.ended {
		return fmt.Errorf("I7: tool %q is not between ready and end", ev.Ref)
	}
	return nil
}

// End says whether the stream may end here.
func (c *Checker) End() error {
	if !c.ended {
		return fmt.Errorf("I2: after %d events there is no end of the run", c.n)
	}
	return nil
}
