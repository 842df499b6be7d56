package wire

import (
	"errors"
	"strings"
	"testing"
)

func TestFramingNames(t *testing.T) {
	for f := Auto; f <= AmazonEventStream; f++ {
		got, err := ParseFraming(f.String())
		if got != f || err != nil {
			t.Errorf("ParseFraming(%q) = %v, %v", f, got, err)
		}
	}
	for _, name := range []string{"", "SSE", "json", "unknown"} {
		if _, err := ParseFraming(name); err == nil || !strings.Contains(err.Error(), "ndjson") {
			t.Errorf("ParseFraming(%q) gave %v, want an error that names the choices", name, err)
		}
	}
	if got := Framing(200).String(); got != "unknown" {
		t.Errorf("Framing(200) is called %q", got)
	}
}

func TestFramingContentType(t *testing.T) {
	f := func(f Framing, want string) {
		t.Helper()
		if got := f.ContentType(); got != want {
			t.Errorf("content type of %v is %q, want %q", f, got, want)
		}
	}
	f(Auto, "")
	f(SSE, "text/event-stream")
	f(NDJSON, "application/x-ndjson")
	f(Concat, "application/json")
	f(WebSocket, "")
	f(LengthPrefix, "application/octet-stream")
	f(ContentLength, "application/vscode-jsonrpc; charset=utf-8")
	f(AmazonEventStream, "application/vnd.amazon.eventstream")
}

func TestNewSplitterUnknownFraming(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an unknown framing was accepted")
		}
	}()
	NewSplitter(Framing(99), 0)
}

// A splitter that is put back in the middle of a record must come out as new.
func TestReset(t *testing.T) {
	f := func(framing Framing, part, whole, want string) {
		t.Helper()
		s := NewSplitter(framing, 0)
		for cut := range len(part) {
			s.Reset()
			for buf := []byte(part[:cut+1]); ; {
				_, n, err := s.Split(buf, false)
				if err != nil {
					t.Fatal(err)
				}
				if buf = buf[n:]; n == 0 {
					break
				}
			}
			s.Reset()
			if got := feed(t, s, []byte(whole)); len(got) != 1 || got[0] != want {
				t.Errorf("%v after %q: %q gave %q", framing, part[:cut+1], whole, got)
			}
		}
	}
	f(SSE, "data: a\n\nevent: x\nid: 1\ndata: b\r", "\xef\xbb\xbf\ndata: c\n\n", "<c>")
	f(NDJSON, "{}\n{\"a\":", "\xef\xbb\xbf{}\n", "<{}>")
	f(Concat, `{} {"a":"\`, "\xef\xbb\xbf[]", "<[]>")
	f(Concat, "12", "[]", "<[]>")
	f(ContentLength, "Content-Length: 9\r\nX: y\r\n\r\n123", "Content-Length: 2\r\n\r\n{}", "<{}>")
	f(AmazonEventStream, amazonMessages("{}")[:30], amazonMessages("[]"), "event=e <[]>")
	f(LengthPrefix, "\x00\x00\x00\x09123", "\x00\x00\x00\x02{}", "<{}>")
	for _, part := range []string{"data: a\r", "text", `{"a":"\`, "Content-Length: 9\r\n\r\n1", "{}", "\x1e12", "\xef\xbb\xbf"} {
		f(Auto, part, "data: c\n\n", "<c>")
		f(Auto, part, "{}\n", "<{}>")
		f(Auto, part, "{\n}", "<{\n}>")
		f(Auto, part, "Content-Length: 2\r\n\r\n{}", "<{}>")
		f(Auto, part, amazonMessages("{}"), "event=e <{}>")
		f(Auto, part, "\xef\xbb\xbftext", "<text>")
	}
}

// A cut is reported where the piece begins that has no end: errors are found by that place in a recording.
func TestCutOffset(t *testing.T) {
	for framing, in := range map[Framing]string{
		SSE: "data: {\"a\":1", NDJSON: `{"a":1`, Concat: `{"a":1`, LengthPrefix: "\x00\x00", ContentLength: "Content-Length: 2\r\n\r\n{",
		AmazonEventStream: amazonMessages("{}")[:20],
	} {
		_, n, err := NewSplitter(framing, 0).Split([]byte(in), true)
		var fault *Error
		if !errors.As(err, &fault) || fault.Reason != ReasonCut || fault.Offset != 0 || n != len(in) {
			t.Errorf("%v: consumed %d of %d, %v", framing, n, len(in), err)
		}
	}
}

// The smallest limit is one byte; zero stands for the default.
func TestNewSplitterSmallestLimit(t *testing.T) {
	checkSplit(t, NewSplitter(NDJSON, 1), "12\n", "!"+ReasonTooLarge)
	checkSplit(t, NewSplitter(NDJSON, 3), "12\n", "<12>")
}

func TestNewSplitterDefaultLimit(t *testing.T) {
	s := NewSplitter(NDJSON, 0)
	if _, n, err := s.Split(make([]byte, DefaultMaxRecord), false); n != 0 || err != nil {
		t.Errorf("a line of %d bytes: n %d, err %v", DefaultMaxRecord, n, err)
	}
	_, _, err := s.Split(make([]byte, DefaultMaxRecord+1), false)
	var fault *Error
	if !errors.As(err, &fault) || fault.Reason != ReasonTooLarge || fault.Framing != NDJSON || !fault.Fatal {
		t.Errorf("one byte more: %v", err)
	}
	want := "cannot split ndjson stream at byte 16777217 of the buffer: a record exceeds the limit of 16777216 bytes; " +
		"raise limits.record if such records are expected (record_too_large)"
	if err != nil && err.Error() != want {
		t.Errorf("the error says\n%s\nwant\n%s", err, want)
	}
}

func TestIsDone(t *testing.T) {
	for data, want := range map[string]bool{"[DONE]": true, " [DONE]\r\n": true, "[DONE]x": false, `"[DONE]"`: false, "": false, "[DONE]             ": false} {
		if got := IsDone([]byte(data)); got != want {
			t.Errorf("%q: got %t", data, got)
		}
	}
}
