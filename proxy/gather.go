package proxy

import (
	"bytes"
	"io"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/policy"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/internal/rawio"
	"github.com/sabir-proxy/sabir/proxy/internal/runlog"
)

// An agent whose run has ended with several questions wants all answers in one request: it forgets those that are missing, or refuses. So a
// request that answers some of them does not reach it. Sabir answers by a run of its own that asks again for the rest, and keeps the answers: in
// the conversation, where they stand with the calls that they are about, and with the run, where clients ask about runs.

// gathered is what a client is asked again.
type gathered struct {
	given []hub.Decision // so far, with the run
	kept  int            // how many questions are answered
	open  []hub.Event    // the questions that are not
	calls []*hub.Part    // what each of them is about; nil: no call that is known
}

// gathers reports whether the answers to the questions of a run are for the agent together. Programs wait for each, and so do servers that take an
// answer by its name alone.
func (c *call) gathers(asked *hub.Request) bool {
	r := c.route
	return r.up.Agents == nil && !c.answersByName() && !r.copies(c.target, asked)
}

// gather puts the answers that were given to questions of a run before those of a request, and makes the call ask for the rest if some are open.
// runs are those of the conversation up to that one, the newest first; last says that it is the last of them.
func (c *call) gather(asked *hub.Request, runs []runlog.Run, last bool) {
	run := &runs[0]
	if !c.gathers(asked) {
		return
	}
	if len(asked.Answers) == 0 {
		if last {
			c.left = run.Given
		}
		return
	}
	given, others := together(run, asked.Answers)
	answered := len(asked.Answers) > len(others)
	g := &gathered{given: given, kept: len(given)}
	for _, ask := range run.Asks {
		if !slices.ContainsFunc(given, func(d hub.Decision) bool { return bytes.Equal(d.Ask, ask.ID) }) {
			g.open = append(g.open, ask)
			g.calls = append(g.calls, callOfAsk(runs, &ask))
		}
	}
	if asked.Answers = append(slices.Clip(given), others...); answered && len(g.open) > 0 {
		c.losses.AddIf("answers", len(others) > 0)
		c.gathered = g
	}
}

// together are the answers to questions of a run: those that are kept, each with the last one in its place. others are to none of its questions.
func together(run *runlog.Run, answers []hub.Decision) (given, others []hub.Decision) {
	given, asks := slices.Clone(run.Given), questions(run)
	for _, d := range answers {
		is := func(ask hub.Event) bool { return bytes.Equal(ask.ID, d.Ask) }
		at := slices.IndexFunc(asks, is)
		if at < 0 {
			others = append(others, d)
			continue
		}
		d.Ask, d.Call, d.Reason, d.Payload = asks[at].ID, asks[at].Ref, bytes.Clone(d.Reason), bytes.Clone(d.Payload)
		if i := slices.IndexFunc(given, func(g hub.Decision) bool { return bytes.Equal(g.Ask, d.Ask) }); i >= 0 {
			given[i] = d
		} else {
			given = append(given, d)
		}
	}
	return given, others
}

// questions are those of a run that may be answered: the open ones, and those whose answers are kept.
func questions(run *runlog.Run) []hub.Event {
	all := slices.Clone(run.Asks)
	for _, d := range run.Given {
		all = append(all, hub.Event{Kind: hub.Ask, ID: d.Ask, Ref: d.Call})
	}
	return all
}

// callOfAsk is the call that a question is about, as runs have it.
func callOfAsk(runs []runlog.Run, ask *hub.Event) *hub.Part {
	for i := range runs {
		if p := callIn(runs[i].Messages, ask.Ref); p != nil {
			return p
		}
	}
	return nil
}

// callIn is the last call of an id.
func callIn(ms []hub.Message, id []byte) *hub.Part {
	for i := len(ms) - 1; i >= 0 && len(id) > 0; i-- {
		for j := range ms[i].Parts {
			if p := &ms[i].Parts[j]; p.Kind == hub.PartCall && bytes.Equal(p.ID, id) {
				return p
			}
		}
	}
	return nil
}

