//go:build !race

package wire

import (
	"bytes"
	"testing"
)

// The race detector allocates on its own, so these tests run without it.

func TestSplitAllocs(t *testing.T) {
	f := func(framing Framing, stream string) {
		t.Helper()
		s := NewSplitter(framing, 0)
		in := []byte(stream)
		run := func() {
			s.Reset()
			for cut, pos := 1, 0; cut <= len(in); cut++ {
				for {
					_, n, err := s.Split(in[pos:cut], cut == len(in))
					if err != nil {
						t.Fatal(err)
					}
					if n == 0 {
						break
					}
					pos += n
				}
			}
		}
		run() // grows the scratch
		if got := testing.AllocsPerRun(20, run); got != 0 {
			t.Errorf("%v: %v allocations for %q", framing, got, stream)
		}
	}
	f(SSE, "data: {}\n\n: c\n\nevent: x\r\nid: 1\r\ndata: a\r\ndata: b\r\n\r\n")
	f(NDJSON, "{}\n\n[]\r\n{}")
	f(Concat, "{} [1,\"a\\\"\"]true null\njunk\n{}")
	f(WebSocket, "{}")
	f(LengthPrefix, "\x00\x00\x00\x02{}\x00\x00\x00\x02[]")
	f(ContentLength, "Content-Length: 2\r\n\r\n{}content-type: x\r\ncontent-length: 2\r\n\r\n[]")
	f(AmazonEventStream, amazonMessages("{}", "[]"))
	f(Auto, amazonMessages("{}"))
	f(Auto, "\ndata: {}\n\n")
	f(Auto, "{}\n{}\n")
	f(Auto, "{}{}")
	f(Auto, "Content-Length: 2\r\n\r\n{}")
	f(Auto, "\x00\x00\x00\x02{}")
}

func TestOutAllocs(t *testing.T) {
	small, large := []byte(`{"a":1}`), bytes.Repeat([]byte("x"), 20_000)
	rec := Record{Event: []byte("e"), ID: []byte("1"), Data: []byte("{\n}")}
	for framing := SSE; framing <= AmazonEventStream; framing++ {
		o := NewOut(framing)
		run := func() {
			o.Reset()
			for _, p := range [][]byte{small, large, small} {
				o.Begin("event")
				o.Buf = append(o.Buf, p...)
				o.End()
			}
			o.Record(rec)
			o.KeepAlive(100)
		}
		run() // grows the buffer
		if got := testing.AllocsPerRun(20, run); got != 0 {
			t.Errorf("%v: %v allocations", framing, got)
		}
	}
}
