package usage

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// Run is what a run has used: what it says of itself, model by model, or else the sum of its steps. The zero value is
// ready.
type Run struct {
	run   Totals
	steps []stepUsage
}

type stepUsage struct {
	ref    []byte
	counts hub.Counts
}

// maxUsageSteps bounds the steps whose usage is kept apart; what comes after them is added to the last.
const maxUsageSteps = 256

// Add takes the counts of a Usage event. Those of a session are not of this run. It reports false if nothing was taken.
func (u *Run) Add(ev *hub.Event) bool {
	if ev.More == nil {
		return false
	}
	switch ev.Scope {
	case hub.RunScope:
		return u.run.Set(ev.More.Model, &ev.More.Usage)
	case hub.StepScope:
		u.step(ev)
		return true
	}
	return false
}

// step keeps the totals of a step; said again, they replace those of before. A step without a name is one of its own.
func (u *Run) step(ev *hub.Event) {
	counts := ev.More.Usage
	counts.Cost, counts.Currency, counts.Provider = nil, nil, nil
	for i := range u.steps {
		if s := &u.steps[i]; len(ev.Ref) > 0 && bytes.Equal(s.ref, ev.Ref) {
			s.counts = counts
			return
		}
	}
	if len(u.steps) == maxUsageSteps {
		u.steps[maxUsageSteps-1].counts.Add(&counts)
		return
	}
	u.steps = append(u.steps, stepUsage{bytes.Clone(ev.Ref), counts})
}

// Models is how many models the run has named totals of.
func (u *Run) Models() int { return u.run.Len() }

// Sum is what the run has used in all; unknown counts are negative.
func (u *Run) Sum() hub.Counts {
	sum := u.run.Sum()
	if u.run.Len() > 0 {
		return sum
	}
	for i := range u.steps {
		sum.Add(&u.steps[i].counts)
	}
	return sum
}

// Reset forgets everything.
func (u *Run) Reset() {
	u.run.Reset()
	u.steps = u.steps[:0]
}
