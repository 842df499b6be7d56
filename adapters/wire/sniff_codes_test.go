package wire

import "testing"

// TestAutoLineCodes: a stream of lines with a code in front of each value, as the data stream of the AI SDK has them, is
// read as lines whatever code comes first. Some codes are the first letters of fields of an SSE stream.
func TestAutoLineCodes(t *testing.T) {
	s := NewSplitter(Auto, 1000)
	codes := []string{
		"0", "2", "3", "4", "5", "6", "8", "9", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k",
		"aui-state", "aui-text-delta", "aui-reasoning-delta", "aui-data", "aui-reasoning-part-start",
	}
	for _, code := range codes {
		line := code + `:{"a":"b: c\n"}`
		for _, end := range []string{"\n", "\r\n"} {
			checkSplit(t, s, line+end+"0:\"x\""+end, "<"+line+">", `<0:"x">`)
			if got := s.(Detector).Framing(); got != NDJSON {
				t.Errorf("a stream that begins with the code %s was taken for %v", code, got)
			}
		}
	}
	checkSplit(t, s, "\n\n0:\"x\"\n\n\n", `<0:"x">`) // signs of life
	checkSplit(t, s, "0:\"x\"", `<0:"x">`)           // the last line end is missing
	checkSplit(t, s, "0:\"x\"\n0:\"cu", `<0:"x">`, `<0:"cu>`)
}
