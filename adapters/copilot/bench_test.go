package copilot_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/copilot"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// BenchmarkDelta measures one delta, decoded, sequenced and encoded again.
//
//	go test ./adapters/copilot -run xxx -bench Delta
func BenchmarkDelta(b *testing.B) {
	for name, rec := range map[string]string{
		"bare":    `{"type":"assistant.message_delta","data":{"messageId":"m1","deltaContent":" system looks","totalResponseSizeBytes":17}}`,
		"ws":      `{"type":"event","sessionId":"s1","event":{"type":"assistant.message_delta","data":{"messageId":"m1","deltaContent":" system looks","totalResponseSizeBytes":17}}}`,
		"jsonrpc": `{"jsonrpc":"2.0","method":"session.event","params":{"sessionId":"s1","event":{"timestamp":"2026-01-31T19:21:41.102Z","parentId":null,"type":"assistant.message_delta","ephemeral":true,"data":{"messageId":"m1","deltaContent":" system looks","totalResponseSizeBytes":17}}}}`,
	} {
		b.Run(name, func(b *testing.B) {
			dec, enc := copilot.Dialect.NewDecoder(copilot.Dialect.Defaults()), copilot.Dialect.NewEncoder(copilot.Dialect.Defaults())
			seq, out := sequencer.New(sequencer.Config{}), wire.NewOut(wire.SSE)
			data := []byte(rec)
			var decoded, normalized []hub.Event
			b.SetBytes(int64(len(rec)))
			b.ReportAllocs()
			for b.Loop() {
				out.Reset()
				decoded, _ = dec.Decode(decoded[:0], wire.Record{Data: data})
				normalized = seq.Push(normalized[:0], decoded, 0)
				for i := range normalized {
					enc.Encode(out, &normalized[i])
				}
			}
		})
	}
}
