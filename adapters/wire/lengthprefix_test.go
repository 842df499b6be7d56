package wire

import (
	"strings"
	"testing"
)

func TestLengthPrefix(t *testing.T) {
	s := NewSplitter(LengthPrefix, 100)
	f := func(in string, want ...string) { t.Helper(); checkSplit(t, s, in, want...) }

	f("")
	f("\x00\x00\x00\x02{}\x00\x00\x00\x03a\nb", "<{}>", "<a\nb>")
	f("\x00\x00\x00\x00\x00\x00\x00\x02{}\x00\x00\x00\x00", "<{}>")
	f("\x00\x00\x00\x02{}\x00", "<{}>", "!cut")
	f("\x00\x00\x00\x02{}\x00\x00\x00\x02{", "<{}>", "!cut")
	f("\x00\x00\x00\x02{}\x00\x00\x00\x01", "<{}>", "!cut")
	f("\x00\x00\x00\x65{", "!"+ReasonTooLarge) // at once, not after 101 bytes
	f("\xff\xff\xff\xff", "!"+ReasonTooLarge)
	f("{\"a\":1}", "!"+ReasonBadPrefix) // text, not a length of 2 GB
	checkLimit(t, LengthPrefix, "\x00\x00\x00\x0a0123456789", 10)

	_, _, err := s.Split([]byte("\xff\xff\xff\xff"), false)
	if got := err.Error(); !strings.Contains(got, "byte 0") {
		t.Errorf("the error %q does not say where the record is", got)
	}
	_, _, err = s.Split([]byte("data: x"), false)
	if got := err.Error(); !strings.Contains(got, "text") || strings.Contains(got, "data") || !strings.Contains(got, "length-prefix") {
		t.Errorf("the error %q does not say what is wrong, or quotes the stream", got)
	}
}
