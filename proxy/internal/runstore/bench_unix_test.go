//go:build unix

package runstore

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sabir-proxy/sabir/proxy/internal/redistest"
)

// BenchmarkStore sends 10,000 events a second of 200 runs to the server of SABIR_TEST_REDIS, and shows the CPU time of this process for
// each, and how many events went as one entry.
func BenchmarkStore(b *testing.B) {
	address := redistest.Address()
	if address == "" {
		b.Skip("set SABIR_TEST_REDIS to the host and port of a Redis server: one in this process would be measured as well")
	}
	s := Open(Config{
		Client: redistest.Client(address), Prefix: "bench:", Lease: time.Minute, Backlog: 64 << 20,
		OnError: func(err error) { b.Error(err) }, Count: func(string) {}, OnStop: func(string) {}, OnWatch: func(string) {},
	})
	defer s.Close()
	runs := make([]*Run, 200)
	for i := range runs {
		var err error
		if runs[i], err = s.Create(string(rune('a'+i%26))+time.Now().Format(time.RFC3339Nano), "bench", nil, time.Second, 0, nil, func() {}); err != nil {
			b.Fatal(err)
		}
	}
	event := make([]byte, 83)
	begun, n, entries := cpu(b), 0, int64(0)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for b.Loop() {
		<-tick.C
		for range 100 {
			runs[n%len(runs)].Append(event)
			n++
		}
	}
	s.writer.flush(10 * time.Second)
	used := cpu(b) - begun
	for _, r := range runs {
		entries += r.number
		r.End(EndDone)
	}
	b.ReportMetric(float64(used.Microseconds())/float64(n), "µs-CPU/event")
	b.ReportMetric(float64(n)/float64(entries), "events/entry")
}

func cpu(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
