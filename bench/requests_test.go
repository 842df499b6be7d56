package bench_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/bench"
)

// sizes of histories in bytes: those of a chat, of a coding agent, and of a day's work.
var sizes = []int{20e3, 100e3, 1e6}

// BenchmarkRequests reads a request and writes it for an agent, for every pair of dialects, with histories of all sizes: the
// microseconds of CPU that one costs, and the exponent over the sizes, where 1 is linear.
func BenchmarkRequests(b *testing.B) {
	for _, pair := range bench.RequestPairs() {
		b.Run(pair[0].Name+"/"+pair[1].Name, func(b *testing.B) { benchRequests(b, pair[0], pair[1]) })
	}
}

func benchRequests(b *testing.B, from, to *hub.Dialect) {
	var bodies [][]byte
	for _, size := range sizes {
		body, err := bench.HistoryOf(from, size)
		if err != nil {
			b.Fatal(err)
		}
		bodies = append(bodies, body)
	}
	costs := growth(b, bodies, func(body []byte) {
		if _, err := bench.Translate(from, to, body); err != nil {
			b.Fatal(err)
		}
	})
	for i, size := range sizes {
		b.ReportMetric(costs[i]/1e3, fmt.Sprintf("µs/%dKB", size/1e3))
	}
}

// growth measures what inputs of growing sizes cost in CPU, in nanoseconds, and reports the exponent. In each of the b.N rounds as
// many bytes go through of each size, enough for the collector to run in each; the cheapest round counts, as what other programs do
// to the caches only adds.
func growth(b *testing.B, inputs [][]byte, work func([]byte)) []float64 {
	b.Helper()
	largest := len(inputs[len(inputs)-1])
	rounds := make([][]float64, len(inputs))
	for range b.N {
		for i, input := range inputs {
			times := max(1, largest/len(input))
			cpu := cpuTime()
			for range times {
				work(input)
			}
			rounds[i] = append(rounds[i], float64(cpuTime()-cpu)/float64(times))
		}
	}
	var costs []float64
	for _, r := range rounds {
		costs = append(costs, slices.Min(r))
	}
	first, last := 0, len(inputs)-1
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(math.Log(costs[last]/costs[first])/math.Log(float64(largest)/float64(len(inputs[first]))), "exponent")
	return costs
}

// BenchmarkHostileRequests reads and writes what only an attacker sends, a thousand times one thing and more, for every pair of
// dialects. What matters is the exponent.
func BenchmarkHostileRequests(b *testing.B) {
	for _, name := range slices.Sorted(maps.Keys(bench.Hostile)) {
		b.Run(name, func(b *testing.B) {
			for _, pair := range bench.RequestPairs() {
				b.Run(pair[0].Name+"/"+pair[1].Name, func(b *testing.B) { benchHostile(b, name, pair[0], pair[1]) })
			}
		})
	}
}

func benchHostile(b *testing.B, name string, from, to *hub.Dialect) {
	var bodies [][]byte
	for _, n := range []int{1000, 4000, 16000} {
		body, err := bench.HostileRequest(name, from, n)
		if err != nil {
			b.Fatal(err)
		}
		bodies = append(bodies, body)
	}
	costs := growth(b, bodies, func(body []byte) {
		_, _ = bench.Translate(from, to, body) // some are refused, which is an answer
	})
	b.ReportMetric(costs[2]/float64(len(bodies[2])), "ns/byte")
}
