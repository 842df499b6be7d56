package sequencer_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// generator makes random streams that are normalized already: text, reasoning, parallel tools with fragments, sub-agents, steps,
// asks and single events. Every text and id is unique, so that each can be followed to the output.
type generator struct {
	rnd       *rand.Rand
	out       []hub.Event
	subAgents []*genSubAgent // open ones; the first is the root
	tools     []*genTool     // not ended
	n         int
}

type genSubAgent struct {
	id, name string
	part     string
	msg      []byte // of the part; the tools of a sub-agent are of no message or of their own
	ch       hub.Chan
	step     string
	children int
	parent   *genSubAgent
}

type genTool struct {
	id, name, ask string
	msg           []byte
	subAgent      *genSubAgent
	args          []string // fragments still to come
	whole         string
	ready         bool
}

// randomStream makes a stream of about n events.
func randomStream(rnd *rand.Rand, n int) []hub.Event {
	g := &generator{rnd: rnd, subAgents: []*genSubAgent{{}}}
	g.add(hub.Event{Kind: hub.RunStart, ID: []byte("run")})
	for len(g.out) < n {
		g.action()
	}
	for len(g.tools) > 0 {
		g.advance(g.tools[0])
	}
	for len(g.subAgents) > 1 {
		g.endSubAgent(len(g.subAgents) - 1)
	}
	g.closeSubAgent(g.subAgents[0])
	g.add(hub.Event{Kind: hub.RunEnd, Status: hub.StatusDone})
	return g.out
}

func (g *generator) add(ev hub.Event) { g.out = append(g.out, ev) }

func (g *generator) id(prefix string) string {
	g.n++
	return fmt.Sprintf("%s%d", prefix, g.n)
}

func (g *generator) text() []byte { return []byte(g.id("w") + " ") }

func (g *generator) action() {
	l := g.subAgents[g.rnd.IntN(len(g.subAgents))]
	switch g.rnd.IntN(16) {
	case 0, 1, 2, 3, 4:
		g.delta(l)
	case 5:
		g.endPart(l)
	case 6, 7:
		g.startTool(l)
	case 8, 9, 10, 11:
		if len(g.tools) > 0 {
			g.advance(g.tools[g.rnd.IntN(len(g.tools))])
		}
	case 12:
		g.subAgent(l)
	case 13:
		g.step(l)
	default:
		g.single(l)
	}
}

func (g *generator) delta(l *genSubAgent) {
	if l.part == "" {
		l.part, l.ch, l.msg = g.id("part"), hub.Chan(g.rnd.IntN(3)), g.message()
		g.add(l.text(hub.TextStart, nil))
	}
	g.add(l.text(hub.TextDelta, g.text()))
}

func (l *genSubAgent) text(kind hub.Kind, text []byte) hub.Event {
	return hub.Event{Kind: kind, ID: []byte(l.part), Chan: l.ch, SubAgent: []byte(l.id), Msg: l.msg, Text: text}
}

// message names a message, or none.
func (g *generator) message() []byte {
	if g.rnd.IntN(2) == 0 {
		return nil
	}
	return []byte(g.id("msg"))
}

func (g *generator) endPart(l *genSubAgent) {
	if l.part != "" {
		g.add(l.text(hub.TextEnd, nil))
		l.part = ""
	}
}

func (g *generator) startTool(l *genSubAgent) {
	if len(g.tools) >= 4 {
		return
	}
	g.endPart(l)
	t := &genTool{id: g.id("call"), name: g.id("tool"), msg: g.message(), subAgent: l}
	t.args = []string{`{\"n\":`, `[` + g.id("")}
	if g.rnd.IntN(2) == 0 {
		t.args = append(t.args, `,`+g.id(""))
	}
	t.args = append(t.args, `]}`)
	g.tools = append(g.tools, t)
	g.add(t.event(hub.ToolStart, hub.Event{Name: []byte(t.name)}))
}

func (t *genTool) event(kind hub.Kind, ev hub.Event) hub.Event {
	ev.Kind, ev.ID, ev.SubAgent, ev.Msg = kind, []byte(t.id), []byte(t.subAgent.id), t.msg
	return ev
}

