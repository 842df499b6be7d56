// Command scale computes how many replicas of Sabir and how many servers of Redis serve so many streams, from unit costs that other
// benchmarks measure:
//
//	go run ./bench/scale
//
// It prints a table for each way to share runs, up to a million streams, below its assumptions. No network and no clock is in it: it says
// what the unit costs lead to, not what was measured at that size.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

func main() {
	u := usual
	flag.Float64Var(&u.event, "event", u.event, "µs of CPU for an event of a paced stream: docs/performance.md, very many slow streams")
	flag.Float64Var(&u.streamKB, "stream", u.streamKB, "KB of memory for a stream: the same")
	flag.Float64Var(&u.roundTrip, "round-trip", u.roundTrip, "µs of Redis for a round trip with one entry: redis-benchmark -P 1, see docs/resume.md")
	flag.Float64Var(&u.entry, "entry", u.entry, "µs of Redis for an entry among many: redis-benchmark -P 100")
	flag.Float64Var(&u.more, "more", u.more, "µs of Redis for each further event of an entry: BenchmarkStore of proxy/internal/runstore, flush=250ms against flush=0s")
	flag.Parse()
	write(os.Stdout, &u)
}

// sizes are the numbers of streams that a table has.
var sizes = []int{1_000, 10_000, 20_000, 100_000, 300_000, 1_000_000}

// ways are how runs are shared: how long records are gathered, and what that costs in Sabir, in µs of CPU for an event.
var ways = []struct {
	flush time.Duration
	cost  float64
}{{0, 4.6}, {100 * time.Millisecond, 1.8}, {250 * time.Millisecond, 1.5}}

func write(w io.Writer, u *units) {
	fmt.Fprintf(w, "Streams of %.0f events a second, %.0f bytes each, for %s; replicas of %d cores at %.0f %%, servers of Redis at %.0f %% of a core.\n",
		u.rate, u.bytes, u.lasts, u.cores, 100*u.busy, 100*u.redisBusy)
	fmt.Fprintf(w, "An event takes %.1f µs of CPU and a stream %.1f KB; Redis takes %.1f µs for a round trip with one entry, %.1f µs for an entry among many\nand %.2f µs for each further event in it. Half of a run is in Redis on average; what has ended is not counted. Redis answers after %.2f ms, and gets the next batch %.0f ms after that.\n",
		u.event, u.streamKB, u.roundTrip, u.entry, u.more, u.delay/1e3, u.spacing/1e3)
	for _, way := range ways {
		fmt.Fprintf(w, "\nflush: %s, %.1f µs of CPU for an event more\n\n", way.flush, way.cost)
		fmt.Fprintln(w, "| streams | replicas | memory of each, GB | servers of Redis | entries a round trip | µs of Redis for an event | memory of Redis, GB | network of Redis, Gbit/s |")
		fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|")
		for _, n := range sizes {
			p := u.plan(n, way.flush, way.cost)
			fmt.Fprintf(w, "| %d | %d | %.2f | %d | %.1f | %.2f | %.1f | %.2f |\n",
				n, p.replicas, p.memory, p.servers, p.batch, p.redisEvent, p.redisMemory, p.network)
		}
	}
}
