package wire

import (
	"bytes"
	"testing"
)

const benchJSON = `{"type":"response","data":"Checking the \"forecast\" for Oslo, one moment please","messageId":"9f2c41d07ab3e5","seq":42,"usage":{"input":812,"output":40}}`

// go test -bench=Split -benchmem ./adapters/wire
func BenchmarkSplit(b *testing.B) {
	f := func(name string, fr Framing, record string) {
		b.Run(name, func(b *testing.B) {
			stream := bytes.Repeat([]byte(record), 64)
			s := NewSplitter(fr, 0)
			b.SetBytes(int64(len(record)))
			b.ReportAllocs()
			buf := stream
			for b.Loop() {
				if len(buf) == 0 {
					buf = stream
				}
				_, n, err := s.Split(buf, false)
				if n == 0 || err != nil {
					b.Fatal(n, err)
				}
				buf = buf[n:]
			}
		})
	}
	f("sse", SSE, "data: "+benchJSON+"\n\n")
	f("sse-event", SSE, "event: response\ndata: "+benchJSON+"\n\n")
	f("sse-crlf", SSE, "data: "+benchJSON+"\r\n\r\n")
	f("sse-cr", SSE, "data: "+benchJSON+"\r\r")
	f("sse-lines", SSE, "data: "+benchJSON+"\ndata: "+benchJSON+"\n\n")
	f("ndjson", NDJSON, benchJSON+"\n")
	f("concat", Concat, benchJSON)
	f("auto-sse", Auto, "data: "+benchJSON+"\n\n")
	f("length-prefix", LengthPrefix, "\x00\x00\x00\x99"+benchJSON[:0x99])
}

// go test -bench=Out -benchmem ./adapters/wire
func BenchmarkOut(b *testing.B) {
	for f := SSE; f <= AmazonEventStream; f++ {
		b.Run(f.String(), func(b *testing.B) {
			o := NewOut(f)
			b.SetBytes(int64(len(benchJSON)))
			b.ReportAllocs()
			for b.Loop() {
				o.Begin("response")
				o.Buf = append(o.Buf, benchJSON...)
				o.End()
				if o.Records == 64 {
					o.Reset()
				}
			}
		})
	}
}
