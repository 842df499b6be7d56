// Package usage adds up the tokens that a run has used, as its models or its steps report them.
package usage

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// Totals are what the models of a run have used, as they say it: each tells totals, which replace what it said before. For
// encoders of dialects that have one place for the usage of a run. The zero value is ready.
type Totals struct{ models []modelTotals }

type modelTotals struct {
	model  []byte
	counts hub.Counts
}

// maxModels bounds the models of a run that are counted apart.
const maxModels = 64

// Set takes the totals of a model, "" where none is named. Counts that are unknown stay as they were. It reports false if
// there is no room for another model. It keeps the counts, and nothing that c points to.
func (t *Totals) Set(model []byte, c *hub.Counts) bool {
	for i := range t.models {
		if m := &t.models[i]; bytes.Equal(m.model, model) {
			for _, n := range hub.TokenPairs(&m.counts, c) {
				if *n[1] >= 0 {
					*n[0] = *n[1]
				}
			}
			return true
		}
	}
	if len(t.models) == maxModels {
		return false
	}
	kept := *c
	kept.Cost, kept.Currency, kept.Provider = nil, nil, nil
	t.models = append(t.models, modelTotals{bytes.Clone(model), kept})
	return true
}

// Sum adds up what the models have used. Of several, one that tells no total has that of its counts, so that the sum is
// that of all.
func (t *Totals) Sum() hub.Counts {
	sum := hub.NoCounts
	for i := range t.models {
		c := t.models[i].counts
		if len(t.models) > 1 && c.Total < 0 && (c.In >= 0 || c.Out >= 0) {
			c.Total = max(c.In, 0) + max(c.Out, 0)
		}
		sum.Add(&c)
	}
	return sum
}

// Len is how many models have said anything.
func (t *Totals) Len() int { return len(t.models) }

// Reset forgets all models.
func (t *Totals) Reset() { t.models = t.models[:0] }
