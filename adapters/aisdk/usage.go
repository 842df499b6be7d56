package aisdk

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// counts are the members of LanguageModelUsage, flat as version 5 has them; versions 6 and 7 read and write these too.
var counts = [...]struct {
	name   string
	detail [2]string // where versions 6 and 7 have it
	of     func(*hub.Counts) *int64
}{
	{"inputTokens", [2]string{}, func(c *hub.Counts) *int64 { return &c.In }},
	{"outputTokens", [2]string{}, func(c *hub.Counts) *int64 { return &c.Out }},
	{"totalTokens", [2]string{}, func(c *hub.Counts) *int64 { return &c.Total }},
	{"reasoningTokens", [2]string{"outputTokenDetails", "reasoningTokens"}, func(c *hub.Counts) *int64 { return &c.ReasoningTokens }},
	{"cachedInputTokens", [2]string{"inputTokenDetails", "cacheReadTokens"}, func(c *hub.Counts) *int64 { return &c.Cached }},
	{"cacheWriteTokens", [2]string{"inputTokenDetails", "cacheWriteTokens"}, func(c *hub.Counts) *int64 { return &c.CacheWrite }},
	{"contextUsed", [2]string{}, func(c *hub.Counts) *int64 { return &c.ContextUsed }},
	{"contextSize", [2]string{}, func(c *hub.Counts) *int64 { return &c.ContextSize }},
}

// readCounts reads what v has of usage; ok is false if it has none.
func readCounts(c *hub.Counts, v rawjson.Value) (ok bool) {
	for i := range counts {
		n, found := rawjson.Int(rawjson.Get(v, counts[i].name))
		if !found && counts[i].detail[0] != "" {
			n, found = rawjson.Int(rawjson.Get(v, counts[i].detail[:]...))
		}
		if found && n >= 0 {
			*counts[i].of(c), ok = n, true
		}
	}
	if cost := rawjson.Get(v, "cost"); rawjson.Kind(cost) == '0' {
		c.Cost, c.Currency, ok = cost, rawjson.Text(v, "currency"), true
	}
	return ok
}

// appendCounts appends the counts that are known, each with a comma before it.
func appendCounts(dst []byte, c *hub.Counts) []byte {
	for i := range counts {
		n := *counts[i].of(c)
		if n < 0 {
			continue
		}
		dst = append(dst, `,"`...)
		dst = append(dst, counts[i].name...)
		dst = member.AppendInt(dst, `":`, n)
	}
	if rawjson.Kind(c.Cost) == '0' {
		dst = append(append(dst, `,"cost":`...), c.Cost...)
		dst = member.AppendText(dst, `,"currency":"`, c.Currency)
	}
	return dst
}
