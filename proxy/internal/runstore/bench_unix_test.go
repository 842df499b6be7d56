//go:build unix

package runstore

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sabir-proxy/sabir/proxy/internal/redistest"
)

// BenchmarkStore sends 10,000 events a second of 200 runs to the server of SABIR_TEST_REDIS, at once and gathered, and shows the CPU time
// of this process for each, and how many events went as one entry.
func BenchmarkStore(b *testing.B) {
	for _, flush := range []time.Duration{0, 100 * time.Millisecond, 250 * time.Millisecond} {
		b.Run("flush="+flush.String(), func(b *testing.B) { benchmarkStore(b, flush) })
	}
}

func benchmarkStore(b *testing.B, flush time.Duration) {
	s := benchStore(b, flush)
	runs, event := benchRuns(b, s), make([]byte, 83)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	waking := wakingCPU(b, tick)
	begun, redisBegun, n, entries := cpu(b), redisCPU(b, s), 0, int64(0)
	for b.Loop() {
		<-tick.C
		for range 100 {
			runs[n%len(runs)].Append(event)
			n++
		}
	}
	s.writer.flush(10 * time.Second)
	used := cpu(b) - begun - time.Duration(b.N)*waking
	for _, r := range runs {
		entries += r.number
		r.End(EndDone, nil)
	}
	b.ReportMetric(float64((redisCPU(b, s)-redisBegun).Microseconds())/float64(entries), "µs-Redis/entry")
	b.ReportMetric(float64(used.Microseconds())/float64(n), "µs-CPU/event")
	b.ReportMetric(float64(n)/float64(entries), "events/entry")
}

// BenchmarkOneByOne sends 2,000 events a second of 200 runs that come one after the other, not together, and shows the CPU time of this process for
// each, and how many went together.
func BenchmarkOneByOne(b *testing.B) {
	s := benchStore(b, 0)
	runs, event := benchRuns(b, s), make([]byte, 83)
	tick := time.NewTicker(500 * time.Microsecond)
	defer tick.Stop()
	waking := wakingCPU(b, tick)
	begun, n := cpu(b), 0
	for b.Loop() {
		<-tick.C
		runs[n%len(runs)].Append(event)
		n++
	}
	s.writer.flush(10 * time.Second)
	used := cpu(b) - begun - time.Duration(b.N)*waking
	for _, r := range runs {
		r.End(EndDone, nil)
	}
	b.ReportMetric(float64(used.Nanoseconds())/1000/float64(n), "µs-CPU/event")
	b.ReportMetric(float64(waking.Nanoseconds())/1000, "µs-CPU/wake")
}

// wakingCPU is what it costs to wake at a tick. A process with events has that already: they wake it.
func wakingCPU(b *testing.B, tick *time.Ticker) time.Duration {
	const ticks = 100
	begun := cpu(b)
	for range ticks {
		<-tick.C
	}
	return (cpu(b) - begun) / ticks
}

// BenchmarkAhead shows how long the client of a run waits for Redis with write: ahead, 100 events a second.
func BenchmarkAhead(b *testing.B) {
	r, event := benchRun(b, benchStore(b, 0), 0), make([]byte, 83)
	var waits []time.Duration
	redisBegun := redisCPU(b, r.writer.store)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for b.Loop() {
		<-tick.C
		begun := time.Now()
		r.AppendAhead(event, time.Minute)
		waits = append(waits, time.Since(begun))
	}
	b.ReportMetric(float64((redisCPU(b, r.writer.store)-redisBegun).Microseconds())/float64(len(waits)), "µs-Redis/entry")
	slices.Sort(waits)
	r.End(EndDone, nil)
	b.ReportMetric(float64(waits[len(waits)/2].Microseconds()), "µs-wait-p50")
	b.ReportMetric(float64(waits[len(waits)*99/100].Microseconds()), "µs-wait-p99")
}

// BenchmarkFollow shows how long an event is on its way from its owner to another replica, 100 events a second; and beside 2,000 events a second of
// other runs, with which it shares round trips.
func BenchmarkFollow(b *testing.B) {
	b.Run("alone", func(b *testing.B) { benchmarkFollow(b, benchStore(b, 0)) })
	b.Run("beside", func(b *testing.B) {
		one := benchStore(b, 0)
		runs, event := benchRuns(b, one), make([]byte, 83)
		quit, over := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(over)
			tick := time.NewTicker(500 * time.Microsecond)
			defer tick.Stop()
			for n := 0; ; n++ {
				select {
				case <-tick.C:
					runs[n%len(runs)].Append(event)
				case <-quit:
					return
				}
			}
		}()
		benchmarkFollow(b, one)
		close(quit)
		<-over
	})
}

func benchmarkFollow(b *testing.B, one *Store) {
	two := benchStore(b, 0)
	r, event := benchRun(b, one, 0), make([]byte, 83)
	one.writer.flush(time.Second)
	got := make(arrivals, 1)
	if _, err := two.Follow(r.token, one.name, got); err != nil {
		b.Fatal(err)
	}
	var waits []time.Duration
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for b.Loop() {
		<-tick.C
		begun := time.Now()
		r.Append(event)
		waits = append(waits, (<-got).Sub(begun))
	}
	slices.Sort(waits)
	r.End(EndDone, nil)
	b.ReportMetric(float64(waits[len(waits)/2].Microseconds()), "µs-p50")
	b.ReportMetric(float64(waits[len(waits)*99/100].Microseconds()), "µs-p99")
}

// arrivals says when something came.
type arrivals chan time.Time

func (a arrivals) Restore([]byte, int64) {}

func (a arrivals) Append([]byte) { a <- time.Now() }
func (arrivals) End(_, _ string) {}

func benchStore(b *testing.B, flush time.Duration) *Store {
	address := redistest.Address()
	if address == "" {
		b.Skip("set SABIR_TEST_REDIS to the host and port of a Redis server: one in this process would be measured as well")
	}
	s := Open(Config{
		Client: redistest.Client(address), Prefix: "bench:", Lease: time.Minute, Timeout: 2 * time.Second, Flush: flush, Backlog: 64 << 20,
		OnError: func(err error) { b.Error(err) }, Count: func(string) {}, OnStop: func(string) {}, OnWatch: func(string) {},
	})
	b.Cleanup(s.Close)
	return s
}

// benchRuns are runs that have begun.
func benchRuns(b *testing.B, s *Store) []*Run {
	runs := make([]*Run, 200)
	for i := range runs {
		runs[i] = benchRun(b, s, i)
	}
	s.writer.flush(time.Second)
	return runs
}

func benchRun(b *testing.B, s *Store, i int) *Run {
	r, err := s.Create(string(rune('a'+i%26))+time.Now().Format(time.RFC3339Nano), headOf(nil, time.Second), 0, nil, func() {})
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// redisCPU is the CPU time that the server has used.
func redisCPU(b *testing.B, s *Store) (used time.Duration) {
	text, err := s.cfg.Client.Info(b.Context(), "cpu").Result()
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if name == "used_cpu_sys" || name == "used_cpu_user" {
			seconds, err := strconv.ParseFloat(value, 64)
			if err != nil {
				b.Fatal(err)
			}
			used += time.Duration(seconds * float64(time.Second))
		}
	}
	return used
}

func cpu(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
