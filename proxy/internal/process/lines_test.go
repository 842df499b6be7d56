package process

import (
	"io"
	"os"
	"testing"
)

// linesOf is what is read of what an agent has written, and how that ends.
func linesOf(t *testing.T, limit int, written string) (got []string, last error) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	l := newLines(r, limit)
	if _, err := io.WriteString(w, written); err != nil {
		t.Fatal(err)
	}
	w.Close()
	for {
		p, err := l.next(nil)
		if err != nil {
			return got, err
		}
		got = append(got, string(p))
	}
}

// TestLinesOfOnePipe: a line may be as long as is allowed, whether its end has come or not. One that is longer ends the stream, behind the
// lines before it.
func TestLinesOfOnePipe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, written, want string
		end                 error
	}{
		{"as long as allowed", "0123456789\n", "0123456789\n", io.EOF},
		{"the same without its end", "0123456789", "0123456789\n", io.EOF},
		{"one longer", "0123456789a\n", "", ErrLongLine},
		{"one longer without its end", "0123456789a", "", ErrLongLine},
		{"behind another", "short\n0123456789a\n", "short\n", ErrLongLine},
		{"behind others that are allowed", "short\n0123456789\n0123456789a", "short\n0123456789\n", ErrLongLine},
		{"empty lines", "\n\nshort\n", "\n\nshort\n", io.EOF},
		{"nothing", "", "", io.EOF},
	} {
		got, err := linesOf(t, 10, c.written)
		text := ""
		for _, p := range got {
			text += p
		}
		if text != c.want || err != c.end {
			t.Errorf("%s: %q, %v; want %q, %v", c.name, text, err, c.want, c.end)
		}
	}
}
