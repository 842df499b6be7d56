package inbound

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/valyala/fasthttp"
)

// TestPlain: whatever its coding, the plain form of a body is read up to the limit, and its memory is that of the budget, which gets it back
// where there is no such form.
func TestPlain(t *testing.T) {
	t.Parallel()
	const limit = 3*leastBody + 1
	packers := map[string]func(io.Writer, []byte, int) (int, error){
		"gzip": fasthttp.WriteGzipLevel, "X-Gzip": fasthttp.WriteGzipLevel, "deflate": fasthttp.WriteDeflateLevel,
		"br": fasthttp.WriteBrotliLevel, "zstd": fasthttp.WriteZstdLevel,
	}
	for coding, pack := range packers {
		packed := func(size int) []byte {
			var b bytes.Buffer
			if _, err := pack(&b, bytes.Repeat([]byte("x"), size), fasthttp.CompressDefaultCompression); err != nil {
				t.Fatal(err)
			}
			return b.Bytes()
		}
		f := func(name string, body []byte, budget int64, want error, size, used int) {
			t.Helper()
			c := &Conn{Lease: Lease{Budget: new(BodyBudget)}}
			got, err := c.Plain(coding, body, limit, budget)
			if (err != nil) != (size < 0) || want != nil && !errors.Is(err, want) || err == nil && string(got) != string(bytes.Repeat([]byte("x"), size)) {
				t.Errorf("%s, %s: %d bytes, %v; want %d, %v", coding, name, len(got), err, size, want)
			}
			if now := c.Lease.Budget.Used.Load(); now != int64(used) {
				t.Errorf("%s, %s: %d bytes of the budget are used, want %d", coding, name, now, used)
			}
			c.Lease.End()
			if left := c.Lease.Budget.Used.Load(); left != 0 {
				t.Errorf("%s, %s: %d bytes are not given back", coding, name, left)
			}
		}
		f("one byte", packed(1), limit, nil, 1, leastBody)
		f("all that is there at first", packed(leastBody), limit, nil, leastBody, leastBody)
		f("one byte more", packed(leastBody+1), limit, nil, leastBody+1, 2*leastBody)
		f("the limit", packed(limit), limit, nil, limit, limit)
		f("above the limit", packed(limit+1), 1<<20, ErrBodyLimit, -1, 0)
		f("no room", packed(leastBody+1), leastBody, ErrBodyBudget, -1, 0)
		f("half of it", packed(limit)[:10], limit, nil, -1, 0)
		f("another coding", []byte("{}"), limit, nil, -1, 0)
		for _, behind := range []string{"\x00", "{}", "abc", "0123456789abcdef"} {
			f("bytes behind its end", append(packed(100), behind...), limit, nil, -1, 0)
		}
	}
	c := &Conn{Lease: Lease{Budget: new(BodyBudget)}}
	if _, err := c.Plain("compress", []byte("{}"), limit, limit); !errors.Is(err, errCoding) {
		t.Errorf("an unknown coding: %v", err)
	}
}
