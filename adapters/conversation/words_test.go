package conversation_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/conversation"
)

// TestWords: what an agent says is the same in whatever pieces it comes and wherever blanks stand, and another word makes another sum. A
// sum is taken in between as well: the turn goes on behind it.
func TestWords(t *testing.T) {
	text := strings.Repeat(`Not\u0020one \n word\t of Übung is\u00a0lost. \r\u000b\f`, 60)
	sum := func(size int, text string) conversation.Link {
		var w conversation.Words
		for len(text) > 0 {
			n := min(size, len(text))
			for n < len(text) && (strings.Contains(text[max(0, n-5):n], `\`) || text[n]&0xc0 == 0x80) {
				n++ // pieces are whole strings
			}
			w.Add([]byte(text[:n]))
			w.Sum()
			text = text[n:]
		}
		return w.Sum()
	}
	whole := sum(len(text), text)
	for size := 1; size < 700; size++ {
		if sum(size, text) != whole {
			t.Fatalf("another sum in pieces of %d bytes", size)
		}
	}
	if sum(9, strings.Join(strings.Fields(text), "")) != whole {
		t.Error("blanks count")
	}
	for _, control := range []string{`\b`, `\u001f`, `\u000e`, `\u007f`} {
		if sum(9, text+control) == whole {
			t.Errorf("%s is a blank", control)
		}
	}
	if sum(9, text+"word") == whole || (&conversation.Words{}).Sum() == whole {
		t.Error("words do not count")
	}
}