// isGathered reports whether a request answers some questions of a run and not all, once its conversation is known.
func (c *call) isGathered(asked *hub.Request) bool {
	g := c.gathered
	if g == nil {
		answered, open := conversation.Unanswered(asked)
		if len(open) == 0 || asked.Trigger != hub.TriggerNone || !c.gathers(asked) {
			return false
		}
		g = &gathered{kept: answered, calls: open}
		for _, p := range open {
			g.open = append(g.open, conversation.Question(p))
		}
	}
	for i := range g.calls {
		if g.calls[i] == nil {
			g.calls[i] = callIn(asked.Messages, g.open[i].Ref)
		}
	}
	c.gathered = g
	return true
}

// source is the dialect of what is translated for the client.
func (c *call) source() string {
	if c.gathered != nil {
		return native.Dialect.Name
	}
	return c.route.source.Name
}

// briefAnswer is about how many bytes an answer takes without what it says.
const briefAnswer = 256

// sizeOf is about how many bytes answers hold.
func sizeOf(answers []hub.Decision) (size int) {
	for i := range answers {
		d := &answers[i]
		size += briefAnswer + len(d.Ask) + len(d.Call) + len(d.Reason) + len(d.Payload)
	}
	return size
}

func (g *gathered) fields() []zap.Field {
	if g == nil {
		return nil
	}
	return []zap.Field{zap.Int("answers_kept", g.kept), zap.Int("questions_open", len(g.open))}
}

// say is the run that asks again, in the dialect native. What it asks about are calls that the client has, but for an answer in one piece,
// which stands alone.
func (g *gathered) say(asked *hub.Request) (records []byte) {
	var of hub.Flags
	if !asked.Whole {
		of = hub.Resumed
	}
	add := func(ev hub.Event) { records = append(native.Append(records, &ev), '\n') }
	add(hub.Event{Kind: hub.RunStart, ID: asked.Unique})
	for _, p := range g.calls {
		if p != nil {
			add(hub.Event{Kind: hub.ToolStart, ID: p.ID, Name: p.Name, Flags: of})
			add(hub.Event{Kind: hub.ToolReady, ID: p.ID, Name: p.Name, Value: p.Value})
		}
	}
	for _, ask := range g.open {
		ask.Flags, ask.SubAgent = ask.Flags|of, nil
		add(ask)
	}
	for _, p := range g.calls {
		if p != nil {
			add(hub.Event{Kind: hub.ToolEnd, ID: p.ID, Status: hub.StatusPaused})
		}
	}
	add(hub.Event{Kind: hub.RunEnd, Status: hub.StatusPaused})
	return records
}

// ownAnswer is the source of what Sabir says in place of an agent.
type ownAnswer struct{ records []byte }

// ReadInto implements source.
func (a *ownAnswer) ReadInto(b *rawio.Buffer, _ time.Time) error {
	b.Fill(a.records)
	return io.EOF
}

// Close implements source.
func (*ownAnswer) Close() {}

// takeOwnEngine takes an engine for what Sabir says in place of an agent. It is not used again: such answers are rare.
func (x *stream) takeOwnEngine(sink sink) *target {
	c, r := x.call, x.call.route
	config, framing := r.pipelineConfig(c.target), c.framing()
	config.From, config.FromOptions, config.Framing, config.EndGrace = &native.Dialect, native.Dialect.Defaults(), wire.NDJSON, 0
	switch s := sink.(type) {
	case *logSink:
		config.To, config.ToOptions, config.Policy, framing = config.From, config.FromOptions, policy.Settings{}, wire.NDJSON
	case *httpSink:
		if config.Whole = r.answersWhole(c.target, c.asked); config.Whole {
			framing, s.media = wire.Concat, "application/json"
		}
	}
	p := engine.NewPipeline(config)
	p.Out.SetFraming(framing)
	x.engine, x.pump.out, x.stats = p, p.Out, p.Stats
	return new(target)
}
