package engine

import (
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/redact"
)

// staged is a stage with the buffer that it fills next.
type staged struct {
	hub.Stage
	ticker hub.Ticker // nil: time means nothing to the stage
	passer hub.Passer // nil: the stage looks at every event
	spare  []hub.Event
}

func (p *Pipeline) addStages(stages []hub.Stage) {
	for _, st := range stages {
		ticker, _ := st.(hub.Ticker)
		passer, _ := st.(hub.Passer)
		p.stages = append(p.stages, staged{Stage: st, ticker: ticker, passer: passer})
	}
}

// addRedaction adds the stage that takes secrets out, before those that make something else of events.
func (p *Pipeline) addRedaction(rules *redact.Rules) {
	p.redact = redact.NewStage(rules)
	p.redact.Count, p.redact.Dropped = p.Stats.CountRedaction, p.Stats.countOut
	p.addStages([]hub.Stage{p.redact})
}

// stage takes the normalized events through the optional stages.
func (p *Pipeline) stage(now time.Duration) {
	p.hideFaults()
	for i := range p.stages {
		st := &p.stages[i]
		if st.passer != nil && st.passer.Passes(p.normalized) {
			continue
		}
		p.normalized, st.spare = st.Push(st.spare[:0], p.normalized, now), p.normalized
	}
}

// hideFaults changes the normalized events before a stage makes something else of them.
func (p *Pipeline) hideFaults() {
	if p.Conceal == nil {
		return
	}
	for i := range p.normalized {
		switch ev := &p.normalized[i]; ev.Kind {
		case hub.RunEnd, hub.AgentEnd, hub.Notice:
			p.Conceal.Event(ev)
		}
	}
}

// flushStages ends the stages. Those before the last feed those after it.
func (p *Pipeline) flushStages(cause error, now time.Duration) {
	p.hideFaults()
	for i := range p.stages {
		st := &p.stages[i]
		out := st.Push(st.spare[:0], p.normalized, now)
		p.normalized, st.spare = st.Flush(out, cause), p.normalized
	}
}

// tickStages takes what came by the passing of time through the stages, and what is due in them.
func (p *Pipeline) tickStages(now time.Duration) {
	p.hideFaults()
	for i := range p.stages {
		st := &p.stages[i]
		out := st.Push(st.spare[:0], p.normalized, now)
		if st.ticker != nil {
			out = st.ticker.Tick(out, now)
		}
		p.normalized, st.spare = out, p.normalized
	}
}