// advance takes the next step in the life of a tool.
func (g *generator) advance(t *genTool) {
	switch {
	case len(t.args) > 0:
		t.whole += t.args[0]
		g.add(t.event(hub.ToolArgs, hub.Event{Text: []byte(t.args[0])}))
		t.args = t.args[1:]
	case !t.ready:
		t.ready = true
		value := []byte(t.whole[:1] + `"n"` + t.whole[6:]) // unescaped
		g.add(t.event(hub.ToolReady, hub.Event{Name: []byte(t.name), Value: value}))
	case t.ask != "":
		g.add(hub.Event{Kind: hub.Answer, ID: []byte(t.ask), SubAgent: []byte(t.subAgent.id), Status: hub.StatusChosen})
		t.ask = ""
	default:
		g.execute(t)
	}
}

func (g *generator) execute(t *genTool) {
	switch g.rnd.IntN(5) {
	case 0:
		g.add(t.event(hub.ToolUpdate, hub.Event{Text: g.text(), Status: hub.StatusRunning}))
	case 1:
		g.add(t.event(hub.ToolOutput, hub.Event{Text: g.text(), Chan: hub.Stdout}))
	case 2:
		t.ask = g.id("ask")
		g.add(hub.Event{Kind: hub.Ask, ID: []byte(t.ask), Ref: []byte(t.id), SubAgent: []byte(t.subAgent.id), AskKind: hub.AskPermission})
	default:
		g.add(t.event(hub.ToolEnd, hub.Event{Name: []byte(t.name), Status: hub.StatusOK, Text: g.text()}))
		g.tools = slices.DeleteFunc(g.tools, func(o *genTool) bool { return o == t })
	}
}

// subAgent starts a sub-agent below l, or ends one.
func (g *generator) subAgent(l *genSubAgent) {
	if len(g.subAgents) > 4 || len(g.subAgents) > 1 && g.rnd.IntN(2) == 0 {
		g.endSubAgent(1 + g.rnd.IntN(len(g.subAgents)-1))
		return
	}
	made := &genSubAgent{id: g.id("lane"), name: g.id("agent"), parent: l}
	l.children++
	g.subAgents = append(g.subAgents, made)
	g.add(hub.Event{Kind: hub.AgentStart, ID: []byte(made.id), SubAgent: []byte(l.id), Name: []byte(made.name)})
}

// endSubAgent ends the sub-agent at i if nothing in it goes on.
func (g *generator) endSubAgent(i int) {
	l := g.subAgents[i]
	if l.children > 0 || slices.ContainsFunc(g.tools, func(t *genTool) bool { return t.subAgent == l }) {
		return
	}
	g.closeSubAgent(l)
	l.parent.children--
	g.subAgents = slices.Delete(g.subAgents, i, i+1)
	g.add(hub.Event{Kind: hub.AgentEnd, ID: []byte(l.id), SubAgent: []byte(l.parent.id), Name: []byte(l.name), Status: hub.StatusOK})
}

func (g *generator) closeSubAgent(l *genSubAgent) {
	g.endPart(l)
	if l.step != "" {
		g.step(l)
	}
}

// step starts a step in l, or ends the one that is open.
func (g *generator) step(l *genSubAgent) {
	if l.step != "" {
		g.add(hub.Event{Kind: hub.StepEnd, ID: []byte(l.step), SubAgent: []byte(l.id), Status: hub.StatusDone})
		l.step = ""
		return
	}
	l.step = g.id("step")
	g.add(hub.Event{Kind: hub.StepStart, ID: []byte(l.step), SubAgent: []byte(l.id)})
}

func (g *generator) single(l *genSubAgent) {
	subAgent := []byte(l.id)
	switch g.rnd.IntN(3) {
	case 0:
		g.add(hub.Event{Kind: hub.Notice, SubAgent: subAgent, Level: hub.LevelInfo, Text: g.text()})
	case 1:
		g.add(hub.Event{Kind: hub.Data, SubAgent: subAgent, Op: hub.Set, Name: g.text(), Value: []byte("1")})
	default:
		more := &hub.More{Usage: hub.NoCounts, Items: []hub.PlanItem{{Content: g.text()}}}
		g.add(hub.Event{Kind: hub.Plan, SubAgent: subAgent, More: more})
	}
}
