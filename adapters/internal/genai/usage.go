package genai

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// ReadCounts reads a usageMetadata: the prompt of tools counts as input, thoughts count as output.
func ReadCounts(c *hub.Counts, usage rawjson.Value) {
	count := func(camel, snake string) int64 {
		if n, ok := rawjson.Int(Get(usage, camel, snake)); ok && n >= 0 {
			return n
		}
		return -1
	}
	c.In = Sum(count("promptTokenCount", "prompt_token_count"), count("toolUsePromptTokenCount", "tool_use_prompt_token_count"))
	c.ReasoningTokens = count("thoughtsTokenCount", "thoughts_token_count")
	c.Out = Sum(count("candidatesTokenCount", "candidates_token_count"), c.ReasoningTokens)
	c.Cached = count("cachedContentTokenCount", "cached_content_token_count")
	c.Total = count("totalTokenCount", "total_token_count")
}

// Sum adds counts of which each may be unknown.
func Sum(a, b int64) int64 {
	switch {
	case a < 0:
		return b
	case b < 0:
		return a
	}
	return a + b
}

// AppendCounts appends the member usageMetadata with its comma, unless nothing is known. Reasoning is not among the tokens of
// the candidates.
func AppendCounts(dst []byte, c *hub.Counts) []byte {
	total := c.Total
	if total < 0 {
		total = Sum(c.In, c.Out)
	}
	if total < 0 {
		return dst
	}
	out := c.Out
	if c.ReasoningTokens > 0 {
		out = max(0, out-c.ReasoningTokens)
	}
	dst = append(dst, `,"usageMetadata":{`...)
	dst = appendCount(dst, `"promptTokenCount":`, c.In)
	dst = appendCount(dst, `"candidatesTokenCount":`, out)
	dst = appendCount(dst, `"totalTokenCount":`, total)
	dst = appendCount(dst, `"thoughtsTokenCount":`, c.ReasoningTokens)
	dst = appendCount(dst, `"cachedContentTokenCount":`, c.Cached)
	dst[len(dst)-1] = '}' // over the last comma
	return dst
}

// appendCount appends a member and a comma, unless the count is unknown.
func appendCount(dst []byte, head string, n int64) []byte {
	if n < 0 {
		return dst
	}
	dst = append(dst, head...)
	dst = strconv.AppendInt(dst, n, 10)
	return append(dst, ',')
}
