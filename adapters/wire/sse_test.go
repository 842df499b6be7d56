package wire

import "testing"

// TestSSE: Rows F1, F2 and F9.
func TestSSE(t *testing.T) {
	s := NewSplitter(SSE, 0)
	f := func(in string, want ...string) { t.Helper(); checkSplit(t, s, in, want...) }

	// Line ends, alone and mixed.
	f("data: a\n\ndata: b\n\n", "<a>", "<b>")
	f("data: a\r\n\r\ndata: b\r\n\r\n", "<a>", "<b>")
	f("data: a\r\rdata: b\r\r", "<a>", "<b>")
	f("data: a\r\n\rdata: b\r\r\ndata: c\n\r\ndata: d\r\n\n", "<a>", "<b>", "<c>", "<d>")
	f("event: e\rid: 1\r\ndata: a\ndata: b\r\rdata: c\r\n\r\n", "event=e id=1 <a\nb>", "<c>")

	// Between events: blank lines, comments, a byte order mark.
	f("")
	f("\n")
	f("\r\n\r\n\r\r\n\n")
	f("\n\n\r\ndata: a\n\n\n\n\ndata: b\n\n", "<a>", "<b>")
	f(": keep-alive\n\n:\r\n\r\n::\rdata: a\n\n", "<a>")
	f("\xef\xbb\xbfdata: a\n\n", "<a>")
	f("\xef\xbb\xbf\ndata: a\n\n", "<a>")
	f("\xef\xbb\xbf")
	f("data: a\n\n\xef\xbb\xbfdata: b\n\n", "<a>") // only at the start; later it spoils the name

	// Fields.
	f("data:a\n\ndata:  b\n\ndata:\tc\n\n", "<a>", "< b>", "<\tc>")
	f("data: a: b\n\n", "<a: b>")
	f("data\n\ndata:\n\ndata: \n\n", "<>", "<>", "<>")
	f("data\ndata\n\n", "<\n>")
	f("data: a\ndata:\ndata: b\n\n", "<a\n\nb>")
	f("Data: a\ndat: b\ndatas: c\n data: d\n\ndata: e\n\n", "<e>")
	f("event: x\ndata: a\n\ndata: b\n\n", "event=x <a>", "<b>")
	f("event:x\ndata:a\n\nevent:\ndata: b\n\nevent: \ndata:\n\n", "event=x <a>", "<b>", "<>")
	f("event: x\ndata: a\r\n\r\nevent: y\r\ndata: b\n\nevent: z\rdata: c\n\n", "event=x <a>", "event=y <b>", "event=z <c>")
	f("event: x\ndata: a\nid: 3\n\nevent: x\ndata: a\ndata: b\n\nevent: x\n: y\ndata: a\n\n", "event=x id=3 <a>", "event=x <a\nb>", "event=x <a>")
	f("event: x\nevent: y\ndata: a\n\n", "event=y <a>")
	f("event: x\nevent:\ndata: a\n\n", "<a>")
	f("event\ndata: a\n\n", "<a>")
	f("data: a\nevent: x\nid: 7\n\n", "event=x id=7 <a>")
	f("id: 7\n\ndata: a\n\n", "id=7 ~", "<a>")
	f("id\ndata: a\n\n", "id= <a>")
	f("id: a\x00b\ndata: a\n\nid: 1\nid: a\x00\ndata: b\n\n", "<a>", "id=1 <b>")
	f("id: 1\nevent: x\ndata: a\n\nevent: y\r\nid:2\r\ndata: b\r\n\r\n", "event=x id=1 <a>", "event=y id=2 <b>")
	f("id: 1\r\nid: 2\ndata: a\r\n\n", "id=2 <a>")
	f("id: 1\nid:\ndata: a\n\n", "id= <a>")
	f("id: 1\ndata: a\ndata: b\n\nid: 2\rdata: c\r\n\r\n", "id=1 <a\nb>", "id=2 <c>")
	f("event: ping\n\ndata: a\n\n", "event=ping ~", "<a>")
	f("retry: 3000\n\nretry: 1\ndata: a\nretry: 2\n\n", "<a>")
	f("data: a\n: comment\ndata: b\nfoo: bar\nbaz\ndata: c\n\n", "<a\nb\nc>")
	f("data: \xff\xfe\x00\n\n", "<\xff\xfe\x00>")
}

// A last event that no blank line ends is delivered if it is whole, as clients
// do; a part of one must not pass for the end of the stream.
func TestSSEEnd(t *testing.T) {
	s := NewSplitter(SSE, 0)
	f := func(in string, want ...string) { t.Helper(); checkSplit(t, s, in, want...) }

	f("data: {\"a\":1}\n", `<{"a":1}>`)
	f("data: {\"a\":1}\r", `<{"a":1}>`)
	f("data: {\"a\":1}\r\n", `<{"a":1}>`)
	f("data: {\"a\":1}", `<{"a":1}>`)
	f("data: [DONE]", "<[DONE]>")
	f("data: \"a\"", `<"a">`)
	f("event: x\ndata: {\ndata: }", "event=x <{\n}>")
	f("event: x\nid: 4\ndata: text\n", "event=x id=4 <text>")
	f("data: {}\n\n: comment", "<{}>")
	f("data: a\n: comm", "<a>")
	f("event: ping\n", "event=ping ~")
	f("data: {}\nid: 4", "id=4 <{}>")
}

