package upstream

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
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

// forms are one text, compressed in each way that is undone.
func forms(t *testing.T, text string) map[string]coded {
	t.Helper()
	var b, c, d bytes.Buffer
	bare, err := flate.NewWriter(&c, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]coded{
		"gzip":          {"gzip", packed(t, gzip.NewWriter(&b), &b, text)},
		"deflate":       {"deflate", packed(t, zlib.NewWriter(&d), &d, text)},
		"deflate, bare": {"deflate", packed(t, bare, &c, text)},
	}
}

type coded struct {
	coding string
	body   []byte
}

// TestCutCodings: a compressed body that ends before its end is never whole, wherever it was cut. One without a byte has nothing in it.
func TestCutCodings(t *testing.T) {
	t.Parallel()
	for name, of := range forms(t, strings.Repeat("what the agent says, ", 20)) {
		for cut := range len(of.body) {
			r, err := Codings[of.coding](bytes.NewReader(of.body[:cut]))
			if err == nil {
				_, err = io.Copy(io.Discard, r)
			}
			if ends := err == nil || err == io.EOF; ends != (cut == 0) {
				t.Errorf("%s cut at %d of %d: %v", name, cut, len(of.body), err)
			}
		}
	}
}

// TestBehindTheCoding: bytes behind the end of what is compressed are no part of an answer, and never passed over.
func TestBehindTheCoding(t *testing.T) {
	t.Parallel()
	for name, of := range forms(t, "what the agent says") {
		for _, behind := range []string{"\x00", "{}", strings.Repeat("x", 1<<13)} {
			_, err := plainWhole(of.coding, append(of.body[:len(of.body):len(of.body)], behind...), 1<<10)
			if err == nil || !strings.Contains(err.Error(), "content encoding that it names") {
				t.Errorf("%s, and %d bytes: %v", name, len(behind), err)
			}
		}
	}
}
