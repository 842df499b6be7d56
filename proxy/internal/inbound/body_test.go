package inbound

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/proxy/internal/http1"
)

// sentInChunks is what becomes of a chunked body of which the client sends so much and no more.
func sentInChunks(t *testing.T, sent string, limit, budget int64) (*BodyReader, error) {
	t.Helper()
	ours, theirs := net.Pipe()
	defer ours.Close()
	go func() { _, _ = io.WriteString(theirs, sent) }()
	c := &Conn{Conn: ours, stage: stageServing, left: anyLeft, listener: &Listener{Header: 1 << 10, Read: 10 * time.Second}, began: time.Now()}
	c.frame.Chunked = true
	b := &BodyReader{Limit: limit, Budget: budget, Lease: Lease{Budget: new(BodyBudget)}}
	return b, c.ReadBody(b)
}

// sizeLine is the line before one byte, of so many characters.
func sizeLine(length int) string { return "1;" + strings.Repeat("x", length-2) + "\r\n" }

// TestChunks: chunks are read strictly, and up to what framing and data may take.
func TestChunks(t *testing.T) {
	t.Parallel()
	const end = "0\r\n\r\n"
	wasteful := func(lines int) string { return strings.Repeat(sizeLine(usualLine+2+1<<9)+"a\r\n", lines) }
	for _, c := range []struct {
		name, sent string
		want       error
		body       string
	}{
		{"two chunks", "5\r\nHello\r\n1\r\n!\r\n" + end, nil, "Hello!"},
		{"as much as may be", "a\r\n0123456789\r\n" + end, nil, "0123456789"},
		{"a byte more", "b\r\n0123456789", ErrBodyLimit, ""},
		{"a byte more later", "9\r\n012345678\r\n2\r\n", ErrBodyLimit, ""},
		{"a long line", sizeLine(maxSizeLine) + "a\r\n" + end, nil, "a"},
		{"one too long", sizeLine(maxSizeLine + 1), errChunkWaste, ""},
		{"one without end", strings.Repeat("0", maxSizeLine+1), errChunkWaste, ""},
		{"small chunks", strings.Repeat(sizeLine(usualLine)+"a\r\n", 10) + end, nil, "aaaaaaaaaa"},
		{"as much framing as may be", wasteful(1) + end, nil, "a"},
		{"no size", "\r\n", errChunkSize, ""},
		{"no hexadecimal size", "g\r\n", errChunkSize, ""},
		{"too many digits", strings.Repeat("0", 16) + "\r\n", errChunkSize, ""},
		{"a chunk that is longer", "1\r\nab\r\n", errChunkEnd, ""},
		{"a chunk that is shorter", "3\r\nab\r\n\r\n", errChunkEnd, ""},
		{"a line feed alone", "1\na\r\n", http1.ErrLineEnd, ""},
		{"a carriage return within", "1;\r \r\na\r\n", http1.ErrLineEnd, ""},
		{"trailers", "0\r\nx: y\r\n\r\n", errTrailers, ""},
	} {
		b, err := sentInChunks(t, c.sent, 10, 1<<20)
		if !errors.Is(err, c.want) || c.want == nil && string(b.Body) != c.body {
			t.Errorf("%s: %q, %v; want %q, %v", c.name, b.Body, err, c.body, c.want)
		}
	}
	for lines, want := range map[int]error{maxExcess/(1<<9) - 1: nil, maxExcess / (1 << 9): errChunkWaste} {
		if _, err := sentInChunks(t, wasteful(lines)+end, 1<<10, 1<<20); !errors.Is(err, want) {
			t.Errorf("%d long lines: %v, want %v", lines, err, want)
		}
	}
}

// TestBodyMemory: memory follows what has arrived, within the budget of all bodies, and no further than the limit.
func TestBodyMemory(t *testing.T) {
	t.Parallel()
	chunk := func(n int) string { return fmt.Sprintf("%x\r\n%s\r\n", n, strings.Repeat("a", n)) }
	for _, c := range []struct {
		sent          string
		limit, budget int64
		want          error
		taken         int64
	}{
		{chunk(1) + "0\r\n\r\n", 1 << 20, leastBody, nil, leastBody},
		{chunk(leastBody) + "0\r\n\r\n", 1 << 20, leastBody, nil, leastBody},
		{chunk(leastBody+1) + "0\r\n\r\n", 1 << 20, 2 * leastBody, nil, 2 * leastBody},
		{chunk(leastBody+1) + "0\r\n\r\n", leastBody + 1, 2 * leastBody, nil, leastBody + 1},
		{"fffff\r\n" + strings.Repeat("a", leastBody+1), 1 << 20, 2*leastBody - 1, ErrBodyBudget, 0},
		{"fffff\r\na", 1 << 20, leastBody - 1, ErrBodyBudget, 0},
	} {
		b, err := sentInChunks(t, c.sent, c.limit, c.budget)
		if taken := b.Lease.Budget.Used.Load(); !errors.Is(err, c.want) || taken != c.taken || int64(cap(b.Body)) != c.taken {
			t.Errorf("%.20q: %v, %d bytes of the budget, %d held; want %v, %d", c.sent, err, taken, cap(b.Body), c.want, c.taken)
		}
		if b.Lease.End(); b.Lease.Budget.Used.Load() != 0 {
			t.Errorf("%.20q: %d bytes are not given back", c.sent, b.Lease.Budget.Used.Load())
		}
	}
}
