package upstream

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"
)

func packed(t *testing.T, w io.WriteCloser, b *bytes.Buffer, text string) []byte {
	t.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestPlainWhole: an answer that is read in one piece is undone, as far as it may be large, and what cannot be undone is an error.
func TestPlainWhole(t *testing.T) {
	var b bytes.Buffer
	zip := packed(t, gzip.NewWriter(&b), &b, strings.Repeat("x", 1000))
	f := func(coding string, body []byte, limit int, want string) {
		t.Helper()
		plain, err := plainWhole(coding, body, limit)
		if got := string(plain); err == nil && got != want || err != nil && (want == "" || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s of %d bytes within %d: %q, %v", coding, len(body), limit, got, err)
		}
	}
	f("", []byte("x"), 1, "x")
	f("gzip", zip, 1000, strings.Repeat("x", 1000))
	f("gzip", zip, 999, "too large")
	f("gzip", zip[:len(zip)-1], 1000, "content encoding that it names")
	f("gzip", []byte("{}"), 1000, "content encoding that it names")
	f("br", zip, 1000, "cannot be undone: br")
}
