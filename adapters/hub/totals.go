package hub

import "bytes"

// Totals are what the models of a run have used, as they say it: each tells totals, which replace what it said before. For
// encoders of dialects that have one place for the usage of a run. The zero value is ready.
type Totals struct{ models []modelTotals }

type modelTotals struct {
	model  []byte
	counts Counts
}

// maxModels bounds the models of a run that are counted apart.
const maxModels = 64

// Set takes the totals of a model, "" where none is named. Counts that are unknown stay as they were. It reports false if
// there is no room for another model. It keeps the counts, and nothing that c points to.
func (t *Totals) Set(model []byte, c *Counts) bool {
	for i := range t.models {
		if m := &t.models[i]; bytes.Equal(m.model, model) {
			for _, n := range countPairs(&m.counts, c) {
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
func (t *Totals) Sum() Counts {
	sum := NoCounts
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

// Add adds the tokens that other counts. What is unknown adds nothing.
func (c *Counts) Add(other *Counts) {
	for _, n := range countPairs(c, other) {
		if *n[1] >= 0 {
			*n[0] = max(*n[0], 0) + *n[1]
		}
	}
}

// countPairs are the counts of tokens, of two.
func countPairs(a, b *Counts) [6][2]*int64 {
	return [...][2]*int64{
		{&a.In, &b.In}, {&a.Out, &b.Out}, {&a.Total, &b.Total}, {&a.Cached, &b.Cached},
		{&a.CacheWrite, &b.CacheWrite}, {&a.ReasoningTokens, &b.ReasoningTokens},
	}
}
