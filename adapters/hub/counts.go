package hub

// Add adds the tokens that other counts. What is unknown adds nothing.
func (c *Counts) Add(other *Counts) {
	for _, n := range TokenPairs(c, other) {
		if *n[1] >= 0 {
			*n[0] = max(*n[0], 0) + *n[1]
		}
	}
}

// TokenPairs are the counts of tokens of two, side by side.
func TokenPairs(a, b *Counts) [6][2]*int64 {
	return [...][2]*int64{
		{&a.In, &b.In}, {&a.Out, &b.Out}, {&a.Total, &b.Total}, {&a.Cached, &b.Cached},
		{&a.CacheWrite, &b.CacheWrite}, {&a.ReasoningTokens, &b.ReasoningTokens},
	}
}
