package wire

import (
	"strconv"
	"strings"
	"testing"
)

// write writes each payload as a record with the event name "e".
func write(o *Out, payloads ...string) {
	for _, p := range payloads {
		o.Begin("e")
		o.Buf = append(o.Buf, p...)
		o.End()
	}
}

func TestOut(t *testing.T) {
	f := func(framing Framing, want string, payloads ...string) {
		t.Helper()
		o := NewOut(framing)
		write(o, payloads...)
		if string(o.Buf) != want || o.Records != len(payloads) {
			t.Errorf("%v: %d records %q, want %q", framing, o.Records, o.Buf, want)
		}
	}
	f(SSE, "event: e\ndata: {}\n\nevent: e\ndata: [1,  2 ]\n\n", "{}", "[1,\r\n2\n]")
	f(Auto, "event: e\ndata: {}\n\n", "{}")
	f(SSE, "event: e\ndata: [DONE]\n\n", "[DONE]")
	f(NDJSON, "{}\n[1, 2  ]\n", "{}", "[1,\n2\r\n]")
	f(Concat, "{}[ ]\"x\"1 2 null true ", "{}", "[\n]", `"x"`, "1", "2", "null", "true")
	f(WebSocket, "\x81\x02{}\x81\x03[\n]", "{}", "[\n]")
	f(WebSocket, "\x81\x00", "")
	f(LengthPrefix, "\x00\x00\x00\x02{}\x00\x00\x00\x03[\n]", "{}", "[\n]")
	f(ContentLength, "Content-Length: 2\r\n\r\n{}Content-Length: 3\r\n\r\n[\n]", "{}", "[\n]")
	f(AmazonEventStream, amazonMessages("{}", "[\n]"), "{}", "[\n]")
}

// Headers are as long as the payload demands; whatever room Begin left, the
// records before and after must stay whole.
func TestOutHeaderSizes(t *testing.T) {
	var payloads []string
	for _, n := range []int{0, 1, 9, 10, 99, 100, 125, 126, 127, 999, 1000, 65535, 65536, 65537, 100000} {
		payloads = append(payloads, strconv.Itoa(n)+strings.Repeat("x", max(n-len(strconv.Itoa(n)), 0)))
	}
	ws := NewOut(WebSocket)
	write(ws, payloads...)
	for i, got := range readFrames(t, ws.Buf) {
		if want := (frame{1, payloads[i]}); got != want {
			t.Errorf("websocket: %d bytes came as opcode %d, %d bytes", len(payloads[i]), got.opcode, len(got.payload))
		}
	}
	for _, framing := range []Framing{LengthPrefix, ContentLength} {
		o := NewOut(framing)
		write(o, payloads...)
		got := feed(t, NewSplitter(framing, 0), o.Buf)
		if len(got) != len(payloads) {
			t.Fatalf("%v: %d records, want %d", framing, len(got), len(payloads))
		}
		for i := range got {
			if got[i] != "<"+payloads[i]+">" {
				t.Errorf("%v: record of %d bytes is damaged", framing, len(payloads[i]))
			}
		}
	}
}

// An event name comes from a program, but must never be able to end its line.
func TestOutEventName(t *testing.T) {
	f := func(event, want string) {
		t.Helper()
		o := NewOut(SSE)
		o.Begin(event)
		o.End()
		if string(o.Buf) != want {
			t.Errorf("event %q gave %q, want %q", event, o.Buf, want)
		}
	}
	f("", "data: \n\n")
	f("ping", "event: ping\ndata: \n\n")
	f("a\r\ndata: b\n\n", "event: a  data: b  \ndata: \n\n")
}

// Half a record never leaves.
func TestOutCancel(t *testing.T) {
	f := func(name string, drop func(o *Out), want string) {
		t.Helper()
		for framing := SSE; framing <= AmazonEventStream; framing++ {
			o := NewOut(framing)
			o.Raw([]byte("kept"))
			o.Begin("e")
			o.Buf = append(o.Buf, "half"...)
			drop(o)
			o.End() // has nothing to end
			if string(o.Buf) != want || o.Records != 0 {
				t.Errorf("%v: after %s: %d records, %q", framing, name, o.Records, o.Buf)
			}
		}
	}
	f("Cancel", (*Out).Cancel, "kept")
	f("two Cancels", func(o *Out) { o.Cancel(); o.Cancel() }, "kept")
	f("Raw", func(o *Out) { o.Raw([]byte("!")) }, "kept!")
	f("SetFraming", func(o *Out) { o.SetFraming(SSE) }, "kept")
	f("Record", func(o *Out) { o.Record(Record{}) }, "kept")
	f("Reset", (*Out).Reset, "")

	o := NewOut(NDJSON)
	o.Begin("")
	o.Buf = append(o.Buf, "half"...)
	write(o, "{}")
	o.Cancel() // has nothing to drop
	if string(o.Buf) != "{}\n" || o.Records != 1 {
		t.Errorf("after a second Begin: %d records, %q", o.Records, o.Buf)
	}
}

