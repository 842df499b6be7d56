package aisdk

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/usage"
)

// counts are the members of LanguageModelUsage, flat as version 5 has them; versions 6 and 7 read and write these too.
var counts = usage.Fields{
	usage.At(usage.In, "inputTokens"), usage.At(usage.Out, "outputTokens"), usage.At(usage.Total, "totalTokens"),
	usage.At(usage.Reasoning, "reasoningTokens"), usage.At(usage.Cached, "cachedInputTokens"), usage.At(usage.CacheWrite, "cacheWriteTokens"),
	usage.At(usage.ContextUsed, "contextUsed"), usage.At(usage.ContextSize, "contextSize"),
}

// details are where versions 6 and 7 have some of them.
var details = usage.Fields{
	usage.At(usage.Reasoning, "outputTokenDetails.reasoningTokens"),
	usage.At(usage.Cached, "inputTokenDetails.cacheReadTokens"), usage.At(usage.CacheWrite, "inputTokenDetails.cacheWriteTokens"),
}

// readCounts reads what v has of usage; ok is false if it has none.
func readCounts(c *hub.Counts, v rawjson.Value) (ok bool) {
	inside := details.Read(c, v)
	ok = counts.Read(c, v) || inside
	if cost := rawjson.Get(v, "cost"); rawjson.Kind(cost) == '0' {
		c.Cost, c.Currency, ok = cost, rawjson.Text(v, "currency"), true
	}
	return ok
}

// appendCounts appends the counts that are known, each with a comma before it unless an object begins there.
func appendCounts(dst []byte, c *hub.Counts) []byte {
	dst = counts.Append(dst, c)
	if rawjson.Kind(c.Cost) == '0' {
		head := `,"cost":`
		if dst[len(dst)-1] == '{' {
			head = head[1:]
		}
		dst = append(append(dst, head...), c.Cost...)
		dst = member.AppendText(dst, `,"currency":"`, c.Currency)
	}
	return dst
}
