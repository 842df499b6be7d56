package bench_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/bench"
)

// BenchmarkNews finds what is new in a history of 200 messages, for an agent that knows all but the last turn.
func BenchmarkNews(b *testing.B) {
	from, err := adapters.Lookup("openai-chat")
	if err != nil {
		b.Fatal(err)
	}
	var asked hub.Request
	for turns := 1; len(asked.Messages) < 200; turns++ {
		body, err := bench.History(from, turns)
		if err != nil {
			b.Fatal(err)
		}
		asked = hub.Request{}
		if err := from.Requests.DecodeRequest(&asked, body); err != nil {
			b.Fatal(err)
		}
	}
	known, _ := conversation.ChainOf(asked.Messages[:len(asked.Messages)-1])
	start := cpuTime()
	for b.Loop() {
		chain, at := conversation.ChainOf(asked.Messages)
		if n := chain.Common(known); n != len(known) || at[n] != len(asked.Messages)-1 {
			b.Fatalf("%d links are common, of %d and %d", n, len(chain), len(known))
		}
	}
	b.ReportMetric(float64(cpuTime()-start)/1e3/float64(b.N), "µs-CPU/op")
	b.ReportMetric(float64(len(asked.Messages)), "messages")
	b.ReportMetric(float64(len(known)+1), "of-the-user")
}