func TestSSECut(t *testing.T) {
	s := NewSplitter(SSE, 0)
	f := func(in string, want ...string) { t.Helper(); checkSplit(t, s, in, append(want, "!cut")...) }

	f("data: {\"a\":1")
	f("data: a\n\ndata: {\"a\":\"}", "<a>")
	f("data: {\"a\":\n")
	f("data: {\"a\":\nda")
	f("data: tex")
	f("data: 12")
	f("data")
	f("dat")
	f("event: messa")
	f("\xef\xbb") // half a byte order mark
	f("id: 1")
}

// An event that ends in CR must not wait for the LF that may follow, and that
// LF, when it comes, must not end anything else.
func TestSSEAtOnce(t *testing.T) {
	f := func(in string, want ...string) { t.Helper(); checkAtOnce(t, SSE, in, want...) }
	f("data: a\n\n", "<a>")
	f("data: a\r\r", "<a>")
	f("data: a\r\n\r", "<a>")
	f("data: a\n\r", "<a>")
	f("data: a\r\n\r\n", "<a>")
	f("data: a\n")
	f("data: a\r\n")

	s := NewSplitter(SSE, 0)
	for _, step := range []struct {
		buf string
		n   int
	}{{"data: a\r\n\r", 10}, {"\ndata: b\r", 1}, {"data: b\r", 0}, {"data: b\r\n", 0}, {"data: b\r\n\r\n", 11}, {"\n", 1}} {
		if _, n, err := s.Split([]byte(step.buf), false); n != step.n || err != nil {
			t.Fatalf("%q: consumed %d, err %v; want %d", step.buf, n, err, step.n)
		}
	}
}

func TestSSELimit(t *testing.T) {
	f := func(record string) { t.Helper(); checkLimit(t, SSE, record, len(record)) }
	f("data: 0123456789\n\n")
	f("event: x\ndata: 0123456789\n\n")
	f("data: 01\r\ndata: 56789\r\r")
	// What fills the limit exactly may still be the end of the stream.
	checkSplit(t, NewSplitter(SSE, 10), "data: 0123", "!cut")
	checkSplit(t, NewSplitter(SSE, 12), "data: {\"a\":1", "!cut")
	checkSplit(t, NewSplitter(SSE, 9), "data: 0123", "!"+ReasonTooLarge)
	// Comments cannot be waited for without end either.
	s := NewSplitter(SSE, 8)
	checkSplit(t, s, ":234567\n:234567\n")
	checkSplit(t, s, ":2345678\n", "!"+ReasonTooLarge)
}

func TestSSENoRescan(t *testing.T) {
	checkNoRescan(t, SSE, "data: ", "x", "\n", "\n\n")
	checkNoRescan(t, SSE, "event: x\ndata: ", "xyz", "\r", "\r\n\n")
	checkNoRescan(t, SSE, "data: a\n", ": c\n", "\n", "\n")
	checkNoRescan(t, SSE, "id: 1\r\nevent: x\ndata: ", "xyz", "\r", "\r\n\n")
	checkNoRescan(t, SSE, "id: ", "x", "\n", "\ndata: a\n\n")
	checkNoRescan(t, SSE, "id: 1\n", "event: x\n", "\n", "\n")
}

// The windows of the search must hide no line end, and keep their order.
func TestLineEnd(t *testing.T) {
	f := func(in string, from, want int) {
		t.Helper()
		if got := lineEnd([]byte(in), from); got != want {
			t.Errorf("line end of %q from %d at %d, want %d", in, from, got, want)
		}
	}
	f("", 0, -1)
	f("abc", 3, -1)
	f("abc", 0, -1)
	f("a\nb", 0, 1)
	f("a\rb\n", 0, 1)
	f("a\nb\r", 0, 1)
	f("a\nb\r", 2, 3)
	long := string(make([]byte, 5000))
	f(long, 0, -1)
	f(long+"\n", 0, 5000)
	f(long+"\r"+long+"\n", 7, 5000)
}

// A huge event must not keep its memory in a splitter that is used again.
func TestSSEResetDropsScratch(t *testing.T) {
	f := func(size int, kept bool) {
		t.Helper()
		line := make([]byte, size)
		for i := range line {
			line[i] = 'x'
		}
		event := "data: " + string(line) + "\ndata: b\n\n"
		s := &sseSplitter{max: DefaultMaxRecord}
		feed(t, s, []byte(event))
		s.Reset()
		if got := cap(s.joined) > 0; got != kept {
			t.Errorf("scratch after an event of %d bytes kept: %v, want %v", size, got, kept)
		}
	}
	f(100, true)
	f(keepBuffer, false)
}