func TestOutRecord(t *testing.T) {
	b := func(s string) []byte { return []byte(s) }
	f := func(framing Framing, rec Record, want string) {
		t.Helper()
		o := NewOut(framing)
		o.Record(rec)
		if string(o.Buf) != want {
			t.Errorf("%v: %s became %q, want %q", framing, show(rec), o.Buf, want)
		}
		if counted := o.Records == 1; counted != (rec.Data != nil) {
			t.Errorf("%v: %s counted as %d", framing, show(rec), o.Records)
		}
	}
	full := Record{Event: b("e"), ID: b("7"), Data: b("a\nb")}
	f(SSE, full, "event: e\nid: 7\ndata: a\ndata: b\n\n")
	f(Auto, full, "event: e\nid: 7\ndata: a\ndata: b\n\n")
	f(NDJSON, full, "a b\n")
	f(Concat, full, "a b ")
	f(WebSocket, full, "\x81\x03a\nb")
	f(LengthPrefix, full, "\x00\x00\x00\x03a\nb")
	f(ContentLength, full, "Content-Length: 3\r\n\r\na\nb")
	f(AmazonEventStream, full, amazonMessages("a\nb"))

	f(SSE, Record{Data: b("")}, "data: \n\n")
	f(SSE, Record{Data: b("\n")}, "data: \ndata: \n\n")
	f(SSE, Record{Data: b("a\r")}, "data: a\ndata: \n\n")
	f(SSE, Record{Data: b("a\r\n")}, "data: a\ndata: \n\n")
	f(SSE, Record{Data: b("a\r\nb\rc\n\rd")}, "data: a\ndata: b\ndata: c\ndata: \ndata: d\n\n")
	f(SSE, Record{Data: b("\na\rb")}, "data: \ndata: a\ndata: b\n\n") // the LF before does not belong to the CR
	f(SSE, Record{ID: b("")}, "id: \n\n")                             // resets the client's last id
	f(SSE, Record{ID: b("7"), Event: b("e")}, "id: 7\n\n")
	f(SSE, Record{Event: b("e")}, "")
	f(SSE, Record{Event: b("e\n"), ID: b("\r7"), Data: b("x")}, "event: e \nid:  7\ndata: x\n\n")
	for framing := SSE; framing <= AmazonEventStream; framing++ {
		f(framing, Record{}, "")
	}
}

func TestOutKeepAlive(t *testing.T) {
	f := func(framing Framing, pad int, want string) {
		t.Helper()
		o := NewOut(framing)
		o.KeepAlive(pad)
		if string(o.Buf) != want || o.Records != 0 {
			t.Errorf("%v: keep-alive %q, %d records; want %q", framing, o.Buf, o.Records, want)
		}
	}
	f(SSE, 0, "\n\n")
	f(SSE, -1, "\n\n")
	f(SSE, 1, ": \n\n\n")
	f(SSE, 3, ":   \n\n\n")
	f(SSE, 1<<30, ":"+strings.Repeat(" ", maxPad)+"\n\n\n")
	f(NDJSON, 9, "\n")
	f(Concat, 9, " ")
	f(WebSocket, 9, "\x89\x00")
	f(LengthPrefix, 9, "")
	f(ContentLength, 9, "")
	f(AmazonEventStream, 9, "")

	// Wherever it comes between records, a reader sees the same records, and
	// recognises the same framing.
	for framing := SSE; framing <= AmazonEventStream; framing++ {
		if framing == WebSocket {
			continue
		}
		o := NewOut(framing)
		o.KeepAlive(5)
		write(o, "{}")
		o.KeepAlive(0)
		write(o, "[]", "[1]")
		o.KeepAlive(5)
		s := NewSplitter(Auto, 0)
		got := feed(t, s, o.Buf)
		if found := s.(Detector).Framing(); len(got) != 3 || found != framing {
			t.Errorf("%v: %q was read as %v, %q", framing, o.Buf, found, got)
		}
	}
}

func TestOutReset(t *testing.T) {
	f := func(size int, kept bool) {
		t.Helper()
		o := NewOut(NDJSON)
		write(o, strings.Repeat("x", size))
		o.Reset()
		if len(o.Buf) != 0 || o.Records != 0 || o.Framing() != NDJSON {
			t.Errorf("after Reset: %d bytes, %d records, %v", len(o.Buf), o.Records, o.Framing())
		}
		if got := cap(o.Buf) > 0; got != kept {
			t.Errorf("buffer for %d bytes kept: %v, want %v", size, got, kept)
		}
	}
	f(1000, true)
	f(keepBuffer, false)
}

func TestOutSetFraming(t *testing.T) {
	var o Out
	write(&o, "{}")
	o.SetFraming(NDJSON)
	write(&o, "{}")
	o.SetFraming(LengthPrefix)
	write(&o, "{}")
	if want := "event: e\ndata: {}\n\n{}\n\x00\x00\x00\x02{}"; string(o.Buf) != want || o.Records != 3 {
		t.Errorf("%d records %q, want %q", o.Records, o.Buf, want)
	}
}

// TestEndUnforeseen: an end from outside reaches a reader that has counted more than there is, and has an id of its own, by which a
// reader that has it gets nothing.
func TestEndUnforeseen(t *testing.T) {
	t.Parallel()
	f := func(skip int64, want string) {
		t.Helper()
		o := NewOut(SSE)
		o.Number("r", skip)
		record := func(text string) {
			o.Begin("")
			o.Buf = append(o.Buf, text...)
			o.End()
		}
		record("1")
		record("2")
		o.EndUnforeseen()
		record("3")
		if got := string(o.Buf); got != want {
			t.Errorf("%d: %q, want %q", skip, got, want)
		}
	}
	end := "id: r-1099511627776\ndata: 3\n\n"
	f(0, "id: r-1\ndata: 1\n\nid: r-2\ndata: 2\n\n"+end)
	f(1, "id: r-2\ndata: 2\n\n"+end)
	f(99, end)
	f(Unforeseen, "")
}
