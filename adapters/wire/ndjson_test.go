package wire

import "testing"

func TestNDJSON(t *testing.T) {
	s := NewSplitter(NDJSON, 0)
	f := func(in string, want ...string) { t.Helper(); checkSplit(t, s, in, want...) }

	f("")
	f("\n\r\n  \n\t\r\n")
	f("{\"a\":1}\n{\"b\":2}\n", `<{"a":1}>`, `<{"b":2}>`)
	f("{\"a\":1}\r\n\r\n\n{\"b\":2}\r\n", `<{"a":1}>`, `<{"b":2}>`)
	f("\xef\xbb\xbf{}\n{}\n", "<{}>", "<{}>")
	f("\xef\xbb\xbf\n{}\n", "<{}>")
	f(" {} \n", "< {} >")
	f("{\"a\":\r1}\n", "<{\"a\":\r1}>") // a lone CR ends no line
	f("0:\"Hi\"\nd:{\"finishReason\":\"stop\"}\n", `<0:"Hi">`, `<d:{"finishReason":"stop"}>`)

	// The last line may lack its end, if it is whole.
	f("{\"a\":1}\n{\"b\":2}", `<{"a":1}>`, `<{"b":2}>`)
	f("{\"b\":2}\r", `<{"b":2}>`)
	f("42", "<42>")
	f("\n  ")
	f("\xef\xbb", "<\xef\xbb>") // half a byte order mark
	f("{\"a\":1}\n{\"b\":", `<{"a":1}>`, "!cut")
	f("{\"a\":\"x}", "!cut")
	f("[1,", "!cut")
	f("\"a\\\"", "!cut")

	// What is no JSON is the decoder's to report.
	f("<html>\n{\"a\":\n}{\nlast", "<<html>>", `<{"a":>`, "<}{>", "<last>")
}

func TestNDJSONLimit(t *testing.T) {
	checkLimit(t, NDJSON, "0123456789\n", 11)
	checkSplit(t, NewSplitter(NDJSON, 4), "123\n\n \n{}\n45", "<123>", "<{}>", "<45>")
}

func TestNDJSONNoRescan(t *testing.T) {
	checkNoRescan(t, NDJSON, `{"a":"`, "x", "\n", "\"}\n")
}

// TestTooLargeUsesNothing: whoever reports a record that is too large has it still.
func TestTooLargeUsesNothing(t *testing.T) {
	for _, framing := range []Framing{NDJSON, SSE} {
		for _, in := range []string{"data: 0123456789", "data: 0123456789\n\n"} {
			if _, n, err := NewSplitter(framing, 9).Split([]byte(in), false); n != 0 || err == nil {
				t.Errorf("%v, %q: %d bytes are used, %v", framing, in, n, err)
			}
		}
	}
	if _, n, err := NewSplitter(ContentLength, 0).Split([]byte("X: y\r\n\r\n"), false); n != 0 || err == nil {
		t.Errorf("a header without a length: %d bytes are used, %v", n, err)
	}
}

// TestKeptMemory: what is used again keeps 64 KiB at most.
func TestKeptMemory(t *testing.T) {
	for size, kept := range map[int]bool{64 << 10: true, 64<<10 + 1: false} {
		o := NewOut(NDJSON)
		o.Buf = make([]byte, 1, size)
		if o.Reset(); len(o.Buf) != 0 || cap(o.Buf) > 0 != kept {
			t.Errorf("of %d bytes, %d are kept", size, cap(o.Buf))
		}
	}
}
