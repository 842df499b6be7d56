package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sabir-proxy/sabir/bench"
)

// TestTotal reads the sum of a file of callgrind, and nothing else for it.
func TestTotal(t *testing.T) {
	const good = "# callgrind format\nversion: 1\npositions: line\nevents: Ir\nsummary: 12\n\nfn=(1) main.main\n7 9\n\ntotals: 2318712\n"
	if n, err := parseTotal(good); n != 2318712 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	for _, bad := range []string{
		"", "events: Ir\n", "totals: 1\n",
		strings.Replace(good, "events: Ir", "events: Ir Dr", 1),
		strings.Replace(good, "2318712", "2318712 5", 1),
		strings.Replace(good, "2318712", "many", 1),
	} {
		if n, err := parseTotal(bad); err == nil {
			t.Errorf("%q gives %d, want an error", bad, n)
		}
	}
}

// TestPerDelta takes away what does not grow with the number of deltas, and rounds.
func TestPerDelta(t *testing.T) {
	f := func(fixed, each int64, want int) {
		t.Helper()
		if got := perDelta(fixed+each*deltas/10, fixed+2*each*deltas/10); got != want {
			t.Errorf("%d tenths each and %d beside: %d, want %d", each, fixed, got, want)
		}
	}
	f(0, 23180, 2318)
	f(1_000_000, 23180, 2318)
	f(77, 23184, 2318)
	f(77, 23185, 2319)
}

// TestCost takes the least of each kind of window, in their order on disk.
func TestCost(t *testing.T) {
	v := &valgrind{dir: t.TempDir()}
	write := func(mark int, totals ...int64) {
		for i, total := range totals {
			text := fmt.Sprintf("events: Ir\ntotals: %d\n", total)
			if err := os.WriteFile(filepath.Join(v.dir, fmt.Sprintf("out.%d-01", mark+i)), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(marks+1, 9e9, 1_500_000, 2_000_000, 1_000_000, 2_500_000)
	if got, err := v.cost(marks + 1); got != 1_000_000/deltas || err != nil {
		t.Errorf("got %d, %v, want %d", got, err, 1_000_000/deltas)
	}
	if _, err := v.cost(1); err == nil {
		t.Error("a file that is missing is no error")
	}
	write(1, 9e9, 2_000_000, 1_500_000, 2_500_000, 1_000_000)
	if got, err := v.cost(1); err == nil {
		t.Errorf("counts that are out of order are no error, but %d", got)
	}
}

func TestBaselineIsReadAsWritten(t *testing.T) {
	want := baseline{"go1.26 linux/amd64", []figure{{"a/b/text", 7}, {"long-name/b/text", 12345}}}
	got, err := parseBaseline(want.String())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(baseline{}, figure{})); d != "" {
		t.Error(d)
	}
	for _, bad := range []string{"a/b/text\n", "a/b/text many\n", "a/b/text 0\n", "a/b/text 1 2\n", "\n"} {
		if _, err := parseBaseline(want.String() + bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// TestCompare says what is wrong, and fails for no less and no more than it should.
func TestCompare(t *testing.T) {
	const tool = "go1.26 linux/amd64"
	was := baseline{tool, []figure{{"a", 1000}, {"b", 1000}}}
	f := func(name string, got baseline, fails bool, said ...string) {
		t.Helper()
		report, err := compare(was, got)
		if (err != nil) != fails {
			t.Errorf("%s: %v", name, err)
		}
		if lines := strings.Count(report, "\n"); lines != len(said) {
			t.Errorf("%s: %d lines, want %d:\n%s", name, lines, len(said), report)
		}
		for _, s := range said {
			if !strings.Contains(report, s) {
				t.Errorf("%s: the report does not say %q:\n%s", name, s, report)
			}
		}
	}
	f("the same", was, false)
	f("a little of each", baseline{tool, []figure{{"a", 1050}, {"b", 950}}}, false)
	f("more", baseline{tool, []figure{{"a", 1051}, {"b", 1000}}}, true, "a: 1051, accepted 1000 (+5.1 %): too much")
	f("less", baseline{tool, []figure{{"a", 1000}, {"b", 900}}}, false, "b: 900, accepted 1000 (-10.0 %): less")
	f("a new one", baseline{tool, []figure{{"a", 1000}, {"b", 1000}, {"c", 1}}}, true, "c: 1, not in the baseline")
	f("one that is gone", baseline{tool, []figure{{"a", 1000}}}, true, "b: in the baseline")
	f("another compiler", baseline{"go1.27 linux/amd64", was.figures}, true)
}

// TestFunctions joins the lines of a function that was inlined into, or that calls itself.
func TestFunctions(t *testing.T) {
	const text = `Ir
--------
46,565,454 (100.0%)  PROGRAM TOTALS
3,660,183 ( 7.86%)  ./github.com/sabir-proxy/sabir/adapters/hub/seq_text.go:github.com/sabir-proxy/sabir/adapters/hub.(*part).add [/tmp/subject]
2,000,000 ( 4.00%)  ./bytes/bytes.go:github.com/sabir-proxy/sabir/adapters/wire.flatten
5,000,000 (10.73%)  ./github.com/sabir-proxy/sabir/adapters/wire/out.go:github.com/sabir-proxy/sabir/adapters/wire.flatten'2 [/tmp/subject]
      100 ( 0.00%)  ./internal/bytealg/equal_amd64.s:memeqbody [/tmp/subject]
`
	flatten, add := "adapters/wire.flatten", "adapters/hub.(*part).add"
	f := func(inclusive bool, want ...figure) {
		t.Helper()
		if got := functions(text, inclusive); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	f(false, figure{flatten, 7_000_000}, figure{add, 3_660_183}, figure{"memeqbody", 100})
	f(true, figure{flatten, 5_000_000}, figure{add, 3_660_183}, figure{"memeqbody", 100})
}

func TestSummary(t *testing.T) {
	got := summary([]figure{{"b", 20}, {"c", 300}, {"a", 10}})
	if want := "10 (a) to 300 (c), median 20"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestPlan measures every dialect that can be read, except one that has no deltas.
func TestPlan(t *testing.T) {
	names := plan()
	for _, want := range []string{"a2a/agui/text", "evolve/a2a/text", "gemini-cli/agui/text", "agui/aisdk/args", "anthropic/acp/reasoning"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not measured", want)
		}
	}
	if sorted := slices.Compact(slices.Sorted(slices.Values(names))); len(sorted) != len(names) {
		t.Error("something is measured twice")
	}
}

// TestGrowthOf is the exponent: 1 for what is linear, 2 for what grows with the square.
func TestGrowthOf(t *testing.T) {
	for want, times := range map[float64]int64{1: 8, 2: 64} {
		if got := growthOf("a", [2]int64{1000, 1000 * times}); got.exponent < want-1e-9 || got.exponent > want+1e-9 {
			t.Errorf("%d times the cost has the exponent %v, want %v", times, got.exponent, want)
		}
	}
}

// TestGuarded measures nothing that there is not.
func TestGuarded(t *testing.T) {
	all := bench.HostileMeasurements()
	for _, name := range guarded {
		if !slices.Contains(all, name) {
			t.Errorf("%s is no measurement", name)
		}
	}
}
