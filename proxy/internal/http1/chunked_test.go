package http1

import (
	"bytes"
	"fmt"
	"io"
	"net/http/httputil"
	"strings"
	"testing"
)

// dechunk decodes body in pieces of the given sizes, the last of which is for the rest; 0 ends the list.
func dechunk(body []byte, sizes ...int) (data []byte, used int, done bool, err error) {
	var c ChunkReader
	for len(body) > 0 && c.State != ChunkDone {
		size := len(body)
		if len(sizes) > 0 {
			size, sizes = min(max(sizes[0], 1), len(body)), sizes[1:]
		}
		p := bytes.Clone(body[:size])
		n, u, err := c.Decode(p)
		data, used = append(data, p[:n]...), used+u
		if err != nil {
			return data, used, false, err
		}
		body = body[size:]
	}
	return data, used, c.State == ChunkDone, nil
}

func TestChunks(t *testing.T) {
	f := func(body, want string, used int, ok bool) {
		t.Helper()
		for cut := range len(body) + 1 {
			data, n, done, err := dechunk([]byte(body), cut)
			if string(data) != want || done != ok && err == nil || done && n != used {
				t.Errorf("%q cut at %d: %q, %d used, done %v, %v", body, cut, data, n, done, err)
			}
		}
	}
	full := func(body, want string) { t.Helper(); f(body, want, len(body), true) }
	full("0\r\n\r\n", "")
	full("5\r\nhello\r\n0\r\n\r\n", "hello")
	full("5\nhello\n0\n\n", "hello")
	full("0005;a=b;c=\"d\"\r\nhello\r\n1 \r\n!\r\n000;x\r\n\r\n", "hello!")
	full("a\r\n0123456789\r\nA\r\nabcdefghij\r\n0\r\nA: b\r\nC: d\r\n\r\n", "0123456789abcdefghij")
	f("1\r\nx\r\n0\r\n\r\nHTTP/1.1 200 OK", "x", len("1\r\nx\r\n0\r\n\r\n"), true)

	bad := func(body string) {
		t.Helper()
		if _, _, done, err := dechunk([]byte(body)); err == nil || done {
			t.Errorf("%.40q: done %v and no error", body, done)
		}
	}
	bad("\r\n")
	bad("x\r\n")
	bad(" 1\r\nx")
	bad("-1\r\n")
	bad("1x\r\n")
	bad("1\r\nxy\r\n")
	bad("fffffffffffffffff\r\n")
	bad("1;" + strings.Repeat("x", maxChunkLine))
	bad(strings.Repeat("0", maxChunkLine+1))
	bad("0\r\n" + strings.Repeat("x", maxChunkLine+1))
	bad("0\r\n" + strings.Repeat("A: b\r\n", maxTrailers/6+1))
}

// FuzzChunks: cuts make no difference, nothing beyond the end is read, and what the standard library accepts is read
// as it reads it.
func FuzzChunks(f *testing.F) {
	f.Add([]byte("5;x\r\nhello\r\n0\r\nA: b\r\n\r\nmore"), []byte{1, 2, 3})
	f.Add([]byte("3\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n"), []byte{4, 4})
	f.Fuzz(func(t *testing.T, body, cuts []byte) {
		sizes := make([]int, len(cuts))
		for i, c := range cuts {
			sizes[i] = int(c)
		}
		whole, used, done, err := dechunk(body)
		pieces, usedToo, doneToo, errToo := dechunk(body, sizes...)
		if !bytes.Equal(whole, pieces) || used != usedToo || done != doneToo || (err == nil) != (errToo == nil) {
			t.Fatalf("%q: %q, %d, %v, %v; in pieces %v: %q, %d, %v, %v", body, whole, used, done, err, sizes, pieces, usedToo, doneToo, errToo)
		}
		if used > len(body) || len(whole) > used {
			t.Fatalf("%d of %d bytes became %d", used, len(body), len(whole))
		}
		want, refErr := io.ReadAll(httputil.NewChunkedReader(bytes.NewReader(body)))
		if refErr == nil && (err != nil || !bytes.Equal(want, whole)) {
			t.Fatalf("%q: %q, %v; want %q", body, whole, err, want)
		}
		// What is chunked on purpose comes back, and the body behind it is left alone.
		var b bytes.Buffer
		for i, rest := 0, body; len(rest) > 0; i++ {
			n := len(rest)
			if i < len(cuts) {
				n = min(int(cuts[i])+1, n)
			}
			fmt.Fprintf(&b, "%x\r\n%s\r\n", n, rest[:n])
			rest = rest[n:]
		}
		b.WriteString("0\r\n\r\n")
		end := b.Len()
		b.WriteString("HTTP/1.1")
		if got, used, done, err := dechunk(b.Bytes(), sizes...); err != nil || !done || used != end || !bytes.Equal(got, body) {
			t.Fatalf("%q: %q, %d used, done %v, %v", b.Bytes(), got, used, done, err)
		}
	})
}
