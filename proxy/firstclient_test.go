package proxy

import (
	"bufio"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/proxy/internal/redistest"
)

// BenchmarkFirstClient is how long an event takes from the agent to the client that has begun the run: without resume, with runs in memory,
// and with runs that other replicas share by a real Redis, where there is one. Events come one by one.
func BenchmarkFirstClient(b *testing.B) {
	store := map[string]string{"off": "", "memory": ""}
	if address := redistest.Address(); address != "" {
		store["redis"] = storeYAML(address, `, prefix: "first:"`)
	}
	for _, how := range []string{"off", "memory", "redis"} {
		top, measured := store[how]
		if !measured {
			continue
		}
		b.Run(how, func(b *testing.B) {
			route := "client: agui\nrequests: {mode: translate}\n"
			if how != "off" {
				route += "resume: {grace: 1m}"
			}
			a := newAgent(b, func(p *peer) {
				if p.request() == nil {
					return
				}
				p.ok("Content-Type: application/x-ndjson")
				p.chunk(lines(lineStart))
				for range b.N {
					time.Sleep(time.Millisecond)
					p.chunk(lines(fmt.Sprintf(`{"kind":"text.delta","id":"p1","text":"at %d."}`, time.Now().UnixNano())))
				}
				p.finish(lines(lineEnd))
			})
			took := firstClientWaits(b, start(b, simple(a.url(), top, "", route)))
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs-p50")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs-p99")
		})
	}
}

// firstClientWaits reads a run, and returns how old each of its events is.
func firstClientWaits(b *testing.B, r *rig) (took []time.Duration) {
	b.Helper()
	_, resp := r.openRun()
	defer resp.Body.Close()
	b.ResetTimer()
	for scanner := bufio.NewScanner(resp.Body); scanner.Scan(); {
		_, text, found := strings.Cut(scanner.Text(), `"delta":"at `)
		if !found {
			continue
		}
		digits, _, _ := strings.Cut(text, ".")
		at, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(time.Unix(0, at)))
	}
	if len(took) != b.N {
		b.Fatalf("%d of %d events have come", len(took), b.N)
	}
	return took
}
