package bench_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/redact"
)

// BenchmarkRedact measures what searching costs, per event, with ten patterns: the four built-in sets, and six of one's own. words are
// deltas of an answer, of which the last word waits; args are escaped twice.
func BenchmarkRedact(b *testing.B) {
	rules, err := redact.New(redact.Builtin(), false, []redact.Pattern{
		{Name: "staff", Expr: `\bE-[0-9]{6}\b`}, {Name: "case", Expr: `\bCASE-[0-9]{8}\b`}, {Name: "iban", Expr: `\b[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}\b`},
		{Name: "ssn", Expr: `\b[0-9]{3}-[0-9]{2}-[0-9]{4}\b`}, {Name: "phone", Expr: `\+[0-9]{2}[0-9 ]{8,14}[0-9]`}, {Name: "host", Expr: `\b[a-z0-9-]{1,40}\.internal\b`},
	})
	if err != nil {
		b.Fatal(err)
	}
	for name, of := range map[string]struct {
		kind hub.Kind
		text []string
	}{
		"words": {hub.TextDelta, []string{"The", " answer", " to", " the", " question", ",", " as", " far", " as", " I", " see", ":\\n", "12", " items", " in", " all", "."}},
		"args":  {hub.ToolArgs, []string{`{\"na`, `me\":`, `\"read`, `_file\"`, `,\"path`, `\":\"/s`, `rc/ma`, `in.go`, `\",\"n`, `\":12}`}},
	} {
		var in []hub.Event
		for _, text := range of.text {
			in = append(in, hub.Event{Kind: of.kind, ID: []byte("p"), Text: []byte(text)})
		}
		stage := redact.NewStage(rules)
		var dst []hub.Event
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			perEvent(b, len(in), func() {
				for i := range in {
					dst = stage.Push(dst[:0], in[i:i+1], 0)
				}
			})
		})
	}
}
