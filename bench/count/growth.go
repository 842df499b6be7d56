package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/sabir-proxy/sabir/bench"
)

// growthThings is how many things the smaller of two hostile inputs has. The larger has [bench.HostileTimes] as many.
const growthThings = 500

// growthAtOnce bounds what the subject measures in one process, which never collects garbage.
const growthAtOnce = 16

// mostExponent is the exponent that fails. What is guarded has 0.99 to 1.00; before it was mended it had 1.12 to 1.75.
const mostExponent = 1.1

// guarded are measurements that grew with the square of their size once.
var guarded = []string{
	"agui/aisdk/hostile-answers-to-calls",
	"agui/openai-chat/hostile-answers-beside-results",
	"agui/openai-chat/hostile-references-of-a-schema",
	"agui/langgraph/hostile-run-calls",
	"agui/native/hostile-run-texts-then-calls-that-the-client-runs",
}

// growth is how the cost of something grows with its size: 1 is linear.
type growth struct {
	name     string
	exponent float64
	cost     int // of a thing in the larger input, in instructions
}

// grow measures each of names.
func (v *valgrind) grow(ctx context.Context, names []string, show func(growth)) error {
	for some := range slices.Chunk(names, growthAtOnce) {
		if err := v.callgrind(ctx, "--dump-before=main.mark", growthThings, some); err != nil {
			return err
		}
		for i, name := range some {
			least, err := v.least(marks*i + 1)
			if err != nil {
				return err
			}
			show(growthOf(name, least))
		}
	}
	return nil
}

// growthOf compares what two inputs cost.
func growthOf(name string, cost [2]int64) growth {
	x := math.Log(float64(cost[1])/float64(cost[0])) / math.Log(bench.HostileTimes)
	return growth{name: name, exponent: x, cost: int(cost[1] / (bench.HostileTimes * growthThings))}
}

// showGrowth shows how the cost of what is hostile grows, of measurements whose names hold one of some words; of all, where there are none.
func (v *valgrind) showGrowth(ctx context.Context, out io.Writer, words []string) error {
	names := slices.DeleteFunc(bench.HostileMeasurements(), func(name string) bool {
		return len(words) > 0 && !slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
	})
	var exponents []float64
	err := v.grow(ctx, names, func(g growth) {
		exponents = append(exponents, g.exponent)
		fmt.Fprintf(out, "%.3f %6d %s\n", g.exponent, g.cost, g.name)
	})
	if n := len(exponents); n > 0 {
		slices.Sort(exponents)
		fmt.Fprintf(out, "%d measurements: exponents %.3f to %.3f, median %.3f\n", n, exponents[0], exponents[n-1], exponents[n/2])
	}
	return err
}

// checkGrowth is an error if something guarded grows by too much.
func (v *valgrind) checkGrowth(ctx context.Context) error {
	var bad []string
	err := v.grow(ctx, guarded, func(g growth) {
		if g.exponent > mostExponent {
			bad = append(bad, fmt.Sprintf("%s: exponent %.2f", g.name, g.exponent))
		}
	})
	if err == nil && len(bad) > 0 {
		err = fmt.Errorf("more than linear:\n%s", strings.Join(bad, "\n"))
	}
	return err
}
