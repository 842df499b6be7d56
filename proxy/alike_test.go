package proxy

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// TestCopiesOfAlikes copies records that are alike as if each was split off and observed: the bytes, the counts and the end
// are the same, wherever the stream is cut.
func TestCopiesOfAlikes(t *testing.T) {
	dialect, bare := native.Dialect, native.Dialect
	dialect.Varying = []string{"seq", "at"}
	bare.Texts = nil
	line := func(text string) string { return `{"kind":"text.delta","id":"p","text":"` + text + `"}` }
	sse := func(data string) string { return "data: " + data + "\n\n" }
	alikes := []string{line("a"), line("of another length"), line("c")}
	f := func(name string, framing wire.Framing, records int, parts ...string) {
		t.Helper()
		body := strings.Join(parts, "")
		for size := 1; size <= len(body); size++ {
			want := copyAll(engine.Config{From: &bare, To: &bare, Framing: framing}, body, size)
			got := copyAll(engine.Config{From: &dialect, To: &dialect, Framing: framing}, body, size)
			if got != want {
				t.Fatalf("%s in pieces of %d bytes: %+v, want %+v", name, size, got, want)
			}
			if got.records != records {
				t.Fatalf("%s in pieces of %d bytes: %d records, want %d", name, size, got.records, records)
			}
		}
	}
	events := strings.Join([]string{sse(alikes[0]), sse(alikes[1]), sse(alikes[2])}, "")
	f("events", wire.SSE, 5, sse(lineStart), events, sse(lineEnd))
	f("CRLF", wire.SSE, 5, strings.ReplaceAll(sse(lineStart)+events+sse(lineEnd), "\n", "\r\n"))
	f("recognised", wire.Auto, 5, sse(lineStart), events, sse(lineEnd))
	f("lines", wire.NDJSON, 5, lineStart+"\n", strings.Join(alikes, "\n"), "\n"+lineEnd+"\n")
	numbered := func(at, text, seq string) string {
		return sse(`{"kind":"text.delta","at":"` + at + `","text":"` + text + `","seq":` + seq + `}`)
	}
	f("numbers", wire.SSE, 6, sse(lineStart), numbered("a", "x", "9"), numbered("bc", "y", "10"), numbered(`\"`, "z", "11"), numbered("d", "z", "-1"), sse(lineEnd))
	f("no end", wire.SSE, 4, sse(lineStart), events)
	f("more behind the end", wire.SSE, 3, sse(lineStart), sse(alikes[0]), sse(lineEnd), events)
	f("cut in a record", wire.SSE, 3, sse(lineStart), sse(alikes[0]), sse(alikes[1]), `data: {"kind":"text.delta","id":"p","te`)
	f("comments", wire.SSE, 4, sse(lineStart), sse(alikes[0]), ":ping\n\n", sse(alikes[1]), ":ping\n", sse(lineEnd))
	f("a name before the second", wire.SSE, 4, sse(lineStart), sse(alikes[0]), "event: other\n", sse(alikes[1]), sse(lineEnd))
	f("escapes", wire.SSE, 6, sse(lineStart), sse(alikes[0]), sse(line(`\"\\`)), sse(line(`\`)), sse(alikes[1]), sse(lineEnd))
	f("a line end behind a backslash", wire.SSE, 5, sse(lineStart), sse(alikes[0]), sse(line("x\\\n\ndata: 7\n\n")), sse(lineEnd))
	f("line ends in a text", wire.SSE, 5, sse(lineStart), sse(alikes[0]), sse(line("x\n\ndata: 7\n\n")), sse(lineEnd))
}

// copied is all that a copy says of itself.
type copied struct {
	out             string
	records, faults int
	ended           bool
	code            string
}

func copyAll(cfg engine.Config, body string, size int) copied {
	out := wire.NewOut(wire.SSE)
	c := engine.NewCopier(cfg, out, true)
	var buf []byte
	for at := 0; at < len(body); at += size {
		buf = append(buf, body[at:min(at+size, len(body))]...)
		used, err := c.Feed(buf, false, 0)
		if err != nil {
			return copied{code: err.Error()}
		}
		buf = buf[used:]
	}
	_, _ = c.Feed(buf, true, 0)
	got := copied{ended: c.Ended}
	if f := c.Finish(nil, 0, false); f != nil {
		got.code = string(f.Code)
	}
	got.out, got.records, got.faults = string(out.Buf), int(c.Stats.Records), int(c.Stats.Errors())
	return got
}
