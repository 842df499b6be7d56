package usage

import (
	"strconv"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Fields are the members of a dialect's object of token counts, in the order in which it writes them.
type Fields []Field

// Field is a count and the path of member names at which it stands.
type Field struct {
	of   func(*hub.Counts) *int64
	path []string
}

// At is a count at a path, as in "output_tokens_details.reasoning_tokens".
func At(of func(*hub.Counts) *int64, path string) Field { return Field{of, strings.Split(path, ".")} }

// The counts that a Field can be of.
func In(c *hub.Counts) *int64          { return &c.In }
func Out(c *hub.Counts) *int64         { return &c.Out }
func Total(c *hub.Counts) *int64       { return &c.Total }
func Cached(c *hub.Counts) *int64      { return &c.Cached }
func CacheWrite(c *hub.Counts) *int64  { return &c.CacheWrite }
func Reasoning(c *hub.Counts) *int64   { return &c.ReasoningTokens }
func ContextUsed(c *hub.Counts) *int64 { return &c.ContextUsed }
func ContextSize(c *hub.Counts) *int64 { return &c.ContextSize }

// Read takes over the counts that v has, and reports whether there is any. Where a count has several members, the last of
// them that is there decides. Numbers below zero are no counts.
func (f Fields) Read(c *hub.Counts, v rawjson.Value) (some bool) {
	for i := range f {
		if n, ok := rawjson.Int(rawjson.Get(v, f[i].path...)); ok && n >= 0 {
			*f[i].of(c), some = n, true
		}
	}
	return some
}

// Append appends the counts that are known, each with a comma before it unless an object begins there. Neighbours in the
// same inner object share it. A path has two names at the most.
func (f Fields) Append(dst []byte, c *hub.Counts) []byte {
	inner := ""
	for i := range f {
		n, path := *f[i].of(c), f[i].path
		if n < 0 {
			continue
		}
		if inner != "" && (len(path) == 1 || path[0] != inner) {
			dst, inner = append(dst, '}'), ""
		}
		if len(path) > 1 && inner == "" {
			inner = path[0]
			dst = append(appendName(dst, inner), '{')
		}
		dst = strconv.AppendInt(appendName(dst, path[len(path)-1]), n, 10)
	}
	if inner != "" {
		dst = append(dst, '}')
	}
	return dst
}

func appendName(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return append(append(append(dst, '"'), name...), `":`...)
}

// Known returns counts of which none is unknown, for dialects that want all of them: zero stands for an unknown count, and
// an unknown total is the sum of input and output.
func Known(c hub.Counts) hub.Counts {
	if c.Total < 0 {
		c.Total = max(c.In, 0) + max(c.Out, 0)
	}
	for _, n := range hub.TokenPairs(&c, &c) {
		*n[0] = max(*n[0], 0)
	}
	return c
}
